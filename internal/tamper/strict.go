package tamper

import (
	"regexp"
	"strings"
	"sync"
)

// strict reports lines that were taken out of a file, or changed into something
// that is not merely more. One finding stands for a file that was deleted.
func (i *inspection) strict(f *file, rule, message string) {
	if f.added() {
		return
	}
	for k := range f.hunks {
		h := &f.hunks[k]
		for n, line := range h.removed {
			if i.harmless(line, h) {
				continue
			}
			if f.deleted() {
				i.add(Finding{Path: f.path(), Rule: rule, Message: message + ": the file was deleted"})
				return
			}
			i.add(Finding{Path: f.path(), Line: h.oldLine + n, Rule: rule, Message: message, Text: line})
			break // one finding for each place is enough
		}
	}
}

// commands reports that a line which checks something was taken out of a file of
// build rules, and nothing that checks came in its place.
func (i *inspection) commands(f *file) {
	if f.added() || !i.patterns.commands.match(f.old) {
		return
	}
	for k := range f.hunks {
		h := &f.hunks[k]
		for n, line := range h.removed {
			if len(i.checkWords(line)) == 0 || i.harmless(line, h) {
				continue
			}
			i.add(Finding{Path: f.path(), Line: h.oldLine + n, Rule: "check-removed", Message: "a command that checks something was removed", Text: line})
			break
		}
	}
}

// harmless reports whether a line that is gone takes nothing away: a remark, a
// name, or one that stands elsewhere or is a part of what came in its place.
func (i *inspection) harmless(line string, h *hunk) bool {
	if isRemark(line) || !telling(line) && len(i.checkWords(line)) == 0 || cosmetic().MatchString(line) || i.changes.cameBack(line) {
		return true
	}
	was, needs := bare(line), i.checkWords(line)
	for _, other := range h.added {
		if isRemark(other) {
			continue
		}
		has := i.checkWords(other)
		switch {
		case len(needs) > 0 && subset(needs, has):
			return true
		case len(needs) == 0 && strings.Contains(other, was):
			return true
		case withoutDigits(other) == withoutDigits(line):
			return true
		}
	}
	return false
}

// cosmetic finds lines of CI that decide nothing about what is checked.
var cosmetic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:-\s+)?(?:name|uses|image|id|description|cache|key|path|node-version|go-version|python-version|ruby-version|java-version|version|rev|repo)\s*:|^\s*[\]})]*,?\s*$|^\s*(?:echo|printf)\b`)
})

// silent finds commands that only talk.
var silent = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:-\s+)?(?:run:\s*)?@?(?:echo|printf|:|true)\b`)
})

// checkWords returns the words of a line that stand for checks.
func (i *inspection) checkWords(line string) map[string]bool {
	set := map[string]bool{}
	if isRemark(line) || silent().MatchString(line) {
		return set
	}
	for k := range i.patterns.words {
		for _, m := range i.patterns.words[k].re.FindAllString(line, -1) {
			set[m] = true
		}
	}
	return set
}

func subset(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return true
}

func withoutDigits(line string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, bare(line))
}
