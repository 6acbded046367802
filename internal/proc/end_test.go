package proc

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var gentle = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}

// What End finds, and what it reports, when the leader lives until it is asked.
func TestEnd(t *testing.T) {
	const short = 50 * time.Millisecond
	tests := []struct {
		name      string
		steps     []string
		processes int
		gentle    []syscall.Signal
		grace     time.Duration
		exit      Exit
		strays    int
	}{
		{"polite", []string{"announce", "sleep"}, 1, gentle, patience, Exit{-1, syscall.SIGINT}, 0},
		{"deaf", []string{"ignore", "announce", "sleep"}, 1, gentle, short, Exit{-1, syscall.SIGKILL}, 0},
		{"no grace", []string{"announce", "sleep"}, 1, nil, patience, Exit{-1, syscall.SIGKILL}, 0},
		{"own group", []string{"group", "announce", "sleep"}, 2, gentle, patience, Exit{-1, syscall.SIGINT}, 1},
		{"own session", []string{"session", "announce", "sleep"}, 2, gentle, patience, Exit{-1, syscall.SIGINT}, 1},
		{"double fork", []string{"double", "announce", "sleep"}, 2, gentle, patience, Exit{-1, syscall.SIGINT}, 1},
		{"deaf family", []string{"ignore", "group", "session", "double", "announce", "sleep"}, 4, gentle, short, Exit{-1, syscall.SIGKILL}, 3},
		{"herd of 200", []string{"herd", "announce", "sleep"}, 201, gentle, patience, Exit{-1, syscall.SIGINT}, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			z := openZoo(t)
			p, ids := z.run(tt.processes, tt.steps...)
			swept, err := p.End(tt.gentle, tt.grace)
			if err != nil {
				t.Fatal(err)
			}
			z.nothingLeft(ids)
			awaitClosed(t, "the leader's exit", p.Exited())
			if p.Exit() != tt.exit {
				t.Errorf("the leader ended by %v, want %v", p.Exit(), tt.exit)
			}
			if swept.Strays != tt.strays || (len(swept.Names) > 0) != (tt.strays > 0) {
				t.Errorf("swept %+v, want %d strays", swept, tt.strays)
			}
			again, err := p.End(gentle, patience)
			if diff := cmp.Diff(swept, again); diff != "" || err != nil {
				t.Errorf("End again (-first +second): %s error %v", diff, err)
			}
		})
	}
}

// A process that forks and exits for ever has no pid that lasts.
func TestEndComet(t *testing.T) {
	z := openZoo(t)
	p, ids := z.run(1, "comet", "announce", "sleep")
	if _, err := p.End(gentle, patience); err != nil {
		t.Fatal(err)
	}
	z.nothingLeft(ids)
}

// When the leader exits, the guardian kills the rest: a pipe that a stray holds open closes.
func TestLeaderExitsFirst(t *testing.T) {
	z := openZoo(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := z.Start(Command{Argv: animal("group", "session", "double", "stdin"), Stdin: r, Stdout: z.w})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	ids := announced(t, z.out, 3)
	w.Close() // the leader exits
	z.rest()
	awaitClosed(t, "the leader's exit", p.Exited())
	if p.Exit() != (Exit{}) {
		t.Errorf("the leader ended by %v, want exit status 0", p.Exit())
	}
	swept, err := p.End(gentle, patience)
	if err != nil || swept.Strays != 3 {
		t.Errorf("swept %+v, error %v, want 3 strays", swept, err)
	}
	z.nothingLeft(ids)
}

func TestEndStopped(t *testing.T) {
	z := openZoo(t)
	p, ids := z.run(1, "announce", "sleep")
	if err := p.ID().Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := p.End([]syscall.Signal{syscall.SIGTERM}, patience); err != nil {
		t.Fatal(err)
	}
	if want := (Exit{-1, syscall.SIGTERM}); p.Exit() != want {
		t.Errorf("the leader ended by %v, want %v", p.Exit(), want)
	}
	z.nothingLeft(ids)
}

func TestGentleSignalsComeInOrder(t *testing.T) {
	z := openZoo(t)
	p, _ := z.run(1, "record")
	if _, err := p.End(gentle, 4*time.Second); err != nil {
		t.Fatal(err)
	}
	if got, want := z.rest(), "interrupt\nterminated\n"; got != want {
		t.Errorf("the agent received %q, want %q", got, want)
	}
}

func TestShorterGraceWins(t *testing.T) {
	z := openZoo(t)
	p, ids := z.run(1, "ignore", "announce", "sleep")
	first := make(chan error, 1)
	go func() {
		_, err := p.End(gentle, time.Hour)
		first <- err
	}()
	if _, err := p.End(nil, 0); err != nil {
		t.Error(err)
	}
	if err := await(t, "the first End", func() error { return <-first }); err != nil {
		t.Error(err)
	}
	z.nothingLeft(ids)
}

// Ends that meet each other and the leader's own exit.
func TestEndMeetsExit(t *testing.T) {
	z := openZoo(t)
	for range 50 {
		p, err := z.Start(Command{Argv: []string{"true"}})
		if err != nil {
			t.Fatal(err)
		}
		var ends sync.WaitGroup
		for range 3 {
			ends.Go(func() {
				if _, err := p.End(gentle, patience); err != nil {
					t.Error(err)
				}
			})
		}
		ends.Wait()
		awaitClosed(t, "the leader's exit", p.Exited())
	}
	z.nothingLeft(nil)
}

func TestCloseEndsWhatIsLeft(t *testing.T) {
	z := openZoo(t)
	p, ids := z.run(2, "ignore", "session", "announce", "sleep")
	if err := z.Close(); err != nil {
		t.Error(err)
	}
	z.nothingLeft(append(ids, z.ID()))
	awaitClosed(t, "the leader's exit", p.Exited())
	if _, err := p.End(gentle, patience); err != nil {
		t.Errorf("End after Close: %v", err)
	}
	if err := z.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
	select {
	case <-z.Lost():
		t.Error("a guardian that was closed is reported as lost")
	default:
	}
	if _, err := z.Start(Command{Argv: []string{"true"}}); !errors.Is(err, ErrLost) {
		t.Errorf("Start after Close: %v, want %v", err, ErrLost)
	}
}
