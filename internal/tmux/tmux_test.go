package tmux

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"tmux 3.3a": {3, 3}, "tmux 2.9": {2, 9}, "tmux next-3.6": {3, 6}, "tmux 10.12": {10, 12},
		"tmux master": {}, "tmux openbsd-7.4": {}, "": {}, "screen 4.0": {},
	} {
		got, ok := parseVersion(text)
		if got != want || ok != (want != Version{}) {
			t.Errorf("%q: %v, %t", text, got, ok)
		}
	}
}

// fakeTmux puts a program into the only directory of PATH.
func fakeTmux(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if script != "" {
		if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindRefusesWhatIsNotGoodEnough(t *testing.T) {
	fakeTmux(t, "")
	var missing *MissingError
	if _, err := Find(t.Context(), nil); !errors.As(err, &missing) {
		t.Errorf("%v, want a MissingError", err)
	}
	fakeTmux(t, "echo tmux 2.9a")
	var old *TooOldError
	if _, err := Find(t.Context(), nil); !errors.As(err, &old) || old.Have != (Version{2, 9}) {
		t.Errorf("%v, want a TooOldError", err)
	}
	fakeTmux(t, "echo tmux 3.0")
	if _, err := Find(t.Context(), nil); err != nil {
		t.Errorf("the oldest version that will do: %v", err)
	}
}

func TestEnvironHoldsNoKeys(t *testing.T) {
	got := Environ([]string{"PATH=/bin", "ANTHROPIC_API_KEY=sk", "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=x", "XDG_RUNTIME_DIR=/run", "PATHOLOGY=1", "TMUX=/s,1,0"})
	want := []string{"PATH=/bin", "LC_ALL=C", "XDG_RUNTIME_DIR=/run", "TMUX=/s,1,0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSessionName(t *testing.T) {
	for text, want := range map[string]string{
		"ralph-feature-x": "ralph-feature-x", "ralph-v1.2:rc": "ralph-v1_2_rc", "ralph-#(rm)": "ralph-__rm_",
		"ralph-a b\tc\x1b": "ralph-a_b_c_", "ralph-größe+1": "ralph-größe+1", "$1": "_1",
	} {
		if diff := cmp.Diff(want, SessionName(text)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestArgumentsReachTmuxWhole(t *testing.T) {
	for arg, want := range map[string]string{"a;": `a\;`, ";": `\;`, "a;b": "a;b", "#(x)": "#(x)"} {
		if got := literal(arg); got != want {
			t.Errorf("%q: %q, want %q", arg, got, want)
		}
	}
	if got := unformatted("/tmp/#(x)#{y};"); got != `/tmp/##(x)##{y}\;` {
		t.Error(got)
	}
}

func TestPanesArrangedAnew(t *testing.T) {
	c := server(t, hostile)
	stay := []string{"sleep", "600"}
	s, pane, err := c.Open(t.Context(), NewSession{Name: "ralph-x", Mark: "w1", Dir: "/", Width: 200, Height: 50, Argv: stay})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Pair(t.Context(), pane); ok {
		t.Error("one pane is a pair")
	}
	second, err := c.Split(t.Context(), pane, Right, 80, NewSession{Mark: "w1", Dir: "/", Argv: stay})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, want Pair) {
		t.Helper()
		if got, ok := c.Pair(t.Context(), second); !ok || got != want {
			t.Errorf("%s: %+v, %t; want %+v", what, got, ok, want)
		}
	}
	check("as they were made", Pair{200, 50, true, 80})
	c.must(t, "resize-window", "-t", s.ID, "-x", "40", "-y", "20")
	if err := c.Arrange(t.Context(), second, Below, 10); err != nil {
		t.Error(err)
	}
	check("one below the other", Pair{40, 20, false, 40})
	c.must(t, "resize-window", "-t", s.ID, "-x", "120", "-y", "30")
	if err := c.Arrange(t.Context(), second, Right, 48); err != nil {
		t.Error(err)
	}
	check("side by side again", Pair{120, 30, true, 48})
	c.must(t, "resize-pane", "-Z", "-t", pane)
	if _, ok := c.Pair(t.Context(), second); ok {
		t.Error("a pane that is shown alone is a pair")
	}
	c.must(t, "resize-pane", "-Z", "-t", pane)
	theirs := c.must(t, "split-window", "-d", "-P", "-F", "#{pane_id}", "-t", pane, "--", "sleep", "600")
	if _, ok := c.Pair(t.Context(), second); ok {
		t.Errorf("a window with a person's own pane %s is a pair", theirs)
	}
}
