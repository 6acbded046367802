// Package handover passes a command from one ralph to another that something
// else starts, such as tmux or a terminal window. What decides about the
// command (its flags, the environment with its keys, the directory) goes
// through a file that only its owner can read and that the receiver removes;
// the argv, which everybody on the machine can see, holds the file's name alone.
//
//	sender:   Here, Send, start "ralph __handover PATH" by whatever means, Taken, Wait
//	receiver: Take, Parcel.Apply, carry out Parcel.Args, Line.Result
//
// The two stay in touch through a socket next to the file: the sender learns the
// exit status of the command, and at once when the receiver dies. Once the parcel
// is taken the sender may go away; the receiver continues.
package handover

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Parcel is a command and all that decides what it does.
type Parcel struct {
	Args  []string // after the program's name
	Env   []string // whole, as NAME=value
	Dir   string   // absolute
	Umask int      // a server that starts the receiver has its own
	Hold  bool     // keep the terminal open at the end until a key is pressed
}

// Here is the parcel of a command that is to run as if it were this process.
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

// Apply gives this process the sender's environment (except for the variables of the terminal),
// directory and umask.
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

// WithoutTerminal is an environment for what runs in another terminal, or in
// none: it must not take this one's for its own.
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
