package monitor

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// fact is a row of the dashboard. Where there is no room for all, those with
// the greatest rank go first.
type fact struct {
	text     string
	rank     int
	progress bool // the row above the list of stories
}

// facts are the rows above the lines of the log, for a terminal of that width.
func (m *model) facts(now time.Time, width int) []fact {
	s := &m.state
	list := []fact{
		{text: m.heading(), rank: 2},
		{text: m.label("Iteration:", m.iteration(now, width)), rank: 0},
		{text: m.label("Status:", m.statusWords(now)), rank: 0},
	}
	for _, text := range m.remarks(now) {
		list = append(list, fact{text: "  " + text, rank: 4})
	}
	list = append(list, fact{text: m.label("API:", s.Calls(now)), rank: 3})
	for _, l := range m.limits {
		if text := limitWords(l, now); text != "" {
			list = append(list, fact{text: m.label("Limit:", text), rank: 5})
		}
	}
	if s.StoriesTotal > 0 {
		list = append(list, fact{text: m.label("Progress:", m.progress(width)), rank: 1, progress: true})
	}
	if s.alone && s.CurrentStory != "" && s.Active() {
		text := m.label("Story:", plainLine(string(s.CurrentStory)))
		list = append(list, fact{text: text, rank: 2})
	}
	if p := s.lastProof(); p != nil {
		text := plainLine(p.Story + ": " + p.Line())
		list = append(list, fact{text: m.label("Proof:", text), rank: 5})
	}
	list = append(list, fact{text: m.label("Tokens:", m.spent(width)), rank: 5})
	if budget := s.all.Budget(now); budget != "" {
		list = append(list, fact{text: m.label("Budget:", plainLine(budget)), rank: 4})
	}
	rank := 6
	if s.all.Streak.NoProgress > 0 || s.all.Streak.SameError > 0 || s.all.Breaker != nil {
		rank = 3
	}
	if text := m.breakerWords(); text != "" {
		list = append(list, fact{text: m.label("Breaker:", text), rank: rank})
	}
	if s.Active() && m.health != Dead && !s.alone {
		list = append(list, fact{text: m.label("Tool:", m.toolWords(now)), rank: 4})
	}
	return list
}

func (m *model) label(name, text string) string { return m.pen.paint(bold, name) + " " + text }

func (m *model) heading() string {
	s := &m.state
	dot := m.pen.pick(" · ", " - ")
	parts := []string{m.opts.Unit, string(s.Plan) + " plan", string(s.Harness)}
	if s.Model != "" {
		parts[2] += " (" + string(s.Model) + ")"
	}
	return m.pen.paint(bold, plainLine(parts[0])) + m.pen.paint(dim, dot+plainLine(strings.Join(parts[1:], dot)))
}

// iteration is which one it is, and how far it is from its time limit.
func (m *model) iteration(now time.Time, width int) string {
	s := &m.state
	text := fmt.Sprintf("%d/%d", s.Iteration, s.MaxIterations)
	r := s.last()
	limit := time.Duration(r.Start.TimeoutSeconds * float64(time.Second))
	switch {
	case !s.Active() || m.health == Dead || r.Open() == nil:
	case r.Calls.Open != nil:
		age := now.Sub(r.Calls.OpenedAt)
		text += "  " + lasting(age)
		if limit > 0 {
			text += " of " + lasting(limit)
			if width >= 60 {
				text += "  " + m.pen.bar(age.Seconds()/limit.Seconds(), 12)
			}
		}
	case r.At().Checking != "":
		text += "  checking (" + plainLine(r.At().Checking) + ")"
	case s.Status.Status == journal.StatusRunning:
		text += "  " + lasting(now.Sub(s.IterationStarted.Time))
	}
	return text
}

// statusWords returns the status of the run, and whether its process is alive.
func (m *model) statusWords(now time.Time) string {
	s := m.status()
	switch {
	case s.Reason == journal.ReasonCrashed:
		return words.Capital(s.Status) + "  " + m.pen.paint(onRed, "DEAD") + " since " + words.Clock(m.lastSign(), now)
	case !s.Active():
		color := onRed
		if s.Status == journal.StatusCompleted {
			color = onGreen
		}
		text := words.Capital(s.Status) + "  " + m.pen.paint(color, "ENDED")
		if why := s.Why(); why != "" {
			text += " (" + plainLine(why) + ")"
		}
		return text + " " + words.Clock(s.LastUpdated.Time, now)
	}
	text := words.Capital(s.Status) + "  "
	switch {
	case !s.ResumesAt.IsZero():
		text += m.pen.paint(onYellow, "WAITING") + " until " + words.Clock(s.ResumesAt.Time, now) + " (" + why(s) + ")"
	case s.Status == journal.StatusPaused:
		text += m.pen.paint(onYellow, "WAITING") + " (" + why(s) + ")"
	case m.state.alone:
		return text + "as of " + words.Clock(s.LastUpdated.Time, now)
	case m.health == Unknown:
		return text + "on " + plainLine(m.state.last().Start.Host) + ", out of sight from here"
	default:
		text += m.pen.paint(onGreen, "LIVE")
	}
	if m.pausing() {
		text += ", will pause"
	}
	return text
}

