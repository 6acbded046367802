package stream

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// detailKeys are the arguments that show what a tool call is about, the most
// specific first: a search by its pattern, an edit by its file.
var detailKeys = [...]string{
	"command", "pattern", "file_path", "filePath", "absolute_path", "notebook_path", "path",
	"url", "query", "description", "prompt",
}

// toolDetail returns a tool's argument in one line of bounded length.
func toolDetail(input *fastjson.Value) string {
	for _, key := range detailKeys {
		if detail := oneLine(words(input.Get(key), 2*maxDetail)); detail != "" {
			return detail
		}
	}
	if isString(input) {
		return oneLine(text(input, 2*maxDetail))
	}
	raw := encoded(input)
	switch string(raw) {
	case "", "{}", "null":
		return ""
	}
	return oneLine(string(raw[:min(len(raw), 2*maxDetail)]))
}

// command returns the shell line among a tool's arguments. It is longer than the
// detail on the screen: the checks of commands need its end.
func command(input *fastjson.Value) string { return words(input.Get("command"), maxError) }

// words returns a string, or the strings of a list as one text.
func words(v *fastjson.Value, limit int) string {
	var list []string
	for _, word := range v.GetArray() {
		list = append(list, text(word, maxDetail))
		if len(list) > maxDetail {
			break
		}
	}
	return cmp.Or(text(v, limit), strings.Join(list, " "))
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
