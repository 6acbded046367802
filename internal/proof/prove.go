// Package proof shows by running what a change is worth: do the tests that were there
// still hold, do the new ones fail without the work, and how much of the work do the
// checks hold? It sorts files into tests, check files and work, composes trees of them
// and has the checks run on these. What follows from the results is the caller's matter.
package proof

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
)

// Strictness says what ralph does if old tests or new tests fail. See package evidence.
type Strictness string

// The modes. Only new tests can be required.
const (
	Off     Strictness = "off"
	Warn    Strictness = "warn"
	Reject  Strictness = "reject"
	Require Strictness = "require"
)

// Settings holds the user's settings for a proof.
type Settings struct {
	OldTests Strictness
	NewTests Strictness
	Budget   time.Duration // for strength; 0 turns it off
	Tests    []string      // globs of more tests
	Locked   []string      // globs of more check files
}

// Prover composes trees of old and new files, and runs the checks on them.
type Prover struct {
	Repo     *git.Repo
	Settings Settings
	Checks   []check.Check
	// Run runs a check on a commit, in a room of its own. How it fared is in the result; the
	// error is ralph's own trouble.
	Run func(ctx context.Context, commit string, c check.Check) (check.Result, error)
	// Counting are the names of checks that said how many tests ran, whenever that was.
	Counting map[string]bool
	// Elapsed is the time since some moment.
	Elapsed func() time.Duration

	known map[runKey]check.Result
}

// runKey is what decides how a run ends: results are kept by tree.
type runKey struct{ tree, name, command string }

// Commits describes the work to be proved: its first and last commit.
type Commits struct {
	Base    string   // the commit with which the work began
	Head    string   // the commit to be judged
	Foreign []string // tips of other people's commits: they are not part of the work
	Earlier string   // Kept of the last accepted proof
	Green   []check.Result
}

// Proof holds the results of the runs.
type Proof struct {
	Base     string        `json:"base"` // what head was compared with
	Head     string        `json:"head"`
	Checks   int           `json:"checks"`
	Skipped  string        `json:"skipped,omitempty"` // why there were no runs
	Old      TestRun       `json:"oldTests"`
	New      TestRun       `json:"newTests"`
	Strength Strength      `json:"strength"`
	Counts   []Count       `json:"counts,omitempty"`
	Gone     []string      `json:"gone,omitempty"`    // tests that went with what they test
	Others   int           `json:"others,omitempty"`  // merged commits of other people
	Adapted  bool          `json:"adapted,omitempty"` // tests changed, and no more of them run than before
	Runs     int           `json:"runs"`              // of checks, without those that were known
	Took     time.Duration `json:"took"`
	// Kept is a commit with the tests that this story or earlier ones changed, as they were
	// before. It is empty without such tests.
	Kept string `json:"kept,omitempty"`
}

// TestOutcome says how a run of old or new tests ended.
type TestOutcome string

// The outcomes.
const (
	NotRun    TestOutcome = ""           // turned off, or nothing to run
	Passed    TestOutcome = "passed"     // all checks pass
	Weaker    TestOutcome = "weaker"     // they pass, and catch a fault that the new ones do not
	Fewer     TestOutcome = "fewer"      // they pass, and not all of them ran
	Earlier   TestOutcome = "earlier"    // they pass, but not as they were before earlier stories
	Failed    TestOutcome = "failed"     // one fails
	NoCompile TestOutcome = "no_compile" // the tests cannot be built against this work
	RedAtBase TestOutcome = "red"        // it fails at base too: that says nothing
	NoTests   TestOutcome = "no_tests"   // no test has changed
	Unable    TestOutcome = "unable"     // the tree cannot be made or checked out
)

// TestRun records one run of old or new tests.
type TestRun struct {
	Outcome TestOutcome `json:"verdict"`
	Check   string      `json:"check,omitempty"` // that failed
	Files   []string    `json:"files,omitempty"` // that make it fail, or were changed
	Tail    string      `json:"tail,omitempty"`  // the end of its output
}

// Count compares how many tests a check ran at base and at head.
type Count struct {
	Check  string `json:"check"`
	Before int    `json:"before"`
	After  int    `json:"after"`
}

