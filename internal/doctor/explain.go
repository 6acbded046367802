package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/words"
)

// Explain describes the problems of a unit, one sentence each.
func (u Unit) Explain(now time.Time) []string {
	var lines []string
	if d := u.Death; d != nil {
		lines = append(lines, d.explain(now)...)
	}
	if u.CutOff {
		lines = append(lines, "archiving or restoring an archive was interrupted")
	}
	if u.Torn {
		lines = append(lines, "the journal ends with an incomplete line")
	}
	if u.StatusOutdated && u.Death == nil {
		lines = append(lines, "the status files do not show the end of the last run")
	}
	if n := len(u.Stale); n > 0 {
		var kinds []string
		for _, m := range u.Stale {
			kinds = append(kinds, string(m.Request.Kind))
		}
		lines = append(lines, fmt.Sprintf("%s for a loop that is gone: %s", words.Count(n, "request"), strings.Join(kinds, ", ")))
	}
	return lines
}

func (d Death) explain(now time.Time) []string {
	what := fmt.Sprintf("ralph (pid %d) died at about %s", d.PID, words.Clock(d.At, now))
	if d.Iteration > 0 {
		what += fmt.Sprintf(", in iteration %d", d.Iteration)
	}
	if d.Story != "" {
		what += " (" + d.Story + ")"
	}
	if d.AtWork {
		what += " while its agent was running"
	}
	lines := []string{what}
	if d.LogFile != "" {
		lines = append(lines, "the agent's output: "+d.LogFile)
	}
	if len(d.Alive) > 0 {
		var names []string
		for _, p := range d.Alive {
			names = append(names, fmt.Sprintf("%s (pid %d)", p.Name, p.PID))
		}
		lines = append(lines, "still alive: "+strings.Join(names, ", "))
	}
	return lines
}

// condition returns the finding about a unit before a repair. hint says how to repair it.
func (u Unit) condition(now time.Time, hint string) preflight.Condition {
	const id = "unit"
	switch {
	case u.Broken != nil:
		return fail(id, fmt.Sprintf("%s: %v", u.Name, u.Broken), cmp.Or(Places{Others: []string{u.Dir}}.Obstacle(u.Broken), "Check the permissions of "+u.Dir+"."))
	case u.Alive && u.Death != nil:
		return ok(id, fmt.Sprintf("%s: a run died, and pid %d is cleaning up", u.Name, u.Holder.PID))
	case u.Alive:
		return ok(id, fmt.Sprintf("%s: a loop is running (pid %d)", u.Name, u.Holder.PID))
	case u.Death != nil:
		return warn(id, u.Name+": a run died", hint, u.Explain(now)...)
	case u.needsRepair():
		return warn(id, u.Name+": an earlier run left something to clean up", hint, u.Explain(now)...)
	case u.Damage.Lines > 0:
		return warn(id, u.Name+": the journal has lines that cannot be read", "No action needed: ralph skips them. Another program wrote to the file, or the disk is failing.",
			u.Damage.Warnings(journal.Path(u.Dir))...)
	case u.Damage.Schema != nil:
		return warn(id, u.Name+": a newer ralph has written the journal", "Update this one.", u.Damage.Warnings(journal.Path(u.Dir))...)
	case u.Holder.PID != 0:
		return ok(id, fmt.Sprintf("%s: the lock file names a process that no longer exists (pid %d); the unit is not locked", u.Name, u.Holder.PID))
	}
	return ok(id, u.Name+": nothing to clean up")
}

// repaired returns the finding about a unit after its repair. done lists the repair steps.
func (u Unit) repaired(now time.Time, done []string) preflight.Condition {
	c := warn("unit", u.Name+": repaired", "", append(u.Explain(now), done...)...)
	if u.Death != nil {
		c.Hint = "Continue with 'ralph run'."
	}
	return c
}

// checkClock checks the clock: it warns if recorded times are later than now. The keys of times
// describe them. It tolerates 2 minutes, since two machines may share a disk.
func checkClock(now time.Time, times map[string]time.Time) preflight.Condition {
	const tolerated = 2 * time.Minute
	var details []string
	for _, what := range slices.Sorted(maps.Keys(times)) {
		if ahead := times[what].Sub(now); ahead > tolerated {
			details = append(details, fmt.Sprintf("%s: %s ahead", what, ahead.Round(time.Minute)))
		}
	}
	if len(details) == 0 {
		return ok("clock", "The clock is later than everything that ralph has written ("+now.Local().Format("2006-01-02 15:04 MST")+")")
	}
	return warn("clock", "The clock is earlier than times that ralph has written: it was set back, or was wrong then",
		"Set the clock: waits and limits depend on it. Remove a limit recorded with a wrong clock: ralph limits --clear HARNESS.", details...)
}
