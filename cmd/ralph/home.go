package main

import (
	"os"
	"path/filepath"
)

// ralphHome returns the user's folder for settings, the ledgers of calls and the list of
// loops. It is empty where no home folder is known: a folder that others can write must
// never take its place, because settings name programs that ralph runs.
func ralphHome() string {
	if dir := os.Getenv("RALPH_HOME"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".ralph")
}

// warnHomeless says once that no home folder is known, and what is not used then.
func (a *app) warnHomeless() {
	if a.home != "" || a.homelessSaid {
		return
	}
	a.homelessSaid = true
	a.t.Warn("no home folder is known (HOME is not set): your settings, the list of loops and the " +
		"common count of calls are not used; set HOME or RALPH_HOME")
}
