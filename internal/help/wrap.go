package help

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Width is the width, in columns, for which the texts of the help are written.
const Width = 80

// leastColumn is the narrowest column in which an explanation is next to what
// it explains; else it goes below.
const leastColumn = 20

// belowColumn is where it is there.
const belowColumn = 8

var (
	gap    = regexp.MustCompile(` {2,}[^ ]`)
	bullet = regexp.MustCompile(`^ *- `)
)

// Fit fits a text of the help to a screen that is narrower than usual.
// Prose is wrapped, and what is in columns keeps its last one, or has it
// below; commands are left whole, so that they can be copied.
func Fit(text string, width int) string {
	if width >= Width {
		return text
	}
	var out strings.Builder
	for _, b := range blocks(text) {
		b.write(&out, width)
	}
	return out.String()
}

// block is a piece of a text that is wrapped as one: a line, and those that
// continue it.
type block struct {
	head    string // what is in the columns before the words, with the gap
	words   string // empty where the head is all, which is not wrapped
	hanging int    // the column in which its lines begin
}

// blocks cuts a text. A line continues the one above where it begins in the
// column of that one's words.
func blocks(text string) []block {
	var found []block
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		gaps := gap.FindAllStringIndex(line[indent:], -1)
		switch last := len(found) - 1; {
		case open && line != "" && gaps == nil && !bullet.MatchString(line) && indent == found[last].hanging:
			found[last].words += " " + line[indent:]
			continue
		case gaps != nil:
			column := indent + gaps[len(gaps)-1][1] - 1
			found = append(found, block{line[:column], line[column:], column})
		case bullet.MatchString(line):
			found = append(found, block{line[:indent+2], line[indent+2:], indent + 2})
		case indent > 0 && last >= 0 && found[last].words == "" && indent > belowColumn:
			found = append(found, block{line[:indent], line[indent:], indent}) // about a flag that left no room next to it
		case indent > 0:
			found = append(found, block{head: line})
		default:
			found = append(found, block{words: line})
		}
		open = found[len(found)-1].words != ""
	}
	return found
}

func (b block) write(out *strings.Builder, width int) {
	words := strings.Fields(b.words)
	head, column := b.head, b.hanging
	if b.crowded(words, width) {
		column = belowColumn
		head = strings.TrimRight(head, " ")
		if head != "" {
			head += "\n"
		}
		head += strings.Repeat(" ", column)
	}
	out.WriteString(head)
	at := column
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		if i > 0 && at+1+n > width {
			out.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		} else if i > 0 {
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += n
	}
	out.WriteByte('\n')
}

// crowded reports whether the words have too little room in the block.
func (b block) crowded(words []string, width int) bool {
	room := width - b.hanging
	if b.hanging <= belowColumn || utf8.RuneCountInString(b.words) <= room {
		return false
	}
	return room < leastColumn || slices.ContainsFunc(words, func(w string) bool { return utf8.RuneCountInString(w) > room })
}
