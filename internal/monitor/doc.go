// Package monitor shows a loop to a person: a dashboard in a terminal that
// follows the journal and the log of the iteration at work, and the tmux session
// in which it stands beside the loop. It decides nothing, writes nothing and
// starts nothing: it is drawn when something happens, and once a second while a
// clock is on it.
package monitor
