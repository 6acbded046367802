package preflight

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/prd"
	"ralph/internal/regular"
	"ralph/internal/spec"
)

const (
	syncHint   = "Resolve sync issues by running '/ralph-prd' in Claude Code, or 'ralph prd'."
	filesHint  = "Make the missing files by running '/ralph-prd' in Claude Code, or 'ralph prd'."
	emptyHint  = "Make it from spec.md by running '/ralph-prd' in Claude Code, or 'ralph prd'."
	otherHint  = "Repair what cannot be read, or move it out of the way, then run 'ralph prd'."
	schemaHint = "Correct prd.json at the places named above."
	specHint   = "Correct spec.md at the places named above, then run 'ralph prd'."
)

// plan checks the files of the feature and their agreement.
func (r *runner) plan() {
	missing := r.files()
	var p *prd.PRD
	var s *spec.Spec
	if !missing["prd.json"] {
		p = r.prd()
	}
	if !missing["spec.md"] {
		s = r.spec()
	}
	if s != nil && p != nil && len(s.Stories) > 0 { // else all stories would be orphans, and 'ralph prd' refuses
		r.sync(s, p)
	}
	if p != nil {
		r.dependencies(p)
	}
	if s != nil {
		r.criteria(s)
		r.quality(s, p)
	}
}

// files checks that the required files are there.
func (r *runner) files() (missing map[string]bool) {
	missing = map[string]bool{}
	c := Condition{ID: "files", Severity: OK, Message: "Required files present"}
	odd, empty := false, false
	for _, name := range []string{"spec.md", "prd.json", "progress.txt"} {
		info, err := os.Stat(filepath.Join(r.in.Root, r.file(name)))
		text := name
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing[name] = true
		case name != "progress.txt": // other faults are reported when the file is read
			continue
		case err != nil:
			text = name + " cannot be read: " + cause(err).Error()
			odd = true
		case !info.Mode().IsRegular():
			text = name + " is not a regular file"
			odd = true
		default:
			empty = info.Size() == 0
			continue
		}
		c.Severity, c.Message = Error, "Required files missing"
		c.Details = append(c.Details, Detail{Text: text})
	}
	switch {
	case c.Severity != Error:
	case missing["spec.md"]:
		c.Hint = planHint
	case odd:
		c.Hint = otherHint
	default:
		c.Hint = filesHint
	}
	r.add(c)
	if empty {
		r.add(Condition{ID: "progress", Severity: Warn, Message: "progress.txt is empty", Hint: "Write its head with 'ralph prd'."})
	}
	return missing
}

// cause is the error without the name of the system call and the path.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// prd checks prd.json, and returns nil where it cannot be used. Stories without
// criteria are errors unless there are quality checks.
func (r *runner) prd() *prd.PRD {
	file := r.file("prd.json")
	var p *prd.PRD
	var odd []prd.Problem
	data, err := regular.Read(filepath.Join(r.in.Root, file), prd.MaxSize)
	if err == nil {
		p, odd, err = prd.Parse(file, data)
	}
	c := Condition{ID: "prd_schema", Severity: OK, Message: "prd.json schema valid"}
	if err != nil {
		c = Condition{ID: "prd_schema", Severity: Error, Message: "prd.json schema invalid", Hint: schemaHint, Details: r.reasons(err), located: true}
		switch {
		case data == nil:
			c.Hint = "Repair prd.json, or move it out of the way and run 'ralph prd'."
		case prd.Blank(data):
			c.Hint = emptyHint
		}
	}
	bare := func(f prd.Problem) bool { return f.NoCriteria }
	if slices.ContainsFunc(odd, bare) && !r.in.Checked {
		if c.Severity == OK {
			c = Condition{ID: "prd_schema", Severity: Error, Message: "prd.json schema invalid", Hint: schemaHint, located: true}
		}
		for _, f := range odd {
			if f.NoCriteria {
				c.Details = append(c.Details, detail(f))
			}
		}
	}
	r.add(c)
	if odd = slices.DeleteFunc(odd, bare); len(odd) > 0 {
		c := Condition{ID: "prd_keys", Severity: Warn, Message: "prd.json has unknown keys", located: true,
			Hint: "Remove them, unless another program needs them."}
		for _, f := range odd {
			c.Details = append(c.Details, detail(f))
		}
		r.add(c)
	}
	return p
}

