package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk fills the disk up to so many free bytes. With none the run ends
// before any agent is called; with a few it may end anywhere, and whatever was
// written is whole. With room again the next run finishes the feature.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a small disk")
	}
	bin := ralph(t)
	for _, free := range []int64{0, 4, 8, 16, 24, 32, 48, 64, 96} {
		t.Run(fmt.Sprintf("%d KB are free", free), func(t *testing.T) {
			dir := t.TempDir()
			if err := syscall.Mount("ralph-chaos", dir, "tmpfs", 0, "size=4m"); err != nil {
				t.Skipf("no file system can be mounted here: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
			template, err := newTemplate(t.Context(), bin, filepath.Join(t.TempDir(), "template"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := newScratch(bin, template, filepath.Join(dir, "scratch"), stories[0])
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.clean)
			fill(t, filepath.Join(dir, "ballast"), free<<10)
			before := snapshot(t, s.dir)
			e := s.played(t)
			if e.code != 0 && (e.code != 1 || !strings.Contains(e.output, "no space left on device")) {
				t.Errorf("ralph ended with %d, want 1 and the cause: %s", e.code, tail(e.output))
			}
			if free == 0 {
				s.untouched(t, before)
				if !strings.Contains(e.output, s.dir) {
					t.Errorf("the message names no path: %s", tail(e.output))
				}
			}
			if left := s.alive(); len(left) > 0 {
				t.Errorf("alive when ralph had ended: %s", names(left))
			}
			if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
				t.Fatal(err)
			}
			if e := s.played(t); e.code != 0 {
				t.Errorf("the next run ended with %d: %s", e.code, tail(e.output))
			}
			s.auditPlan()
			s.auditCounts(true)
			s.auditFiles(true)
			s.report(t)
		})
	}
}

// played runs ralph without an attack, with its output in memory: the disk is full.
func (s *scratch) played(t *testing.T) ending {
	t.Helper()
	cmd := s.command(t.Context(), s.argv()...)
	out, _ := cmd.CombinedOutput()
	return endingOf(cmd, string(out))
}

// fill takes all room but so many bytes.
func fill(t *testing.T, path string, free int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	page, size := make([]byte, 4096), int64(0)
	for {
		n, err := f.Write(page)
		size += int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(max(size-free, 0)); err != nil {
		t.Fatal(err)
	}
}
