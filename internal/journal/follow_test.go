package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ralph/internal/journal"
)

// following runs Follow next to the test, which gets each batch in turn.
func following(t *testing.T, path string) (next func() journal.Batch) {
	t.Helper()
	batches := make(chan journal.Batch)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- journal.Follow(ctx, path, func(b journal.Batch) error {
			b.Events = append([]journal.Event(nil), b.Events...)
			select {
			case batches <- b:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Follow ended with %v", err)
		}
	})
	return func() journal.Batch { return <-batches }
}

func warning(n int) journal.Event {
	return event(n, journal.Warning{Message: "warning"})
}

func expect(t *testing.T, b journal.Batch, restart bool, want ...journal.Event) {
	t.Helper()
	if diff := cmp.Diff(want, b.Events); diff != "" || b.Restart != restart {
		t.Fatalf("restart %v: %s", b.Restart, diff)
	}
}

func TestFollowFromTheBeginning(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	path := newJournal(t)
	appendAll(t, path, warning(1), warning(2))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	stop := errors.New("enough")
	err := journal.Follow(ctx, path, func(b journal.Batch) error {
		calls++
		if calls == 1 {
			expect(t, b, false, warning(1), warning(2))
			if !b.CaughtUp {
				t.Error("it has not caught up")
			}
			appendAll(t, path, warning(3))
			return nil
		}
		expect(t, b, false, warning(3))
		return stop
	})
	if err != stop {
		t.Errorf("got %v", err)
	}
}

func TestFollowAJournalThatIsYetToCome(t *testing.T) {
	path := newJournal(t)
	next := following(t, path)
	expect(t, next(), false)
	appendAll(t, path, warning(1))
	expect(t, next(), false, warning(1))
}

func TestFollowWaitsForTheEndOfALine(t *testing.T) {
	path := newJournal(t)
	appendAll(t, path, warning(1))
	next := following(t, path)
	expect(t, next(), false, warning(1))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line := lines(t, warning(2))
	for _, part := range [][]byte{line[:10], line[10 : len(line)-1], line[len(line)-1:]} {
		if _, err := f.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, next(), false, warning(2))
}

func TestFollowAJournalThatIsCut(t *testing.T) {
	path := newJournal(t)
	appendAll(t, path, warning(1), warning(2))
	next := following(t, path)
	expect(t, next(), false, warning(1), warning(2))
	if err := os.Truncate(path, int64(len(lines(t, warning(1))))); err != nil {
		t.Fatal(err)
	}
	expect(t, next(), true, warning(1))
}

func TestFollowAcrossAnArchive(t *testing.T) {
	path := newJournal(t)
	appendAll(t, path, warning(1))
	next := following(t, path)
	expect(t, next(), false, warning(1))
	if err := os.Rename(filepath.Dir(path), filepath.Dir(path)+"-away"); err != nil {
		t.Fatal(err)
	}
	appendAll(t, path, warning(2))
	expect(t, next(), true, warning(2))
	appendAll(t, path, warning(3))
	expect(t, next(), false, warning(3))
}

func TestFollowHandsOnInBatches(t *testing.T) {
	path := newJournal(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var data []byte
	for i := range 3000 {
		data = append(data, lines(t, warning(i))...)
	}
	if err := os.WriteFile(path, append(data, "broken\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	next := following(t, path)
	total, broken := 0, 0
	for {
		b := next()
		total += len(b.Events)
		broken += b.Damage.Lines
		if len(b.Events) > 1024 {
			t.Fatalf("a batch of %d", len(b.Events))
		}
		if b.CaughtUp {
			break
		}
	}
	if total != 3000 || broken != 1 {
		t.Errorf("%d events, %d broken lines", total, broken)
	}
}
