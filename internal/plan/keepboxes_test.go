package plan

import "testing"

// TestKeepBoxes: what a checklist's guard leaves to the agent, and what not.
func TestKeepBoxes(t *testing.T) {
	const before = "# Tasks\n\n- [x] one\n- [ ] two\n- [ ] three\n"
	for name, c := range map[string]struct{ after, want, what string }{
		"ticked":         {"# Tasks\n\n- [x] one\n- [x] two\n- [ ] three\n", "", ""},
		"reworded":       {"# Tasks\n\n- [x] one\n- [x] 2\n- [ ] three\n", "", ""},
		"split":          {"- [x] one\n- [ ] two a\n- [ ] two b\n- [ ] three\n", "", ""},
		"tidied up":      {"- [ ] two\n- [ ] three\n", "", ""},
		"removed":        {"- [x] one\n- [x] two\n", "# Tasks\n\n- [x] one\n- [x] two\n- [ ] three\n", "open tasks removed: three"},
		"asked, removed": {"- [?] three\n", "# Tasks\n\n- [x] one\n- [ ] two\n- [?] three\n", "open tasks removed: two"},
		"emptied":        {"done\n", before, "emptied"},
	} {
		merged, what := keepBoxes([]byte(before), []byte(c.after))
		want := c.want
		if want == "" {
			want = c.after
		}
		if string(merged) != want || what != c.what {
			t.Errorf("%s: %q, %q", name, what, merged)
		}
	}
}
