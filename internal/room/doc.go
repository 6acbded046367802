// Package room describes sealed rooms and wraps commands so that they run in one: with
// bubblewrap on Linux, with sandbox-exec on macOS (not tested by anyone yet).
//
// A [Room] is a value: which paths a command sees, which it may change, and whether it has
// a network. The most specific path decides. [Site.Agent] describes the room of an agent,
// [Site.Checks] that of a quality check. [Find] tries once whether rooms work here.
//
// In every room: a process namespace of its own, so that nothing outlives the room and no
// process outside is visible; no capabilities, and no way to gain any (setuid programs have
// no effect); a private /tmp; no sockets of the session in /run.
//
// Limits. The agent's room shares the host's network: abstract sockets and ports on
// loopback can be reached from it. What a room may write, the caches and the agent's own
// folders, is not sealed against the next room.
package room
