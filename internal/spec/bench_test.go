package spec_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

// large returns a spec.md with n stories in the usual form.
func large(n int) []byte {
	var b strings.Builder
	b.WriteString("---\ncreated: 2026-01-15\n---\n# T\n\n## User Stories\n\n")
	for i := range n {
		fmt.Fprintf(&b, `### STORY-%05d: The user can do the thing with number %d

**As a** user
**I want to** do the thing
**So that** it is done and I can "go on".

**Acceptance Criteria:**

- [ ] The button for the thing is on the page of number %d
- [ ] A click on the button does the thing and says so
- [ ] Typecheck passes
- [ ] Unit tests pass

**Technical Notes:**

- Depends on nothing

`, i, i, i)
	}
	return []byte(b.String())
}

// BenchmarkSync compares all that a preflight reads, which is spec.md,
// prd.json and their agreement, with encoding/json on the prd.json alone.
func BenchmarkSync(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		text := large(n)
		s, _, err := spec.Parse("spec.md", text)
		if err != nil {
			b.Fatal(err)
		}
		p, _, err := spec.Generate(s, nil, spec.Options{})
		if err != nil {
			b.Fatal(err)
		}
		data := p.Bytes()
		b.Run("json/"+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var document struct {
					Description, CreatedAt string
					UserStories            []prd.Story
				}
				if json.Unmarshal(data, &document) != nil {
					b.Fatal("not JSON")
				}
			}
		})
		b.Run("sync/"+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, _, err := spec.Parse("spec.md", text)
				if err != nil {
					b.Fatal(err)
				}
				p, _, err := prd.Parse("prd.json", data)
				if err != nil || len(spec.Sync(s, p)) > 0 {
					b.Fatal("not in sync")
				}
			}
		})
	}
}
