package tamper

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// expr is a regular expression with texts that every match contains. Most lines contain
// no such text, and searching for a text is twenty times cheaper.
type expr struct {
	*regexp.Regexp
	needs []string // a match contains one of them; empty if unknown
}

func newExpr(text string) (expr, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return expr{}, err
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return expr{}, err
	}
	return expr{re, needed(tree)}, nil
}

func mustExpr(text string) expr {
	e, err := newExpr(text)
	if err != nil {
		panic(err) // the pattern is part of the program
	}
	return e
}

// possible reports whether the line may match at all.
func (e expr) possible(line string) bool {
	for _, text := range e.needs {
		if strings.Contains(line, text) {
			return true
		}
	}
	return len(e.needs) == 0
}

func (e expr) match(line string) bool { return e.possible(line) && e.MatchString(line) }

// needed returns texts such that every match of the expression contains at least one; nil
// if there are no such texts or too many.
func needed(re *syntax.Regexp) []string {
	const most = 40
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if texts := needed(sub); better(texts, best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			texts := needed(sub)
			if texts == nil || len(all)+len(texts) > most {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// better prefers the choice with the longer shortest text, else the later one: a bracket
// opens more often than a line ends with one.
func better(a, b []string) bool {
	if a == nil || b == nil {
		return a != nil
	}
	return shortestOf(a) >= shortestOf(b)
}

func shortestOf(texts []string) int {
	n := len(texts[0])
	for _, t := range texts {
		n = min(n, len(t))
	}
	return n
}
