package ratelimit

import (
	"context"
	"time"
)

// probeTime is how long one loop may take to find out whether a limit is over
// before another one tries: an agent that is let in says something by then.
const probeTime = 2 * time.Minute

// limited is a provider's refusal of all calls for some time.
type limited struct {
	Until time.Time `json:"until"`
	Note  string    `json:"note"`

	// Who tries whether the limit is over, by runKey, and until when the others
	// wait for it. Both are zero before.
	Prober string    `json:"prober,omitempty"`
	Probe  time.Time `json:"probe,omitzero"`
}

// Gate is what the ledger knows of the provider's limit. Its zero value is: the
// harness may be called.
type Gate struct {
	Until  time.Time // no one should call before; zero where nothing is in the way
	Note   string    // the provider's words
	Probed bool      // the limit should be over, and another loop is finding out: Until is when it is given up on
	Probe  bool      // the limit should be over, and this loop finds out: it reports with Probed
}

// SetLimited notes for all loops that the provider refuses calls until a
// moment, with the provider's words. The last report counts: a zero until takes
// it back, as after a call that went through.
func (l *Ledger) SetLimited(ctx context.Context, until time.Time, note string) error {
	if l.socket != "" {
		return l.setLimitedShared(ctx, until, note)
	}
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

// LimitedUntil returns until when the provider refuses calls, and its words; the zero time if no
// limit is known or it is over. It takes no lock.
func (l *Ledger) LimitedUntil(now time.Time) (until time.Time, note string, err error) {
	if l.socket != "" {
		return l.limitedShared(now)
	}
	b, err := readBook(l.file)
	if err != nil || b.Limited == nil || !b.Limited.Until.After(now) {
		return time.Time{}, "", err
	}
	return b.Limited.Until, b.Limited.Note, nil
}

// WouldAdmit returns what Admit would answer. It takes no lock and writes nothing.
func (l *Ledger) WouldAdmit(now, waited time.Time) (Gate, error) {
	if l.socket != "" {
		return l.lookShared(now, waited)
	}
	b, err := readBook(l.file)
	if err != nil {
		return Gate{}, err
	}
	return l.gate(b, now, waited), nil
}

// Admit asks whether the provider may be called. Of the loops that wait for the
// end of a limit, the first that asks after it is let in to try, and the others
// wait for what it reports. waited is until when this loop has waited already: a
// limit up to then counts as over, also where the clock was set back meanwhile.
func (l *Ledger) Admit(ctx context.Context, now, waited time.Time) (Gate, error) {
	g, err := l.WouldAdmit(now, waited)
	if err != nil || !g.Probe {
		return g, err // nearly always
	}
	err = l.update(ctx, func(b *book) bool {
		if g = l.gate(b, now, waited); g.Probe {
			b.Limited.Prober, b.Limited.Probe = runKey(l.run), now.Add(probeTime).UTC()
		}
		return g.Probe
	})
	return g, err
}

// Probed records the result of a call that Admit has let in to try. over means that the provider
// took the call; otherwise the next loop tries. Use SetLimited for a limit that was met again.
func (l *Ledger) Probed(ctx context.Context, over bool) error {
	if l.socket != "" {
		return nil // Admit lets no one try there
	}
	return l.update(ctx, func(b *book) bool {
		if b.Limited == nil || b.Limited.Prober != runKey(l.run) {
			return false
		}
		if over {
			b.Limited = nil
		} else {
			b.Limited.Prober, b.Limited.Probe = "", time.Time{}
		}
		return true
	})
}

func (l *Ledger) gate(b *book, now, waited time.Time) Gate {
	switch m := b.Limited; {
	case m == nil:
		return Gate{}
	case m.Until.After(now) && m.Until.After(waited):
		return Gate{Until: m.Until, Note: m.Note}
	case m.Prober != "" && m.Prober != runKey(l.run) && m.Probe.After(now) && m.Probe.Sub(now) <= probeTime:
		return Gate{Until: m.Probe, Note: m.Note, Probed: true}
	}
	return Gate{Note: b.Limited.Note, Probe: true}
}
