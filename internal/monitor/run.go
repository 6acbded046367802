package monitor

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ralph/internal/journal"
)

// Run shows the dashboard on a terminal until the user quits or ctx is done. It returns ctx's
// error if ctx ended it.
func Run(ctx context.Context, opts Options, in, out *os.File) error {
	// Followers end with the dashboard, whichever of them ends first.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	screen, err := newScreen(in, out)
	if err != nil {
		return err
	}
	defer screen.leave()
	d := &dashboard{model: *newModel(opts), ctx: ctx, screen: screen}
	p := tea.NewProgram(d, tea.WithContext(ctx), tea.WithInput(in), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithFPS(1), // of a renderer that does nothing
		// Else it asks tmux, by starting it.
		tea.WithColorProfile(colorprofile.NoTTY))
	d.send = p.Send
	d.watch = func(path string) context.CancelFunc {
		ctx, stop := context.WithCancel(ctx)
		go followJournal(ctx, path, p)
		return stop
	}
	d.unwatch = d.watch(opts.Journal)
	go signals(ctx, out, p)
	_, err = p.Run()
	switch {
	case d.failed != nil:
		return nil // the terminal is gone: no one can read an error
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("the dashboard ended: %w", err)
	}
	return d.unread
}

// followJournal passes the journal on.
func followJournal(ctx context.Context, path string, p *tea.Program) {
	err := journal.Follow(ctx, path, func(b journal.Batch) error {
		b.Events = slices.Clone(b.Events) // the follower uses its own again
		p.Send(batchMsg{path, b})
		return nil
	})
	if ctx.Err() == nil {
		p.Send(unreadMsg{err})
	}
}

// signals sends each new size of the terminal, and that the process continues after
// something else had the terminal.
func signals(ctx context.Context, out *os.File, p *tea.Program) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGCONT)
	defer signal.Stop(signals)
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-signals:
			if s == syscall.SIGCONT {
				p.Send(resumedMsg{})
				continue
			}
			w, h := size(out)
			p.Send(tea.WindowSizeMsg{Width: w, Height: h})
		}
	}
}

// snapshotRows is more than a frame has: a snapshot leaves nothing out but old lines.
const (
	snapshotLines = 10
	snapshotRows  = 1 << 20
)

// Snapshot returns the present dashboard as text of that width. The error is fs.ErrNotExist
// if there is neither a journal nor a status.json.
func Snapshot(now time.Time, opts Options, width int) (string, error) {
	m := newModel(opts)
	damage, err := journal.Scan(opts.Journal, m.event)
	m.damage = damage
	m.catchUp()
	m.poll()
	if err != nil && !m.state.alone {
		return "", err
	}
	if m.logName() != "" {
		t := m.tail()
		for t.read() {
			m.addNews(t.take())
		}
		t.close()
	}
	if !m.state.seen() {
		return strings.Join(m.frame(now, width, snapshotLines), "\n") + "\n", nil
	}
	rows := m.withStories(m.facts(now, width), snapshotRows)
	rows = append(rows, m.recent(snapshotLines+1)...)
	for i, r := range rows {
		rows[i] = m.pen.clip(r, width)
	}
	return strings.Join(rows, "\n") + "\n", nil
}
