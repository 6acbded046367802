package loop

import (
	"fmt"

	"ralph/internal/stream"
)

// maxPrompt is what an agent accepts on its standard input: Claude Code
// refuses more than 10 MB.
const maxPrompt = 9 << 20

// prompt is what the agent gets on its standard input: the plan's context, what
// the last iteration left, and the template.
func (l *Loop) prompt() ([]byte, error) {
	// The agent reads the plan's own files by itself; what ralph tells it beyond
	// them holds no secrets, and nothing of it steers a terminal that shows it.
	notes := l.Recorder.Secrets.Text(l.notes.text())
	text := stream.Sanitize(Prompt(l.Plan.Context(l.state, l.state.Next(l.Recorder.Position())), notes, l.Template, l.Repo.Root, l.team.Current().Harness.ExpandsRefs))
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
