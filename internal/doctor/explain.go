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

// Explain says what is wrong with a unit, in sentences for a person; none where
// all is well.
func (u Unit) Explain(now time.Time) []string {
	var lines []string
	if d := u.Death; d != nil {
		lines = append(lines, d.explain(now)...)
	}
	if u.CutOff {
		lines = append(lines, "an archive, or bringing one back, was cut off")
	}
	if u.Torn {
		lines = append(lines, "the journal ends in the middle of a line, which was never confirmed to anyone")
	}
	if u.Behind && u.Death == nil {
		lines = append(lines, "the status files were not brought in line with the end of the last run")
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
		what += ", with its agent at work"
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

// Check is the finding about a unit as it is, before anything is mended. hint is
// what mends it.
func (u Unit) Check(now time.Time, hint string) preflight.Check {
	const id = "unit"
	switch {
	case u.Broken != nil:
		return fail(id, fmt.Sprintf("%s: %v", u.Name, u.Broken), cmp.Or(Places{Others: []string{u.Dir}}.Obstacle(u.Broken), "See to the permissions of "+u.Dir+"."))
	case u.Alive && u.Death != nil:
		return ok(id, fmt.Sprintf("%s: a run has died, and pid %d is cleaning up after it", u.Name, u.Holder.PID))
	case u.Alive:
		return ok(id, fmt.Sprintf("%s: a loop is at work (pid %d)", u.Name, u.Holder.PID))
	case u.Death != nil:
		return warn(id, u.Name+": a run has died", hint, u.Explain(now)...)
	case u.Ill():
		return warn(id, u.Name+": something was left behind", hint, u.Explain(now)...)
	case u.Damage.Lines > 0:
		return warn(id, u.Name+": the journal has lines that cannot be read", "Nothing is needed: they are left out. Something other than ralph wrote to the file, or the disk is failing.",
			u.Damage.Warnings(journal.Path(u.Dir))...)
	case u.Damage.Schema != nil:
		return warn(id, u.Name+": a newer ralph has written the journal", "Update this one.", u.Damage.Warnings(journal.Path(u.Dir))...)
	case u.Holder.PID != 0:
		return ok(id, fmt.Sprintf("%s: the lock's file names a process that is gone (pid %d); the lock itself went with it, nothing is held", u.Name, u.Holder.PID))
	}
	return ok(id, u.Name+": nothing left behind")
}

// Mended is the finding about a unit that was mended; done says how.
func (u Unit) Mended(now time.Time, done []string) preflight.Check {
	c := warn("unit", u.Name+": mended", "", append(u.Explain(now), done...)...)
	if u.Death != nil {
		c.Hint = "Go on with 'ralph run'."
	}
	return c
}

// Future warns of times that have not come yet: what they are of, by how much.
// Small differences are those of two machines that share a disk.
func Future(now time.Time, times map[string]time.Time) preflight.Check {
	const tolerated = 2 * time.Minute
	var details []string
	for _, what := range slices.Sorted(maps.Keys(times)) {
		if ahead := times[what].Sub(now); ahead > tolerated {
			details = append(details, fmt.Sprintf("%s: %s ahead", what, ahead.Round(time.Minute)))
		}
	}
	if len(details) == 0 {
		return ok("clock", "The clock is not behind what was written last ("+now.Local().Format("2006-01-02 15:04 MST")+")")
	}
	return warn("clock", "The clock is behind what was written earlier: it was set back, or was wrong then",
		"Set the clock. Waits and limits go by it: a limit noted with a wrong clock is forgotten with 'ralph limits --clear HARNESS'.", details...)
}
