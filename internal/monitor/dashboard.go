package monitor

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ralph/internal/journal"
)

const (
	// beat is how often the clocks on the dashboard and the state of the loop are updated.
	beat = time.Second
	// shutter is the least time between two drawings: what comes faster is drawn
	// together, and nothing waits for longer.
	shutter = 30 * time.Millisecond
	// noticeTime is how long the answer to a key is shown.
	noticeTime = 5 * time.Second
)

// The messages of the dashboard besides those of bubbletea.
type (
	batchMsg struct { // from a journal; its events are the receiver's own
		path string
		journal.Batch
	}
	newsMsg    struct{ news }  // from the log
	unreadMsg  struct{ error } // the journal cannot be read
	beatMsg    struct{}
	drawMsg    struct{}
	resumedMsg struct{} // something else had the terminal meanwhile
	askedMsg   struct { // what came of a request
		kind journal.RequestKind
		err  error
	}
)

// dashboard joins the model to the terminal. It implements tea.Model for the
// keys and the order of messages. It draws by itself: bubbletea's renderer looks
// for something to draw sixty times a second, which costs more than all the rest.
type dashboard struct {
	model
	ctx    context.Context
	screen *screen
	drawn  time.Time
	due    bool // a drawing is on its way
	failed error
	unread error // why the journal cannot be read, where nothing else can be shown

	send    func(tea.Msg)
	watch   func(journal string) context.CancelFunc // follows a journal
	unwatch context.CancelFunc
	log     string             // that is followed
	stopLog context.CancelFunc // nil while none is
}

// Init implements tea.Model.
func (d *dashboard) Init() tea.Cmd { return nextBeat() }

// View implements tea.Model; nothing is drawn of it.
func (d *dashboard) View() tea.View { return tea.View{} }

// nextBeat comes on the full second, and with it what else looks each second: one
// wake-up costs half of two.
func nextBeat() tea.Cmd {
	return tea.Every(beat, func(time.Time) tea.Msg { return beatMsg{} })
}

// Update implements tea.Model.
func (d *dashboard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case batchMsg:
		if msg.path == d.opts.Journal {
			d.batch(msg.Batch)
		}
	case newsMsg:
		d.addNews(msg.news)
	case unreadMsg:
		d.poll()
		if d.caughtUp = d.state.alone; !d.caughtUp {
			d.unread = msg.error
			return d, tea.Quit
		}
	case beatMsg:
		d.poll()
		d.relocate()
		cmd = nextBeat()
	case drawMsg:
		d.due = false
	case askedMsg:
		d.answered(msg)
	case resumedMsg:
		d.resumed()
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 { // the first one knows nothing yet
			d.screen.resize(msg.Width, msg.Height)
		}
	case tea.KeyPressMsg:
		cmd = d.key(msg.String())
	default:
		return d, nil
	}
	var draw tea.Cmd
	if d.failed == nil {
		draw = d.draw()
	}
	if d.failed != nil {
		return d, tea.Quit
	}
	return d, tea.Batch(cmd, draw)
}

// draw draws the dashboard, or sees to it that it is drawn soon.
func (d *dashboard) draw() tea.Cmd {
	now := time.Now()
	if wait := shutter - now.Sub(d.drawn); wait > 0 {
		if d.due {
			return nil
		}
		d.due = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return drawMsg{} })
	}
	d.drawn = now
	d.failed = d.screen.draw(d.frame(now, d.screen.width, d.screen.height))
	return nil
}

// batch takes up what the journal had to say.
func (d *dashboard) batch(b journal.Batch) {
	if b.Restart {
		d.restart()
	}
	for _, e := range b.Events {
		d.event(e)
	}
	d.damage.Add(b.Damage)
	if !b.CaughtUp {
		return // the log of an iteration long ago is not worth a look
	}
	if !d.caughtUp {
		d.catchUp()
		d.drawn = time.Time{} // the answer to a key is drawn at once
	}
	d.poll()
	d.followLog()
}

// relocate looks for the journal again if it was not found yet.
func (d *dashboard) relocate() {
	if d.state.all.Last() != nil {
		return
	}
	if path := d.opts.Locate(); path != "" && path != d.opts.Journal {
		d.unwatch()
		d.opts.Journal = path
		d.unwatch = d.watch(path)
	}
}

// followLog follows the log of the current or the last call.
func (d *dashboard) followLog() {
	if d.log == d.logName() {
		return
	}
	if d.stopLog != nil {
		d.stopLog()
		d.stopLog = nil
	}
	if d.log = d.logName(); d.log == "" {
		return
	}
	ctx, cancel := context.WithCancel(d.ctx)
	d.stopLog = cancel
	t := d.tail()
	go t.follow(ctx, func(n news) { d.send(newsMsg{n}) })
}

// key does what a key asks for.
func (d *dashboard) key(key string) tea.Cmd {
	if d.asking {
		d.asking = false
		if key == "y" || key == "Y" {
			return d.request(journal.RequestStop)
		}
		return nil
	}
	switch key {
	case "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		d.suspend()
	case "p", "s":
		return d.askFor(key)
	case "?", "h":
		d.turnTo(viewHelp)
	case "l":
		d.turnTo(viewLog)
	case "q":
		if d.view == viewMain {
			return tea.Quit
		}
		d.view = viewMain
	case "esc", "enter":
		d.view = viewMain
	default:
		if d.view == viewLog {
			d.scrollBy(key)
		}
	}
	return nil
}

// turnTo shows another page, or the first one again where that is shown.
func (d *dashboard) turnTo(v view) {
	if d.view == v {
		v = viewMain
	}
	d.view, d.scroll = v, 0
}

// askFor handles a key with a request for the loop. The last row of every page shows the
// answer.
func (d *dashboard) askFor(key string) tea.Cmd {
	switch {
	case !d.canAsk():
		d.say("no loop is running: nothing to " + map[string]string{"s": "stop", "p": "pause"}[key])
	case key == "s":
		d.asking = true
	case d.paused():
		return d.request(journal.RequestResume)
	default:
		return d.request(journal.RequestPause)
	}
	return nil
}

// scrollBy handles a key that scrolls the log.
func (d *dashboard) scrollBy(key string) {
	page, all := max(1, d.screen.height-2), 2*maxLines // logRows keeps it within the log
	d.scroll += map[string]int{"up": 1, "k": 1, "down": -1, "j": -1, "pgup": page, "b": page,
		"pgdown": -page, "space": -page, "f": -page, "home": all, "g": all, "end": -all, "G": -all}[key]
}

// request returns a command that sends a request to the loop. It runs concurrently,
// because the disk may be slow.
func (d *dashboard) request(kind journal.RequestKind) tea.Cmd {
	ask := d.opts.Ask
	return func() tea.Msg { return askedMsg{kind, ask(journal.Request{Kind: kind})} }
}

func (d *dashboard) answered(a askedMsg) {
	d.poll() // it may wait in the inbox, or be taken up already
	switch {
	case a.err != nil:
		d.say(plainLine(a.err.Error()))
	case a.kind == journal.RequestPause:
		d.say("asked to pause after this iteration")
	case a.kind == journal.RequestResume:
		d.say("asked to resume")
	default:
		d.say("asked to stop; the loop and its agent end within seconds")
	}
}

func (d *dashboard) say(text string) { d.notice, d.noticeEnd = text, time.Now().Add(noticeTime) }
