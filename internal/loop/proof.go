package loop

import (
	"context"
	"fmt"
	"strings"

	"ralph/internal/check"
	"ralph/internal/git"
)

// ProofMode says where the checks must succeed before a story is believed.
type ProofMode string

// The modes of proof.
const (
	ProofAuto    ProofMode = "auto"    // clean where the work is committed and the checks can pass there, else in place
	ProofClean   ProofMode = "clean"   // in a clean worktree of the agent's commit, or not at all
	ProofInPlace ProofMode = "inplace" // where the agent works
	ProofOff     ProofMode = "off"     // as inplace, without receipts
)

// Proof is the user's wish for how stories are proved.
type Proof struct {
	Mode  ProofMode
	Notes bool // write receipts as git notes too
}

// proofs is what a run knows about proving.
type proofs struct {
	base    string          // the commit that the work to be proved began with
	before  map[string]bool // checks that failed in place before the first iteration
	results check.Results
	unable  map[string]string // checks that cannot pass in a clean worktree, and why
	said    map[string]bool   // what is said once in a run
}

// proof is where the claims of one iteration are proved, and how they fared.
type proof struct {
	look    *git.Look    // the worktree as it was seen last, nil before the first look
	chosen  bool         // the fields below are set
	clean   *check.Clean // nil in place
	base    *check.Clean // of the commit that the work began with, nil while nobody needs it
	print   string       // fingerprint of the worktree before the checks
	partly  bool         // not all of the work is in the clean worktree: it must pass in place too
	why     string       // why checks count in place, empty where they do not
	results []check.Result
	inPlace []string // checks that the batch at work has run in place
}

// beginProofs removes what a run that died has left behind, and notes where the
// work begins.
func (l *Loop) beginProofs(ctx context.Context) {
	if err := check.Sweep(ctx, l.Repo, l.StateDir); err != nil {
		l.late = append(l.late, fmt.Sprintf("the clean worktree of a run that died cannot be removed: %v", err))
	}
	l.proofs = proofs{base: l.head, before: map[string]bool{}, unable: map[string]string{}, said: map[string]bool{}}
	if l.past.cutOff || l.past.rejected {
		l.proofs.base = l.past.base
	}
}

// look looks at the worktree, once while nothing but ralph is at work there.
func (l *Loop) look(ctx context.Context, it *iteration) (git.Look, error) {
	if it.proof.look == nil {
		look, err := l.Repo.Look(context.WithoutCancel(ctx), derived...)
		if err != nil {
			return git.Look{}, err
		}
		it.proof.look = &look
	}
	return *it.proof.look, nil
}

// requireCommit takes back marks whose work is not committed where only a clean
// worktree counts as a proof. It returns what is left.
func (l *Loop) requireCommit(ctx context.Context, it *iteration, newly []string) ([]string, error) {
	if len(newly) == 0 || l.Proof.Mode != ProofClean || l.Plan.CommitIsProgress() {
		return newly, nil
	}
	look, err := l.look(ctx, it)
	if err != nil || len(look.Changes) == 0 {
		return newly, err
	}
	return nil, l.reject(it.n, newly, uncommitted(look)+"; only what is committed is proved")
}

// uncommitted says which changes are not committed, not all of them.
func uncommitted(look git.Look) string {
	const shown = 3
	var paths []string
	for _, c := range look.Changes[:min(len(look.Changes), shown)] {
		paths = append(paths, c.Path)
	}
	text := "not committed: " + strings.Join(paths, ", ")
	if more := len(look.Changes) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// choose decides where the claims of the iteration are proved.
func (l *Loop) choose(ctx context.Context, it *iteration) error {
	p := &it.proof
	if p.chosen {
		return nil
	}
	look, err := l.look(ctx, it)
	if err != nil {
		return err
	}
	p.chosen, p.print = true, look.Hash
	switch {
	case len(l.Checks) == 0:
		p.why = "no quality checks are configured"
	case l.Proof.Mode != ProofAuto && l.Proof.Mode != ProofClean:
		p.why = "the setting proof.mode asks for it"
	case l.Plan.CommitIsProgress():
		p.why = fmt.Sprintf("a %s plan is proved where it is", l.Plan.Kind())
	case len(look.Changes) > 0 && look.Head.Commit == l.proofs.base:
		p.why = uncommitted(look)
		return l.once("uncommitted", "the checks run in place and not in a clean worktree (%s)", p.why)
	case len(look.Changes) > 0:
		// What is committed must pass as it is: a file may have been forgotten.
		p.why, p.partly = uncommitted(look), true
		if err := l.once("partly", "the checks run in place too, not only in a clean worktree (%s)", p.why); err != nil {
			return err
		}
		return l.chooseClean(ctx, p)
	default:
		return l.chooseClean(ctx, p)
	}
	return nil
}

// chooseClean makes room for a clean worktree of the commit.
func (l *Loop) chooseClean(ctx context.Context, p *proof) error {
	commit := p.look.Head.Commit
	clean, err := check.NewClean(context.WithoutCancel(ctx), l.Repo, commit, l.StateDir)
	switch {
	case err == nil:
		p.clean = clean
		return nil
	case l.Proof.Mode == ProofClean:
		return fmt.Errorf("a clean worktree of %.12s cannot be made: %w", commit, err)
	}
	p.why = "a clean worktree cannot be made: " + err.Error()
	return l.once("no worktree", "the checks run in place: %s", p.why)
}

// once warns of a kind of thing for the first time in the run.
func (l *Loop) once(kind, format string, args ...any) error {
	if l.proofs.said[kind] {
		return nil
	}
	l.proofs.said[kind] = true
	return l.warn(format, args...)
}
