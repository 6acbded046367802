package terminal

import (
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"
)

// Paged prints a text, through the user's pager if it is longer than the screen.
func (t *Terminal) Paged(text string) {
	if argv := t.pager(strings.Count(text, "\n")); argv != nil && runPager(argv, text) {
		return
	}
	_, _ = io.WriteString(t.Out, text)
}

// pager returns the command that shows so many lines, nil if no pager is needed or wanted:
// if a program reads the output, or no one can press a key. A terminal without a size has
// no user: 'script' makes such terminals.
func (t *Terminal) pager(lines int) []string {
	_, rows, err := term.GetSize(int(os.Stdout.Fd()))
	if !t.CanAsk || err != nil || rows == 0 || lines < rows || os.Getenv("TERM") == "dumb" {
		return nil
	}
	for _, name := range []string{"RALPH_PAGER", "PAGER"} {
		if v, set := os.LookupEnv(name); set {
			return strings.Fields(v)
		}
	}
	return []string{"less"}
}

// runPager reports whether the pager could be started.
func runPager(argv []string, text string) bool {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), os.Stdout, os.Stderr
	cmd.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		cmd.Env = append(cmd.Env, "LESS=FRX") // as git has it: end at the last line, leave the text on the screen
	}
	if err := cmd.Start(); err != nil {
		return false
	}
	_ = cmd.Wait() // a pager that was left before the end has done its work
	return true
}
