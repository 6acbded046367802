package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStartErrors(t *testing.T) {
	z := openZoo(t)
	dir := t.TempDir()
	path := "PATH=" + dir
	for name, mode := range map[string]os.FileMode{"plain": 0o600, "nonsense": 0o700} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte{0, 1, 2}, mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		c    Command
		want error // nil: any
	}{
		{"not in PATH", Command{Argv: []string{"no-such-agent"}}, exec.ErrNotFound},
		{"PATH of the given environment", Command{Argv: []string{"sh"}, Env: []string{path}}, exec.ErrNotFound},
		{"no PATH", Command{Argv: []string{"sh"}, Env: []string{}}, exec.ErrNotFound},
		{"PATH is not searched relatively", Command{Argv: []string{"nonsense"}, Dir: dir, Env: []string{"PATH=.:"}}, exec.ErrNotFound},
		{"in PATH, not executable", Command{Argv: []string{"plain"}, Env: []string{path}}, fs.ErrPermission},
		{"missing file", Command{Argv: []string{dir + "/agent"}}, fs.ErrNotExist},
		{"missing file, relative", Command{Argv: []string{"./agent"}, Dir: dir}, fs.ErrNotExist},
		{"not executable", Command{Argv: []string{"./plain"}, Dir: dir}, fs.ErrPermission},
		{"a directory", Command{Argv: []string{dir}}, fs.ErrPermission},
		{"not a program", Command{Argv: []string{"./nonsense"}, Dir: dir}, syscall.ENOEXEC},
		{"missing directory", Command{Argv: []string{"true"}, Dir: dir + "/gone"}, fs.ErrNotExist},
		{"directory is a file", Command{Argv: []string{"true"}, Dir: dir + "/plain"}, syscall.ENOTDIR},
		{"empty", Command{}, nil},
		{"NUL in an argument", Command{Argv: []string{"true", "a\x00b"}}, syscall.EINVAL},
		{"too long", Command{Argv: []string{"true", strings.Repeat("x", 4<<20)}}, syscall.E2BIG},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := z.Start(tt.c)
			if err == nil {
				t.Fatalf("started %+v", p.ID())
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %q (%T) does not match %v", err, err, tt.want)
			}
		})
	}
	if _, err := z.Start(Command{Argv: []string{"true"}}); err != nil {
		t.Errorf("a start after failed ones: %v", err)
	}
}

func TestStartClosedFile(t *testing.T) {
	z := openZoo(t)
	z.w.Close()
	if _, err := z.Start(Command{Argv: []string{"true"}, Stdout: z.w}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("error %v, want %v", err, fs.ErrClosed)
	}
}

func TestOneTreeAtATime(t *testing.T) {
	z := openZoo(t)
	p, _ := z.run(1, "announce", "sleep")
	if _, err := z.Start(Command{Argv: []string{"true"}}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second start: %v, want %v", err, ErrBusy)
	}
	if _, err := p.End(gentle, patience); err != nil {
		t.Fatal(err)
	}
	if _, err := z.Start(Command{Argv: []string{"true"}}); err != nil {
		t.Errorf("a start after End: %v", err)
	}
}

// Everything reaches the program byte for byte, whatever its size.
func TestArgvAndEnvironment(t *testing.T) {
	z := openZoo(t)
	big := strings.Repeat("0123456789", 10_000)
	odd := "\xff\xfe latin-1 \xe9\n"
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"A=old", "BIG1=" + big, "BIG2=" + big, "ODD=" + odd, "A=new", "PWD=/", TokenVar + "=another"}
	p, err := z.Start(Command{
		Argv: []string{"/bin/sh", "-c", `pwd; printf '%s\n' "$1" "$2"; shift 2; exec "$@"`, "sh", big, odd, os.Args[0], "__animal", "environment"},
		Dir:  dir, Env: env, Stdout: z.w,
	})
	if err != nil {
		t.Fatal(err)
	}
	head, got, _ := strings.Cut(z.rest(), odd+"\n")
	if head != dir+"\n"+big+"\n" {
		t.Errorf("directory and argument are %.200q…", head)
	}
	entries := strings.Split(got, "\x00")
	for _, want := range []string{"A=new", "BIG1=" + big, "BIG2=" + big, "ODD=" + odd, "PWD=" + dir, TokenVar + "=" + z.token} {
		name, _, _ := strings.Cut(want, "=")
		have := slices.DeleteFunc(slices.Clone(entries), func(e string) bool { return !strings.HasPrefix(e, name+"=") })
		if !slices.Equal(have, []string{want}) {
			t.Errorf("%s in the environment: %.200q, want %.200q", name, have, want)
		}
	}
	if _, err := p.End(nil, 0); err != nil {
		t.Error(err)
	}
}

