package registry_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/registry"
)

func entry(worktree, unit string) registry.Entry {
	return registry.Entry{
		Unit: unit, Plan: "prd", Worktree: worktree, Branch: "feature/x", StateDir: worktree + "/.git/ralph/" + unit,
		Folder: ".ralph/" + unit, Updated: time.Date(2026, 11, 21, 14, 2, 3, 0, time.UTC),
	}
}

func register(t testing.TB, home string, entries ...registry.Entry) {
	t.Helper()
	for _, e := range entries {
		if err := registry.Register(home, e); err != nil {
			t.Fatal(err)
		}
	}
}

func expect(t *testing.T, home string, want ...registry.Entry) {
	t.Helper()
	got, broken, err := registry.Entries(home)
	if err != nil || len(broken) != 0 {
		t.Fatal(broken, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOneEntryPerWorktreeAndUnit(t *testing.T) {
	home := filepath.Join(t.TempDir(), ".ralph")
	expect(t, home)
	a, b, c := entry("/src/a", "x"), entry("/src/a", "y"), entry("/src/b ü", "x")
	register(t, home, c, b, a)
	a.Plan = "tasks"
	register(t, home, a)
	expect(t, home, a, b, c)
	for range 2 {
		if err := registry.Remove(home, b.Worktree, b.Unit); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, home, a, c)
}

func TestClearTakesOffWhatIsGone(t *testing.T) {
	home, here := t.TempDir(), t.TempDir()
	kept := entry(here, "x")
	register(t, home, kept, entry(filepath.Join(here, "gone"), "x"))
	if n, err := registry.Clear(home); n != 1 || err != nil {
		t.Errorf("%d cleared, %v", n, err)
	}
	expect(t, home, kept)
}

func TestBrokenEntriesAreNamed(t *testing.T) {
	home := t.TempDir()
	register(t, home, entry("/src/a", "x"))
	for name, content := range map[string]string{"0.json": "{", "1.json": "{}", ".new.json123": "half"} {
		if err := os.WriteFile(filepath.Join(registry.Dir(home), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(registry.Dir(home), "2.json"), 0o600); err != nil { // it must not hang the list
		t.Fatal(err)
	}
	got, broken, err := registry.Entries(home)
	if err != nil || len(got) != 1 || len(broken) != 3 {
		t.Errorf("%v %q %v", got, broken, err)
	}
}

func BenchmarkEntries1000(b *testing.B) {
	home := b.TempDir()
	for i := range 1000 {
		register(b, home, entry(fmt.Sprintf("/src/tree-%d", i), "feature-x"))
	}
	for b.Loop() {
		if got, _, err := registry.Entries(home); len(got) != 1000 {
			b.Fatal(len(got), err)
		}
	}
}

func BenchmarkRegister(b *testing.B) {
	home := b.TempDir()
	for b.Loop() {
		register(b, home, entry("/src/a", "x"))
	}
}
