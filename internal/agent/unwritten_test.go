package agent

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUnwritten(t *testing.T) {
	for text, want := range map[string]string{
		"touch: cannot touch '/etc/x': Read-only file system\n":                  "/etc/x",
		"/bin/sh: 1: cannot create /opt/a/b: Read-only file system":              "/opt/a/b",
		`{"content":"OSError: [Errno 30] Read-only file system: '/srv/data'\n"}`: "/srv/data",
		`Error: EROFS: read-only file system, open '/home/me/.foo'`:              "/home/me/.foo",
		"cannot touch '/w/.git/hooks/x': Read-only file system":                  "",
		"all is well": "",
	} {
		file := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if want != "" {
			want = "the agent could not write " + want + ": that is read-only in its room; allow it with sandbox.write in ~/.ralph/config.yaml"
		}
		if got := unwritten(f); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
