package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/stream"
	"ralph/internal/tamper"
)

const (
	// maxDiff bounds what is read of an iteration's changes, in bytes.
	maxDiff = 8 << 20
	// maxFindings bounds what one event of the journal lists, toldFindings what
	// the agent is told.
	maxFindings  = 50
	toldFindings = 8
	// tamperReject is the setting that accepts no story beside a finding.
	tamperReject = "reject"
)

// suspicion is what the loop remembers of weakened evidence.
type suspicion struct {
	// base is the commit that the changes are held against while what was found
	// is not undone; empty where nothing is open. Without it an agent would only
	// have to tick once more, in an iteration that changes nothing.
	base     string
	known    map[tamper.Finding]bool // was there before the run, or was accepted
	around   tamper.Around           // the git directory when the run began
	commands []tamper.Finding        // of the running iteration
	unseen   int                     // the last iteration, if it was not looked at: nothing of it was claimed or committed
}

// lookBefore remembers what a person left before the run: it is no agent's doing.
func (l *Loop) lookBefore(ctx context.Context) error {
	l.suspect.known, l.suspect.around = map[tamper.Finding]bool{}, around(l.Repo)
	if l.past.suspected != "" && l.Tamper == tamperReject {
		if _, _, err := l.Repo.Diff(ctx, l.past.suspected, 1); err == nil {
			l.suspect.base = l.past.suspected
			return nil
		}
		// A person has rewritten the history since: there is nothing to compare with.
	}
	if l.past.cutOff || l.head == "" || l.asCommitted() {
		return nil
	}
	found, err := l.inspect(ctx, &iteration{}, l.head)
	for _, f := range found {
		l.suspect.known[f] = true
	}
	return err
}

// asCommitted reports whether it is known that no file of git's differed from what is
// committed when the run began: then there is nothing to compare.
func (l *Loop) asCommitted() bool {
	return l.Changes != nil && !slices.ContainsFunc(git.Without(*l.Changes, derived...), func(c git.Change) bool { return !c.Untracked() })
}

// adoptable returns the marks of an iteration that was cut off that its changes do
// not speak against.
func (l *Loop) adoptable(ctx context.Context, open []string) ([]string, error) {
	if len(open) == 0 || l.past.head == "" {
		return open, nil
	}
	return l.tampered(ctx, &iteration{}, l.past.head, open)
}

// hear takes note of what the agent runs, and hands the event on.
func (l *Loop) hear(e stream.Event) {
	if e.Kind == stream.KindTool && e.Command != "" && len(l.suspect.commands) < maxFindings {
		if f, ok := tamper.Command(e.Command, l.suspect.around.Hooked()); ok {
			l.suspect.commands = append(l.suspect.commands, f)
		}
	}
	if l.Stream != nil {
		l.Stream(e)
	}
}

// requireEvidence holds the changes of an iteration against what tests, checks
// and CI were before. It returns the items that are left.
func (l *Loop) requireEvidence(ctx context.Context, it *iteration, newly []string) ([]string, error) {
	s := &l.suspect
	if it.from == it.head.Commit && len(newly) == 0 && !it.promised && s.base == "" && len(s.commands) == 0 {
		s.unseen = it.n // it will be seen when it is committed, claimed, or the run ends
		return newly, nil
	}
	s.unseen = 0
	return l.tampered(ctx, it, it.from, newly)
}

// lookLast looks at what the last iterations left uncommitted and unclaimed: for
// the next run it would be what a person left before it.
func (l *Loop) lookLast(ctx context.Context) error {
	if l.suspect.unseen == 0 {
		return nil
	}
	_, err := l.tampered(ctx, &iteration{n: l.suspect.unseen}, l.head, nil)
	return err
}

