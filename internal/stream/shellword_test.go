package stream

import (
	"os/exec"
	"testing"
)

// TestShellWord asks a real shell what it takes the word for.
func TestShellWord(t *testing.T) {
	for _, word := range []string{"", "plain", "feature/x-1.2_y", "größe", "two words", "$(reboot)", "`id`", "it's", "a;b&c|d>e<f", "*?[x]", "~", "!x", "#x", "\\", "\"", "a\nb", "a^b"} {
		out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", "printf %s "+ShellWord(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: the shell took %s for %q (%v)", word, ShellWord(word), out, err)
		}
	}
	for _, plain := range []string{"feature-x", "--flag=value", "a/b:c@d", "größe"} {
		if got := ShellWord(plain); got != plain {
			t.Errorf("%q is quoted without need: %s", plain, got)
		}
	}
}
