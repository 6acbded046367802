package spec

import (
	"bytes"

	"gopkg.in/yaml.v3"

	"ralph/internal/prd"
)

// maxFrontMatter bounds, in bytes, what is given to the YAML parser.
const maxFrontMatter = 64 << 10

const createdHint = "Begin the file with three lines: ---, created: 2026-01-15T10:30:00Z, ---."

// frontMatter reads the block between two lines of three dashes at the start of the file,
// and moves the reader past it.
func (r *reader) frontMatter() {
	block, size := cutFrontMatter(r.src)
	if size == 0 {
		r.report(Problem{Warning: true}, 1, "no front matter with the time of creation", createdHint)
		return
	}
	r.line += bytes.Count(r.src[:size], []byte("\n"))
	r.src = r.src[size:]
	if len(block) > maxFrontMatter {
		r.report(Problem{}, 1, "the front matter is too long", "")
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(block, &doc); err != nil {
		r.report(Problem{Warning: true}, 1, "the front matter cannot be read: "+err.Error(), "")
		return
	}
	value := lookup(&doc, "created")
	switch {
	case value == nil:
		r.report(Problem{Warning: true}, 1, `the front matter has no "created"`, createdHint)
	case !prd.ValidTime(value.Value):
		r.report(Problem{Warning: true}, value.Line+1, "created is not an ISO-8601 time, such as 2026-01-15T10:30:00Z", "")
	default:
		r.spec.Created = value.Value
	}
}

// cutFrontMatter returns the text between the dashes and the size of all of it.
func cutFrontMatter(src []byte) (block []byte, size int) {
	start := 0
	for line := range bytes.Lines(src) {
		size += len(line)
		switch dashes := string(bytes.TrimRight(line, " \t\n")) == "---"; {
		case start == 0 && !dashes:
			return nil, 0
		case start == 0:
			start = size
		case dashes:
			return src[start : size-len(line)], size
		}
	}
	return nil, 0
}

// lookup returns the value of a key of the document's top mapping, or nil. It works on
// the nodes, because a decoded time is no longer the text of the file.
func lookup(doc *yaml.Node, key string) *yaml.Node {
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i].Value == key && pairs[i+1].Kind == yaml.ScalarNode {
			return pairs[i+1]
		}
	}
	return nil
}
