package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ralph/internal/stream"
)

// Salvage parses the rest of an agent's log from offset, after ralph has died. A missing log
// gives an empty summary. An unknown format is read as text.
func Salvage(path string, offset int64, format string) (stream.Summary, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stream.Summary{}, nil
	}
	r := stream.NewReader(stream.Format(format), nil)
	if err == nil {
		defer f.Close()
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(r, f)
	}
	if err != nil {
		return stream.Summary{}, fmt.Errorf("the agent's log cannot be read: %w", err)
	}
	r.Close()
	return r.Summary(), nil
}
