package terminal

import (
	"bufio"
	"encoding/json"
	"errors"
	"syscall"
)

// Page gives fn a terminal whose output is gathered and written in large pieces.
// A reader that has seen enough and goes away, such as head, is no error.
func Page(t *Terminal, fn func(t *Terminal) error) error {
	w := bufio.NewWriterSize(t.Out, 64<<10)
	gathered := *t
	gathered.Out = w
	err := fn(&gathered)
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	return Enough(err)
}

// Enough is err, but where nobody reads any more.
func Enough(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// PrintJSON prints a value for programs.
func PrintJSON(t *Terminal, v any) error {
	return Page(t, func(t *Terminal) error {
		enc := json.NewEncoder(t.Out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}
