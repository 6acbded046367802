package change_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/change"
)

// worktree makes folders below a new one.
func worktree(t *testing.T, folders ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range folders {
		if err := os.MkdirAll(filepath.Join(root, f), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestList(t *testing.T) {
	root := worktree(t, ".ito/changes/002-01_add-x", ".ito/changes/archive/001-01_old", ".ito/changes/.hidden",
		".ito/changes/014.01-03_jwt", "openspec/changes/add-login", "openspec/changes/archive/2026-01-01-old", "openspec/specs/x")
	if err := os.WriteFile(filepath.Join(root, "openspec/changes/README.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := change.List(root)
	want := []change.Change{
		{ID: "002-01_add-x", Module: "002", Folder: ".ito/changes/002-01_add-x"},
		{ID: "014.01-03_jwt", Module: "014.01", Folder: ".ito/changes/014.01-03_jwt"},
		{ID: "add-login", Folder: "openspec/changes/add-login"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("changes (-want +got):\n%s%v", diff, err)
	}
	if a, b := got[0].StateFolder(), got[2].StateFolder(); a != ".ito/.state/ralph/002-01_add-x" || b != ".ralph/add-login" {
		t.Errorf("the state is in %s and %s", a, b)
	}
	other := worktree(t)
	if err := os.WriteFile(filepath.Join(other, "openspec"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if list, err := change.List(other); len(list) != 0 || err != nil {
		t.Errorf("without any: %v, %v", list, err)
	}
}

func some(ids ...string) []change.Change {
	var list []change.Change
	for _, id := range ids {
		list = append(list, change.New(id, ".ito/changes/"+id))
	}
	return list
}

func TestFind(t *testing.T) {
	list := some("002-01_add-x", "002-02_add-y", "012-15_fix-z", "012-15_fix-w", "014.01-03_jwt", "login", "login-page")
	for _, c := range []struct{ ref, want, fails string }{
		{"002-01_add-x", "002-01_add-x", ""},
		{"2-1", "002-01_add-x", ""},
		{"002-1", "002-01_add-x", ""},
		{"2-1_add-x", "002-01_add-x", ""},
		{"2-1_other", "", `there is no change "2-1_other"; there are: 002-01_add-x`},
		{"14.1-3", "014.01-03_jwt", ""},
		{"14-3", "", "there is no change"},
		{"add-Y", "002-02_add-y", ""},
		{"jwt", "014.01-03_jwt", ""},
		{"login", "login", ""},
		{"page", "login-page", ""},
		{"add", "", "--change add means 2 changes: 002-01_add-x, 002-02_add-y"},
		{"12-15", "", "--change 12-15 means 2 changes: 012-15_fix-z, 012-15_fix-w"},
		{"2-15", "", "there is no change"},
		{"nothing", "", "there is no change"},
		{"../x", "", "is a path"},
		{"a..b", "", `it holds ".."`},
		{"a\x1bb", "", "a control character"},
		{"a\u202eb", "", "changes the direction of text"},
		{strings.Repeat("a", 300), "", "it has 300 bytes, at most 200"},
		{"archive", "", "for something else"},
		{" ", "", "an empty text"},
		{"--sweep", "", "starts with a dash"},
		{"\xff", "", "not valid UTF-8"},
	} {
		got, err := change.Find(list, c.ref)
		switch {
		case c.fails == "" && (err != nil || got.ID != c.want):
			t.Errorf("%q found %q, %v, want %q", c.ref, got.ID, err, c.want)
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%q: %v, want %q", c.ref, err, c.fails)
		}
	}
	var several *change.AmbiguousError
	if _, err := change.Find(list, "add"); !errors.As(err, &several) || len(several.Candidates) != 2 {
		t.Error("the candidates are not in the error")
	}
}

func TestFindInBothSystems(t *testing.T) {
	list := []change.Change{change.New("add-x", ".ito/changes/add-x"), change.New("add-x", "openspec/changes/add-x")}
	if _, err := change.Find(list, "add-x"); err == nil || !strings.Contains(err.Error(), ".ito/changes/add-x, openspec/changes/add-x") {
		t.Errorf("got %v", err)
	}
	if _, err := change.Find(nil, "x"); err == nil || !strings.Contains(err.Error(), "neither .ito/changes/ nor openspec/changes/ has one") {
		t.Errorf("got %v", err)
	}
}

func TestInModule(t *testing.T) {
	list := some("002-01_a", "014-01_b", "014.01-03_c", "login")
	for module, want := range map[string]string{"2": "002-01_a", "014": "014-01_b, 014.01-03_c", "14.1": "014.01-03_c"} {
		if got, err := change.InModule(list, module); err != nil || change.Names(got) != want {
			t.Errorf("%s has %s, %v, want %s", module, change.Names(got), err, want)
		}
	}
	for _, module := range []string{"3", "../2", "login"} {
		if got, err := change.InModule(list, module); err == nil {
			t.Errorf("%s has %s", module, change.Names(got))
		}
	}
}

func TestUnitOf(t *testing.T) {
	for branch, want := range map[string]string{
		"main": "main", "feature/user-auth": "feature-user-auth", "a/b/c": "a-b-c", "ü ñ": "ü ñ",
		"Feature_X.1": "Feature_X.1", "-dash": "-dash", "archive/x": "archive-x",
		strings.Repeat("x", 200): strings.Repeat("x", 200),
	} {
		if got, err := change.UnitOf(branch); err != nil || got != want {
			t.Errorf("UnitOf(%q) = %q, %v", branch, got, err)
		}
	}
	for _, branch := range []string{"", ".", "..", "archive", "Archive", "config.yaml", "a\u202eb", strings.Repeat("x", 201),
		"a\tb", "a\x7f", "a\xff"} {
		if got, err := change.UnitOf(branch); err == nil || !strings.Contains(err.Error(), "git ") {
			t.Errorf("UnitOf(%q) = %q, %v; want an error that says what to do", branch, got, err)
		}
	}
}

// TestBranchFor proposes names that git takes.
func TestBranchFor(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		"":                              "feature/NAME",
		"日本語":                           "feature/NAME",
		"CSV export":                    "feature/csv-export",
		"Sign in, with a passkey; now!": "feature/sign-in-with-a",
		"..lock~^: @{ -x":               "feature/lock-x",
	} {
		if got := change.BranchFor(description); got != want {
			t.Errorf("BranchFor(%q) = %q, want %q", description, got, want)
		}
	}
}
