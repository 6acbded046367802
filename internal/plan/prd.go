package plan

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/prd"
	"ralph/internal/preflight"
	"ralph/internal/regular"
	"ralph/internal/words"
)

// PRD is the plan of a feature folder: spec.md, prd.json, progress.txt and related files. The
// passes of its stories record what is done.
type PRD struct {
	Root   string // the worktree
	Folder string // of the feature, from the root: .ralph/<unit>
	Text   string // what the user asked for besides, may be empty

	base

	data, spec []byte   // what was read last
	loaded     *prd.PRD // and what it says
	state      State
}

// Feature returns the plan of a feature folder, which is named from the root.
func Feature(root, folder, text string) Plan { return &PRD{Root: root, Folder: folder, Text: text} }

// HasFeature reports whether a folder has a plan of this kind, or the beginning of one.
func HasFeature(folder string) bool {
	return exists(filepath.Join(folder, "spec.md")) || exists(filepath.Join(folder, "prd.json"))
}

// findPRD finds the plan in the feature folder.
func findPRD(c Choice) (Plan, string, error) {
	if c.by("prd") && (c.Done != "" || HasFeature(filepath.Join(c.Root, c.Folder))) {
		return Feature(c.Root, c.Folder, c.Text), "", nil
	}
	return nil, "", nil
}

// prdFiles lists the files of a feature folder, by their names.
func prdFiles() []File {
	return []File{
		{Path: "prd.json", agent: storyRule, starts: readable},
		{Path: "spec.md", Source: true, starts: exists},
		{Path: "progress.txt", agent: keepAppended, starts: exists},
		{Path: "prompt.md"},
		{Path: "specs", Folder: true},
	}
}

func readable(path string) bool {
	_, _, err := prd.Load(path)
	return err == nil
}

// About implements Plan.
func (p *PRD) About() About {
	return About{Root: p.Root, Kind: journal.PlanPRD, Criteria: "prd", Files: in(p.Folder, prdFiles()),
		Allowed:  "You may change only `passes` and `notes` of a story, and append to progress.txt.",
		Template: "prompt-tdd.md", Prompt: filepath.Join(p.Folder, "prompt.md")}
}

// Preflight implements Plan.
func (*PRD) Preflight(in preflight.Input) preflight.Report { return preflight.Run(in) }

func (p *PRD) path(name string) string { return filepath.Join(p.Root, p.Folder, name) }

// load reads prd.json for a change: the caller may write to what it returns.
func (p *PRD) load() (*prd.PRD, error) {
	loaded, _, err := prd.Load(p.path("prd.json"))
	return loaded, err
}

// Read implements Plan. A loop reads its plan several times in an iteration and
// mostly finds what it found before: then nothing is parsed again.
func (p *PRD) Read() (State, error) {
	data, err := regular.Read(p.path("prd.json"), prd.MaxSize)
	if err != nil {
		return State{}, err
	}
	spec, err := readRegular(p.path("spec.md"))
	if err != nil {
		spec = nil // its absence is a finding of the preflight, not of every look
	}
	if p.loaded != nil && bytes.Equal(data, p.data) && bytes.Equal(spec, p.spec) {
		return p.state, nil
	}
	loaded, _, err := prd.Parse(p.path("prd.json"), data)
	if err != nil {
		return State{}, err
	}
	p.data, p.spec, p.loaded, p.state = data, spec, loaded, stateOf(loaded, spec)
	return p.state, nil
}

func stateOf(loaded *prd.PRD, spec []byte) State {
	s := State{Print: fingerprint(loaded.Bytes(), spec)}
	for _, story := range loaded.Stories {
		s.Items = append(s.Items, Item{ID: story.ID, Title: story.Title, Done: story.Passes, Notes: story.Notes,
			Priority: story.Priority, DependsOn: story.DependsOn, Model: story.Model,
			About: story.Description, Criteria: story.AcceptanceCriteria})
	}
	return s
}

// Context implements Plan.
func (p *PRD) Context(s State, next *Item) string {
	var b strings.Builder
	done, total := s.Counts()
	fmt.Fprintf(&b, "## The feature\n\nIts folder is `%s`; %d of %d stories pass. Read these files there:\n\n", p.Folder, done, total)
	for _, f := range []struct{ name, why string }{
		{"prd.json", "the stories, their acceptance criteria and what passes"},
		{"spec.md", "the requirements of the stories"},
		{"progress.txt", "what earlier iterations did and learned"},
		{"specs", "further specifications"},
	} {
		if exists(p.path(f.name)) {
			fmt.Fprintf(&b, "- `%s`: %s\n", filepath.Join(p.Folder, f.name), f.why)
		}
	}
	if p.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", p.Text)
	}
	if next != nil {
		b.WriteString(p.story(next.ID))
	}
	return b.String()
}

