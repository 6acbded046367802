package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxBatch bounds a [Batch], in events.
const maxBatch = 1024

// Batch is what [Follow] hands on at a time.
type Batch struct {
	Events   []Event // good until the function that got them returns
	Damage   Damage  // what had to be left out of this batch
	CaughtUp bool    // nothing more is in the journal for now
	Restart  bool    // the journal is another one: what came before this batch is void
}

// Follow calls fn with what is in the journal at path and then, until ctx is
// done or fn returns an error, with whatever is added to it. The journal need
// not exist yet; it may be moved away and another one started in its place. fn
// is called once at the beginning even if there is nothing. The error is fn's
// own, or ctx's.
func Follow(ctx context.Context, path string, fn func(Batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wake := Watch(ctx, filepath.Dir(path))
	f := follower{path: path, fn: fn}
	defer f.close()
	if err := f.first(); err != nil {
		return err
	}
	for range wake {
		if err := f.poll(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// follower is the place in a journal that a reader has come to.
type follower struct {
	path   string
	fn     func(Batch) error
	file   *os.File // nil while none exists
	offset int64    // after the last whole line that was read
	lines  int
	batch  Batch
}

// first reads what is there already.
func (f *follower) first() error {
	if err := f.poll(); err != nil || f.offset > 0 {
		return err
	}
	return f.fn(Batch{CaughtUp: true})
}

// poll reads what is new.
func (f *follower) poll() error {
	if err := f.reopen(); err != nil || f.file == nil {
		return err
	}
	if info, err := f.file.Stat(); err == nil && info.Size() == f.offset {
		return nil
	}
	if _, err := f.file.Seek(f.offset, io.SeekStart); err != nil {
		return fmt.Errorf("the journal cannot be read: %w", err)
	}
	return f.read()
}

// reopen opens the file that has the journal's name now, if it is not the one
// that is open. One that is gone is kept open: its last lines may still come.
func (f *follower) reopen() error {
	named, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the journal cannot be read: %w", err)
	}
	if f.file != nil {
		mine, err := f.file.Stat()
		if err == nil && os.SameFile(mine, named) && mine.Size() >= f.offset {
			return nil
		}
		if f.offset > 0 {
			f.batch.Restart = true
		}
		f.close()
	}
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the journal cannot be read: %w", err)
	}
	f.file, f.offset, f.lines = file, 0, 0
	return nil
}

// read hands on every whole line after the offset. A line that has no end
// yet is left for the next time: its writer is at it.
func (f *follower) read() error {
	s := lineScanner{r: bufio.NewReaderSize(f.file, 64<<10), n: f.lines}
	start := f.offset
	for {
		line, whole, err := s.next()
		if err != nil && err != io.EOF {
			return fmt.Errorf("the journal cannot be read: %w", err)
		}
		if !whole {
			break
		}
		f.offset += int64(s.size)
		f.lines = s.n
		yieldLine(line, s.n, true, s.long, f.take)
		if len(f.batch.Events) >= maxBatch {
			if err := f.hand(false); err != nil {
				return err
			}
		}
	}
	if f.offset == start && !f.batch.Restart {
		return nil
	}
	return f.hand(true)
}

// take puts what a line said into the batch.
func (f *follower) take(e Event, err error) bool {
	if err != nil {
		return f.batch.Damage.Note(err)
	}
	f.batch.Events = append(f.batch.Events, e)
	return true
}

// hand gives the batch to its reader.
func (f *follower) hand(caughtUp bool) error {
	f.batch.CaughtUp = caughtUp
	err := f.fn(f.batch)
	f.batch = Batch{Events: f.batch.Events[:0]}
	return err
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}
