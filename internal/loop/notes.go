package loop

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxNotes bounds what is told about the last iteration, in bytes: the
	// agent's context is for its work.
	maxNotes = 8 << 10
	// maxSteer bounds what a person's own words take up, in bytes.
	maxSteer = 32 << 10
	// maxBrief is what is left of a note that does not fit whole, in bytes.
	maxBrief = 160
)

// notes is what the next prompt tells of the iteration before.
type notes struct {
	claims []string // what was not accepted, and why
	last   []string // everything else
	steer  []string // given by a person with 'ralph context add', kept until cleared
}

// first notes what comes before everything else: a claim that was not accepted.
func (n *notes) first(s string) { n.claims = append(n.claims, s) }

func (n *notes) add(s string) { n.last = append(n.last, s) }

// forget drops what was told of the last iteration.
func (n *notes) forget() { n.claims, n.last = nil, nil }

// text is the notes as a part of the prompt. What was not accepted comes first; in both parts, what was noted
// last. A note that does not fit any more is told by its first line, and where
// that is too much as well, counted.
func (n *notes) text() string {
	var b strings.Builder
	if len(n.steer) > 0 {
		b.WriteString("\n## From the person who runs this loop\n\n")
		kept, left := within(n.steer, maxSteer)
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

// bounded writes notes as a list of at most maxNotes bytes.
func bounded(all []string) string {
	var b strings.Builder
	// Half of the room is kept for the first lines of notes that do not fit whole.
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

// within returns the newest of a list that fit, in their order, and how many do not.
func within(list []string, most int) (kept []string, left int) {
	at := len(list)
	for at > 0 && most >= len(list[at-1]) {
		at--
		most -= len(list[at])
	}
	return list[at:], at
}

// brief is the first line of a note, shortened.
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
