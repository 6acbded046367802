package monitor

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// wide is the number of columns from which the log is shown next to the facts.
const wide = 120

// frame returns the whole dashboard: at most height rows of at most width columns.
func (m *model) frame(now time.Time, width, height int) []string {
	if width < 1 || height < 1 {
		return nil
	}
	var rows []string
	foot, pressing := m.foot(now)
	room := height
	if pressing || height >= 12 {
		room--
	} else {
		foot = ""
	}
	switch {
	case m.view == viewHelp:
		rows = m.help()
	case m.view == viewLog:
		rows = m.logRows(width, room)
	case !m.state.seen() || !m.caughtUp:
		nothing := "reading its journal"
		if m.caughtUp {
			nothing = "no run yet: waiting for one to start"
		}
		rows = append([]string{m.pen.paint(bold, plainLine(m.opts.Unit)), nothing}, m.damages()...)
	case width >= wide && height >= 12:
		rows = m.sideBySide(now, width, room)
	default:
		rows = m.stacked(now, width, room)
	}
	rows = rows[:min(len(rows), max(room, 0))]
	if foot != "" {
		for len(rows) < room {
			rows = append(rows, "")
		}
		rows = append(rows, foot)
	}
	for i, r := range rows {
		rows[i] = m.pen.clip(r, width)
	}
	return rows
}

// foot returns the last row: a question, the answer to a key, or the keys. pressing
// reports that it is more important than other text for this row.
func (m *model) foot(now time.Time) (text string, pressing bool) {
	switch {
	case m.asking:
		return m.pen.paint(onYellow, "Stop the loop and all it started? y/n"), true
	case m.notice != "" && now.Before(m.noticeEnd):
		return m.pen.paint(bold, m.notice), true
	case m.view != viewMain:
		return m.pen.paint(dim, "q back  up/down scroll  ? help"), true
	}
	requests := ""
	switch {
	case m.canAsk() && m.paused():
		requests = "p resume  s stop  "
	case m.canAsk():
		requests = "p pause  s stop  "
	}
	return m.pen.paint(dim, "q quit  "+requests+"l log  ? help"), false
}

// stacked has the lines of the log below the facts.
func (m *model) stacked(now time.Time, width, room int) []string {
	least := 0 // of the rows for the log, its heading included
	if room >= 4 {
		least = min(6, room/4+1)
	}
	facts := fitting(m.facts(now, width), room-least)
	left := room - len(facts) - least
	rows := m.withStories(facts, left*2/3)
	return append(rows, m.recent(room-len(rows))...)
}

// sideBySide returns the facts with the log to their right.
func (m *model) sideBySide(now time.Time, width, room int) []string {
	column := min(max(width*2/5, 50), 90)
	facts := fitting(m.facts(now, column), room)
	left := m.withStories(facts, room-len(facts))
	right := append([]string{m.pen.paint(bold, "Recent:")}, m.folded(0, width-column-3, room-1)...)
	between := m.pen.paint(dim, m.pen.pick(" │ ", " | "))
	left, right = append(left, make([]string, room)...), append(right, make([]string, room)...)
	rows := make([]string, room)
	for i := range rows {
		rows[i] = m.pen.pad(left[i], column) + between + right[i]
	}
	return rows
}

// fitting leaves out what there is no room for, the least important first.
func fitting(facts []fact, room int) []fact {
	chosen := make([]int, len(facts)) // indexes
	for i := range chosen {
		chosen[i] = i
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(facts[a].rank, facts[b].rank) })
	chosen = chosen[:min(len(chosen), max(room, 0))]
	slices.Sort(chosen)
	fit := make([]fact, 0, len(chosen))
	for _, i := range chosen {
		fit = append(fit, facts[i])
	}
	return fit
}

// withStories makes rows of the facts, with the list of stories in its place.
func (m *model) withStories(facts []fact, room int) []string {
	var rows []string
	for _, f := range facts {
		if f.progress && room < 1 && m.state.CurrentStory != "" && m.state.Active() {
			f.text += "  " + m.pen.pick("▶", ">") + " " + plainLine(string(m.state.CurrentStory))
		}
		rows = append(rows, f.text)
		if f.progress {
			rows = append(rows, m.storyRows(room)...)
		}
	}
	return rows
}

// storyRows are the stories round the current one.
func (m *model) storyRows(room int) []string {
	stories := m.state.last().Plan.Items
	room = min(room, len(stories))
	if room < 1 {
		return nil
	}
	current := slices.IndexFunc(stories, m.isCurrent)
	first := min(max(current-room/2, 0), len(stories)-room)
	var rows []string
	for _, s := range stories[first : first+room] {
		title := plainLine(s.Story.Name())
		switch {
		case m.isCurrent(s):
			title = m.pen.paint(bold, m.pen.pick("▶", ">")+" "+title)
		case s.Done:
			title = m.pen.paint(green, m.pen.pick("✓", "+")) + " " + title
		default:
			title = m.pen.pick("○", "-") + " " + title
		}
		rows = append(rows, "  "+title)
	}
	return rows
}

// recent are the last lines with their heading.
func (m *model) recent(room int) []string {
	if room < 2 {
		return nil
	}
	rows := []string{m.pen.paint(bold, "Recent:")}
	for _, l := range m.lines[max(0, len(m.lines)-room+1):] {
		rows = append(rows, m.stamped(l))
	}
	return rows
}

// stamped is a line with the time of day.
func (m *model) stamped(l line) string {
	return m.pen.paint(dim, "["+l.at.Local().Format("15:04")+"]") + " " + l.text
}

// logRows are the page of the log.
func (m *model) logRows(width, room int) []string {
	m.scroll = min(max(m.scroll, 0), max(0, len(m.lines)-1))
	if len(m.lines) == 0 {
		return []string{"nothing was said yet"}
	}
	return m.folded(m.scroll, width, room)
}

// folded returns the last lines except the skipped ones, wrapped to the width.
func (m *model) folded(skipped, width, room int) []string {
	var rows []string
	for i := len(m.lines) - 1 - skipped; i >= 0 && len(rows) < room; i-- {
		line := strings.Split(ansi.Wrap(m.stamped(m.lines[i]), max(width, 1), ""), "\n")
		rows = append(line, rows...)
	}
	return rows[max(0, len(rows)-max(room, 0)):]
}

func (m *model) help() []string {
	return []string{
		m.pen.paint(bold, "Keys"),
		"q  quit; the loop continues",
		"p  pause after this iteration, or resume",
		"s  stop the loop (asks first)",
		"l  the whole log; arrows scroll",
		"?  this help",
		"",
		m.pen.paint(bold, "Status"),
		"LIVE     the loop is running",
		"WAITING  it waits, and continues by itself or when resumed",
		"ENDED    the run is over",
		"DEAD     its process is gone; continue with 'ralph run'",
	}
}