// maxFiles bounds how many files are restored one by one, and how many are named.
const maxFiles = 8

// Prove makes the runs that the settings ask for. If a run cannot be made, its outcome says so.
// Prove fails only if ctx is cancelled or git fails.
func (p *Prover) Prove(ctx context.Context, ch Commits) (Proof, error) {
	began := p.Elapsed()
	r := Proof{Head: ch.Head, Base: ch.Base, Checks: len(p.Checks), Kept: ch.Earlier}
	defer func() { r.Took = p.Elapsed() - began }()
	if len(p.Checks) == 0 {
		r.Skipped = "no check is configured"
		return r, nil
	}
	base, others, err := p.origin(ctx, ch)
	if err != nil {
		return r, err
	}
	r.Base, r.Others = base, others
	c, err := p.compare(ctx, base, ch.Head)
	if err != nil {
		return r, err
	}
	if c.onlyRemarks() {
		r.Skipped = "only comments and documents changed"
		r.Kept, err = c.keepTests(ctx, ch.Earlier)
		return r, unlessGone(ctx, err)
	}
	for _, g := range ch.Green {
		if err := p.keep(ctx, ch.Head, g, g.Check); err != nil {
			return r, err
		}
	}
	if r.Old, err = p.oldTests(ctx, c, &r); err != nil {
		return r, err
	}
	if err := unlessGone(ctx, p.earlierTests(ctx, c, &r, ch.Earlier)); err != nil {
		return r, err
	}
	if r.New, err = p.newTests(ctx, c, &r); err != nil {
		return r, err
	}
	r.Strength, err = p.strength(ctx, c, &r)
	r.Took = p.Elapsed() - began
	return r, err
}

// keep notes how a check fares on a commit, for the next run of it there.
func (p *Prover) keep(ctx context.Context, commit string, res check.Result, ck check.Check) error {
	at, err := p.Repo.Commit(ctx, commit)
	if err != nil || res.Outcome == journal.CheckInterrupted {
		return err
	}
	if p.known == nil {
		p.known = map[runKey]check.Result{}
	}
	p.known[runKey{at.Tree, ck.Name, ck.Command}] = res
	return nil
}

// run runs one check on a commit, unless it is known how it fares on that tree.
func (p *Prover) run(
	ctx context.Context, r *Proof, commit string, c check.Check,
) (check.Result, error) {
	at, err := p.Repo.Commit(ctx, commit)
	if err != nil {
		return check.Result{}, err
	}
	k := runKey{at.Tree, c.Name, c.Command}
	if known, ok := p.known[k]; ok {
		known.Check = c
		return known, nil
	}
	r.Runs++
	res, err := p.Run(ctx, commit, c)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return res, err
	}
	return res, p.keep(ctx, commit, res, c)
}

// runBroken runs one check on a commit with a part missing or a fault, which can make it
// endless: it may take a few times as long as on the head.
func (p *Prover) runBroken(
	ctx context.Context, c *comparison, r *Proof, commit string, ck check.Check,
) (check.Result, error) {
	head, err := p.run(ctx, r, c.head, ck)
	if err != nil {
		return head, err
	}
	if most := 10*time.Second + 5*head.Duration; ck.Timeout <= 0 || ck.Timeout > most {
		ck.Timeout = most
	}
	return p.run(ctx, r, commit, ck)
}

// firstRed runs the checks on a commit up to the first that fails where it passes at base.
// A check that fails at base too says nothing, which is returned as red.
func (p *Prover) firstRed(
	ctx context.Context, r *Proof, c *comparison, commit string,
) (failed *check.Result, red string, err error) {
	for _, ck := range p.Checks {
		res, err := p.run(ctx, r, commit, ck)
		if err != nil {
			return nil, red, err
		}
		if res.Green() {
			continue
		}
		before, err := p.run(ctx, r, c.base, ck)
		if err != nil {
			return nil, red, err
		}
		if before.Green() {
			return &res, red, nil
		}
		red = ck.Name
	}
	return nil, red, nil
}

