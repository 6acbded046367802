package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Pending returns the units with an interrupted archive or restore.
func (s *Store) Pending() ([]string, error) {
	entries, err := os.ReadDir(s.state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the state directory cannot be read: %w", err)
	}
	var units []string
	for _, e := range entries {
		if exists(s.intent(e.Name())) {
			units = append(units, e.Name())
		}
	}
	return units, nil
}

// CutOff reports whether an archive or restore was interrupted in the unit's state directory
// dir.
func CutOff(dir string) bool { return exists(filepath.Join(dir, intentName)) }

// Finish completes an interrupted archive or restore of the unit, and reports whether there was
// one. The caller holds the unit's lock.
func (s *Store) Finish(ctx context.Context, unit string) (bool, error) {
	if err := checkUnit(unit); err != nil {
		return false, err
	}
	in, err := readIntent(s.intent(unit))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && in.Unit != unit {
		err = fmt.Errorf("%s names another unit, %s", s.intent(unit), in.Unit)
	}
	if err != nil {
		return true, fmt.Errorf("an archive that was cut off cannot be completed: %w", err)
	}
	if in.Restore {
		err = s.carryBack(ctx, in)
	} else {
		err = s.carry(ctx, in)
	}
	if err != nil {
		return true, fmt.Errorf("the archive %s was cut off and cannot be completed: %w", in.Name, err)
	}
	return true, nil
}
