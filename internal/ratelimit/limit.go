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

// Admission says whether the provider's limit allows a call now. The zero value allows it.
type Admission struct {
	Until  time.Time // do not call before this time; zero if calls are allowed
	Note   string    // the provider's words
	Probed bool      // another loop tries whether the limit is over, at most to Until
	Probe  bool      // this loop tries whether the limit is over, and then calls Probed
}

// SetLimited records for all loops that the provider refuses calls until a time. note is the
// provider's message. The last report counts, and a zero time removes the limit.
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

// LimitedUntil returns the end of the provider's limit and the provider's message. The time is
// zero if no limit is known or it is over. It takes no lock.
func (l *Ledger) LimitedUntil(now time.Time) (until time.Time, note string, err error) {
	if l.socket != "" {
		r, err := l.askShortly(request{Op: "peek"})
		if err != nil || !r.Until.After(now) {
			return time.Time{}, "", err
		}
		return r.Until, r.Note, nil
	}
	b, err := readBook(l.file)
	if err != nil || b.Limited == nil || !b.Limited.Until.After(now) {
		return time.Time{}, "", err
	}
	return b.Limited.Until, b.Limited.Note, nil
}

// WouldAdmit returns what Admit would answer. It takes no lock and writes nothing.
func (l *Ledger) WouldAdmit(now, waited time.Time) (Admission, error) {
	if l.socket != "" {
		// Who tries first when a limit is over, the server decides: it grants no call before.
		until, note, err := l.LimitedUntil(now)
		if err != nil || !until.After(waited) {
			return Admission{}, err
		}
		return Admission{Until: until, Note: note}, nil
	}
	b, err := readBook(l.file)
	if err != nil {
		return Admission{}, err
	}
	return l.admission(b, now, waited), nil
}

// Admit reports whether a loop may call the provider now. After a limit has ended, Admit lets
// one loop try, and the others wait for its report.
//
// waited is the time until which this loop has already waited. A limit that ends by then is
// over, even if the clock was set back.
func (l *Ledger) Admit(ctx context.Context, now, waited time.Time) (Admission, error) {
	g, err := l.WouldAdmit(now, waited)
	if err != nil || !g.Probe {
		return g, err // nearly always
	}
	err = l.update(ctx, func(b *book) bool {
		if g = l.admission(b, now, waited); g.Probe {
			b.Limited.Prober, b.Limited.Probe = runKey(l.run), now.Add(probeTime).UTC()
		}
		return g.Probe
	})
	return g, err
}

// Probed records the result of a call that Admit allowed as a trial. If over is true, the
// limit is removed; otherwise the next loop tries. Call SetLimited instead if the provider
// refused the call with a limit.
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

func (l *Ledger) admission(b *book, now, waited time.Time) Admission {
	switch m := b.Limited; {
	case m == nil:
		return Admission{}
	case m.Until.After(now) && m.Until.After(waited):
		return Admission{Until: m.Until, Note: m.Note}
	case m.Prober != "" && m.Prober != runKey(l.run) && m.Probe.After(now) && m.Probe.Sub(now) <= probeTime:
		return Admission{Until: m.Probe, Note: m.Note, Probed: true}
	}
	return Admission{Note: b.Limited.Note, Probe: true}
}