// oldTests runs head's work with the tests and check files of base.
func (p *Prover) oldTests(ctx context.Context, c *comparison, r *Proof) (TestRun, error) {
	if p.Settings.OldTests == Off {
		return TestRun{}, nil
	}
	edits, err := c.putBack(ctx)
	if err != nil {
		return TestRun{}, err
	}
	if err := p.counts(ctx, c, r); err != nil {
		return TestRun{}, err
	}
	commit := c.head // without edits the head run was this one
	if len(edits) > 0 {
		if commit, err = c.commit(ctx, c.head, edits); err != nil {
			return unable(ctx, err)
		}
	}
	failed, red, err := p.firstRed(ctx, r, c, commit)
	if err == nil && failed == nil && red != "" {
		// If the head passes, it does so only because of the restored files.
		failed, err = p.greenAtHead(ctx, r, c, commit, red)
	}
	switch {
	case err != nil:
		return unable(ctx, err)
	case failed == nil && red != "":
		return TestRun{Outcome: RedAtBase, Check: red}, nil
	case failed != nil && len(edits) > 0:
		t := failedRun(failed)
		t.Files, err = p.blame(ctx, c, r, failed.Check, edits)
		return t, err
	}
	r.Gone = c.gone
	weak, err := p.weaker(ctx, c, r, edits)
	switch {
	case err != nil:
		return unable(ctx, err)
	case weak != nil:
		return *weak, nil
	}
	return p.allRan(ctx, c, r, commit)
}

// allRan returns the run of old tests that pass, unless the work kept some of them from
// running: it ended their process, or emptied their list.
func (p *Prover) allRan(
	ctx context.Context, c *comparison, r *Proof, commit string,
) (TestRun, error) {
	passed := TestRun{Outcome: Passed}
	if len(c.gone) > 0 {
		return passed, nil // fewer are there
	}
	for _, ck := range p.Checks {
		after, err := p.run(ctx, r, commit, ck)
		if err != nil {
			return unable(ctx, err)
		}
		if after.Uncounted || !after.Counted && !p.Counting[ck.Name] {
			continue // the tests of go test cannot be ended so; or a runner that never counts
		}
		before, err := p.run(ctx, r, c.base, ck)
		if err != nil {
			return unable(ctx, err)
		}
		if before.Counted && before.Green() && after.Green() && after.Tests < before.Tests {
			n := Count{Check: ck.Name, Before: before.Tests, After: after.Tests}
			return TestRun{Outcome: Fewer, Check: ck.Name, Tail: n.String()}, nil
		}
	}
	return passed, nil
}

// greenAtHead returns how a check fared that fails on a commit and passes on the head, nil
// where it fails there too.
func (p *Prover) greenAtHead(
	ctx context.Context, r *Proof, c *comparison, commit, name string,
) (*check.Result, error) {
	ck := p.Checks[slices.IndexFunc(p.Checks, func(ck check.Check) bool { return ck.Name == name })]
	head, err := p.run(ctx, r, c.head, ck)
	if err != nil || !head.Green() {
		return nil, err
	}
	res, err := p.run(ctx, r, commit, ck)
	return &res, err
}

// blame puts the files back one by one and returns those with which the check fails. Where
// none does alone, all are named.
func (p *Prover) blame(
	ctx context.Context, c *comparison, r *Proof, ck check.Check, edits map[string]git.TreeEntry,
) ([]string, error) {
	var files []string
	for name := range edits {
		files = append(files, name)
	}
	slices.Sort(files)
	if len(files) == 1 {
		return files, nil
	}
	var guilty []string
	for _, name := range files[:min(maxFiles, len(files))] {
		commit, err := c.commit(ctx, c.head, map[string]git.TreeEntry{name: edits[name]})
		if err != nil {
			return files, nil // a folder is in its place now
		}
		res, err := p.run(ctx, r, commit, ck)
		if err != nil {
			return files, err
		}
		if !res.Green() {
			guilty = append(guilty, name)
		}
	}
	if len(guilty) == 0 {
		return files, nil
	}
	return guilty, nil
}