// tampered looks at what changed since a commit, records what it finds and, where
// the settings say so, takes the marks back.
func (l *Loop) tampered(ctx context.Context, it *iteration, from string, newly []string) ([]string, error) {
	s := &l.suspect
	if s.base != "" {
		from = s.base
	}
	found, err := l.inspect(context.WithoutCancel(ctx), it, from)
	if err != nil {
		return newly, err
	}
	found = append(found, s.commands...)
	s.commands = nil
	accepted := l.Tamper != tamperReject
	if len(found) == 0 {
		if s.base == "" {
			return newly, nil
		}
		s.base = ""
		return newly, l.record(journal.TamperFound{N: it.n, Findings: []journal.TamperFinding{}, Accepted: true, Base: from})
	}
	if err := l.record(tamperEvent(it.n, from, found, accepted)); err != nil {
		return newly, err
	}
	if accepted {
		for _, f := range found {
			s.known[f] = true
		}
		return newly, nil
	}
	s.base = from
	return nil, l.rejectTampered(it, newly, found)
}

// inspect returns what weakens the evidence since a commit, without what is known.
func (l *Loop) inspect(ctx context.Context, it *iteration, from string) ([]tamper.Finding, error) {
	found := tamper.Compare(l.suspect.around, around(l.Repo))
	if from != "" {
		d, err := l.changes(ctx, it, from)
		if err != nil {
			return []tamper.Finding{{Rule: "unreadable", Message: "the changes cannot be looked through: " + err.Error()}}, ctx.Err()
		}
		in := tamper.Input{Diff: d.text, CutOff: d.cut, Root: l.Repo.Root}
		for _, c := range l.Checks {
			in.Checks = append(in.Checks, c.Command)
		}
		inDiff := tamper.Inspect(in)
		if slices.ContainsFunc(inDiff, tamper.Finding.MayHaveMoved) { // to a file that git does not know yet
			if in.New, err = l.Repo.Untracked(ctx, derived...); err != nil {
				return nil, err
			}
			inDiff = tamper.Inspect(in)
		}
		found = append(found, inDiff...)
	}
	fresh := found[:0]
	for _, f := range found {
		if !l.suspect.known[f] {
			fresh = append(fresh, f)
		}
	}
	return fresh, nil
}

// rejectTampered accepts nothing of the iteration, and tells the agent why.
func (l *Loop) rejectTampered(it *iteration, newly []string, found []tamper.Finding) error {
	it.tampered = true
	l.notes.first(tamperNote(found))
	reason := "tests, checks or CI were weakened: " + where(found[0])
	if more := len(found) - 1; more > 0 {
		reason += fmt.Sprintf(", and %d more", more)
	}
	if it.promised {
		if err := l.record(journal.ClaimRejected{N: it.n, Claim: journal.ClaimPromise, Reason: reason}); err != nil {
			return err
		}
	}
	if len(newly) == 0 {
		return nil
	}
	return l.reject(it.n, newly, reason)
}

func tamperEvent(n int, base string, found []tamper.Finding, accepted bool) journal.TamperFound {
	e := journal.TamperFound{N: n, Accepted: accepted, Base: base, More: max(0, len(found)-maxFindings)}
	for _, f := range found[:min(maxFindings, len(found))] {
		e.Findings = append(e.Findings, journal.TamperFinding(f))
	}
	return e
}

// tamperNote tells the agent what to undo.
func tamperNote(found []tamper.Finding) string {
	var b strings.Builder
	b.WriteString("Nothing is accepted while tests, checks or CI are weaker than they were. Undo this, and make the code right instead; where the work really needs it, say so in the story's notes: a person decides.")
	for _, f := range found[:min(toldFindings, len(found))] {
		fmt.Fprintf(&b, "\n  - %s", where(f))
		if f.Text != "" {
			fmt.Fprintf(&b, ": `%s`", f.Text)
		}
	}
	if more := len(found) - toldFindings; more > 0 {
		fmt.Fprintf(&b, "\n  - and %d more", more)
	}
	return b.String()
}

// where names a finding in one line.
func where(f tamper.Finding) string {
	switch {
	case f.Path == "":
		return f.Message
	case f.Line == 0:
		return f.Path + ": " + f.Message
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Message)
}

func around(r *git.Repo) tamper.Around { return tamper.Around(r.Around()) }
