// Package proc starts agents and checks, and ends them with all their children.
//
// Three kinds of process take part:
//
//	ralph ── control socket ── guardian ─┬─ agent ── its children …
//	                                     └─ orphans of the agent
//
// Only the guardian starts the agents of a run. It is ralph's own executable, started again
// once per run ([StartGuardian], [Guard]). [Guardian.Start] sends it argv,
// directory, environment and the three standard files. The agent becomes the
// guardian's child and the leader of its own process group. It has default
// signal dispositions, no terminal, and no file of ralph's but those three. Only
// one process tree, of an agent or a check, runs under a guardian at a time. So
// "everything the agent started" is every descendant of the guardian. On Linux
// the guardian is the child subreaper: a double fork, a session or a group does
// not escape from it.
//
// While ralph lives, only ralph stops the agent, by [Process.End]: it sends gentle signals to the
// group and, at the end of the grace, SIGKILL to every descendant until wait
// finds no child. When the leader exits by itself the rest is killed at once. A
// terminal's Ctrl-C, Ctrl-Z or hangup reaches only ralph: the guardian lives in a
// session of its own and drops those signals.
//
// What happens when one of them dies:
//
//   - The agent: the guardian reaps it and kills what it left; [Process.Exited]
//     and [Process.End] report it.
//   - ralph, of kill -9 too: its end of the control socket closes; the guardian
//     kills everything, calls the function given to [Guard], and exits.
//   - The guardian: [Guardian.Lost] closes and pending calls return [ErrLost]. On
//     Linux the kernel sends SIGKILL to the leader. The other processes carry the
//     run's token in their environment and, on Linux, its mark in a resource limit
//     that cannot be raised. By these End and [EndByToken] find them, even a chain
//     in which each process forks the next one and exits.
//   - ralph and the guardian: the next ralph command calls EndByToken.
//
// A pid alone never identifies a process: an [ID] holds the start time too, which
// is checked before each signal. On Linux the signal goes through a pidfd. A group
// gets a signal only while a child with its number waits for the guardian to reap it.
//
// Limits. macOS has no subreaper: there the tree is the guardian's descendants,
// its session and the token's holders, looked up before each kill. A process that
// leaves all three escapes. When the guardian is lost, so does a process without
// the token in its environment and, on Linux, with that limit lowered too. A
// process that was started from elsewhere (a service manager, a container daemon)
// is not a descendant. docs/decisions.md says why there are no control groups.
package proc
