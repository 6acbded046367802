// Package ratelimit counts the calls of all the user's loops to a harness in each clock hour.
// It also records the usage limit that the provider has set on the account.
//
// The ledger is a small JSON file. A rename under a kernel lock replaces it, so that all
// processes see one exact count.
package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A lock is held while the file is replaced. After maxWait its holder was probably
// suspended, and this process must not hang with it.
const (
	maxWait  = 10 * time.Second
	pollStep = time.Millisecond
)

// Ledger counts the calls to one harness. It holds no open file; several
// goroutines and processes may use the same one.
type Ledger struct {
	file  string
	limit int
	run   string // the run of these calls, empty if it does not matter

	socket  string // of a shared ledger, empty where the file is the ledger
	harness string // which the shared ledger is asked for
}

// Grant says whether the hourly limit allows a call, and how many calls were counted.
type Grant struct {
	OK       bool      // the call may be made; Take has counted it
	Used     int       // calls in this clock hour, of all loops, this one included
	Limit    int       // of the calling loop; 0 for no limit
	ResetsAt time.Time // the next full hour, UTC

	// Damaged is set if the ledger's file was invalid and was replaced. The earlier
	// calls of this hour are then unknown, and the caller warns about it.
	Damaged error
}

// Open returns the ledger of a harness in dir. Each loop judges the common
// count by its own limit, in calls per clock hour; 0 counts and never refuses.
func Open(dir, harness string, limit int) *Ledger {
	return &Ledger{file: fileOf(dir, harness), limit: limit}
}

// Dir returns the folder of the ledgers in ralph's home folder. It returns "" without a home
// folder.
func Dir(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, "ratelimit")
}

// OpenUser opens the ledger of a harness that all loops of the user share. EnvShared may name
// its socket; otherwise it is in ralph's home folder.
func OpenUser(home, harness string, limit int) *Ledger {
	return OpenShared(os.Getenv(EnvShared), Dir(home), harness, limit)
}

// fileOf returns the path of a harness's ledger in dir. Without a dir none exists:
// a ledger without a file is empty, and nothing can be counted in it.
func fileOf(dir, harness string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, url.PathEscape(harness)+".json")
}

// Of returns the ledger of another harness in the same place, for the same run.
func (l *Ledger) Of(harness string) *Ledger {
	other := *l
	other.file, other.harness = "", harness
	if l.file != "" {
		other.file = fileOf(filepath.Dir(l.file), harness)
	}
	return &other
}

// Take counts one call in the clock hour of now, if the limit allows it. If the limit refuses
// it, Grant.OK is false. An error means that nothing was counted: the directory cannot be
// written, or ctx has ended.
func (l *Ledger) Take(ctx context.Context, now time.Time) (Grant, error) {
	if l.socket != "" {
		return l.takeShared(ctx, now)
	}
	var grant Grant
	err := l.update(ctx, func(b *book) bool {
		grant = l.grantAt(b, now)
		if grant.OK {
			grant.Used++
			b.set(now, grant.Used)
			b.note(l.run, now)
		}
		return grant.OK
	})
	return grant, err
}

// Peek returns the Grant that Take would return, except that it counts no call: Used excludes
// the next call. It takes no lock and writes nothing.
func (l *Ledger) Peek(now time.Time) (Grant, error) {
	if l.socket != "" {
		r, err := l.askShortly(request{Op: "peek"})
		return l.grantOf(r), err
	}
	b, err := readBook(l.file)
	if err != nil {
		return Grant{}, err
	}
	return l.grantAt(b, now), nil
}

func (l *Ledger) grantAt(b *book, now time.Time) Grant {
	used := b.Hours[hourOf(now)]
	return Grant{
		OK:       l.limit <= 0 || used < l.limit,
		Used:     used,
		Limit:    l.limit,
		ResetsAt: now.UTC().Truncate(time.Hour).Add(time.Hour),
		Damaged:  b.damaged,
	}
}

// update reads the book, lets change work on it, and writes it where change
// says that it has.
func (l *Ledger) update(ctx context.Context, change func(*book) bool) error {
	if l.file == "" {
		return errors.New("no calls can be counted: no home folder is known")
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o700); err != nil {
		return fmt.Errorf("make room for the ledger of calls: %w", err)
	}
	unlock, err := l.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	b, err := readBook(l.file)
	if err != nil {
		return err
	}
	if !change(b) && b.damaged == nil {
		return nil
	}
	return writeBook(l.file, b)
}

// lock waits for the ledger's lock. The lock's file is never removed: a process
// that waits for it would be left with a lock that no one else sees.
func (l *Ledger) lock(ctx context.Context) (unlock func() error, err error) {
	path := l.file + ".lock"
	lock := flock.New(path, flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	ok, err := lock.TryLockContext(waiting, pollStep)
	switch {
	case ok:
		return lock.Unlock, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for the ledger of calls: %w", context.Cause(ctx))
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("lock %s: another process has held it for %s, it may be suspended", path, maxWait)
	}
	return nil, fmt.Errorf("lock the ledger of calls: %w", err)
}
