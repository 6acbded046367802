package main

import (
	"os"
	"path/filepath"
	"testing"

	"ralph/internal/stream"
	"ralph/internal/testprogram"
)

// TestTheDemoNamesAProgramThatCanBeCalled plays "make demo" in a clone: its bin/ is not in
// the PATH.
func TestTheDemoNamesAProgramThatCanBeCalled(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := program(), stream.ShellWord(self); got != want {
		t.Errorf("without ralph in the PATH: %q, want %q", got, want)
	}
	testprogram.Write(t, filepath.Join(dir, "ralph"), "#!/bin/sh\n")
	if got := program(); got != "ralph" {
		t.Errorf("with ralph in the PATH: %q", got)
	}
}
