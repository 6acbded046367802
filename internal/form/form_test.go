package form

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func sample() *Form {
	return &Form{Title: "A form", Fields: []Field{
		{Name: "task", Label: "Task"},
		{Name: "found", Label: "tasks.md", Value: "none", Fixed: true},
		{Name: "done", Label: "Done", Value: "tasks", Options: []string{"tasks", "manual"}, Note: func(v string) string {
			if v == "manual" {
				return "it does not end"
			}
			return ""
		}},
		{Name: "n", Label: "Iterations", Value: "10", Least: 5, Most: 120},
	}, Check: func(f *Form) (string, string) {
		if f.Value("task") == "" {
			return "task", "say what to do"
		}
		return "", ""
	}}
}

// press types: names of keys between angle brackets, everything else as text.
func press(f *Form, keys string) {
	for keys != "" {
		if name, rest, ok := strings.Cut(keys, ">"); ok && keys[0] == '<' {
			f.key(name[1:], "")
			keys = rest
			continue
		}
		f.key(keys[:1], keys[:1])
		keys = keys[1:]
	}
}

func TestForm(t *testing.T) {
	for _, c := range []struct {
		name, keys       string
		task, choice, n  string
		problem          string
		done, aborted    bool
		shows, showsNone string
	}{
		{name: "all of it", keys: "go<enter><right><enter><ctrl+u>20<enter>", task: "go", choice: "manual", n: "20", done: true, shows: "it does not end"},
		{name: "up from the first is the last", keys: "x<up><ctrl+u>7<ctrl+s>", task: "x", choice: "tasks", n: "7", done: true, showsNone: "it does not end"},
		{name: "a choice goes round", keys: "x<tab><right><right><ctrl+s>", task: "x", choice: "tasks", n: "10", done: true},
		{name: "a number has limits", keys: "x<up><ctrl+u>4<ctrl+s>", task: "x", choice: "tasks", n: "4", problem: "Iterations must be a number from 5 to 120"},
		{name: "and is one", keys: "x<up><ctrl+u>a-1b2<ctrl+s>", task: "x", choice: "tasks", n: "12", done: true},
		{name: "counted down to the least", keys: "x<up><ctrl+u>6<left><left><left><ctrl+s>", task: "x", choice: "tasks", n: "5", done: true},
		{name: "together", keys: "<ctrl+s>", choice: "tasks", n: "10", problem: "say what to do", shows: "say what to do"},
		{name: "mended", keys: "<ctrl+s>ab<backspace><ctrl+s>", task: "a", choice: "tasks", n: "10", done: true},
		{name: "left", keys: "x<esc>", task: "x", choice: "tasks", n: "10", aborted: true},
		{name: "interrupted", keys: "<ctrl+c>", choice: "tasks", n: "10", aborted: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := sample()
			press(f, c.keys)
			if f.Value("task") != c.task || f.Value("done") != c.choice || f.Value("n") != c.n {
				t.Errorf("task %q, done %q, n %q", f.Value("task"), f.Value("done"), f.Value("n"))
			}
			if f.problem != c.problem || f.done != c.done || f.aborted != c.aborted {
				t.Errorf("problem %q, done %v, aborted %v", f.problem, f.done, f.aborted)
			}
			page := f.page(80, false)
			if !strings.Contains(page, c.shows) || c.showsNone != "" && strings.Contains(page, c.showsNone) {
				t.Errorf("the page is\n%s", page)
			}
		})
	}
}

// A note or a problem that goes must not leave a row after on the terminal.
func TestPageKeepsItsHeight(t *testing.T) {
	f := sample()
	rows := strings.Count(f.page(80, false), "\n")
	for _, keys := range []string{"<tab><right>", "<right>", "<ctrl+s>", "x"} {
		press(f, keys)
		if n := strings.Count(f.page(80, false), "\n"); n != rows {
			t.Errorf("%d rows after %s, not %d:\n%s", n, keys, rows, f.page(80, false))
		}
	}
}

// TestPageFits holds the page to its width, whatever is typed or pasted.
func TestPageFits(t *testing.T) {
	f := sample()
	f.Fields[0].write("a long text, \x1b[2Jwith 漢字 and\nlines " + strings.Repeat("to the end ", 30) + "of it")
	for _, width := range []int{1, 2, 20, 40, 80, 250} {
		page := f.page(width, true)
		for row := range strings.Lines(page) {
			if w := ansi.StringWidth(row); w > width {
				t.Errorf("a row of %d columns in %d: %q", w, width, row)
			}
		}
		if strings.Contains(page, "\x1b[2J") {
			t.Error("what was pasted reaches the terminal")
		}
		if width >= 40 && !strings.Contains(page, "of it█") {
			t.Errorf("at %d columns the end of the text is not seen\n%s", width, page)
		}
	}
}

func TestPageInASCII(t *testing.T) {
	f := sample()
	f.ASCII = true
	f.Fields[0].write(strings.Repeat("to the end ", 30) + "of it")
	page := f.page(120, false)
	if i := strings.IndexFunc(page, func(r rune) bool { return r >= 0x80 }); i >= 0 {
		t.Errorf("%.8q is not ASCII:\n%s", page[i:], page)
	}
	if !strings.Contains(page, "of it_") {
		t.Errorf("the end of the text is not seen:\n%s", page)
	}
}
