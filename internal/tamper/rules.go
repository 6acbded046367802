package tamper

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func plural(n int) string { return strconv.Itoa(n) }

// lineRules holds the lines of a file against the rules that are about files of
// its name.
func (i *inspection) lineRules(f *file) {
	for n := range i.patterns.rules {
		r := &i.patterns.rules[n]
		path := f.path()
		fits := r.files.match(path) || r.Scripts && (i.scripts[f.old] || i.scripts[f.new])
		if !fits || r.except.match(path) || r.Source && f.fw != nil && f.fw.all.match(path) && !strings.HasSuffix(path, ".rs") {
			continue
		}
		// What was never there cannot be weakened; code and its comments can be
		// wrong from their first line on.
		whole := r.Comment || r.Source
		for k := range f.hunks {
			if whole && !r.Present || !f.added() {
				i.lineRule(r, f, &f.hunks[k])
			}
		}
	}
}

func (i *inspection) lineRule(r *lineRule, f *file, h *hunk) {
	hit := false
	for n, line := range h.added {
		if !r.Comment && isRemark(line) || !anyOf(r.Added, line) || i.changes.wasThere(line) || r.excuses(line, h) ||
			r.notIn != nil && r.notIn.MatchString(i.section(f, h.newLine+n)) {
			continue
		}
		hit = true
		i.add(Finding{Path: f.path(), Line: h.newLine + n, Rule: r.Rule, Message: r.Message, Text: line})
	}
	if hit {
		return
	}
	for n, line := range h.removed {
		if isRemark(line) || !anyOf(r.Removed, line) || i.changes.cameBack(line) || anyLine(r.Removed, h.added) {
			continue
		}
		i.add(Finding{Path: f.path(), Line: h.oldLine + n, Rule: r.Rule, Message: r.Message, Text: line})
	}
}

// excuses reports whether a line is none of the rule's because of what it replaces.
func (r *lineRule) excuses(line string, h *hunk) bool {
	if !r.Extended && !r.Replaced {
		return false
	}
	has := map[string]bool{}
	for _, w := range valuesOf(line) {
		has[w] = true
	}
	gaveWay := false
	for _, old := range h.removed {
		if isRemark(old) || !anyOf(r.Added, old) {
			continue
		}
		gaveWay = true
		if !slices.ContainsFunc(valuesOf(old), func(w string) bool { return !has[w] }) {
			return true
		}
	}
	return r.Replaced && !gaveWay
}

// section is the heading above a line of a TOML file as it is now, counted from one.
func (i *inspection) section(f *file, line int) string {
	heading := ""
	for text := range strings.Lines(readSome(filepath.Join(i.root, f.new))) {
		if line--; line == 0 {
			break
		}
		if strings.HasPrefix(strings.TrimSpace(text), "[") {
			heading = text
		}
	}
	return heading
}

// valuesOf are the words of a line of settings, patterns of paths among them.
func valuesOf(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t[](){}<>,;:='\"`", r) })
}

// shadows reports a new file that a tool reads in the place of one that was there.
func (i *inspection) shadows(f *file) {
	if !f.added() {
		return
	}
	for _, s := range i.patterns.shadows {
		if filepath.Base(f.new) != s.File {
			continue
		}
		for _, name := range s.Over {
			path := filepath.Join(filepath.Dir(f.new), name)
			text := readSome(filepath.Join(i.root, path))
			if text == "" || i.changes.isNew(path) || len(s.Words) > 0 && !slices.ContainsFunc(s.Words, func(w string) bool { return strings.Contains(text, w) }) {
				continue
			}
			i.add(Finding{Path: f.new, Rule: "config-weakened", Message: "it is read in the place of " + path})
			return
		}
	}
}

func anyLine(list []pattern, lines []string) bool {
	for _, line := range lines {
		if anyOf(list, line) {
			return true
		}
	}
	return false
}

// isRemark reports whether a line of settings or of a script is only a comment.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "* ")
}

// thresholds reports numbers that became weaker, or that nothing takes the place of.
func (i *inspection) thresholds(f *file) {
	if f.added() {
		return
	}
	for n := range i.patterns.thresholds {
		t := &i.patterns.thresholds[n]
		if !t.files.match(f.path()) {
			continue
		}
		for k := range f.hunks {
			i.threshold(t, f, &f.hunks[k])
		}
	}
}

func (i *inspection) threshold(t *threshold, f *file, h *hunk) {
	for n, line := range h.removed {
		name, was, ok := t.number(line)
		if !ok || isRemark(line) || i.changes.cameBack(line) {
			continue
		}
		weaker, at := true, Finding{Path: f.path(), Line: h.oldLine + n, Rule: t.Rule, Message: "a threshold was removed", Text: line}
		for m, other := range h.added {
			if name2, is, ok := t.number(other); ok && name2 == name && !isRemark(other) {
				weaker = t.Weaker == "down" && is < was || t.Weaker == "up" && is > was
				at.Line, at.Message, at.Text = h.newLine+m, t.Message, other
				break
			}
		}
		if weaker {
			i.add(at)
		}
	}
}

// number finds a threshold in a line.
func (t *threshold) number(line string) (name string, value float64, ok bool) {
	for k := range t.Match {
		if m := t.Match[k].re.submatch(line); m != nil {
			value, err := strconv.ParseFloat(m[2], 64)
			return m[1], value, err == nil
		}
	}
	return "", 0, false
}

// snapshots reports recorded output that was recorded anew.
func (i *inspection) snapshots(f *file) {
	if f.added() || !i.patterns.snapshots.match(f.old) {
		return
	}
	at := Finding{Path: f.path(), Rule: "snapshot-regenerated", Message: "what a test expects was recorded anew"}
	if f.binary {
		i.add(at)
		return
	}
	gone, all := 0, 0
	for _, h := range f.hunks {
		for n, line := range h.removed {
			if !telling(line) {
				continue
			}
			if all++; i.changes.cameBack(line) {
				continue
			}
			if gone++; gone == 1 {
				at.Line, at.Text = h.oldLine+n, line
			}
		}
	}
	if gone > 0 && (!f.deleted() || 2*gone > all) {
		i.add(at)
	}
}
