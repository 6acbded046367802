package git

import (
	"strconv"
	"strings"
)

// maxLine bounds what is read of one line, in bytes: longer ones are data or
// were made by a program.
const maxLine = 4 << 10

// FileDiff is one file of a diff.
type FileDiff struct {
	Old, New string // paths from the root; empty where the file was not there, or is gone
	Binary   bool   // git shows no lines of it
	Link     bool   // its only line is where it leads
	Hunks    []DiffHunk
}

// Path returns where the file is, or was.
func (f *FileDiff) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// Added reports whether the file is new.
func (f *FileDiff) Added() bool { return f.Old == "" }

// Deleted reports whether the file is gone.
func (f *FileDiff) Deleted() bool { return f.New == "" }

// Renamed reports whether the file had another path.
func (f *FileDiff) Renamed() bool { return f.Old != f.New && !f.Added() && !f.Deleted() }

// DiffHunk is one place of a file that changed.
type DiffHunk struct {
	OldLine, NewLine   int // numbers of the first lines
	OldCount, NewCount int // of lines, with those between two changes
	Removed, Added     []string
}

// ParseDiff reads what git prints. What it does not know it passes over.
func ParseDiff(diff string) []FileDiff {
	var files []FileDiff
	r := diffLines{rest: diff}
	for {
		line, ok := r.next()
		if !ok {
			return files
		}
		header, ok := strings.CutPrefix(line, "diff --git ")
		switch {
		case ok:
			old, new := headerPaths(header)
			files = append(files, FileDiff{Old: old, New: new})
		case len(files) > 0:
			files[len(files)-1].parse(line, &r)
		}
	}
}

// parse takes one line below a file's header, and a whole hunk where one starts.
func (f *FileDiff) parse(line string, r *diffLines) {
	f.Link = f.Link || len(f.Hunks) == 0 && strings.HasSuffix(line, " 120000")
	switch word, rest, _ := strings.Cut(line, " "); word {
	case "new":
		if strings.HasPrefix(rest, "file mode") {
			f.Old = ""
		}
	case "deleted":
		f.New = ""
	case "rename":
		if path, ok := strings.CutPrefix(rest, "from "); ok {
			f.Old = unquotePath(path)
		} else if path, ok := strings.CutPrefix(rest, "to "); ok {
			f.New = unquotePath(path)
		}
	case "Binary":
		f.Binary = true
	case "@@":
		f.Hunks = append(f.Hunks, parseHunk(rest, r))
	}
}

// parseHunk reads the number of lines in the hunk's header: they may look like anything.
func parseHunk(header string, r *diffLines) DiffHunk {
	before, rest, _ := strings.Cut(header, " ")
	after, _, _ := strings.Cut(rest, " ")
	var h DiffHunk
	h.OldLine, h.OldCount = hunkSpan(before, "-")
	h.NewLine, h.NewCount = hunkSpan(after, "+")
	for old, new := h.OldCount, h.NewCount; old > 0 || new > 0; {
		line, ok := r.next()
		switch {
		case !ok:
			return h
		case strings.HasPrefix(line, "-"):
			h.Removed = append(h.Removed, clip(line[1:]))
			old--
		case strings.HasPrefix(line, "+"):
			h.Added = append(h.Added, clip(line[1:]))
			new--
		case line == "", strings.HasPrefix(line, " "): // between two changes
			old, new = old-1, new-1
		case strings.HasPrefix(line, `\`): // no newline at the end
		default:
			return h
		}
	}
	return h
}

func hunkSpan(s, sign string) (from, count int) {
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
			path := strings.TrimPrefix(unquotePath(header[:end+1]), "a/")
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

// unquotePath undoes git's quoting of paths with odd characters.
func unquotePath(path string) string {
	if !strings.HasPrefix(path, `"`) {
		return path
	}
	if plain, err := strconv.Unquote(path); err == nil {
		return plain
	}
	return strings.Trim(path, `"`)
}

// diffLines hands out a text line by line, without copying it.
type diffLines struct{ rest string }

func (l *diffLines) next() (string, bool) {
	if l.rest == "" {
		return "", false
	}
	line, rest, _ := strings.Cut(l.rest, "\n")
	l.rest = rest
	return line, true
}
