// Package monitor shows a loop to a person: a dashboard in a terminal that
// follows the journal and the log of the iteration at work, and the tmux session
// in which it stands beside the loop. The dashboard decides nothing, writes
// nothing and starts nothing: it is drawn when something happens, and once a
// second for its clocks.
package monitor
