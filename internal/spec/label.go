package spec

import (
	"slices"
	"strings"
)

// cutLabel splits off a label at the beginning of a line: any text in bold
// that ends in a colon or is followed by one, and the known labels also
// without a colon or without emphasis; "Acceptance Criteria" without both.
func cutLabel(line string) (l label, rest string, ok bool) {
	bold, rest := cutBold(line)
	if bold == "" {
		name, rest, found := strings.Cut(line, ":")
		l := partOf(name)
		if !found { // otherwise the line may be prose
			list, ok := cutCriteria(name)
			return l, "", ok && list == ""
		}
		return l, rest, l != labelNone && l != labelStory && l != labelModel
	}
	colon := strings.HasSuffix(bold, ":") || strings.HasPrefix(strings.TrimSpace(rest), ":")
	rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), ":"))
	switch l = labelOf(bold); {
	case l != labelNone:
		return l, rest, colon || rest == "" || l == labelStory
	case colon:
		return labelOther, rest, true
	}
	return labelNone, "", false
}

// cutBold splits off emphasised text at the beginning of a line.
func cutBold(line string) (bold, rest string) {
	start, end, bold := nextBold(line)
	if start > 0 {
		return "", line
	}
	return bold, line[end:]
}

// nextBold finds the next text between two equal runs of * or _, and where the
// runs begin and end. Without one, bold is empty.
func nextBold(line string) (start, end int, bold string) {
	line = line[:min(len(line), maxInline)]
	start = strings.IndexAny(line, "*_")
	if start < 0 {
		return 0, 0, ""
	}
	run := line[start:]
	n := len(run) - len(strings.TrimLeft(run, run[:1]))
	size := strings.Index(run[n:], run[:n])
	if size < 0 {
		return 0, 0, ""
	}
	return start, start + n + size + n, strings.TrimSpace(run[n : n+size])
}

// maxDepends bounds how many dependencies of a story are noted.
const maxDepends = 100

// needs are the words that introduce what must come first.
var needs = [...]string{"depends on", "blocked by", "requires", "needs"}

// depends notes the ids that a line says come first.
func (r *reader) depends(text string) {
	from := -1
	lower := strings.ToLower(text)
	for _, phrase := range needs {
		if i := strings.Index(lower, phrase); i >= 0 && (from < 0 || i+len(phrase) < from) {
			from = i + len(phrase)
		}
	}
	list, cut := &r.story.Mentions, cutNumberedID
	switch {
	case r.label == labelDepends:
		from, list, cut = 0, &r.story.DependsOn, cutID
	case from < 0 || len(lower) != len(text):
		return
	}
	for _, word := range strings.FieldsFunc(text[from:], func(c rune) bool { return strings.ContainsRune(" ,;()[]*_`", c) }) {
		id, _, ok := cut(word)
		labelled := r.label == labelDepends // a story that waits for itself is an error to report
		if ok && (labelled || id != r.story.ID) && len(*list) < maxDepends && !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
		if strings.HasSuffix(word, ".") {
			return // the sentence ends
		}
	}
}
