package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// The bounds of an inbox: what is beyond them was not meant for a loop.
const (
	maxRequest  = 1 << 20 // of one request, in bytes
	maxRequests = 1000    // that wait at a time
)

// mailTime is the beginning of a request's name.
const mailTime = "20060102-150405.000000000"

// brokenDir is where requests that cannot be read are put.
const brokenDir = "broken"

// Inbox is how other commands ask a loop for something. Each request is a
// file of its own; the loop takes them in the order of their posting, writes
// them into the journal and then removes them.
type Inbox struct{ dir string }

// Mail is a request that waits in an inbox.
type Mail struct {
	Name    string // of its file, for [Inbox.Done]
	Request Request
}

// OpenInbox opens the inbox of the unit with the state directory dir, and creates it (0700) if it
// is missing.
func OpenInbox(dir string) (*Inbox, error) {
	in := inboxOf(dir)
	if err := os.MkdirAll(in.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the inbox cannot be created: %w", err)
	}
	return in, nil
}

func inboxOf(dir string) *Inbox { return &Inbox{filepath.Join(dir, "inbox")} }

// Post puts a request into the inbox and returns its name, by which
// [Inbox.Pending] reports whether the loop has dealt with it.
func (in *Inbox) Post(now time.Time, r Request) (name string, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("the request cannot be written: %w", err)
	}
	if len(data) > maxRequest {
		return "", fmt.Errorf("the request is too long for the inbox: %d bytes, at most %d", len(data), maxRequest)
	}
	names, err := in.names()
	if err != nil {
		return "", err
	}
	if len(names) >= maxRequests {
		return "", fmt.Errorf("%d requests wait in %s already; is the loop still alive?", len(names), in.dir)
	}
	// The time puts the files in order, the random part keeps two posts of
	// one moment apart.
	name = fmt.Sprintf("%s-%s.json", now.UTC().Format(mailTime), rand.Text()[:8])
	path := filepath.Join(in.dir, name)
	if err := renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(in.dir)); err != nil {
		return "", fmt.Errorf("the request cannot be written: %w", err)
	}
	return name, nil
}

// Pending reports whether the request of this name still waits.
func (in *Inbox) Pending(name string) bool {
	_, err := os.Lstat(filepath.Join(in.dir, filepath.Base(name)))
	return err == nil
}

// Take returns what waits, in the order of its posting, and leaves it there
// until [Inbox.Done]: a request that a crash kept from the journal is taken
// again. Files that are no requests are moved into the inbox's directory
// "broken"; setAside are their new paths.
func (in *Inbox) Take() (mail []Mail, setAside []string, err error) {
	names, err := in.names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		r, err := in.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			mail = append(mail, Mail{name, r})
			continue
		}
		path, err := in.putAside(name)
		if err != nil {
			return mail, setAside, err
		}
		setAside = append(setAside, path)
	}
	return mail, setAside, nil
}

// names lists the requests. os.ReadDir sorts by name, which is by time. Names
// that begin with a dot are files still being written.
func (in *Inbox) names() ([]string, error) {
	entries, err := os.ReadDir(in.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != brokenDir && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func (in *Inbox) read(name string) (Request, error) {
	path := filepath.Join(in.dir, name)
	info, err := os.Lstat(path)
	if err != nil {
		return Request{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRequest {
		return Request{}, errors.New("it is not a request")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Request{}, err
	}
	var r Request
	if err := json.Unmarshal(data, &r); err != nil {
		return Request{}, err
	}
	if r.Kind == "" {
		return Request{}, errors.New("it does not say what it asks for")
	}
	return r, nil
}

func (in *Inbox) putAside(name string) (string, error) {
	dir := filepath.Join(in.dir, brokenDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("a broken request cannot be put aside: %w", err)
	}
	path := filepath.Join(dir, name)
	if err := os.Rename(filepath.Join(in.dir, name), path); err != nil {
		return "", fmt.Errorf("a broken request cannot be put aside: %w", err)
	}
	return path, nil
}

// Done removes a request that was dealt with.
func (in *Inbox) Done(name string) error {
	err := os.Remove(filepath.Join(in.dir, filepath.Base(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a request cannot be removed from the inbox: %w", err)
	}
	return nil
}

// Notify sends when there may be something to take, at once if there is
// already. The channel is closed when ctx is done.
func (in *Inbox) Notify(ctx context.Context) <-chan struct{} {
	wake := Watch(ctx, in.dir)
	out := make(chan struct{}, 1)
	go func() {
		defer close(out)
		for {
			if names, err := in.names(); err == nil && len(names) > 0 {
				select {
				case out <- struct{}{}:
				default:
				}
			}
			if _, ok := <-wake; !ok {
				return
			}
		}
	}()
	return out
}

// Posted returns when the request was put into the inbox, from its file name; zero if the name
// has no time.
func (m Mail) Posted() time.Time {
	if len(m.Name) < len(mailTime) {
		return time.Time{}
	}
	t, err := time.ParseInLocation(mailTime, m.Name[:len(mailTime)], time.UTC)
	if err != nil {
		return time.Time{}
	}
	return t
}