// why a run waits, in a word or two.
func why(s run.Status) string {
	if s.Reason != "" {
		return plainLine(words.WithSpaces(string(s.Reason)))
	}
	return "trying again" // after a fault that passes by itself
}

// lastSign is when the loop was seen alive for the last time.
func (m *model) lastSign() time.Time {
	if m.wrote.After(m.state.last().Heard) {
		return m.wrote
	}
	return m.state.last().Heard
}

// remarks are sentences that explain the status, and what is odd.
func (m *model) remarks(now time.Time) []string {
	s := m.status()
	var list []string
	if s.Message != "" {
		text := plainLine(string(s.Message))
		if s.ResumesAt.After(now) {
			text += ", " + words.Left(s.ResumesAt.Time, now) + " left"
		}
		list = append(list, text)
	}
	if m.state.alone {
		text := "from status.json alone: the journal cannot be read here"
		list = append(list, m.pen.paint(bold, text))
	}
	if m.gone && m.state.last().Archived == "" {
		list = append(list, m.pen.paint(bold, "its journal is gone: was the unit deleted or archived?"))
	}
	return append(list, m.damages()...)
}

// damages say what could not be read.
func (m *model) damages() []string {
	var list []string
	if m.damage.Schema != nil {
		list = append(list, m.pen.paint(bold, "written by a newer ralph: update this one to see all of it"))
	}
	if n := m.damage.Lines; n > 0 {
		list = append(list, m.pen.paint(bold, words.Count(n, "line")+" of its journal cannot be read"))
	}
	return list
}

// limitWords show a provider's limit, empty where it says nothing any more.
func limitWords(l stream.Limit, now time.Time) string {
	known := !l.ResetsAt.IsZero()
	if known && !l.ResetsAt.After(now) || !l.Rejected && l.Utilization < 0 {
		return ""
	}
	text := plainLine(words.WithSpaces(l.Window))
	if l.Rejected {
		text += " reached"
	} else {
		text += fmt.Sprintf(" %.0f%% used", l.Utilization*100)
	}
	if known {
		text += " (resets in " + words.Left(l.ResetsAt, now) + ")"
	}
	return strings.TrimSpace(text)
}

func (m *model) progress(width int) string {
	s := &m.state
	text := s.Progress()
	if width >= 60 {
		text += "  " + m.pen.bar(float64(s.StoriesComplete)/float64(s.StoriesTotal), 12)
	}
	return text
}

// spent are the tokens and the cost so far, and a graph of the iterations.
func (m *model) spent(width int) string {
	s := &m.state
	text := s.Spent()
	ended := s.ended()
	if len(ended) == 0 {
		return text
	}
	last := ended[len(ended)-1]
	if width >= 70 {
		text += " (last: " + words.Spent(last.Tokens.Total(), false, last.CostUSD) + ")"
	}
	values := make([]float64, len(ended))
	for i, b := range ended {
		values[i] = float64(b.Tokens.Total())
	}
	return text + "  " + m.pen.graph(values, min(width/3, 60))
}

func (m *model) breakerWords() string {
	s := &m.state
	text := s.all.BreakerCounts()
	if open := s.all.Breaker; open != nil {
		text = m.pen.paint(red, "OPEN") + " (" + plainLine(words.WithSpaces(string(open.Reason))) + "): " + text
	}
	return text
}

func (m *model) toolWords(now time.Time) string {
	if m.tool == nil {
		return "none"
	}
	// The time comes first: what is called may be longer than the line.
	return fmt.Sprintf("%s (%s) %s", m.tool.name, lasting(now.Sub(m.tool.since)), m.pen.paint(dim, m.tool.detail))
}

// lasting formats a span of time that grows each second.
func lasting(d time.Duration) string { return words.Duration(d.Truncate(time.Second)) }
