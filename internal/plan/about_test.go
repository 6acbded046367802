package plan_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/change"
	"ralph/internal/plan"
)

// TestFilesOfTheKinds lists the files of each kind: rooms and the guard treat what the agent may
// not write in another way, so no file may be in both lists.
func TestFilesOfTheKinds(t *testing.T) {
	folder, of := ".ralph/x/", "openspec/changes/add-x/"
	tasks := func(file string) plan.Plan {
		return &plan.Tasks{Root: "/w", File: filepath.Join("/w", file)}
	}
	for _, c := range []struct {
		name          string
		plan          plan.Plan
		writable, not []string
		source        string
	}{
		{"a feature", plan.Feature("/w", folder, ""),
			[]string{folder + "prd.json", folder + "progress.txt"},
			[]string{folder + "spec.md", folder + "prompt.md", folder + "specs"}, folder + "spec.md"},
		{"the checklist of the root", tasks("tasks.md"), []string{"tasks.md"}, nil, "tasks.md"},
		{"another checklist", tasks("docs/tasks.md"), []string{"docs/tasks.md"},
			[]string{"tasks.md"}, "docs/tasks.md"},
		{"a change", &plan.Change{Root: "/w", Of: change.New("add-x", of)}, []string{of + "tasks.md"},
			[]string{of + "proposal.md", of + "design.md", of + "specs"}, of + "proposal.md"},
		{"a text", &plan.Prompt{Root: "/w", Text: "x"}, nil, nil, ""},
	} {
		var writable, not []string
		source := ""
		for _, f := range c.plan.About().Files {
			if f.Writable() {
				writable = append(writable, f.Path)
			} else {
				not = append(not, f.Path)
			}
			if f.Source && source == "" {
				source = f.Path
			}
		}
		if diff := cmp.Diff(c.writable, writable) + cmp.Diff(c.not, not); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if source != c.source {
			t.Errorf("%s is made from %q, want %q", c.name, source, c.source)
		}
	}
}
