//go:build !linux

package doctor

import "ralph/internal/preflight"

// watches finds nothing: only Linux limits how much may be watched apart from
// the number of open files.
func watches(string) []preflight.Condition { return nil }
