// Package glob matches paths against file patterns, without regular expressions:
// a change of thousands of files is compared with hundreds of patterns.
package glob

import (
	"path"
	"strings"
)

// Set is a list of file patterns. A pattern without a slash matches the file's name in
// any folder. One that ends with a slash matches everything below a folder of that
// name. In all others ** matches any number of folders.
type Set struct {
	names    map[string]bool // whole names, without wildcards
	suffixes []string        // *SUFFIX, where the suffix has no wildcard
	patterns []string        // other patterns of names
	folders  map[string]bool // names of folders
	paths    [][]string      // patterns with folders in them, by segment
}

// New returns the set of the patterns. A pattern that path.Match rejects matches nothing;
// see [Valid].
func New(patterns ...string) Set {
	s := Set{names: map[string]bool{}, folders: map[string]bool{}}
	for _, p := range patterns {
		s.add(strings.TrimPrefix(p, "./"))
	}
	return s
}

func (s *Set) add(p string) {
	folder, isFolder := strings.CutSuffix(p, "/")
	rest, isSuffix := strings.CutPrefix(p, "*")
	switch {
	case p == "":
	case isFolder && !strings.ContainsAny(folder, `/*?[\`):
		s.folders[folder] = true
	case isFolder && strings.Contains(folder, "/"):
		s.paths = append(s.paths, strings.Split(strings.TrimPrefix(folder, "/")+"/**", "/"))
	case isFolder:
		s.paths = append(s.paths, []string{"**", folder, "**"})
	case strings.Contains(p, "/"):
		s.paths = append(s.paths, strings.Split(strings.TrimPrefix(p, "/"), "/"))
	case !strings.ContainsAny(p, `*?[\`):
		s.names[p] = true
	case isSuffix && !strings.ContainsAny(rest, `*?[\`):
		s.suffixes = append(s.suffixes, rest)
	default:
		s.patterns = append(s.patterns, p)
	}
}

// Valid reports whether the pattern can match a path: its syntax is valid and it names
// something. Other patterns match nothing.
func Valid(pattern string) bool {
	for part := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return false
		}
	}
	return strings.Trim(pattern, "/") != ""
}

// Match reports whether a pattern of the set matches the path. The path has slashes and is
// relative to the root.
func (s Set) Match(name string) bool {
	if name == "" {
		return false
	}
	dir, base := path.Split(name)
	if s.names[base] || s.inFolder(dir) {
		return true
	}
	for _, suffix := range s.suffixes {
		if strings.HasSuffix(base, suffix) {
			return true
		}
	}
	for _, p := range s.patterns {
		if ok, _ := path.Match(p, base); ok {
			return true
		}
	}
	if len(s.paths) == 0 {
		return false
	}
	parts := strings.Split(name, "/")
	for _, p := range s.paths {
		if matchParts(p, parts) {
			return true
		}
	}
	return false
}

// inFolder reports whether one of the folders of dir, which ends with a slash, is in the set.
func (s Set) inFolder(dir string) bool {
	for len(s.folders) > 0 && dir != "" {
		var name string
		name, dir, _ = strings.Cut(dir, "/")
		if s.folders[name] {
			return true
		}
	}
	return false
}

func matchParts(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			if len(pattern) == 1 {
				return len(parts) > 0
			}
			for i := range len(parts) + 1 {
				if matchParts(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], parts[0]); !ok {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return len(parts) == 0
}
