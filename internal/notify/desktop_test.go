package notify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHasDesktop(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notify-send", "osascript", "bus"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	empty := t.TempDir()
	for _, c := range []struct {
		name, goos string
		path       string
		env        map[string]string
		want       bool
	}{
		{"a desktop", "linux", dir, map[string]string{"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, true},
		{"the bus in its usual place", "linux", dir, map[string]string{"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": dir}, true},
		{"no display", "linux", dir, map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, false},
		{"no bus", "linux", dir, map[string]string{"DISPLAY": ":0", "XDG_RUNTIME_DIR": empty}, false},
		{"a forwarded display", "linux", dir, map[string]string{"DISPLAY": "localhost:10.0"}, false},
		{"no program", "linux", empty, map[string]string{"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, false},
		{"a Mac", "darwin", dir, nil, true},
		{"a Mac over ssh", "darwin", dir, map[string]string{"SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}, false},
		{"another system", "plan9", dir, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PATH", c.path)
			if got := HasDesktop(c.goos, func(name string) string { return c.env[name] }); got != c.want {
				t.Errorf("%t, want %t", got, c.want)
			}
		})
	}
}

func TestDesktopArgv(t *testing.T) {
	evil := Notice{Event: Done, Unit: `x"; do shell script "id`, Message: "<b>all</b>\n& \\ done " + strings.Repeat("ä", 300)}
	body := `x"; do shell script "id: <b>all</b> & \ done `
	long := strings.Repeat("ä", maxBody-1-len(body)) + "…"
	want := []string{"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run",
		"ralph: done", body + long}
	if diff := cmp.Diff(want, desktopArgv("darwin", evil)); diff != "" {
		t.Error(diff)
	}
	want = []string{"notify-send", "--app-name=ralph", "--", "ralph: done", `x"; do shell script "id: &lt;b&gt;all&lt;/b&gt; &amp; \ done ` + long}
	if diff := cmp.Diff(want, desktopArgv("linux", evil)); diff != "" {
		t.Error(diff)
	}
}
