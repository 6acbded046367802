package ratelimit

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
)

// Harnesses lists the harnesses that have a ledger in dir, sorted. The list is empty if dir
// does not exist.
func Harnesses(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the ledgers of calls: %w", err)
	}
	var names []string
	for _, f := range files {
		escaped, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok {
			continue // a lock
		}
		if name, err := url.PathUnescape(escaped); err == nil && name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}
