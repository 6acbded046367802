// Package proc starts agents and checks, and ends them with everything that
// they started: stopped means stopped.
//
// Three kinds of process take part:
//
//	ralph ── control socket ── guardian ─┬─ agent ── its children …
//	                                     └─ orphans that the agent left behind
//
// Who starts the agent: the guardian, which is ralph's own executable started
// again once per run ([StartGuardian], [Guard]). [Guardian.Start] sends it argv,
// directory, environment and the three standard files; the agent becomes the
// guardian's child, the leader of its own process group, with default signal
// dispositions, no terminal and no file of ralph's but those three. Only one
// process tree at a time, an agent or a check, is at work under a guardian, so
// that "everything the agent started" is every descendant of the guardian: on
// Linux it is the child subreaper, and neither a double fork nor a session or
// group of its own leads out of it.
//
// Who may stop it: ralph alone, by [Process.End]: gentle signals to the group,
// and at the end of the grace SIGKILL to every descendant, until wait says that
// there is none. When the leader exits by itself the rest is killed at once. A
// terminal's Ctrl-C, Ctrl-Z or hangup reaches ralph only: the guardian lives in a
// session of its own and drops those signals.
//
// What happens when one of them dies:
//
//   - The agent: the guardian reaps it and kills what it left; [Process.Exited]
//     and [Process.End] tell.
//   - ralph, of kill -9 too: its end of the control socket closes; the guardian
//     kills everything, calls the function given to [Guard], and exits.
//   - The guardian: [Guardian.Lost] closes and pending calls return [ErrLost]. On
//     Linux the leader gets SIGKILL from the kernel; the rest carries the run's
//     token in its environment and, on Linux, its mark in a resource limit that
//     cannot be raised again, by which End and [EndByToken] find it, also a chain of
//     processes of which each forks the next one and exits.
//   - ralph and the guardian: the next ralph command calls EndByToken.
//
// A process is never named by its pid alone: an [ID] holds its start time too,
// checked again before each signal, and on Linux the signal goes through a pidfd.
// A group is signalled only while a child that the guardian has not yet reaped
// holds its number.
//
// Limits. macOS has no subreaper: there the tree is the guardian's descendants,
// its session and the token's holders, looked up before each kill; what left all
// three escapes. So does, when the guardian is lost, what dropped the token from
// its environment, and on Linux has lowered that limit too. A process that was
// asked for from elsewhere (a service manager, a container daemon) is nobody's
// descendant. Why there are no control groups is told in docs/decisions.md.
package proc
