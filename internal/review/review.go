// Package review writes the prompt for the review of a claim by a second agent, and parses the
// answer. It calls no agent.
package review

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ralph/internal/journal"
)

//go:embed prompt.md
var prompt string

// MaxDiff is the largest diff in a prompt, in bytes. Some agents accept at most 127 KB.
const MaxDiff = 96 << 10

// Story is a claimed story: what the agent had to do.
type Story struct {
	ID, Title, Description string
	Criteria               []string
}

// Work is the agent's work for the claimed stories.
type Work struct {
	Base, Head string // commits
	Diff       string
	Cut        bool // the diff is longer
}

// Prompt writes the prompt that asks whether the change does what the stories require.
func Prompt(stories []Story, c Work) []byte {
	var b strings.Builder
	b.WriteString(prompt)
	for _, s := range stories {
		fmt.Fprintf(&b, "\n## %s\n", strings.Trim(s.ID+": "+s.Title, ": "))
		if s.Description != "" {
			fmt.Fprintf(&b, "\n%s\n", s.Description)
		}
		if len(s.Criteria) > 0 {
			b.WriteString("\nAcceptance criteria:\n")
		}
		for _, criterion := range s.Criteria {
			fmt.Fprintf(&b, "- %s\n", criterion)
		}
	}
	fence := "```"
	for strings.Contains(c.Diff, fence) {
		fence += "`" // what the change holds stays inside
	}
	fmt.Fprintf(&b, "\n## The change, from %s to %s\n\n", c.Base, c.Head)
	fmt.Fprintf(&b, "%sdiff\n%s\n%s\n", fence, strings.TrimRight(c.Diff, "\n"), fence)
	if c.Cut {
		b.WriteString("\nThe diff is longer. Read the rest in the files of the worktree.\n")
	}
	return []byte(b.String())
}

// Answer is the reviewer's verdict with its reasons.
type Answer struct {
	Verdict journal.ReviewVerdict  `json:"verdict"` // accept or refuse
	Reasons []journal.ReviewReason `json:"reasons"`
}

const (
	maxAnswer  = 64 << 10 // bytes of a final message that are read
	maxReasons = 20
	maxReason  = 1000 // bytes
)

// Parse reads the verdict from the last JSON object of the reviewer's final message. An
// unclear verdict is an error.
func Parse(final string) (Answer, error) {
	last := lastObject(final[max(0, len(final)-maxAnswer):])
	if last == nil {
		return Answer{}, errors.New("its final message holds no JSON object")
	}
	var a Answer
	if err := json.Unmarshal(last, &a); err != nil {
		return Answer{}, errors.New("the JSON object of its final message has another form")
	}
	if a.Verdict != journal.ReviewAccept && a.Verdict != journal.ReviewRefuse {
		return Answer{}, errors.New("its verdict is neither \"accept\" nor \"refuse\"")
	}
	a.Reasons = a.Reasons[:min(len(a.Reasons), maxReasons)]
	for i := range a.Reasons {
		r := &a.Reasons[i]
		r.Criterion, r.Reason = short(r.Criterion), short(r.Reason)
	}
	return a, nil
}

// lastObject returns the last JSON object of a text that is not inside of another one, nil
// where the text ends within an object.
func lastObject(text string) (last json.RawMessage) {
	for {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			return last
		}
		text = text[at:]
		d := json.NewDecoder(strings.NewReader(text))
		var object json.RawMessage
		var odd *json.SyntaxError
		switch err := d.Decode(&object); {
		case err == nil:
			last, text = object, text[d.InputOffset():]
		case errors.As(err, &odd):
			text = text[max(1, odd.Offset-1):] // what stopped it may begin another object
		default:
			return nil
		}
	}
}

func short(text string) string {
	if len(text) <= maxReason {
		return text
	}
	return strings.ToValidUTF8(text[:maxReason], "") + "…"
}