// reasons are the details of an error of prd or spec.
func (r *runner) reasons(err error) []Detail {
	invalid := (*prd.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		return []Detail{{Text: r.worded(err)}}
	}
	var details []Detail
	for _, f := range invalid.Findings {
		details = append(details, detail(f))
	}
	return details
}

func detail(f prd.Problem) Detail {
	text := f.Message
	if f.Path != "" {
		text = f.Path + ": " + text
	}
	if f.Hint != "" {
		text += ". " + f.Hint
	}
	return Detail{Text: text, File: f.File, Line: f.Line, Column: f.Column}
}

// spec checks spec.md, and returns nil where it cannot be read.
func (r *runner) spec() *spec.Spec {
	file := r.file("spec.md")
	var s *spec.Spec
	var findings []spec.Problem
	data, err := regular.Read(filepath.Join(r.in.Root, file), spec.MaxSize)
	if err == nil {
		s, findings, err = spec.Parse(file, data)
	}
	if err != nil {
		c := Condition{ID: "spec", Severity: Error, Message: "spec.md cannot be read", Details: r.reasons(err), Hint: specHint, located: true}
		if data == nil {
			c.Hint = "Replace spec.md with a file that can be read, then run 'ralph prd'."
		}
		r.add(c)
		return nil
	}
	broken := Condition{ID: "spec", Severity: Error, Message: "spec.md has stories that cannot be read", Hint: specHint, located: true}
	odd := Condition{ID: "spec", Severity: Warn, Message: "spec.md has something odd", Hint: "Check the lines named above.", located: true}
	for _, f := range findings {
		c := &broken
		if f.Warning {
			c = &odd
		}
		c.Details = append(c.Details, detail(f.Problem))
	}
	complete := r.sections(s)
	r.unclear = len(broken.Details) > 0
	for _, c := range []Condition{odd, broken} {
		if len(c.Details) > 0 {
			r.add(c)
			complete = false
		}
	}
	if complete {
		r.add(Condition{ID: "spec", Severity: OK, Message: "spec.md structure valid"})
	}
	return s
}

// sections warns of each section that a spec should have and this one has not.
func (r *runner) sections(s *spec.Spec) (complete bool) {
	complete = true
	for _, section := range []struct{ title, remark string }{
		{"Problem Statement", ""}, {"Success Criteria", ""}, {"User Stories", ""}, {"Out of Scope", " (recommended)"},
	} {
		if !s.HasSection(section.title) {
			complete = false
			r.add(Condition{ID: "spec_sections", Severity: Warn, Message: fmt.Sprintf("spec.md missing %q section%s", section.title, section.remark),
				Hint: fmt.Sprintf("Add a heading '## %s' to spec.md.", section.title)})
		}
	}
	return complete
}

