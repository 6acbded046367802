package plan

import "testing"

func TestKeepAppended(t *testing.T) {
	const before = "# Log\n\n---\none\n"
	for name, c := range map[string]struct {
		after, want string
		cut         bool
	}{
		"appended":               {before + "---\ntwo\n", before + "---\ntwo\n", false},
		"white space at the end": {"# Log\n\n---\none\n\n---\ntwo\n", "# Log\n\n---\none\n\n---\ntwo\n", false},
		"other line ends":        {"# Log\r\n\r\n---\r\none\r\n---\r\ntwo\r\n", "# Log\r\n\r\n---\r\none\r\n---\r\ntwo\r\n", false},
		"rewritten":              {"two\n", before + "\n---\ntwo\n", true},
	} {
		merged, what := keepAppended([]byte(before), []byte(c.after))
		if string(merged) != c.want || (what != "") != c.cut {
			t.Errorf("%s: %q, %q", name, what, merged)
		}
	}
}
