// Package prompt makes what an agent reads: the plan's context, what the last iteration left,
// and the template.
package prompt

import (
	"fmt"

	"ralph/internal/stream"
)

// maxSize is what an agent accepts on its standard input: Claude Code refuses more than 10 MB.
const maxSize = 9 << 20

// Make returns the prompt as bytes for an agent's standard input. It makes control characters
// harmless to a terminal that shows it. It fails if the prompt is larger than agents accept.
func Make(context, notes, template, root string, expandsRefs bool) ([]byte, error) {
	text := stream.Sanitize(Join(context, notes, template, root, expandsRefs))
	if len(text) > maxSize {
		return nil, fmt.Errorf("the prompt has %d KB, more than agents accept (%d KB): shorten the template or the task",
			len(text)>>10, maxSize>>10)
	}
	return []byte(text), nil
}

// Join joins the parts of a prompt to one text. It appends the files that the text names with
// @path, unless the agent does that itself.
func Join(context, notes, template, root string, expandsRefs bool) string {
	text := context + notes + "\n" + template
	if expandsRefs {
		return text
	}
	return inlineRefs(text, root)
}
