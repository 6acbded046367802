package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivileged is a user without special permissions, for tests that run as root.
const unprivileged = 65534

// play as a user that permissions hold for.
func (s *scratch) playUnprivileged(t *testing.T) ending {
	t.Helper()
	cmd := s.command(t.Context(), s.argv()...)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Skipf("ralph cannot be started as another user here: %v", err)
	}
	return endingOf(cmd, string(out))
}

// TestReadOnlyFolders: where ralph may not write what it must, the run ends with 1,
// the path and the cause, before any agent is called; nothing is half written, and
// the next run finishes the feature.
func TestReadOnlyFolders(t *testing.T) {
	bin := ralph(t)
	for _, c := range []struct{ name, folder string }{
		{"the feature's folder", "repo/.ralph/" + unit},
		{"the git directory", "repo/.git"},
		{"~/.ralph", "home"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scratchFor(t, bin, stories[0])
			folder := filepath.Join(s.dir, c.folder)
			if os.Geteuid() == 0 {
				give(t, s.dir)
				admit(t, s.dir)
				admit(t, filepath.Dir(bin))
			}
			if err := os.Chmod(folder, 0o555); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
			before := snapshot(t, s.dir)
			e := s.playUnprivileged(t)
			if e.code != 1 || !strings.Contains(e.output, folder) || !strings.Contains(e.output, "permission denied") {
				t.Errorf("ralph ended with %d, want 1, the path and the cause: %s", e.code, tail(e.output))
			}
			s.untouched(t, before)
			if err := os.Chmod(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if e := s.playUnprivileged(t); e.code != 0 {
				t.Errorf("the next run ended with %d: %s", e.code, tail(e.output))
			}
		})
	}
}

// snapshot is the content of all files below a folder that matter to the user:
// the plan, and whether the agent was called.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// untouched wants every file as it was, what is new whole, and no call of the agent.
func (s *scratch) untouched(t *testing.T, before map[string]string) {
	t.Helper()
	after := snapshot(t, s.dir)
	for path, text := range before {
		if strings.HasSuffix(path, "/.git/info/exclude") {
			continue // git ignores ralph's own files
		}
		if now, ok := after[path]; !ok || now != text {
			t.Errorf("%s was changed: %q", path, now)
		}
	}
	if _, ok := after[filepath.Join(s.dir, "calls")]; ok {
		t.Error("the agent was called")
	}
	if _, broken := s.events(); broken > 0 || strings.Contains(after[s.journal()], "attempt_started") {
		t.Errorf("the journal: %s", after[s.journal()])
	}
	for _, path := range s.litter() {
		t.Errorf("%s was left behind", path)
	}
}

// admit lets everybody into the temporary folder of a test.
func admit(t *testing.T, dir string) {
	t.Helper()
	for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// give hands everything below dir to no one.
func give(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, unprivileged, unprivileged)
	})
	if err != nil {
		t.Fatal(err)
	}
}
