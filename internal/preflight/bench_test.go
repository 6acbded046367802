package preflight_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ralph/internal/prd"
	"ralph/internal/preflight"
	"ralph/internal/spec"
)

// BenchmarkRun compares a whole preflight with reading the prd.json through
// encoding/json.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		in, data := large(b, n)
		b.Run("json/"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				var document struct{ UserStories []prd.Story }
				if err := json.Unmarshal(data, &document); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("preflight/"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if r := preflight.Run(in); !r.OK {
					b.Fatal(r)
				}
			}
		})
	}
}

// large makes a feature with n stories and returns its prd.json too.
func large(b *testing.B, n int) (preflight.Input, []byte) {
	b.Helper()
	head, _, _ := strings.Cut(good, "### STORY-001")
	var text strings.Builder
	text.WriteString(head)
	for i := range n {
		fmt.Fprintf(&text, `### STORY-%05d: The user can do the thing with number %d

**As a** user
**I want to** do the thing
**So that** it is done and I can "go on".

**Acceptance Criteria:**

- [ ] The button for the thing is on the page of number %d
- [ ] A click on the button does the thing and says so
- [ ] Typecheck passes
- [ ] Unit tests pass

`, i, i, i)
	}
	in := preflight.Input{Root: b.TempDir(), Branch: "feature/user-auth"}
	dir := filepath.Join(in.Root, folder)
	s, _, err := spec.Parse("spec.md", []byte(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	p, _, err := spec.Generate(s, nil, spec.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for name, data := range map[string][]byte{"spec.md": []byte(text.String()), "prd.json": p.Bytes(), "progress.txt": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return in, p.Bytes()
}
