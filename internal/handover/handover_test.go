package handover

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// receiverVar makes the test binary be a receiver; its value says how it ends.
const receiverVar = "HANDOVER_TEST_RECEIVER"

func TestMain(m *testing.M) {
	how, ok := os.LookupEnv(receiverVar)
	if !ok {
		os.Exit(m.Run())
	}
	os.Exit(receive(how, os.Args[1]))
}

// receive takes over, reports what it has become, and ends.
func receive(how, path string) int {
	p, line, err := Take(path)
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	dir, _ := os.Getwd()
	mask := syscall.Umask(0)
	fmt.Printf("%s|%s|%s|%s|%o|%t\n", strings.Join(p.Args, ","), os.Getenv("KEY"), os.Getenv("TERM"), dir, mask, p.Hold)
	_ = os.Stdout.Sync()
	switch how {
	case "waits":
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	case "reports":
		line.Result(CommandResult{Exit: 42, Message: "it went wrong", Hint: "try again"})
	}
	return 0
}

func receiver(t *testing.T, s *Sender, how string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, s.Path())
	cmd.Env = []string{receiverVar + "=" + how, "TERM=receivers", "STRAY=x", "GORACE=atexit_sleep_ms=0"}
	return cmd
}

func send(t *testing.T, p Parcel) *Sender {
	t.Helper()
	s, err := Send(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestReceiverBecomesWhatTheSenderWas(t *testing.T) {
	dir := t.TempDir()
	s := send(t, Parcel{Args: []string{"run", "a; b", "--x", "M\xfcller"},
		Env: []string{"KEY=secret=1", "TERM=senders"}, Dir: dir, Umask: 0o027, Hold: true})
	info, err := os.Stat(s.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file: %v, %v", err, info.Mode())
	}
	if info, err = os.Stat(filepath.Dir(s.Path())); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("its folder: %v, %v", err, info.Mode())
	}
	cmd := receiver(t, s, "reports")
	said := make(chan string, 1)
	go func() {
		out, _ := cmd.Output()
		said <- string(out)
	}()
	if err := s.Taken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Wait(t.Context()); got != (CommandResult{42, "it went wrong", "try again"}) || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	want := "run,a; b,--x,M\xfcller|secret=1|receivers|" + dir + "|27|true\n"
	if got := <-said; got != want {
		t.Errorf("the receiver says %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Dir(s.Path())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something is left of the handover: %v", err)
	}
}

func TestSenderLearnsOfTheReceiversDeath(t *testing.T) {
	for name, kill := range map[string]bool{"killed": true, "ended without a word": false} {
		t.Run(name, func(t *testing.T) {
			s := send(t, Parcel{Dir: t.TempDir()})
			cmd := receiver(t, s, "waits")
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if err := s.Taken(t.Context()); err != nil {
				t.Fatal(err)
			}
			if kill {
				err = s.Signal(syscall.SIGKILL)
			} else {
				err = stdin.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Wait(t.Context()); !errors.Is(err, ErrLost) {
				t.Errorf("%v, want ErrLost", err)
			}
			_ = cmd.Wait()
		})
	}
}

// TestSenderLeavesAtOnce closes the sender as soon as it knows that the parcel
// was taken: what it cleans up may not be what the receiver still needs.
func TestSenderLeavesAtOnce(t *testing.T) {
	for range 20 {
		s := send(t, Parcel{Args: []string{"run"}, Dir: "/"})
		cmd := receiver(t, s, "ends")
		said := make(chan string, 1)
		go func() {
			out, _ := cmd.Output()
			said <- string(out)
		}()
		if err := s.Taken(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if got := <-said; !strings.HasPrefix(got, "run|") {
			t.Fatalf("the receiver says %q", got)
		}
	}
}

// TestTakenBack leaves the file of a sender that has gone.
func TestTakenBack(t *testing.T) {
	s := send(t, Parcel{Args: []string{"run"}, Dir: "/"})
	kept, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	path := filepath.Join(t.TempDir(), parcelName)
	if err := os.WriteFile(path, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Take(path); err == nil {
		t.Error("a command was taken from nobody")
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file with its keys is still there: %v", err)
	}
}

// TestSenderWithdraws goes away before it has let the receiver continue.
func TestSenderWithdraws(t *testing.T) {
	s := send(t, Parcel{Args: []string{"run"}, Dir: "/"})
	cmd := receiver(t, s, "ends")
	said := make(chan string, 1)
	go func() {
		out, _ := cmd.Output()
		said <- string(out)
	}()
	conn, err := s.listener.Accept() // it has come, and waits
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if got := <-said; !strings.Contains(got, "cancelled") {
		t.Errorf("the receiver says %q", got)
	}
}

func TestNobodyTakesOver(t *testing.T) {
	s := send(t, Parcel{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.Taken(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want a deadline that is over", err)
	}
	s.Close()
	if _, err := os.Stat(filepath.Dir(s.Path())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a parcel that nobody took is still there: %v", err)
	}
}

func TestTakeRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		file string
		mode os.FileMode
	}{
		"others may read it": {parcelName, 0o644},
		"another file":       {"notes.json", 0o600},
	} {
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, []byte("{}"), c.mode); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Take(path); err == nil {
			t.Errorf("%s: it was taken", name)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: what was refused is gone: %v", name, err)
		}
	}
}

func TestEnvironKeepsTheReceiversTerminal(t *testing.T) {
	p := Parcel{Env: []string{"PATH=/mine", "TMUX=/old,1,2", "TERM=xterm", "COLORTERM=truecolor"}}
	got := p.environ([]string{"PATH=/servers", "TMUX=/new,3,4", "TMUX_PANE=%1", "TERM=screen"})
	want := []string{"PATH=/mine", "TMUX=/new,3,4", "TMUX_PANE=%1", "TERM=screen"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
