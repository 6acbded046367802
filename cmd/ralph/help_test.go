package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"ralph/internal/help"
)

// newParser is the program's grammar, as command makes it.
func newParser(t *testing.T) *kong.Kong {
	t.Helper()
	var cli grammar
	parser, err := kong.New(&cli, append(options(), kong.Exit(func(int) { t.Error("the parser ended the program") }))...)
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

func TestEachCommandHasExamplesThatAreUnderstood(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`"[^"]*"|\S+`)
	for _, leaf := range newParser(t).Model.Leaves(true) {
		lines := help.Examples(help.Path(leaf))
		if len(lines) == 0 {
			t.Errorf("internal/help/examples.txt has no example of %q", help.Path(leaf))
		}
		for _, line := range lines {
			call, _, _ := strings.Cut(line, "  ")
			call, _, _ = strings.Cut(call, " >")
			var words []string
			for _, w := range word.FindAllString(call, -1) {
				words = append(words, strings.Trim(w, `"`))
			}
			ctx, err := newParser(t).Parse(words[1:])
			if err != nil {
				t.Errorf("%s: %v", line, err)
			} else if got := help.Path(ctx.Selected()); got != help.Path(leaf) {
				t.Errorf("%s: is an example of %q, and stands at %q", line, got, help.Path(leaf))
			}
		}
	}
}

func TestHelpFitsTheScreen(t *testing.T) {
	t.Parallel()
	scratch := newScratch(t, "")
	calls := [][]string{{"--help"}, {"help", "topics"}}
	for _, leaf := range newParser(t).Model.Leaves(true) {
		calls = append(calls, append(strings.Fields(help.Path(leaf)), "--help"))
	}
	for _, name := range help.Topics() {
		calls = append(calls, []string{"help", name})
	}
	example := regexp.MustCompile(`^  ralph \S`) // on a narrow screen too it is whole
	for _, call := range calls {
		var words []string
		for _, width := range []int{80, 50} {
			cmd := scratch.command(scratch.bin, call...)
			cmd.Env = append(cmd.Env, fmt.Sprintf("COLUMNS=%d", width))
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("ralph %s: %v", strings.Join(call, " "), err)
			}
			for line := range strings.Lines(string(out)) {
				n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
				if n > width && (width == 80 || !example.MatchString(line)) {
					t.Errorf("ralph %s: %d columns of %d: %s", strings.Join(call, " "), n, width, line)
				}
			}
			said := strings.Fields(string(out))
			if width == 80 {
				words = said
			} else if diff := cmp.Diff(words, said); diff != "" {
				t.Errorf("ralph %s in %d columns (-usual +narrow):\n%s", strings.Join(call, " "), width, diff)
			}
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	scratch := newScratch(t, "")
	for call, want := range map[string]string{
		"stauts":              `unexpected argument stauts, did you mean one of "start", "status"?`,
		"statsu":              `unexpected argument statsu, did you mean "status"?`,
		"loop extra words":    `unexpected argument words`,
		"config shwo":         `unexpected argument shwo|`,
		"ls":                  `unexpected argument ls, did you mean one of "logs", "list", "pr"?|  did you mean: ralph list|`,
		"init":                `unexpected argument init|  did you mean: ralph setup|`,
		"xyzzy":               `unexpected argument xyzzy|  see: ralph --help`,
		"help xyzzy":          `unexpected argument xyzzy|  see: ralph help topics`,
		"run --max-iteration": `unknown flag --max-iteration, did you mean "--max-iterations"?`,
		"history --jsno":      `unknown flag --jsno, did you mean "--json"?`,
		"status --follow":     `unknown flag --follow|  the flag is one of: ralph logs`,
		"start --monitor":     `unknown flag --monitor|  the flag is one of: ralph run`,
		"stop --frobnicate":   `unknown flag --frobnicate|  see: ralph stop --help`,
	} {
		var said bytes.Buffer
		cmd := scratch.command(scratch.bin, strings.Fields(call)...)
		cmd.Stderr = &said
		err := cmd.Run()
		if got := strings.ReplaceAll(said.String(), "\n", "|"); !strings.HasPrefix(got, "ralph: "+want) || cmd.ProcessState.ExitCode() != exitUsage {
			t.Errorf("ralph %s (%v):\n got %s\nwant %s", call, err, got, want)
		}
	}
}

// TestPager: only a text that is longer than the screen goes through the pager. A terminal
// without a size, as 'script' makes it, has no user to press a key.
func TestPager(t *testing.T) {
	t.Parallel()
	scratch := newScratch(t, "")
	for _, c := range []struct {
		rows  uint16
		paged bool
	}{{100, false}, {10, true}, {0, false}} {
		cmd := scratch.command(scratch.bin, "--help")
		cmd.Env = append(cmd.Env, "TERM=xterm", "RALPH_PAGER=sed s/^/PAGED:/")
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: c.rows, Cols: 80})
		if err != nil {
			t.Fatal(err)
		}
		var screen bytes.Buffer
		_, _ = screen.ReadFrom(tty) // Linux says EIO at the end
		_ = cmd.Wait()
		_ = tty.Close()
		if got := strings.Contains(screen.String(), "PAGED:Usage: ralph"); got != c.paged || !strings.Contains(screen.String(), "Usage: ralph") {
			t.Errorf("%d rows: paged %v, want %v:\n%s", c.rows, got, c.paged, fmt.Sprintf("%.300s", screen.String()))
		}
	}
}
