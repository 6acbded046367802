package proc

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// Command describes a program to start. The program inherits only these fields from ralph:
// the guardian starts it, not ralph.
type Command struct {
	// Argv is the program and its arguments. A name without a slash is looked up
	// in the PATH of Env, in absolute directories only; one with a slash is
	// relative to Dir.
	Argv []string
	// Room is a program with arguments that runs the command in a room of its own (package room);
	// empty means no room. Argv[0] is still looked up outside. Gentle signals go to the processes
	// in the room, not to the room program. Its exit status is that of Argv; a status that means
	// a deadly signal becomes that signal.
	Room []string
	Dir  string // working directory; empty is ralph's own
	// Env is the whole environment, the last of equal names counts; nil is
	// ralph's own. The run's token is added to it, and PWD where Dir is given.
	Env []string
	// Stdin, Stdout and Stderr are the standard files; nil is /dev/null. The
	// caller keeps its copies, and closes them after Start.
	Stdin, Stdout, Stderr *os.File
}

// resolved is a Command that the guardian can execute as it is.
type resolved struct {
	path, dir string
	argv, env []string
	files     [3]*os.File
	room      bool
}

// resolve finds the program. Its errors match [exec.ErrNotFound],
// [fs.ErrNotExist] or [fs.ErrPermission].
func (c Command) resolve(token string) (resolved, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return resolved{}, errors.New("the command to start is empty")
	}
	files := [3]*os.File{c.Stdin, c.Stdout, c.Stderr}
	for _, f := range files {
		if f != nil && int(f.Fd()) < 0 {
			return resolved{}, &fs.PathError{Op: "pass on", Path: f.Name(), Err: fs.ErrClosed}
		}
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return resolved{}, err
	}
	// The kernel does not report whether the directory or the program was missing.
	if info, err := os.Stat(dir); err != nil {
		return resolved{}, err
	} else if !info.IsDir() {
		return resolved{}, &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	env := withToken(c.Env, token)
	if c.Dir != "" {
		env = setenv(env, "PWD", dir) // some agents trust it more than the kernel
	}
	r := resolved{dir: dir, argv: c.Argv, env: env, files: files}
	if r.path, err = LookPath(c.Argv[0], dir, r.env); err != nil || len(c.Room) == 0 {
		return r, err
	}
	if err := executable(r.path); err != nil {
		return r, err // the room's program would say it in words of its own
	}
	r.argv = slices.Concat(c.Room, []string{r.path}, c.Argv[1:])
	r.path, r.room = c.Room[0], true
	return r, nil
}

// executable returns the error that the start of a program would have.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir() || unix.Access(path, unix.X_OK) != nil:
		return &fs.PathError{Op: "execute", Path: path, Err: syscall.EACCES}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil // a program may be executable and not readable
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	head = head[:n]
	line, _, _ := strings.Cut(string(head), "\n")
	script, ok := strings.CutPrefix(line, "#!")
	// As the kernel splits it: the end of a line of Windows belongs to the name.
	if words := strings.FieldsFunc(script, func(c rune) bool { return c == ' ' || c == '\t' }); ok && len(words) > 0 {
		_, err = os.Stat(words[0])
		return err
	}
	// The program that makes the room would run either as a script of the shell.
	if utf8.Valid(head) && !bytes.ContainsRune(head, 0) || ofAnotherMachine(head) {
		return &fs.PathError{Op: "execute", Path: path, Err: syscall.ENOEXEC}
	}
	return nil
}

// ofAnotherMachine reports whether the head of a program says that this machine cannot execute
// it. It leaves the decision to the kernel where that may run programs of 32 bits or of other
// machines.
func ofAnotherMachine(head []byte) bool {
	const class, machine, end = 4, 18, 20 // offsets in the header of an ELF file
	if len(head) < end || !bytes.HasPrefix(head, []byte("\x7fELF")) || head[class] == 1 {
		return false
	}
	interpreters, _ := filepath.Glob("/proc/sys/fs/binfmt_misc/*")
	if len(interpreters) > 2 { // it always has "register" and "status"
		return false
	}
	own, err := os.Open("/proc/self/exe")
	if err != nil {
		return false
	}
	defer own.Close()
	ours := make([]byte, end)
	_, err = io.ReadFull(own, ours)
	return err == nil && !bytes.Equal(ours[machine:end], head[machine:end])
}

// withToken is env (nil: ralph's own) with the token, each name once.
func withToken(env []string, token string) []string {
	if env == nil {
		env = os.Environ()
	}
	return setenv(env, TokenVar, token)
}

// setenv is a copy of env with this entry, in which the last of equal names is left.
func setenv(env []string, name, value string) []string {
	env = append(env[:len(env):len(env)], name+"="+value)
	return (&exec.Cmd{Env: env}).Environ()
}

// LookPath finds the program that name starts in dir with env's PATH. It skips folders on
// PATH that are not absolute.
func LookPath(name, dir string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.Contains(name, "/") {
		return filepath.Join(dir, name), nil
	}
	notFound := &exec.Error{Name: name, Err: exec.ErrNotFound}
	for _, d := range filepath.SplitList(getenv(env, "PATH")) {
		if !filepath.IsAbs(d) {
			continue // what lies in the worktree must not take the agent's place
		}
		file := filepath.Join(d, name)
		info, err := os.Stat(file)
		if err != nil || info.IsDir() {
			continue
		}
		if err := unix.Access(file, unix.X_OK); err == nil {
			return file, nil
		}
		notFound.Err = &fs.PathError{Op: "execute", Path: file, Err: syscall.EACCES}
	}
	return "", notFound
}

func getenv(env []string, name string) string {
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
