package monitor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// Options says what the dashboard shows, and how it reaches the loop.
type Options struct {
	Unit    string
	Journal string // its path; the journal need not exist yet
	Status  string // path of status.json, which is read where the journal cannot be
	Root    string // of the worktree: the journal names the logs from there
	Host    string // this machine, as the journal would name it

	// Locate returns the path of the journal, empty if there is no journal. It is
	// called again until there is one: a short run may be archived before it was seen.
	Locate func() string
	// Format is the shape of the output of a harness.
	Format func(harness string) stream.Format
	// Health returns the state of the process of a run on this machine. It must not
	// fork.
	Health func(run.Status) Health
	// Ask leaves a request for the loop.
	Ask func(journal.Request) error

	Color, ASCII bool
}

// view is which page of the dashboard is shown.
type view uint8

const (
	viewMain view = iota
	viewLog
	viewHelp
)

// model is what the dashboard shows. Nothing in it waits or reads the clock.
type model struct {
	opts    Options
	pen     pen
	state   state
	lines   lines
	tool    *tool
	limits  []stream.Limit // the last report of each window
	wrote   time.Time      // when the log was written last
	health  Health
	gone    bool           // the journal has no name any more
	waiting []journal.Mail // for the loop, which takes most of it between two iterations
	damage  journal.Damage

	caughtUp  bool            // with the journal
	past      []journal.Event // the last ones, until then
	view      view
	asking    bool // whether to stop
	notice    string
	noticeEnd time.Time
	scroll    int // lines from the last one, in the log's view
}

func newModel(opts Options) *model {
	return &model{opts: opts, pen: pen{opts.Color, opts.ASCII}}
}

// restart forgets all that is of another journal.
func (m *model) restart() {
	m.state, m.lines, m.past, m.tool = state{}, nil, nil, nil
	m.damage, m.caughtUp = journal.Damage{}, false
}

// event takes up an event of the journal.
func (m *model) event(e journal.Event) {
	switch e.Body.(type) {
	case journal.RunStarted:
		m.lines, m.past, m.tool = nil, nil, nil
	case journal.AttemptEnded, journal.RunEnded:
		m.tool = nil
	}
	m.state.apply(e)
	if m.caughtUp {
		m.remark(e)
		return
	}
	// Most of a long journal is never seen: words are made of its end alone.
	if m.past = append(m.past, e); len(m.past) >= 2*maxLines {
		m.past = slices.Delete(m.past, 0, len(m.past)-maxLines)
	}
}

// catchUp is called when the journal's events so far have been taken up.
func (m *model) catchUp() {
	m.caughtUp = true
	for _, e := range m.past {
		m.remark(e)
	}
	m.past = nil
}

// remark puts what is to be said of an event among the lines.
func (m *model) remark(e journal.Event) {
	if _, shown := e.Body.(journal.StoryProved); shown {
		return // it has a row of its own
	}
	if text := journal.Sentence(e.Body); text != "" {
		m.add(line{e.Time, m.pen.pick("─ ", "- ") + plainLine(text)})
	}
}

// add appends lines; the lines that the user has scrolled to stay in place.
func (m *model) add(more ...line) {
	m.lines.add(more...)
	if m.scroll > 0 {
		m.scroll += len(more)
	}
}

// addNews adds news of the log, if it is still the current one.
func (m *model) addNews(n news) {
	if n.log != m.logName() {
		return
	}
	m.add(n.lines...)
	if m.wrote = n.wrote; m.state.last().Calls.Open == nil {
		n.tool = nil // its end is known already
	}
	m.tool = n.tool
	for _, l := range n.limits {
		same := func(k stream.Limit) bool { return k.Window == l.Window }
		if i := slices.IndexFunc(m.limits, same); i >= 0 {
			m.limits[i] = l
		} else if len(m.limits) < 4 {
			m.limits = append(m.limits, l)
		}
	}
}

// poll reads what no event reports: whether the loop's process is alive, which requests
// wait for it, and whether its journal still exists. It does not fork.
func (m *model) poll() {
	m.waiting, m.gone = nil, false
	if m.state.all.Last() == nil {
		m.state.readStatus(m.opts.Status)
	}
	if m.state.alone {
		m.health = Unknown
		return
	}
	if m.state.Active() {
		m.health = m.state.healthOf(m.opts.Host, m.opts.Health)
		m.waiting, _ = journal.Peek(filepath.Dir(m.opts.Journal)) // the loop reports what cannot be read
	}
	_, err := os.Stat(m.opts.Journal)
	m.gone = m.state.seen() && errors.Is(err, fs.ErrNotExist)
}

// logName returns a name that is unique among the logs of all runs; empty without a log.
func (m *model) logName() string {
	if m.state.LogFile == "" {
		return ""
	}
	return m.state.Run + " " + m.state.LogFile
}

// logPaths are the places where the log of the last call can be. That of an
// archived unit has moved along with the journal.
func (m *model) logPaths() []string {
	return []string{
		filepath.Join(m.opts.Root, m.state.LogFile),
		filepath.Join(filepath.Dir(m.opts.Journal), "logs", filepath.Base(m.state.LogFile)),
	}
}

func (m *model) tail() *tail {
	return newTail(m.logName(), m.logPaths(), m.opts.Format(string(m.state.Harness)),
		stream.PrinterOptions{Color: m.opts.Color, ASCII: m.opts.ASCII})
}

func (m *model) isCurrent(s run.Item) bool {
	return s.ID == string(m.state.CurrentStory) && m.state.Active()
}

// canAsk reports whether a loop is running that can take requests.
func (m *model) canAsk() bool {
	return m.state.Active() && (m.health == Alive || m.health == Suspended)
}

// pausing reports whether the loop was asked to pause and has not paused yet.
func (m *model) pausing() bool { return m.state.all.WillPause(m.waiting) }

// paused reports whether the loop is paused or was asked to pause.
func (m *model) paused() bool {
	return m.health == Suspended || m.pausing() || m.state.Reason == journal.WaitPaused
}

// status returns the run's status in the journal, corrected by the state of its process.
func (m *model) status() run.Status {
	switch m.health {
	case Dead:
		return m.state.Crashed()
	case Suspended:
		return m.state.Suspended()
	}
	return m.state.Status
}
