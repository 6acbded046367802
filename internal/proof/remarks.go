package proof

import (
	"path"
	"strings"
)

// remarkOf returns how a remark of one line begins in a file, and whether it may have
// blocks from /* to */.
func remarkOf(name string) (begin string, blocks bool) {
	switch path.Ext(name) {
	case ".go", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".java", ".kt", ".kts", ".scala", ".groovy", ".gradle",
		".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift", ".php", ".dart", ".proto":
		return "//", true
	case ".py", ".rb", ".sh", ".bash", ".bats", ".ex", ".exs", ".pl", ".r", ".jl":
		return "#", false
	case ".lua", ".sql", ".hs":
		return "--", false
	}
	return "", false
}

// directive reports whether a remark is read by a tool: it decides something.
func directive(remark string) bool {
	text := strings.ToLower(strings.TrimLeft(remark, "/#*-! \t"))
	for _, word := range []string{"go:", "+build", "nolint", "lint:", "eslint", "tslint", "@ts-", "noqa", "type:", "pylint", "pyright", "mypy", "ruff",
		"nosec", "pragma", "fmt:", "istanbul", "c8 ", "v8 ", "coverage", "biome", "prettier", "jshint", "rubocop", "frozen_string", "encoding",
		"-*-", "shellcheck", "bats", "cgo", "export ", "revive", "gosec", "phpstan", "psalm", "phpcs", "swiftlint", "output", "unordered", "jest-environment", "vitest-environment", "<reference"} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return strings.HasPrefix(remark, "#!") || strings.HasPrefix(remark, "#[")
}

// withoutRemarks removes blank lines, and comments on lines of their own, from a file. A
// comment that may be code stays.
func withoutRemarks(name, text string) string {
	begin, blocks := remarkOf(name)
	for _, mark := range []string{`"""`, "'''", "`", "<<"} {
		if strings.Contains(text, mark) {
			return text // a text of several lines may hold what looks like a comment
		}
	}
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t\r")
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" && begin != "":
			continue
		case begin != "" && strings.HasPrefix(bare, begin) && !directive(bare):
			continue
		case blocks && strings.HasPrefix(bare, "/*") && !directive(bare):
			if end := blockEnd(lines, i); end >= 0 {
				i = end
				continue
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// blockEnd returns the line in which the comment that begins in line i ends, -1 where
// code follows in that line.
func blockEnd(lines []string, i int) int {
	rest := strings.TrimSpace(lines[i])[2:]
	for ; i < len(lines); i++ {
		if _, after, ok := strings.Cut(rest, "*/"); ok {
			if strings.TrimSpace(after) != "" {
				return -1
			}
			return i
		}
		if i+1 < len(lines) {
			rest = lines[i+1]
		}
	}
	return -1
}
