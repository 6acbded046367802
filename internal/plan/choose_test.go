package plan_test

import (
	"testing"

	"ralph/internal/change"
	"ralph/internal/journal"
	"ralph/internal/plan"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name       string
		files      []string
		done, text string
		want       journal.PlanKind
		warning    string
		fails      bool
		changes    int
		named      bool
		template   bool
		empty      bool
	}{
		{name: "a feature folder", files: []string{folder + "/prd.json", "tasks.md"}, want: journal.PlanPRD},
		{name: "a folder with a spec only", files: []string{folder + "/spec.md"}, text: "also this", want: journal.PlanPRD},
		{name: "a checklist", files: []string{"tasks.md"}, want: journal.PlanTasks},
		{name: "a checklist and a text", files: []string{"tasks.md"}, text: "this", want: journal.PlanTasks},
		{name: "a text alone", text: "this", want: journal.PlanPrompt, warning: plan.NoTasks},
		{name: "nothing: the preflight says what is missing", want: journal.PlanPRD},
		{name: "tasks asked for, with a feature", files: []string{folder + "/prd.json", "tasks.md"}, done: "tasks", want: journal.PlanTasks},
		{name: "tasks asked for, none there, a text", done: "tasks", text: "this", want: journal.PlanPrompt, warning: plan.NoTasks},
		{name: "tasks asked for, none there, no text", done: "tasks", fails: true},
		{name: "a checklist without boxes and a text", files: []string{"tasks.md"}, empty: true, text: "this", want: journal.PlanPrompt, warning: "tasks.md has no task, using manual done criteria"},
		{name: "a checklist without boxes: reading it fails", files: []string{"tasks.md"}, empty: true, want: journal.PlanTasks},
		{name: "a template without a plan", template: true, fails: true},
		{name: "manual with a feature", files: []string{folder + "/prd.json"}, done: "manual", text: "this", want: journal.PlanPrompt},
		{name: "manual without a text", done: "manual", fails: true},
		{name: "manual with a prompt template", done: "manual", template: true, want: journal.PlanPrompt},
		{name: "prd asked for, none there", done: "prd", text: "this", want: journal.PlanPRD},
		{name: "a feature folder and changes", files: []string{folder + "/prd.json"}, changes: 1, want: journal.PlanPRD},
		{name: "a checklist and changes", files: []string{"tasks.md"}, changes: 1, want: journal.PlanTasks},
		{name: "changes and a text: the person decides", changes: 1, text: "this", fails: true},
		{name: "changes, and manual asked for", changes: 1, done: "manual", text: "this", want: journal.PlanPrompt},
		{name: "a change that was named, of several plans", files: []string{folder + "/prd.json", "tasks.md"}, changes: 2, named: true, want: journal.PlanChange},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			for _, f := range c.files {
				files[f] = "- [ ] x\n"
				if c.empty {
					files[f] = "# nothing\n"
				}
			}
			choice := plan.Choice{Root: write(t, files), Folder: folder, Done: c.done, Text: c.text, Template: c.template, Changes: make([]change.Change, c.changes)}
			if c.named {
				choice.Change = &choice.Changes[1]
			}
			p, warning, err := plan.Choose(choice)
			if (err != nil) != c.fails {
				t.Fatal(err)
			}
			if tasks, ok := p.(*plan.Tasks); ok {
				if _, err := tasks.Read(); (err != nil) != c.empty {
					t.Errorf("Read: %v", err)
				}
			}
			if err == nil && (p.About().Kind != c.want || warning != c.warning) {
				t.Errorf("%s with %q, want %s with %q", p.About().Kind, warning, c.want, c.warning)
			}
		})
	}
}
