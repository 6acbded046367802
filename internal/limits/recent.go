package limits

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"ralph/internal/journal"
)

// firstPiece is how much of a journal's end is read at first, in bytes. Each
// further try reads four times as much.
const firstPiece = 64 << 10

// recent returns the events of a journal since a moment, plus the earlier ones that are needed to
// understand the first of them. The journal of a long run may have many megabytes, and an hour is
// a small part of it.
func recent(path string, since time.Time) ([]journal.Event, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it was put away meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be read: %w", err)
	}
	for piece := int64(firstPiece); ; piece *= 4 {
		from := max(info.Size()-piece, 0)
		events, err := eventsFrom(f, from, info.Size())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if from == 0 || reaches(events, since) {
			return events, nil
		}
	}
}

// reaches reports whether the events begin early enough: with one before the
// moment that says which harness is running.
func reaches(events []journal.Event, since time.Time) bool {
	for _, e := range events {
		if !e.Time.Before(since) {
			return false
		}
		switch e.Body.(type) {
		case journal.RunStarted, journal.AttemptStarted:
			return true
		}
	}
	return false
}

// eventsFrom reads the events between two offsets. Where the first one is inside
// of a line, that line is left out.
func eventsFrom(f io.ReaderAt, from, to int64) ([]journal.Event, error) {
	r := bufio.NewReader(io.NewSectionReader(f, from, to-from))
	if from > 0 {
		for {
			_, err := r.ReadSlice('\n')
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return nil, nil //nolint:nilerr // one line fills all of it: a larger piece is tried
			}
		}
	}
	var events []journal.Event
	var damage journal.Damage
	for e, err := range journal.Read(r) {
		switch {
		case err == nil:
			events = append(events, e)
		case !damage.Note(err):
			return nil, err
		}
	}
	return events, nil
}
