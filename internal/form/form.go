// Package form asks the user for a few values on one page of a terminal: texts, numbers and
// choices.
package form

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Field is a line of the form. Options make it a choice, Most makes it a number, and Fixed
// makes it read-only. Otherwise it is a text.
type Field struct {
	Name        string // for [Form.Value]
	Label       string
	Value       string // the initial value, then what the user entered
	Options     []string
	Least, Most int
	Fixed       bool
	Empty       string                    // what an empty text means
	Note        func(value string) string // is below the field; may be nil
}

// Form is a page with fields.
type Form struct {
	Title  string
	Fields []Field
	ASCII  bool // the locale has no other characters
	// Check finds what is wrong with the values together, and the name of the field
	// to repair. It may be nil.
	Check func(*Form) (field, problem string)

	at      int // the field that the keys go to
	problem string
	done    bool
	aborted bool
}

// Value returns the value of the named field without surrounding white space, or "" if there
// is no such field.
func (f *Form) Value(name string) string {
	for _, field := range f.Fields {
		if field.Name == name {
			return strings.TrimSpace(field.Value)
		}
	}
	return ""
}

// key is what happens at a key, named as bubbletea does; text is what it types.
func (f *Form) key(name, text string) {
	f.problem = ""
	switch name {
	case "esc", "ctrl+c":
		f.aborted = true
	case "enter":
		f.enter()
	case "tab", "down":
		f.move(1)
	case "shift+tab", "up":
		f.move(-1)
	case "ctrl+s":
		f.submit()
	default:
		f.edit(name, text)
	}
}

// edit changes the field at hand.
func (f *Form) edit(name, text string) {
	field := &f.Fields[f.at]
	switch {
	case field.Options != nil:
		switch name {
		case "left":
			field.turn(-1)
		case "right", "space":
			field.turn(1)
		}
	case name == "backspace":
		if r := []rune(field.Value); len(r) > 0 {
			field.Value = string(r[:len(r)-1])
		}
	case name == "ctrl+u":
		field.Value = ""
	case name == "left" && field.Most > 0:
		field.step(-1)
	case name == "right" && field.Most > 0:
		field.step(1)
	default:
		field.write(text)
	}
}

// write adds what was typed or pasted: on one line, and digits alone to a number.
func (f *Field) write(text string) {
	f.Value += strings.Map(func(r rune) rune {
		switch {
		case f.Options != nil || f.Most > 0 && (r < '0' || r > '9'):
			return -1
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
}

// turn goes to another option.
func (f *Field) turn(by int) {
	n := len(f.Options)
	for i, o := range f.Options {
		if o == f.Value {
			f.Value = f.Options[(i+by+n)%n]
			return
		}
	}
	f.Value = f.Options[0]
}

// step counts a number up or down, within its limits.
func (f *Field) step(by int) {
	n, err := strconv.Atoi(f.Value)
	if err != nil {
		n = f.Least - by
	}
	f.Value = strconv.Itoa(min(max(n+by, f.Least), f.Most))
}

// move goes to another field that can be changed.
func (f *Form) move(by int) {
	n := len(f.Fields)
	for range n {
		f.at = (f.at + by + n) % n
		if !f.Fields[f.at].Fixed {
			return
		}
	}
}

// enter continues to the next field, and after the last one submits.
func (f *Form) enter() {
	last := len(f.Fields) - 1
	for last > 0 && f.Fields[last].Fixed {
		last--
	}
	if f.at < last {
		f.move(1)
		return
	}
	f.submit()
}

// submit ends the form if nothing is wrong with it, else it goes to what is.
func (f *Form) submit() {
	for i, field := range f.Fields {
		if problem := field.problem(); problem != "" {
			f.at, f.problem = i, problem
			return
		}
	}
	if f.Check != nil {
		if name, problem := f.Check(f); problem != "" {
			f.problem = problem
			for i, field := range f.Fields {
				if field.Name == name {
					f.at = i
				}
			}
			return
		}
	}
	f.done = true
}

// problem is what is wrong with the field alone.
func (f *Field) problem() string {
	if f.Most == 0 {
		return ""
	}
	if n, err := strconv.Atoi(f.Value); err != nil || n < f.Least || n > f.Most {
		return fmt.Sprintf("%s must be a number from %d to %d", f.Label, f.Least, f.Most)
	}
	return ""
}
