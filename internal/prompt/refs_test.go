package prompt

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The grammar of a reference, as a regular expression says it.
var refPattern = regexp.MustCompile(`(?m)(?:^|[\s("'])@([\pL\pN._/-]*[\pL\pN_/-])`)

func FuzzRefs(f *testing.F) {
	for _, text := range []string{
		"", "@", "@a", "read @docs/a.md.", "(@a)(@b) \"@c\" '@d'", "me@example.com", "@a@b", "@@a", "@.", "@...", "@./x/", "@é/ä½ ",
		"one\n@two\r\n@three\f@four", "@a @a", "\xff@a \xe9@b @c\xff", "@-x_y", " @a.b..", "@a, @b; @c:12", "@a\u00a0@b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		for _, m := range refPattern.FindAllStringSubmatch(text, -1) {
			want = append(want, m[1])
		}
		if diff := cmp.Diff(want, refs(text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("refs(%q) (-want +got):\n%s", text, diff)
		}
	})
}
