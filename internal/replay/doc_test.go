package replay

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The reference names every step, and its scripts can be read.
func TestReference(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/replay.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stepNames() {
		if !strings.Contains(string(data), "`"+name+": ") {
			t.Errorf("docs/replay.md does not describe %q", name)
		}
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(data), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d scripts", len(blocks))
	}
	for _, b := range blocks {
		if _, err := Parse("docs/replay.md", []byte(b[1])); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
	}
}
