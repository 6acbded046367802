package manual

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"ralph"
)

func TestWrite(t *testing.T) {
	var grammar struct {
		Color  string `help:"Colour or not." placeholder:"WHEN"`
		Config struct {
			Show struct {
				Key string `arg:"" help:"Which."`
				All bool   `help:"All of 'em." aliases:"every-one" short:"a"`
			} `cmd:"" help:"Show it." aliases:"print"`
		} `cmd:""`
	}
	parser, err := kong.New(&grammar, kong.Name("ralph"), kong.Description("A program."))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "new", "man")
	if err := (Manual{App: parser.Model, Settings: ralph.ConfigExample, Version: "1.2", Date: "2026-01-02"}).Write(folder); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string][]string{
		"ralph.1": {`.TH RALPH 1 "2026-01-02" "ralph 1.2"`, "A program.", `\fB\-\-color\fR \fIWHEN\fR`, `ralph\-config\-show(1)`},
		"ralph-config-show.1": {"ralph\\-config\\-show \\- show it\n", "Also: ralph print.", ".TP\n\\fIkey\\fR\nWhich.",
			".TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR, \\fB\\-\\-every\\-one\\fR\nAll of \\(aqem.", `\-\-color`},
		"ralph-settings.7": {"defaults.max_iterations"},
	} {
		text, err := os.ReadFile(filepath.Join(folder, page))
		if err != nil {
			t.Error(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q:\n%s", page, w, text)
			}
		}
	}
}

func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		`a\b`:         `a\eb`,
		"--all":       `\-\-all`,
		".SH\nx\n.PP": "\\&.SH\nx\n\\&.PP",
		"'~^`":        `\(aq\(ti\(ha\(ga`,
	} {
		if got := escaped(text); got != want {
			t.Errorf("%q has become %q, want %q", text, got, want)
		}
	}
}
