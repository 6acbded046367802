package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary plays every part: the guardian, a ralph that can be killed, and
// the animals that a guardian has to end.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "__guardian":
			os.Exit(playGuardian(os.Args[2:]))
		case "__ralph":
			os.Exit(playRalph(os.Args[2], os.Args[3:]))
		case "__animal":
			for _, step := range os.Args[2:] {
				play(step)
			}
			os.Exit(0)
		}
	}
	// The race detector holds up each exit by a second, of the actors too.
	must(os.Setenv("GORACE", "atexit_sleep_ms=0"))
	os.Exit(m.Run())
}

// playGuardian writes to the file it is given when it is orphaned.
func playGuardian(args []string) int {
	err := Guard(func() {
		if len(args) > 0 {
			must(os.WriteFile(args[0], []byte("orphaned"), 0o600))
		}
	})
	if err != nil {
		return 1
	}
	return 0
}

// playRalph runs one animal under a guardian: its input is our own, its output is
// our descriptor 3. It prints the guardian's identity when both are up.
func playRalph(fifo string, steps []string) int {
	g, err := StartGuardian([]string{os.Args[0], "__guardian", fifo}, os.Getenv("TEST_TOKEN"))
	must(err)
	out := os.NewFile(3, "output of the animal")
	p, err := g.Start(Command{Argv: animal(steps...), Stdin: os.Stdin, Stdout: out})
	must(err)
	must(out.Close())
	must(json.NewEncoder(os.Stdout).Encode(g.ID()))
	<-p.Exited()
	_, err = p.End(nil, 0)
	must(err)
	must(g.Close())
	return 0
}

func animal(steps ...string) []string {
	return append([]string{os.Args[0], "__animal"}, steps...)
}

// play is one step in an animal's life.
func play(step string) {
	switch step {
	case "announce":
		announce(os.Getpid())
	case "ignore":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	case "record":
		record()
	case "sleep":
		time.Sleep(time.Hour)
	case "stdin":
		_, err := io.Copy(io.Discard, os.Stdin)
		must(err)
	case "group":
		bear(&syscall.SysProcAttr{Setpgid: true}, animal("ignore", "announce", "sleep")...)
	case "session":
		bear(&syscall.SysProcAttr{Setsid: true}, animal("ignore", "announce", "sleep")...)
	case "double":
		must(bear(&syscall.SysProcAttr{Setsid: true}, animal("session")...).Wait())
	case "forgetful":
		c := exec.Command(os.Args[0], animal("ignore", "announce", "sleep")[1:]...)
		c.Stdout, c.Env, c.SysProcAttr = os.Stdout, []string{}, &syscall.SysProcAttr{Setsid: true}
		must(c.Start())
	case "herd":
		for range 200 {
			announce(bear(&syscall.SysProcAttr{Setpgid: true}, "sleep", "3600").Process.Pid)
		}
	case "comet":
		launch("")
	case "solitary comet":
		launch("setsid ")
	case "environment":
		fmt.Print(strings.Join(os.Environ(), "\x00"))
	case "files":
		fmt.Print(inheritedFiles())
	default:
		panic("no such step: " + step)
	}
}

// launch starts a chain of shells in which each starts the next and exits. It ends by itself
// after about a minute.
func launch(prefix string) {
	next := `[ $1 -lt 40000 ] || exit; ` + prefix + `sh -c "$0" "$0" $(($1+1)) & exit`
	bear(&syscall.SysProcAttr{Setsid: true}, "sh", "-c", next, next, "0")
}

// bear starts a child that shares our output.
func bear(attr *syscall.SysProcAttr, argv ...string) *exec.Cmd {
	c := exec.Command(argv[0], argv[1:]...)
	c.Stdout, c.SysProcAttr = os.Stdout, attr
	must(c.Start())
	return c
}

func announce(pid int) {
	e, err := readEntry(pid)
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(e.id)) // one write: lines do not mix
}

// record prints the signals that come, and obeys the one that must be obeyed, SIGTERM.
func record() {
	c := make(chan os.Signal, 8)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	announce(os.Getpid())
	for s := range c {
		fmt.Println(s)
		if s == syscall.SIGTERM {
			return
		}
	}
}

// inheritedFiles are the open descriptors above 2 that came through exec, as
// what is not closed on exec.
func inheritedFiles() []int {
	found := []int{}
	for fd := 3; fd < 1024; fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			found = append(found, fd)
		}
	}
	return found
}

func must(err error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		panic(err)
	}
}
