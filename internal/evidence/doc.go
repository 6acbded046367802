// Package evidence decides whether what an agent claims counts.
//
// A [Claim] is a set of marks (passes: true, a ticked box) without an acceptance on record,
// and the promise of completion. [Gatherer.Gather] collects the [Facts] about it: the work
// since the [Base], what weakens tests and checks since then, what is not committed, and how
// the quality checks fare. [Weigh] turns claim, facts and [Rules] into a [Verdict]; it is
// pure. Every mark goes through these two functions, for every caller: the loop after an
// iteration, the loop at its start (marks of a run that died, or met a limit, or left the
// branch; marks of a clone), and "ralph verify".
//
// The base is the commit and the fingerprint of the worktree at the last acceptance, or when
// ralph first saw the unit. Work and tests are always compared with it, never with the place
// where the current process happened to start.
//
// A mark that was there when ralph first saw the plan is taken over: it is never refused, and
// it counts only with a receipt and checks that pass, or if no check is configured. Boxes of
// a checklist need no receipt: users tick them, too.
package evidence
