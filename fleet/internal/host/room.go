package host

import (
	"fmt"
	"path/filepath"
	"syscall"
)

// room reports whether the workspace has room for a feature; the error says how much it
// has. A host without would take one feature after the other and fail at once with each.
func (h *Host) room() error {
	if h.MinFree <= 0 {
		return nil
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(h.Workspace, &fs); err != nil {
		return fmt.Errorf("cannot inspect the workspace: %w", err)
	}
	const mb = 1 << 20
	free := int64(uint64(fs.Bavail) * uint64(fs.Bsize) / mb) // the types differ between systems
	if free >= h.MinFree {
		return nil
	}
	return fmt.Errorf("%s has %d MB left on the disk of %s, and takes no feature with less than %d; make room, or set --min-free",
		h.Name, free, filepath.Clean(h.Workspace), h.MinFree)
}

// ready reports whether the host can take a feature; the log says why not.
func (h *Host) ready() bool {
	err := h.room()
	if err != nil {
		h.trouble(err.Error())
	}
	return err == nil
}
