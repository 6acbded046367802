package tamper

import (
	"regexp"
	"strings"
)

// globs is a set of file patterns, as patterns.yaml describes them.
type globs struct{ re *regexp.Regexp }

func newGlobs(patterns []string) globs {
	if len(patterns) == 0 {
		return globs{}
	}
	parts := make([]string, 0, len(patterns))
	for _, p := range patterns {
		parts = append(parts, globExpr(p))
	}
	return globs{regexp.MustCompile("^(?:" + strings.Join(parts, "|") + ")$")}
}

func (g globs) match(path string) bool { return g.re != nil && path != "" && g.re.MatchString(path) }

func globExpr(p string) string {
	if folder, ok := strings.CutSuffix(p, "/"); ok {
		return `(?:.*/)?` + globWords(folder) + `/.*`
	}
	if !strings.Contains(p, "/") {
		return `(?:.*/)?` + globWords(p)
	}
	return globWords(p)
}

func globWords(p string) string {
	var b strings.Builder
	for p != "" {
		switch {
		case strings.HasPrefix(p, "**/"):
			b.WriteString(`(?:.*/)?`)
			p = p[3:]
			continue
		case p[0] == '*':
			b.WriteString(`[^/]*`)
		case p[0] == '?':
			b.WriteString(`[^/]`)
		case p[0] == '[':
			if end := strings.IndexByte(p, ']'); end > 0 {
				b.WriteString(p[:end+1])
				p = p[end+1:]
				continue
			}
			b.WriteString(`\[`)
		default:
			b.WriteString(regexp.QuoteMeta(p[:1]))
		}
		p = p[1:]
	}
	return b.String()
}