// sync checks that spec.md and prd.json have the same stories.
func (r *runner) sync(s *spec.Spec, p *prd.PRD) {
	differ := Condition{ID: "sync", Severity: Error, Message: "Sync check failed", Hint: syncHint}
	lost := Condition{ID: "orphans", Severity: Error, Message: "Orphan check failed"}
	var ids []string
	differences := spec.Sync(s, p)
	for _, d := range differences {
		inPRD := Detail{Text: d.String(), File: r.file("prd.json"), Line: d.PRDLine}
		switch d.Kind {
		case spec.Orphan:
			r.add(Condition{ID: "orphans", Severity: Warn, Message: fmt.Sprintf("Orphaned story: %s (passes: false, will be removed)", d.ID),
				Details: []Detail{inPRD}, brief: true, Hint: fmt.Sprintf("Add %s back to spec.md, or let 'ralph prd' remove it.", d.ID)})
		case spec.FinishedOrphan:
			inPRD.Note = "COMPLETED WORK WILL BE LOST"
			lost.Details = append(lost.Details, inPRD)
			ids = append(ids, d.ID)
		default:
			differ.Details = append(differ.Details, Detail{Text: d.String(), File: r.file("spec.md"), Line: d.SpecLine})
		}
	}
	if len(differ.Details) > 0 {
		r.add(differ)
	}
	if len(ids) > 0 {
		lost.Hint = lostHint(ids)
		r.add(lost)
	}
	if len(differences) == 0 && !r.unclear {
		r.add(Condition{ID: "sync", Severity: OK, Message: "Sync check passed"})
	}
}

// criteria reports stories without acceptance criteria. Quality checks can replace them.
func (r *runner) criteria(s *spec.Spec) {
	c := Condition{ID: "criteria", Severity: Error, Message: "Stories without acceptance criteria", located: true,
		Hint: "List them in spec.md under '**Acceptance Criteria:**', then run 'ralph prd'; 'ralph plan --criteria' writes them with the agent."}
	if r.in.Checked {
		c.Severity, c.Message = Warn, c.Message+": only the quality checks decide when they are done"
	}
	for _, story := range s.Stories {
		if len(story.Criteria) == 0 {
			c.Details = append(c.Details, Detail{Text: story.ID + " has none", File: r.file("spec.md"), Line: story.Line})
		}
	}
	if len(c.Details) > 0 {
		r.add(c)
	}
}

// dependencies reports stories that wait for what never comes.
func (r *runner) dependencies(p *prd.PRD) {
	c := Condition{ID: "dependencies", Severity: Error, Message: "Dependencies cannot be met", located: true,
		Hint: "Correct '**Depends on:**' in spec.md, then run 'ralph prd'."}
	stories := make(map[string]*prd.Story, len(p.Stories))
	for i := range p.Stories {
		stories[p.Stories[i].ID] = &p.Stories[i]
	}
	add := func(s *prd.Story, text string) {
		c.Details = append(c.Details, Detail{Text: s.ID + text, File: r.file("prd.json"), Line: s.Line})
	}
	for i := range p.Stories {
		s := &p.Stories[i]
		for _, id := range s.DependsOn {
			if stories[id] == nil {
				add(s, fmt.Sprintf(" depends on %s, which is not in the plan", id))
			}
		}
	}
	for _, circle := range circles(p, stories) {
		add(stories[circle[0]], " waits for itself: "+strings.Join(circle, " → "))
	}
	if len(c.Details) > 0 {
		r.add(c)
	}
}

// circles returns each chain of dependencies that ends where it starts, once.
func circles(p *prd.PRD, stories map[string]*prd.Story) (all [][]string) {
	finished := map[string]bool{}
	var chain []string
	var follow func(id string)
	follow = func(id string) {
		if at := slices.Index(chain, id); at >= 0 {
			all = append(all, append(slices.Clone(chain[at:]), id))
			return
		}
		if finished[id] || stories[id] == nil {
			return
		}
		chain = append(chain, id)
		for _, next := range stories[id].DependsOn {
			follow(next)
		}
		chain = chain[:len(chain)-1]
		finished[id] = true
	}
	for i := range p.Stories {
		follow(p.Stories[i].ID)
	}
	return all
}

// lostHint lists the two options for finished stories that are no longer in the spec.
func lostHint(ids []string) string {
	what := "This story was completed but is"
	if len(ids) > 1 {
		what = "These stories were completed but are"
	}
	return what + " no longer in spec.md.\nOptions:\n" +
		"  1. Add " + strings.Join(ids, ", ") + " back to spec.md (preserve completed work)\n" +
		"  2. Run '/ralph-prd' or 'ralph prd --confirm-orphan-removal' (discard work)"
}
