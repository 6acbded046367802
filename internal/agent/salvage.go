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
	if err != nil {
		return stream.Summary{}, fmt.Errorf("the agent's log cannot be read: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return stream.Summary{}, fmt.Errorf("the agent's log cannot be read: %w", err)
	}
	r := stream.NewReader(stream.Format(format), nil)
	if _, err := io.Copy(r, f); err != nil {
		return stream.Summary{}, fmt.Errorf("the agent's log cannot be read: %w", err)
	}
	r.Close()
	return r.Summary(), nil
}
