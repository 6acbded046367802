package help

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// small is a grammar with a command that is in a group, one that is in none, and
// one that no one is notified of.
type small struct {
	Run struct {
		Max int `help:"So many." aliases:"most" short:"n"`
	} `cmd:"" help:"Run it."`
	Other  struct{} `cmd:"" help:"Do something else."`
	Secret struct{} `cmd:"" hidden:"" help:"Do not tell."`
}

func smallParser(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := kong.New(new(small), kong.Name("ralph"), kong.Description("A small program."))
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

func TestProgramTellsOfEachCommandOnce(t *testing.T) {
	var text bytes.Buffer
	Program(&text, smallParser(t).Model)
	for _, want := range []string{"A small program.", "\nRun\n  run ", "\nAlso\n  other ", ExitCodes} {
		if n := strings.Count(text.String(), want); n != 1 {
			t.Errorf("the help has %q %d times", want, n)
		}
	}
	if strings.Contains(text.String(), "secret") {
		t.Error("the help tells of a hidden command")
	}
}

func TestEachTopicHasATitle(t *testing.T) {
	for _, name := range Topics() {
		if line := "ralph help " + name; Title(name) == "" || !strings.Contains(TopicList(), line) {
			t.Errorf("the topic %s has the title %q, and is not in\n%s", name, Title(name), TopicList())
		}
	}
	if _, err := Topic("nothing", nil); err == nil {
		t.Error("a topic that is not there has a text")
	}
}
