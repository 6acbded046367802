package main

import (
	"go/parser"
	"go/token"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessagesOf(t *testing.T) {
	const source = `package p

import "some path/with words"

// a comment is not a message
type flags struct {
	All bool ` + "`" + `json:"all" help:"Show all of them."` + "`" + `
}

var pattern = regexp.MustCompile("some words here")

func f() error {
	println("word", "no-words", "ralph_%s", "[a-z]+ \\b word", "<td>a cell of html</td>")
	return errors.New("the file is gone" + ": write it again")
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []text{
		{"p.go", 7, "Show all of them."}, {"p.go", 14, "the file is gone"}, {"p.go", 14, ": write it again"},
	}
	if diff := cmp.Diff(want, messagesOf("p.go", fset, file), cmp.AllowUnexported(text{})); diff != "" {
		t.Error(diff)
	}
}

func TestSentences(t *testing.T) {
	const page = "# A heading is no sentence\n\nOne two `three four` five. Six (seven!) [eight](a.md)\nnine?\n\n" +
		"- [ ] A box does not count.\n\n| a | b |\n| --- | --- |\n| in a cell | x |\n\n" +
		"```\ncode is not prose\n```\n\n<!-- not this -->\n\n<!-- The rest of this page is generated -->\n\nNot counted.\n"
	type found struct {
		Line, Words int
		Cell        bool
		Text        string
	}
	var got []found
	for _, s := range sentences("x.md", []byte(page)) {
		got = append(got, found{s.line, s.words, s.cell, s.text.text})
	}
	want := []found{
		{3, 4, false, "One two CODE five."},
		{3, 2, false, "Six (seven!)"},
		{3, 2, false, "eight nine?"},
		{6, 5, false, "A box does not count."},
		{8, 1, true, "a"}, {8, 1, true, "b"}, {10, 3, true, "in a cell"}, {10, 1, true, "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAvoided(t *testing.T) {
	avoid, err := avoided()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"He told nobody. It stands behind it.":  {"told", "nobody", "stands", "behind"},
		"tellers, standing, mendacious, goesx":  nil,
		"It holds what it found against a list": {"holds what it found against"},
		"The loop goes on; a person looks at it": {
			"goes on", "a person", "looks at",
		},
	} {
		if diff := cmp.Diff(want, avoid.FindAllString(text, -1)); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestRate(t *testing.T) {
	texts := []text{{"a.go", 1, "nobody knows"}, {"a.go", 2, "a quote: nobody knows; and more of it"}}
	for name, c := range map[string]struct {
		allowed []string
		limit   float64
		faults  int
	}{
		"too many":      {nil, 199, 1},
		"just enough":   {nil, 200, 0},
		"one allowed":   {[]string{"a quote: nobody knows"}, 199, 0},
		"all forbidden": {nil, 0, 1},
	} {
		check := checker{avoid: regexp.MustCompile("nobody"), allowed: c.allowed}
		check.rate(name, texts, c.limit)
		if len(check.faults) != c.faults {
			t.Errorf("%s: %q", name, check.faults)
		}
	}
}

func TestWidths(t *testing.T) {
	wide := "a line that is much too wide for a page because it has more than ninety-nine columns of text in it, really"
	page := wide + "\n\n| " + wide + " |\n\n```\n" + wide + "\n```\n\n<!-- " + wide + "\n" + wide + " -->\nshort\n"
	var c checker
	c.widths("x.md", []byte(page))
	if want := []string{"x.md:1: 106 columns (limit 99)"}; !cmp.Equal(want, c.faults) {
		t.Errorf("%q", c.faults)
	}
}