// story shows the open story whole, so that the agent has it before it has
// called a single tool.
func (p *PRD) story(id string) string {
	st := p.loaded.Story(id)
	if st == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## The open story with the highest priority\n\n%s: %s\n", st.ID, st.Title)
	if st.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", st.Description)
	}
	b.WriteString("\nAcceptance criteria:\n")
	for _, c := range st.AcceptanceCriteria {
		fmt.Fprintf(&b, "- %s\n", c)
	}
	if st.Notes != "" {
		fmt.Fprintf(&b, "\nNotes: %s\n", p.notes(st.Notes))
	}
	return b.String()
}

// maxNotes bounds the part of the notes in the prompt, in bytes. Agents write notes, and
// the context is for the work.
const maxNotes = 8 << 10

func (p *PRD) notes(text string) string {
	if len(text) <= maxNotes {
		return text
	}
	return strings.ToValidUTF8(text[:maxNotes], "") + fmt.Sprintf("… (%d KB in all; the rest is in `%s`)", len(text)>>10, filepath.Join(p.Folder, "prd.json"))
}

// Snapshot implements Plan. The agent may change passes and notes and append to progress.txt.
func (p *PRD) Snapshot(stateDir string) error {
	return p.snapshot(p.Root, stateDir, p.About().Files)
}

// Left implements Plan.
func (*PRD) Left(s State) string {
	done, total := s.Counts()
	return fmt.Sprintf("%d of %d stories pass", done, total)
}

// storyRule is the rule for prd.json: the snapshot with the agent's passes and
// notes.
func storyRule(before, after []byte) (merged []byte, what string) {
	old, _, err := prd.Parse("prd.json", before)
	if err != nil {
		return after, "" // it was broken before the iteration: not this agent's doing
	}
	now, _, err := prd.Parse("prd.json", after)
	if err != nil {
		return before, "prd.json was left unreadable: " + firstLine(err)
	}
	if what = forbidden(prd.Diff(old, now)); what == "" {
		return after, ""
	}
	return prd.Restore(old, now).Bytes(), what
}

// forbidden says what of a difference was not the agent's to change.
func forbidden(d prd.Difference) string {
	var parts []string
	if len(d.Removed) > 0 {
		parts = append(parts, "stories removed: "+strings.Join(d.Removed, ", "))
	}
	if len(d.Added) > 0 {
		parts = append(parts, "stories added: "+strings.Join(d.Added, ", "))
	}
	for _, c := range d.Changed {
		parts = append(parts, c.ID+" "+c.Field+" changed")
	}
	for _, key := range d.Other {
		parts = append(parts, key+" changed")
	}
	return strings.Join(parts, "; ")
}

// Conclusion implements Plan.
func (*PRD) Conclusion(s State, promised, trust bool) Conclusion {
	open := s.Open()
	switch {
	case open == 0 && len(s.Items) > 0:
		return Conclusion{Done: true, Reason: "stories_complete"}
	case promised && trust:
		return Conclusion{Done: true, Reason: "promise"}
	case promised:
		return Conclusion{Refused: words.CountPlural(open, "story is", "stories are") + " still open in prd.json"}
	}
	return Conclusion{}
}

// Record implements Plan.
func (p *PRD) Record() (path string, data []byte) {
	return filepath.Join(p.Folder, "prd.json"), p.data
}

// Note implements Plan.
func (p *PRD) Note(id, line string) error {
	loaded, err := p.load()
	if err != nil {
		return err
	}
	s := loaded.Story(id)
	if s == nil || strings.Contains(s.Notes, line) {
		return nil
	}
	s.Notes = strings.TrimLeft(s.Notes+"\n"+line, "\n")
	return loaded.Save(p.path("prd.json"))
}

// Mark implements Plan.
func (p *PRD) Mark(ids []string, done bool) error {
	loaded, err := p.load()
	if err != nil {
		return err
	}
	for i := range loaded.Stories {
		if slices.Contains(ids, loaded.Stories[i].ID) {
			loaded.Stories[i].Passes = done
		}
	}
	return loaded.Save(p.path("prd.json"))
}

func firstLine(err error) string {
	var inv *prd.InvalidError
	if errors.As(err, &inv) && len(inv.Findings) > 0 {
		return inv.Findings[0].Message
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
