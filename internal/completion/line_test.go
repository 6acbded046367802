package completion

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// small is a grammar with one of everything.
type small struct {
	Color string `help:"Colour." enum:"auto,always" default:"auto"`
	Run   struct {
		Max    int    `short:"n" aliases:"most" help:"So many."`
		Done   string `enum:",prd,tasks" default:"" help:"When."`
		Prompt string `predictor:"file" help:"A file."`
		JSON   bool   `help:"As JSON."`
	} `cmd:"" aliases:"loop" help:"Run it."`
	Show struct {
		Unit  string `arg:"" optional:"" predictor:"iteration+unit" help:"Of what."`
		Other string `predictor:"unit" help:"Another."`
	} `cmd:"" help:"Show it."`
	Prove struct {
		Stories []string `arg:"" optional:"" predictor:"story" help:"Which."`
	} `cmd:"" help:"Prove them."`
	Config struct {
		Set struct{} `cmd:"" help:"Set it."`
	} `cmd:"" help:"The settings."`
	Secret struct{} `cmd:"" hidden:"" help:"Not listed."`
}

func TestLine(t *testing.T) {
	parser, err := kong.New(new(small))
	if err != nil {
		t.Fatal(err)
	}
	// What a read of the machine would have found; a name must not break a line.
	values := []Candidate{{Value: "one"}, {Value: "two"}, {Value: "two"}, {Value: "three\tbad"}}
	for _, tt := range []struct{ words, kinds, want string }{
		{"", "", "run show prove config"},
		{"r", "", "run"},
		{"nothing ", "", ""},
		{"config ", "", "set"},
		{"run ", "", ""},
		{"run --", "", "--max --done --prompt --json --help --color"},
		{"loop --max 3 --m", "", ""},
		{"run -n 3 --ma", "", ""},
		{"run --mo", "", "--most"},
		{"run --done ", "", "prd tasks"},
		{"run --done=t", "", "--done=tasks"},
		{"run --json=", "", ""},
		{"run --nothing=", "", ""},
		{"run --prompt ", "", ":files"},
		{"run --prompt=a", "", ":files"},
		{"--color a", "", "auto always"},
		{"show ", "iteration unit", "one two"},
		{"show t", "iteration unit", "two"},
		{"show one ", "", ""},
		{"show --other=o", "unit", "--other=one"},
		{"show -- --", "iteration unit", ""},
		{"prove one two ", "story", "one two"},
	} {
		line := Read(parser.Model.Node, strings.Split(tt.words, " "))
		offered := values
		if len(line.Kinds()) == 0 {
			offered = nil
		}
		var got []string
		for _, c := range line.Candidates(offered) {
			got = append(got, c.Value)
		}
		if diff := cmp.Diff([]string{tt.kinds, tt.want}, []string{strings.Join(line.Kinds(), " "), strings.Join(got, " ")}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.words, diff)
		}
	}
}

func TestReadKnowsWhatWasGiven(t *testing.T) {
	parser, err := kong.New(new(small))
	if err != nil {
		t.Fatal(err)
	}
	line := Read(parser.Model.Node, []string{"prove", "--color=always", "a", "--", "-b", ""})
	if line.Command.Name != "prove" || line.Given["color"] != "always" || !cmp.Equal(line.Args, []string{"a", "-b"}) {
		t.Errorf("the line is %+v", line)
	}
}

func TestScript(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if text, err := Script(shell); err != nil || !strings.Contains(string(text), "ralph __complete") {
			t.Errorf("%s: %v\n%s", shell, err, text)
		}
	}
	if _, err := Script("tcsh"); err == nil {
		t.Error("there is a script of a shell that nobody wrote one for")
	}
}
