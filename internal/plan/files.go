package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"ralph/internal/regular"
)

// maxPlanFile bounds what is read of one file of a plan, in bytes.
const maxPlanFile = 64 << 20

// readRegular reads a file of the plan: a FIFO in its place must not hang the loop, a
// link must not lead it elsewhere.
func readRegular(path string) ([]byte, error) { return regular.ReadNoLink(path, maxPlanFile) }

// restoreFile writes a plan's file as it was, and the folders above it, whatever is in
// its place now. temp is the one of replace.
func restoreFile(temp, path string, data []byte) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return replace(temp, path, data)
}

// replace replaces a file of the plan as a whole. What a crash leaves of it lies in
// the folder temp, out of reach of a commit, where that is there and on the same disk.
func replace(temp, path string, data []byte) error {
	if temp != "" && renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(temp)) == nil {
		return nil
	}
	return renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path)))
}

// makeFolder makes sure that path is a folder: a file or a link that took its
// place is removed (only the link, never what it points to).
func makeFolder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return os.MkdirAll(path, 0o755)
}

// writeSnapshot replaces a file of the snapshot. The temporary file is in the folder temp:
// after a crash, one next to the file would be taken for a file of the plan.
func writeSnapshot(temp, path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(temp))
}

func fingerprint(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
