package stream

import (
	"strings"
	"unicode/utf8"
)

// detailKeys are the arguments that tell a person what a tool call is about,
// the most telling first: a search by its pattern, an edit by its file.
var detailKeys = [...]string{
	"command", "pattern", "file_path", "filePath", "absolute_path", "notebook_path", "path",
	"url", "query", "description", "prompt",
}

// toolDetail is a tool's argument in one line of bounded length.
func toolDetail(input value) string {
	best, arg := len(detailKeys), value{}
	for key, val := range input.members() {
		for rank, name := range detailKeys[:best] {
			if string(key) == name && len(val.raw()) > len(`""`) {
				best, arg = rank, val
				break
			}
		}
	}
	if text := oneLine(firstOf(arg.str(2*maxDetail), joined(arg))); text != "" {
		return text
	}
	if s := string(input.raw()); s == "" || s == "{}" || s == "null" {
		return ""
	}
	if input.isString() {
		return oneLine(input.str(2 * maxDetail))
	}
	return oneLine(string(input.raw()[:min(len(input.raw()), 2*maxDetail)]))
}

// command is the line of shell among a tool's arguments, longer than the detail
// that people read: its end matters to whoever judges it.
func command(input value) string {
	for key, val := range input.members() {
		if string(key) == "command" {
			return firstOf(val.str(maxError), joined(val))
		}
	}
	return ""
}

// joined is an argument list as one text.
func joined(list value) string {
	var words []string
	for word := range list.elements() {
		words = append(words, word.str(maxDetail))
		if len(words) > maxDetail {
			break
		}
	}
	return strings.Join(words, " ")
}

// oneLine folds white space and cuts the text to maxDetail bytes.
func oneLine(text string) string {
	if len(text) <= maxDetail && isPlain(text) {
		return text
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) <= maxDetail {
		return text
	}
	end := maxDetail
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// isPlain says whether text is printable ASCII, which needs no folding but for
// spaces that people typed.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' && text[i] != ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}
