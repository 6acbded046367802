package prompt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxNotes bounds the notes about the last iteration, in bytes: the agent's context is
	// for its work.
	maxNotes = 8 << 10
	// maxSteer bounds the user's own words, in bytes.
	maxSteer = 32 << 10
	// maxBrief bounds what is left of a note that does not fit, in bytes.
	maxBrief = 160
)

// Notes collects what the next prompt says about the last iteration.
type Notes struct {
	Steer []string // added by the user with 'ralph context add', until they are cleared

	claims []string // what was not accepted, and why
	last   []string // everything else
}

// First adds a note about a claim that was not accepted. It comes before all other notes.
func (n *Notes) First(s string) { n.claims = append(n.claims, s) }

// Add adds a note.
func (n *Notes) Add(s string) { n.last = append(n.last, s) }

// Forget removes the notes about the last iteration.
func (n *Notes) Forget() { n.claims, n.last = nil, nil }

// Text returns the notes as a part of the prompt. Claims that were not accepted come first,
// and the newest note comes first in both parts. If a note does not fit, Text includes only
// its first line. If the first lines do not fit either, it counts them.
func (n *Notes) Text() string {
	var b strings.Builder
	if len(n.Steer) > 0 {
		b.WriteString("\n## From the user of this loop\n\n")
		kept, left := within(n.Steer, maxSteer)
		if left > 0 {
			fmt.Fprintf(&b, "- (%d older ones were left out: they are too long)\n", left)
		}
		for _, s := range kept {
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	claims, last := slices.Clone(n.claims), slices.Clone(n.last)
	slices.Reverse(claims)
	slices.Reverse(last)
	if all := slices.Concat(claims, last); len(all) > 0 {
		b.WriteString("\n## What the last iteration left\n\n")
		b.WriteString(bounded(all))
	}
	return b.String()
}

// bounded returns notes as a list of at most maxNotes bytes.
func bounded(all []string) string {
	var b strings.Builder
	// Half of the room is for the first lines of notes that do not fit.
	room := maxNotes
	if total(all) > maxNotes {
		room = maxNotes / 2
	}
	var left []string
	for _, s := range all {
		if b.Len()+len(s) > room {
			left = append(left, s)
			continue
		}
		fmt.Fprintf(&b, "- %s\n", s)
	}
	for i, s := range left {
		s = brief(s)
		if b.Len()+len(s) > maxNotes-len("- (100000 more of the kind were left out)\n") {
			fmt.Fprintf(&b, "- (%d more were left out)\n", len(left)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", s)
	}
	return b.String()
}

func total(list []string) int {
	n := 0
	for _, s := range list {
		n += len(s) + len("- \n")
	}
	return n
}

// within returns the newest elements of a list that fit, in their order, and how many do not.
func within(list []string, most int) (kept []string, left int) {
	at := len(list)
	for at > 0 && most >= len(list[at-1]) {
		at--
		most -= len(list[at])
	}
	return list[at:], at
}

// brief returns the first line of a note, shortened.
func brief(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	if len(line) > maxBrief {
		end := maxBrief
		for !utf8.RuneStart(line[end]) {
			end--
		}
		line = line[:end] + "…"
	}
	return strings.TrimSuffix(line, ":")
}
