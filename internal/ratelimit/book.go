package ratelimit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// maxHours is how many hours the book remembers. It keeps more than the current
// one, so that a clock that is set back finds the count of its hour.
const maxHours = 26

// maxNote bounds the provider's words in bytes.
const maxNote = 400

// book is the content of the ledger's file.
type book struct {
	Sequence uint64         `json:"sequence"` // grows with each write
	Hours    map[string]int `json:"hours"`    // calls by hour, such as "2026-11-21T04Z"
	Limited  *limited       `json:"limited,omitempty"`

	Runs map[string]taken `json:"runs,omitempty"` // calls of the last runs, by runKey

	damaged error // why the file could not be used
}

const hourFormat = "2006-01-02T15Z"

func hourOf(t time.Time) string { return t.UTC().Format(hourFormat) }

// set records the calls of now's hour and forgets the hours furthest from it.
func (b *book) set(now time.Time, calls int) {
	b.Hours[hourOf(now)] = calls
	for len(b.Hours) > maxHours {
		var furthest string
		distance := time.Duration(-1)
		for hour := range b.Hours {
			at, err := time.Parse(hourFormat, hour)
			if d := now.Sub(at).Abs(); d > distance || err != nil {
				furthest, distance = hour, d
			}
		}
		delete(b.Hours, furthest)
	}
}

func shortNote(note string) string {
	if len(note) > maxNote {
		note = note[:maxNote]
	}
	return strings.ToValidUTF8(note, "")
}

// readBook reads the book from file. It returns an empty book where the file does
// not exist, and an empty one with damaged set where it makes no sense.
func readBook(file string) (*book, error) {
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the ledger of calls: %w", err)
	}
	if len(content) == 0 {
		return &book{Hours: map[string]int{}}, nil
	}
	b, err := decodeBook(content)
	if err != nil {
		b = &book{Hours: map[string]int{}}
		b.damaged = fmt.Errorf("the ledger of calls %s is damaged (%w): calls are counted from 0 again", file, err)
	}
	return b, nil
}

func decodeBook(content []byte) (*book, error) {
	b := &book{}
	if err := json.Unmarshal(content, b); err != nil {
		return nil, err
	}
	if b.Hours == nil {
		return nil, errors.New(`no "hours"`)
	}
	for hour, calls := range b.Hours {
		if calls < 0 {
			return nil, fmt.Errorf("%d calls in %s", calls, hour)
		}
	}
	return b, nil
}

// writeBook replaces file. The caller holds the lock, so a fixed name for the new
// file is enough: what a killed process left there is overwritten.
func writeBook(file string, b *book) error {
	b.Sequence++
	text, err := json.Marshal(b)
	if err == nil {
		err = replace(file, file+".new", append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the ledger of calls: %w", err)
	}
	return nil
}

func replace(file, temp string, content []byte) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, file)
}
