package loop

import (
	"fmt"
	"strings"

	"ralph/internal/stream"
)

const (
	// maxNotes bounds what is told about the last iteration, in bytes: the
	// agent's context is for its work.
	maxNotes = 8 << 10
	// maxPrompt is what an agent accepts on its standard input: Claude Code
	// refuses more than 10 MB.
	maxPrompt = 9 << 20
)

// notes is what the next prompt tells of the iteration before.
type notes struct {
	last  []string
	steer []string // given by a person with 'ralph context add', kept until cleared
}

func (n *notes) add(s string) { n.last = append(n.last, s) }

// take returns the notes as a part of the prompt and forgets those of the last
// iteration.
func (n *notes) take() string {
	var b strings.Builder
	if len(n.steer) > 0 {
		b.WriteString("\n## From the person who runs this loop\n\n")
		for _, s := range n.steer {
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	if len(n.last) > 0 {
		b.WriteString("\n## What the last iteration left\n\n")
		for _, s := range n.last {
			if b.Len()+len(s) > maxNotes {
				b.WriteString("- (more of the kind was left out)\n")
				break
			}
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	n.last = nil
	return b.String()
}

// prompt is what the agent gets on its standard input: the plan's context, what
// the last iteration left, and the template.
func (l *Loop) prompt() ([]byte, error) {
	// The agent reads the plan's own files by itself; what ralph tells it beyond
	// them holds no secrets, and nothing of it steers a terminal that shows it.
	notes := l.Secrets.Text(l.notes.take())
	text := stream.Sanitize(Prompt(l.Plan.Context(l.state), notes, l.Template, l.Repo.Root, l.Harness.ExpandsRefs))
	if len(text) > maxPrompt {
		return nil, fmt.Errorf("the prompt has %d KB, more than agents accept (%d KB): shorten the template or the task",
			len(text)>>10, maxPrompt>>10)
	}
	return []byte(text), nil
}

// Prompt joins the parts of a prompt. Files that it names with @path are appended
// where the agent does not do that by itself.
func Prompt(context, notes, template, root string, expandsRefs bool) string {
	text := context + notes + "\n" + template
	if expandsRefs {
		return text
	}
	return inlineRefs(text, root)
}
