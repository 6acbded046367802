package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"syscall"
)

// page gives fn a terminal whose output is gathered and written in large pieces.
// A reader that has seen enough and goes away, such as head, is no error.
func page(t *terminal, fn func(t *terminal) error) error {
	w := bufio.NewWriterSize(t.out, 64<<10)
	gathered := *t
	gathered.out = w
	err := fn(&gathered)
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	return enough(err)
}

// enough is err, but where nobody reads any more.
func enough(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// printJSON prints a value for programs.
func printJSON(t *terminal, v any) error {
	return page(t, func(t *terminal) error {
		enc := json.NewEncoder(t.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}
