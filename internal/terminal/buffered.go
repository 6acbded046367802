package terminal

import (
	"bufio"
	"encoding/json"
	"errors"
	"syscall"
)

// Buffered calls fn with a terminal that buffers its output, then flushes it. It is not an error
// if the reader closes the output early, as head does. It starts no pager: see Paged.
func Buffered(t *Terminal, fn func(t *Terminal) error) error {
	w := bufio.NewWriterSize(t.Out, 64<<10)
	gathered := *t
	gathered.Out = w
	err := fn(&gathered)
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	return IgnoreClosedReader(err)
}

// IgnoreClosedReader returns err, or nil if err says that the reader of the output has closed it.
func IgnoreClosedReader(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(t *Terminal, v any) error {
	return Buffered(t, func(t *Terminal) error {
		enc := json.NewEncoder(t.Out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}
