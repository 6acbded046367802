package ratelimit

import (
	"strings"
	"time"
)

// maxHours is how many hours the book remembers. More than the present one is
// kept so that a clock that is set back finds its hour as it was left.
const maxHours = 26

// maxNote bounds the provider's words in bytes, so that a book fits its slot
// even where each of them has to be escaped.
const maxNote = 400

// book is what the ledger knows.
type book struct {
	Sequence uint64         `json:"sequence"` // grows with each writing
	Hours    map[string]int `json:"hours"`    // calls by hour, such as "2026-11-21T04Z"
	Limited  *limited       `json:"limited,omitempty"`

	Runs map[string]taken `json:"runs,omitempty"` // what the last runs have taken, by runKey

	mended error
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
