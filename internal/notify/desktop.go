package notify

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// HasDesktop reports whether this machine can show desktop notifications: a desktop session
// is there, and the program to send them. A terminal over ssh, a container and a server have
// none.
func HasDesktop(goos string, getenv func(string) string) bool {
	switch goos {
	case "darwin":
		return getenv("SSH_CONNECTION") == "" && found("osascript")
	case "linux":
		display := getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
		return display && hasBus(getenv) && found("notify-send")
	}
	return false
}

// hasBus reports whether there is a session bus, over which notifications go.
func hasBus(getenv func(string) string) bool {
	if getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := getenv("XDG_RUNTIME_DIR")
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return dir != "" && err == nil
}

func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// maxBody is how much of a message a notification has room for, in characters.
const maxBody = 200

// desktopArgv is the call that shows the notice. Its texts are arguments of their
// own: nothing of them is read as a script.
func desktopArgv(goos string, n Notice) []string {
	title, body := "ralph: "+n.Event, n.Unit
	if n.Message != "" {
		body += ": " + n.Message
	}
	body = strings.Join(strings.Fields(body), " ")
	if runes := []rune(body); len(runes) > maxBody {
		body = string(runes[:maxBody-1]) + "…"
	}
	if goos == "darwin" {
		return []string{"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", title, body}
	}
	return []string{"notify-send", "--app-name=ralph", "--", title, markup.Replace(body)}
}

// markup keeps the desktop from reading a text as markup; see the Desktop
// Notifications Specification, "Markup".
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
