// Package handover passes a command to another ralph process, which tmux or a terminal window
// starts. Only a private file has the flags, the directory, and the environment with its keys.
// The receiver removes that file. Its command line has only the file's name, because every
// user of the machine can see it.
//
//	sender:   Here, Send, start "ralph __handover PATH" by whatever means, Taken, Wait
//	receiver: Take, Parcel.Apply, carry out Parcel.Args, Line.Result
//
// A socket next to the file connects the two. The sender gets the exit status of the command,
// and notices at once if the receiver dies. After Taken the sender may exit: the receiver
// continues.
package handover

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Parcel is a command with its environment, directory and umask.
type Parcel struct {
	Args  []string // after the program's name
	Env   []string // whole, as NAME=value
	Dir   string   // absolute
	Umask int      // the program that starts the receiver may have another
	Hold  bool     // keep the terminal open at the end until a key is pressed
}

// Here returns a parcel with the arguments, and the environment, directory and umask of this
// process.
func Here(args []string) (Parcel, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Parcel{}, fmt.Errorf("cannot find the working directory: %w", err)
	}
	// The mask can only be read by setting it; meanwhile a strict one does no harm.
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return Parcel{Args: args, Env: os.Environ(), Dir: dir, Umask: mask}, nil
}

// terminalVariables describe the terminal of a process: the receiver keeps its own, not the
// sender's.
var terminalVariables = []string{
	"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID",
	"TMUX", "TMUX_PANE", "STY", "WINDOWID", "COLUMNS", "LINES",
}

// Apply sets the environment, directory and umask of this process to the sender's. It keeps
// the variables of its own terminal.
func (p Parcel) Apply() error {
	env := p.environ(os.Environ())
	os.Clearenv()
	var errs []error
	for _, e := range env {
		if name, value, ok := strings.Cut(e, "="); ok && name != "" {
			errs = append(errs, os.Setenv(name, value))
		}
	}
	syscall.Umask(p.Umask)
	if err := os.Chdir(p.Dir); err != nil {
		errs = append(errs, fmt.Errorf("the working directory does not exist: %w", err))
	}
	return errors.Join(errs...)
}

// ofTerminal reports whether a variable, as NAME=value, describes the terminal.
func ofTerminal(e string) bool {
	name, _, _ := strings.Cut(e, "=")
	return slices.Contains(terminalVariables, name)
}

// WithoutTerminal removes the variables that describe this process's terminal. Use it for a
// program that runs in another terminal or in none.
func WithoutTerminal(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), ofTerminal)
}

// environ is the sender's environment with the receiver's terminal.
func (p Parcel) environ(own []string) []string {
	env := WithoutTerminal(p.Env)
	for _, e := range own {
		if ofTerminal(e) {
			env = append(env, e)
		}
	}
	return env
}
