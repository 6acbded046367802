// Package evidence decides whether an agent's claim is accepted.
//
// A [Claim] is the promise of completion and a set of marks (passes: true, or a ticked box)
// without a recorded acceptance. [Gate.Gather] collects the [Facts]: the work since the
// [run.Base], weakened tests and checks, uncommitted changes, and the results of the quality
// checks. [Weigh] turns claim, facts and [Rules] into a [Verdict] and is pure.
//
// In a run, every mark goes through these two functions: after an iteration, and at the start of
// the loop, which judges old marks: of a run that died, met a limit or left the branch, or of a
// clone. "ralph verify" has no journal: [Finished.Gather] collects what the checks and the
// receipts say, for the same Weigh.
//
// The base is the commit and the fingerprint of the worktree at the last acceptance, or when
// ralph first saw the unit. Work and tests are always compared with the base. The start of the
// current process does not matter.
//
// A mark that existed when ralph first saw the plan is taken over and never refused. It counts
// only with a receipt and passing checks, or if no check is configured. Boxes of a checklist
// need no receipt, because users tick them, too.
package evidence
