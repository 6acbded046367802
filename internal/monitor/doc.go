// Package monitor shows a loop to the user: a dashboard in a terminal that follows the
// journal and the log of the current iteration, and the tmux session with the loop and
// the dashboard. The dashboard decides nothing, writes nothing and starts nothing. It is
// drawn when something happens, and once a second for its clocks.
package monitor
