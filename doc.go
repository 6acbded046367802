// Package ralph is the map of the code, and holds what the program carries
// with it: templates and the default settings.
//
// ralph runs a coding agent in a loop until a plan is done. Data goes one way:
//
//	flags + config -> plan + limits -> iterations -> journal -> (status files | screen | history | exit code)
//
// Who does what:
//
//	cmd/ralph            the commands, and all text that a user sees
//	internal/loop        the order of a run: wait, prompt, turn, guard, check, record, go on or stop
//	internal/calls       the calls of a run: which agent, the ledger, limits, waiting
//	internal/plan        the kinds of plan: context for the prompt, progress, done, guard, snapshot
//	internal/agent       one turn of one agent: the call, time limits, the typed outcome
//	internal/proc        process trees: the guardian starts and ends every agent and check
//	internal/stream      agents' output: events, failures, readable lines
//	internal/check       the project's quality checks
//	internal/evidence    whether a claim counts: facts and verdict
//	internal/prd         prd.json
//	internal/spec        spec.md, and prd.json made from it
//	internal/preflight   everything that must hold before a run
//	internal/breaker     the rule for "stuck"
//	internal/ratelimit   the ledger of calls that all loops of a user share
//	internal/journal     events on disk, the lock, the inbox; status and history as folds of them
//	internal/archive     finished features: put away, list, bring back
//	internal/recorder    writes the events of a run, without secrets
//	internal/registry    which loops exist on this machine
//	internal/config      the settings, and where each came from
//	internal/git         the questions ralph asks git
//	internal/replay      the built-in agent that plays a script
//
// The agent is started in one place, agent.Run, and it is the guardian of
// package proc that starts it and is told to end it. State is written by three
// packages: journal (the journal, its lock, the files derived from it), plan
// (the plan's files and their snapshot) and ratelimit (the ledger).
package ralph