func TestStandardFiles(t *testing.T) {
	z := openZoo(t)
	in, err := os.Open("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	p, err := z.Start(Command{Argv: []string{"sh", "-c", "cat; echo to standard error >&2"}, Stdin: in, Stdout: z.w, Stderr: z.w})
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if got := z.rest(); got != string(want)+"to standard error\n" {
		t.Errorf("output %q", got)
	}
	if _, err := p.End(nil, 0); err != nil {
		t.Error(err)
	}
	// Without files: nothing to read, and writing harms nothing.
	p, err = z.Start(Command{Argv: []string{"sh", "-c", "cat && echo out && echo err >&2"}})
	if err != nil {
		t.Fatal(err)
	}
	awaitClosed(t, "the exit", p.Exited())
	if p.Exit() != (Exit{}) {
		t.Errorf("without files: %v", p.Exit())
	}
}

// Neither ralph's files, nor what ralph inherited, nor the control socket.
func TestNoFileLeaks(t *testing.T) {
	leaky, err := syscall.Dup(2) // without close-on-exec, as a careless shell leaves it
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leaky)
	z := openZoo(t)
	p, err := z.Start(Command{Argv: animal("files"), Stdin: z.w, Stdout: z.w, Stderr: z.w})
	if err != nil {
		t.Fatal(err)
	}
	if got := z.rest(); got != "[]" {
		t.Errorf("the agent inherited descriptors %s beyond its standard files", got)
	}
	if _, err := p.End(nil, 0); err != nil {
		t.Error(err)
	}
}

// An agent dies of a plain signal, even where ralph was started with it ignored,
// as nohup does.
func TestSignalDispositions(t *testing.T) {
	ignoring := []string{"/bin/sh", "-c", `trap "" INT TERM HUP PIPE TSTP USR1; exec "$@"`, "sh", os.Args[0], "__guardian"}
	z := openZooBy(t, ignoring)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGUSR1} {
		p, err := z.Start(Command{Argv: []string{"sleep", "3600"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.ID().Signal(sig); err != nil {
			t.Error(err)
		}
		awaitClosed(t, "death by "+sig.String(), p.Exited())
		if want := (Exit{-1, sig}); p.Exit() != want {
			t.Errorf("after %v: %v", sig, p.Exit())
		}
		if _, err := p.End(nil, 0); err != nil {
			t.Error(err)
		}
	}
}

// A terminal cannot reach it, and neither can a careless kill.
func TestGuardianIsOutOfReach(t *testing.T) {
	z := openZoo(t)
	if sid, err := unix.Getsid(z.ID().PID); err != nil || sid != z.ID().PID {
		t.Errorf("the guardian's session is %d, error %v, want one of its own", sid, err)
	}
	for _, sig := range shielded {
		if err := z.ID().Signal(sig.(syscall.Signal)); err != nil {
			t.Fatal(err)
		}
	}
	p, ids := z.run(1, "announce", "sleep")
	if _, err := p.End(gentle, patience); err != nil {
		t.Fatal(err)
	}
	z.nothingLeft(ids)
}

func TestStartGuardianErrors(t *testing.T) {
	if _, err := StartGuardian([]string{"/no/such/ralph"}, "token"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing program: %v", err)
	}
	if _, err := StartGuardian([]string{"false"}, "token"); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("a program that is no guardian: %v", err)
	}
	if _, err := StartGuardian(nil, "token"); err == nil {
		t.Error("no program: no error")
	}
	out, err := exec.Command(os.Args[0], "__guardian").CombinedOutput()
	if err == nil {
		t.Errorf("a guardian without a control socket: no error, output %q", bytes.TrimSpace(out))
	}
}

func TestExitString(t *testing.T) {
	tests := map[string]Exit{
		"exit status 0":       {},
		"exit status 3":       {Code: 3},
		"signal: terminated":  {-1, syscall.SIGTERM},
		"exit status unknown": unknownExit,
	}
	for want, e := range tests {
		if got := e.String(); got != want {
			t.Errorf("%#v is %q, want %q", e, got, want)
		}
	}
}
