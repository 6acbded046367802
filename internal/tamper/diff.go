package tamper

import (
	"strconv"
	"strings"
)

// maxLine bounds what is read of one line, in bytes: longer ones are data or
// were made by a program.
const maxLine = 4 << 10

// file is one file of a diff.
type file struct {
	old, new string // paths from the root; empty where the file was not there, or is gone
	binary   bool   // git shows no lines of it
	link     bool   // its only line is where it leads
	hunks    []hunk
}

// path is where the file is, or was.
func (f *file) path() string {
	if f.new != "" {
		return f.new
	}
	return f.old
}

func (f *file) added() bool   { return f.old == "" }
func (f *file) deleted() bool { return f.new == "" }
func (f *file) renamed() bool { return f.old != f.new && !f.added() && !f.deleted() }

// hunk is one place of a file that changed.
type hunk struct {
	oldLine, newLine int // numbers of the first lines
	removed, added   []string
}

// parseDiff reads what git prints. What it does not know it passes over.
func parseDiff(diff string) []file {
	var files []file
	r := lines{rest: diff}
	for {
		line, ok := r.next()
		if !ok {
			return files
		}
		header, ok := strings.CutPrefix(line, "diff --git ")
		switch {
		case ok:
			old, new := headerPaths(header)
			files = append(files, file{old: old, new: new})
		case len(files) > 0:
			files[len(files)-1].read(line, &r)
		}
	}
}

// read takes one line below a file's header, and a whole hunk where it begins one.
func (f *file) read(line string, r *lines) {
	f.link = f.link || len(f.hunks) == 0 && strings.HasSuffix(line, " 120000")
	switch word, rest, _ := strings.Cut(line, " "); word {
	case "new":
		if strings.HasPrefix(rest, "file mode") {
			f.old = ""
		}
	case "deleted":
		f.new = ""
	case "rename":
		if path, ok := strings.CutPrefix(rest, "from "); ok {
			f.old = unquote(path)
		} else if path, ok := strings.CutPrefix(rest, "to "); ok {
			f.new = unquote(path)
		}
	case "Binary":
		f.binary = true
	case "@@":
		f.hunks = append(f.hunks, readHunk(rest, r))
	}
}

// readHunk reads the number of lines in the hunk's header: they may look like anything.
func readHunk(header string, r *lines) hunk {
	before, rest, _ := strings.Cut(header, " ")
	after, _, _ := strings.Cut(rest, " ")
	var h hunk
	var removed, added int
	h.oldLine, removed = span(before, "-")
	h.newLine, added = span(after, "+")
	for removed > 0 || added > 0 {
		line, ok := r.next()
		switch {
		case !ok:
			return h
		case strings.HasPrefix(line, "-"):
			h.removed = append(h.removed, clip(line[1:]))
			removed--
		case strings.HasPrefix(line, "+"):
			h.added = append(h.added, clip(line[1:]))
			added--
		case strings.HasPrefix(line, `\`): // no newline at the end
		default:
			return h
		}
	}
	return h
}

func span(s, sign string) (from, count int) {
	first, n, ok := strings.Cut(strings.TrimPrefix(s, sign), ",")
	from, _ = strconv.Atoi(first)
	if count = 1; ok {
		count, _ = strconv.Atoi(n)
	}
	return from, count
}

func clip(line string) string {
	if len(line) > maxLine {
		line = line[:maxLine]
	}
	return line
}

// headerPaths splits "a/P b/P". Different paths are in the lines of the rename, so here
// the two are taken to be equal.
func headerPaths(header string) (old, new string) {
	if strings.HasPrefix(header, `"`) {
		if end := strings.Index(header, `" `); end > 0 {
			path := strings.TrimPrefix(unquote(header[:end+1]), "a/")
			return path, path
		}
	}
	half := len(header) / 2
	if half < 2 || len(header) < 2 {
		return header, header
	}
	path := strings.TrimPrefix(header[:half], "a/")
	return path, path
}

// unquote undoes git's quoting of paths with odd characters.
func unquote(path string) string {
	if !strings.HasPrefix(path, `"`) {
		return path
	}
	if plain, err := strconv.Unquote(path); err == nil {
		return plain
	}
	return strings.Trim(path, `"`)
}

// lines hands out a text line by line, without copying it.
type lines struct{ rest string }

func (l *lines) next() (string, bool) {
	if l.rest == "" {
		return "", false
	}
	line, rest, _ := strings.Cut(l.rest, "\n")
	l.rest = rest
	return line, true
}
