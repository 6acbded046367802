package terminal

import (
	"bufio"
	"encoding/json"
	"errors"
	"syscall"
)

// Page gives fn a terminal with buffered output. A reader that goes away early, such as
// head, is not an error.
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

// Enough returns err, or nil if the reader of the output has gone away.
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