// newTests runs base's work with the tests and check files of head.
func (p *Prover) newTests(ctx context.Context, c *comparison, r *Proof) (TestRun, error) {
	switch {
	case p.Settings.NewTests == Off:
		return TestRun{}, nil
	case len(c.newTests()) == 0:
		return TestRun{Outcome: NoTests}, nil
	case len(c.changed[Work]) == 0:
		return TestRun{}, nil // there is no work to be without
	}
	edits, err := c.withoutWork(ctx)
	if err != nil {
		return TestRun{}, err
	}
	commit, err := c.commit(ctx, c.base, edits)
	if err != nil {
		return unable(ctx, err)
	}
	failed, red, err := p.firstRed(ctx, r, c, commit)
	switch {
	case err != nil:
		return unable(ctx, err)
	case failed != nil:
		return failedRun(failed), nil
	case red != "":
		return TestRun{Outcome: RedAtBase, Check: red}, nil
	case c.newRustTests():
		return TestRun{Outcome: NoCompile}, nil // they are in files that the work brought
	}
	return TestRun{Outcome: Passed, Files: c.newTests()}, nil
}

// newRustTests reports whether a new source file brought tests of its own.
func (c *comparison) newRustTests() bool {
	return slices.ContainsFunc(c.rust(), func(name string) bool { return !c.was[name].IsFile() })
}

// failedRun returns the run of tests in which a check failed.
func failedRun(failed *check.Result) TestRun {
	t := TestRun{Outcome: Failed, Check: failed.Check.Name, Tail: failed.Tail}
	if cannotCompile(failed.Tail) {
		t.Outcome = NoCompile
	}
	return t
}

// unable returns a run that could not be made, or an error if ralph has to stop.
func unable(ctx context.Context, err error) (TestRun, error) {
	if ctx.Err() != nil {
		return TestRun{}, err
	}
	return TestRun{Outcome: Unable, Tail: err.Error()}, nil
}

// counts compares how many tests ran at base and at head. go test prints no number unless it
// is asked to.
func (p *Prover) counts(ctx context.Context, c *comparison, r *Proof) error {
	counted, grew := false, false
	for _, ck := range p.Checks {
		after, err := p.run(ctx, r, c.head, ck)
		if err != nil {
			return err
		}
		quiet := ck
		if after.Uncounted {
			ck.Command = "export GOFLAGS=\"-v $GOFLAGS\"\n" + ck.Command
			if after, err = p.run(ctx, r, c.head, ck); err != nil {
				return err
			}
		}
		if !after.Counted && !after.Uncounted {
			continue
		}
		before, err := p.run(ctx, r, c.base, ck)
		if err != nil {
			return err
		}
		if err := p.keep(ctx, c.base, before, quiet); err != nil {
			return err
		}
		if before.Counted && before.Green() && after.Tests < before.Tests || after.Tests == 0 {
			r.Counts = append(r.Counts, Count{Check: ck.Name, Before: before.Tests, After: after.Tests})
		}
		counted = counted || before.Counted && before.Green()
		grew = grew || after.Tests > before.Tests
	}
	r.Adapted = counted && !grew
	return nil
}

// origin returns the commit to compare head with. That is base, unless the history
// brought commits of other people: then it is base with these.
func (p *Prover) origin(ctx context.Context, ch Commits) (base string, others int, err error) {
	base = ch.Base
	if base == "" {
		return "", 0, fmt.Errorf("the commit before the work is unknown")
	}
	for _, tip := range ch.Foreign {
		brought, err := p.Repo.MergeBase(ctx, ch.Head, tip)
		if err != nil {
			return "", 0, err
		}
		if brought == "" || brought == ch.Head {
			continue // it is not in head, or head itself is published: then it says nothing
		}
		known, err := p.Repo.IsAncestor(ctx, brought, base)
		if err != nil {
			return "", 0, err
		}
		if known {
			continue
		}
		commits, err := p.Repo.Commits(ctx, base, brought)
		if err != nil {
			return "", 0, err
		}
		tree, ok, err := p.Repo.MergeTree(ctx, base, brought)
		if err != nil {
			return "", 0, err
		}
		if !ok {
			continue // the agent resolved it: its resolution is its own
		}
		if base, err = p.Repo.CommitTree(tree, base, brought); err != nil {
			return "", 0, err
		}
		others += len(commits)
	}
	return base, others, nil
}
