package limits

import (
	"slices"
	"time"

	"ralph/internal/journal"
	"ralph/internal/ratelimit"
	"ralph/internal/registry"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// Harness describes the use and the limits of one harness. 'ralph limits --json' prints a
// list of them.
type Harness struct {
	Harness         string        `json:"harness"`
	Calls           int           `json:"calls"`      // in this clock hour, of all loops of the user
	CallsLimit      int           `json:"callsLimit"` // from the settings here, or the lower limit of a waiting loop; 0 is no limit
	CallsResetAt    time.Time     `json:"callsResetAt"`
	LimitedUntil    *time.Time    `json:"limitedUntil"` // null if no limit is known
	Note            string        `json:"note"`         // the provider's words about it
	Tokens          stream.Tokens `json:"tokens"`       // of the loops in this clock hour
	TokensEstimated bool          `json:"tokensEstimated"`
	CostUSD         *float64      `json:"costUsd"`
	Windows         []Window      `json:"windows"`           // the account's, as an agent reported them last
	Waiting         []Waiting     `json:"waiting,omitempty"` // the loops that wait for its limit now
}

// Waiting describes a loop that waits for the limit of a harness to end.
type Waiting struct {
	Unit     string       `json:"unit"`
	Worktree string       `json:"worktree"`
	Until    journal.Time `json:"until"`   // an estimate where no one reported the end of the limit
	Message  string       `json:"message"` // what it waits for, with the provider's words

	CallsLimit int `json:"callsLimit,omitempty"` // an hour, where the loop waits at its own limit of calls
}

// Known describes the harnesses in first, and all others that were ever called. limit is the
// number of calls an hour that the settings allow.
func Known(home string, first []string, limit int, now time.Time, t unit.Notes) ([]Harness, error) {
	names, err := ratelimit.Harnesses(ratelimit.Dir(home))
	if err != nil {
		return nil, err
	}
	entries, _, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	done := t.ShowActivity("reading the journals")
	uses, warnings := Collect(entries, now)
	done()
	for _, w := range warnings {
		t.Warn("%s", w)
	}
	waiting, err := AllWaiting(home)
	if err != nil {
		return nil, err
	}
	for name := range uses {
		names = append(names, name)
	}
	slices.Sort(names)
	var list []Harness
	for _, name := range append(slices.Clone(first), names...) {
		if slices.ContainsFunc(list, func(h Harness) bool { return h.Harness == name }) {
			continue
		}
		h := Harness{Harness: name, CallsLimit: limit, Windows: []Window{}, Waiting: waiting[name]}
		if err := h.askLedger(home, now, t); err != nil {
			return nil, err
		}
		if u := uses[name]; u != nil {
			h.Tokens, h.TokensEstimated, h.CostUSD, h.Windows = u.Tokens, u.Estimated, u.CostUSD, append(h.Windows, u.Windows...)
		}
		for _, w := range h.Waiting {
			if w.CallsLimit > 0 && (h.CallsLimit == 0 || w.CallsLimit < h.CallsLimit) {
				h.CallsLimit = w.CallsLimit
			}
		}
		list = append(list, h)
	}
	return list, nil
}

// askLedger fills in what the harness's ledger knows.
func (h *Harness) askLedger(home string, now time.Time, t unit.Notes) error {
	ledger := ratelimit.OpenUser(home, h.Harness, h.CallsLimit)
	grant, err := ledger.Peek(now)
	if err != nil {
		return err
	}
	if grant.Damaged != nil {
		t.Warn("%v", grant.Damaged)
	}
	h.Calls, h.CallsResetAt = grant.Used, grant.ResetsAt
	until, note, err := ledger.LimitedUntil(now)
	if h.Note = note; !until.IsZero() {
		h.LimitedUntil = &until
	}
	return err
}

// AllWaiting returns, by harness, the running loops that wait for a limit to end.
func AllWaiting(home string) (map[string][]Waiting, error) {
	loops, err := unit.Loops(home, unit.Silent())
	found := map[string][]Waiting{}
	for _, l := range loops {
		s := l.Run
		atLimit := s.Reason == journal.ReasonUsageLimit || s.Reason == journal.WaitRateLimit
		if !l.Alive || s.Status != journal.StatusPaused || !atLimit {
			continue
		}
		w := Waiting{Unit: l.Unit, Worktree: l.Worktree, Until: s.ResumesAt, Message: string(s.Message)}
		if s.Reason == journal.WaitRateLimit {
			w.CallsLimit = s.APICallsLimit
		}
		found[string(s.Harness)] = append(found[string(s.Harness)], w)
	}
	return found, err
}
