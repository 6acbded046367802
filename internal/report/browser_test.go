package report_test

import (
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser returns a headless Chromium. It skips the test without one: Chromium is too large
// to install for tests.
func browser(t *testing.T) func(args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		dir := t.TempDir()
		return func(args ...string) string {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, path, append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
				"--user-data-dir=" + filepath.Join(dir, "profile")}, args...)...)
			cmd.Env = append(os.Environ(), "HOME="+dir, "TZ=UTC")
			cmd.WaitDelay = 5 * time.Second
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			return string(out)
		}
	}
	t.Skip("there is no Chromium here (Debian: apt-get install chromium)")
	return nil
}

// TestInABrowser renders the page as a user sees it: usual texts on a desktop, hostile ones
// on a phone.
func TestInABrowser(t *testing.T) {
	t.Parallel()
	run := browser(t)
	dir := t.TempDir()
	show := func(name, size, page string) (dom string) {
		path, shot := filepath.Join(dir, name+".html"), filepath.Join(dir, name+".png")
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		dom = run("--dump-dom", "--screenshot="+shot, "--window-size="+size, "file://"+path)
		if n := colours(t, shot); n < 20 {
			t.Errorf("%s: a picture of %d colours is blank", name, n)
		}
		return dom
	}
	dom := show("eventful", "1100,1400", html(t, fold("", false, eventful().events)))
	for _, want := range []string{"Not done: 2 iterations in a row brought no progress.", "S-1: Log in", "proved in a clean worktree at 9d8e7f60", `t.Skip("later")`} {
		if !strings.Contains(dom, want) {
			t.Errorf("the browser does not show %q", want)
		}
	}
	if n := strings.Count(dom, `<details class="row">`); n != 3 {
		t.Errorf("the browser has %d iterations", n)
	}
	if n := strings.Count(dom, "<circle"); n != 1 {
		t.Errorf("the browser has %d stories on its chart", n)
	}

	// Had a text become an element, it would be in the document.
	hostile := show("hostile", "390,1400", html(t, fold("", false, hostileRun())))
	for _, bad := range []string{"<script", "<img", "<iframe"} {
		if strings.Contains(hostile, bad) {
			t.Errorf("the browser made an element of a text: %s", bad)
		}
	}
}

// colours counts the colours of a picture.
func colours(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[3]uint32]bool{}
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y += 2 {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x += 2 {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
		}
	}
	return len(seen)
}
