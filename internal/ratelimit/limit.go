package ratelimit

import (
	"context"
	"time"
)

// SetLimited notes for all loops that the provider refuses calls until a
// moment, with the provider's words. The last report counts: a zero until takes
// it back, as after a call that went through.
func (l *Ledger) SetLimited(ctx context.Context, until time.Time, note string) error {
	return l.update(ctx, func(b *book) bool {
		if until.IsZero() {
			had := b.Limited != nil
			b.Limited = nil
			return had
		}
		b.Limited = &limited{Until: until.UTC(), Note: shortNote(note)}
		return true
	})
}

// LimitedUntil tells until when the provider refuses calls, and its words; the
// zero time where no limit is known or it is over. It takes no lock.
func (l *Ledger) LimitedUntil(now time.Time) (until time.Time, note string, err error) {
	b, err := readBook(l.file)
	if err != nil || b.Limited == nil || !b.Limited.Until.After(now) {
		return time.Time{}, "", err
	}
	return b.Limited.Until, b.Limited.Note, nil
}
