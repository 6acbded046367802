package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"ralph/internal/account"
	"ralph/internal/archive"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// archiveCmd is "ralph archive".
type archiveCmd struct {
	List    bool    `help:"List the archives." xor:"what"`
	Restore *string `predictor:"archive" help:"Restore this archive." placeholder:"NAME" xor:"what"`
	JSON    bool    `help:"With --list: print JSON."`
}

// Validate refuses --json where nothing is listed: who asks for an archive and gets
// the list has archived nothing. kong calls it.
func (c *archiveCmd) Validate() error {
	if c.JSON && !c.List {
		return errors.New("--json goes with --list only")
	}
	return nil
}

// Run carries the command out.
func (c *archiveCmd) Run(a *app) error {
	p, err := unit.Worktree(a.ctx)
	if err != nil {
		return err
	}
	switch {
	case c.List:
		return c.list(a, p)
	case c.Restore != nil:
		return c.restore(a, p, *c.Restore)
	}
	return c.put(a, p)
}

func (c *archiveCmd) put(a *app, p *unit.Place) error {
	switch {
	case p.Refused != nil:
		return p.Refused
	case p.Unit == "":
		return unit.ErrDetached
	}
	store := p.Archive()
	pending, err := store.Pending()
	if err != nil {
		return err
	}
	if !slices.Contains(pending, p.Unit) && !p.HasFolder() {
		return p.NothingToArchive()
	}
	if err := p.NotAnothers(); err != nil {
		return err
	}
	s, err := unit.LockState(a.ctx, screen.Notes(a.t), p) // which finishes what was cut off
	if err != nil {
		return err
	}
	defer s.Close()
	// The remaining processes of a dead run would write into the feature's folder.
	end, _, err := s.RecordDeath(context.WithoutCancel(a.ctx), screen.Notes(a.t), p, time.Time{}, func(journal.Event) {})
	if err != nil {
		return err
	}
	if end != nil {
		a.t.Warn("the last run was cut off: %s; the journal records it now", end.Message)
	}
	s.CloseWriter()
	var e archive.Entry
	if p.HasFolder() {
		done := a.t.ShowActivity("putting the feature away")
		e, err = store.Put(context.WithoutCancel(a.ctx), p.Unit, time.Now(), nil)
		done()
	} else if e, err = store.Find(p.Unit); errors.Is(err, fs.ErrNotExist) {
		err = p.NothingToArchive()
	}
	if err != nil {
		return err
	}
	a.t.Printf("%s archived as %s\n", a.t.Mark("✓"), stream.OneLine(e.Path))
	a.t.Printf("  bring it back with: ralph archive --restore %s\n", stream.ShellWord(stream.OneLine(e.Name)))
	if p.Ran() {
		if page := account.WriteArchived(screen.Notes(a.t), p, e.Name); page != "" {
			a.t.Printf("  report: %s\n", stream.OneLine(page))
		}
	}
	return nil
}

func (c *archiveCmd) list(a *app, p *unit.Place) error {
	entries, warnings, err := p.Archive().List()
	if err != nil {
		return err
	}
	for _, w := range warnings {
		a.t.Warn("%s", w)
	}
	if c.JSON {
		if entries == nil {
			entries = []archive.Entry{}
		}
		return terminal.PrintJSON(a.t, entries)
	}
	if len(entries) == 0 {
		a.t.Printf("nothing is archived\n")
	}
	for _, e := range entries {
		stories := ""
		if e.StoriesComplete != nil && e.StoriesTotal != nil {
			stories = fmt.Sprintf("%d/%d stories", *e.StoriesComplete, *e.StoriesTotal)
		}
		a.t.Printf("%s  %-14s  %s\n", e.ArchivedAt.Local().Format("2006-01-02 15:04"), stories, stream.Sanitize(e.Name))
	}
	return nil
}

func (c *archiveCmd) restore(a *app, p *unit.Place, name string) error {
	store := p.Archive()
	entries, _, err := store.List()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(entries, func(e archive.Entry) bool { return e.Name == name })
	if i < 0 {
		return hint.With(fmt.Errorf("there is no archive %q", name), "see: ralph archive --list")
	}
	p.SwitchTo(entries[i].Unit, filepath.Join(".ralph", entries[i].Unit))
	s, err := unit.LockState(a.ctx, screen.Notes(a.t), p)
	if err != nil {
		return err
	}
	defer s.Close()
	done := a.t.ShowActivity("bringing the feature back")
	e, err := store.Restore(context.WithoutCancel(a.ctx), name)
	done()
	if err != nil {
		return err
	}
	a.t.Printf("%s brought back as .ralph/%s/\n", a.t.Mark("✓"), stream.OneLine(e.Unit))
	return nil
}
