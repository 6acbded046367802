package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ralph/internal/stream"
)

// lockRetry is how often a lock that is held is tried again.
const lockRetry = 25 * time.Millisecond

// Holder is who holds a lock: the content of its file.
type Holder struct {
	Unit     string    `json:"unit"`
	PID      int       `json:"pid"`
	PIDStart string    `json:"pidStart"` // with PID, distinguishes the holder from a later process
	Host     string    `json:"host"`
	Since    time.Time `json:"since"`
}

// Lock is a kernel lock on a directory. The kernel lets go of it when the
// process dies, however it dies.
type Lock struct{ file *os.File }

// LockedError says that another process works there.
type LockedError struct {
	Holder Holder // its PID is 0 where it could not be read
	Dir    string
	now    time.Time
}

// Error implements error.
func (e *LockedError) Error() string {
	h := e.Holder
	if h.PID == 0 {
		return fmt.Sprintf("another ralph is already running here (%s is locked); try again in a moment", filepath.Join(e.Dir, lockName))
	}
	layout := "15:04"
	if e.now.Sub(h.Since) >= 24*time.Hour {
		layout = "2006-01-02 15:04"
	}
	return fmt.Sprintf("unit %s is already being worked on by ralph (pid %d on %s, since %s); stop it with 'ralph stop %s'",
		h.Unit, h.PID, h.Host, h.Since.Local().Format(layout), stream.ShellWord(h.Unit))
}

const lockName = "lock"

// Acquire takes the lock of the directory dir, which is created (0700) where
// it is missing, and writes me into it. While another process holds it, it is
// tried again for at most the duration wait: the holder may be about to go.
// After that the error is a [*LockedError].
func Acquire(ctx context.Context, dir string, me Holder, wait time.Duration) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the lock's directory cannot be created: %w", err)
	}
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		file, err := tryLock(filepath.Join(dir, lockName))
		if err == nil {
			return newLock(file, me)
		}
		if !errors.Is(err, errHeld) {
			return nil, fmt.Errorf("the lock cannot be taken: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout.C:
			holder, _ := ReadHolder(dir)
			return nil, &LockedError{Holder: holder, Dir: dir, now: me.Since}
		case <-time.After(lockRetry):
		}
	}
}

// errHeld says that the lock is another's, or that its file was replaced
// while it was being taken.
var errHeld = errors.New("held")

// tryLock takes the lock without waiting. The file is never removed: two
// processes could then hold "the" lock on two different files. Someone else
// may remove it all the same, so the name is looked up again under the lock.
func tryLock(path string) (*os.File, error) {
	// Writable, because NFS wants that for an exclusive lock.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(file); err != nil {
		file.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	mine, err := file.Stat()
	named, err2 := os.Stat(path)
	if err != nil || err2 != nil || !os.SameFile(mine, named) {
		file.Close()
		return nil, errHeld
	}
	return file, nil
}

func flock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// newLock writes the holder into a lock just taken.
func newLock(file *os.File, me Holder) (*Lock, error) {
	me.Since = me.Since.UTC().Truncate(time.Second)
	data, err := json.Marshal(me)
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteAt(append(data, '\n'), 0)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("the lock cannot be written: %w", err)
	}
	return &Lock{file}, nil
}

// Release empties the lock's file and lets go of it.
func (l *Lock) Release() error {
	return errors.Join(l.file.Truncate(0), l.file.Close())
}

// ReadHolder returns the process that holds the lock of the directory dir, or held it at its
// death: the caller must check whether that process lives. It never takes the lock, not even for
// a moment. If no one holds the lock, the Holder is empty. If the lock's file is unreadable, it
// reads the journal.
func ReadHolder(dir string) (Holder, error) {
	data, err := os.ReadFile(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) || (err == nil && len(data) == 0) {
		return Holder{}, nil
	}
	if err != nil {
		return Holder{}, fmt.Errorf("the lock cannot be read: %w", err)
	}
	var h Holder
	if json.Unmarshal(data, &h) == nil {
		return h, nil
	}
	// Someone wrote into the file. The journal has the loop too.
	events, err := ReadLast(Path(dir))
	if err != nil || len(events) == 0 || slices.ContainsFunc(events, isEnd) {
		return Holder{}, nil //nolint:nilerr // no one is known to hold it
	}
	start := events[0].Body.(RunStarted)
	last := events[len(events)-1].Time
	return Holder{Unit: filepath.Base(dir), PID: start.PID, PIDStart: start.PIDStart, Since: last}, nil
}
