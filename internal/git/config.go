package git

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxIncluded bounds how many files of settings are read for one call.
const maxIncluded = 50

// quiet returns settings that keep git from starting the programs which settings name for
// files: filters, which change content on its way into the repository and back, and merge
// drivers. With them a repository could have ralph run anything, outside of every room.
// Content is compared as it is instead.
//
// Every section of such a name counts, whatever it holds: an agent may have written it.
func (r *Repo) quiet() [][2]string {
	var list [][2]string
	for name := range r.sections() {
		if filter, ok := strings.CutPrefix(name, "filter."); ok && filter != "" {
			list = append(list, [2]string{name + ".clean", ""}, [2]string{name + ".smudge", ""},
				[2]string{name + ".process", ""}, [2]string{name + ".required", "false"})
		}
		if driver, ok := strings.CutPrefix(name, "merge."); ok && driver != "" {
			list = append(list, [2]string{name + ".driver", "false"}) // it leaves a conflict
		}
	}
	return list
}

// keptSettings are those that the environment gives git and that only say who the user is and
// which repositories are trusted, as containers do.
func keptSettings(env []string) (list [][2]string) {
	values := map[string]string{}
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, "GIT_CONFIG_") {
			values[name] = value
		}
	}
	count, _ := strconv.Atoi(values["GIT_CONFIG_COUNT"])
	for i := range min(count, maxIncluded) {
		key := values["GIT_CONFIG_KEY_"+strconv.Itoa(i)]
		if lower := strings.ToLower(key); lower == "safe.directory" || strings.HasPrefix(lower, "user.") {
			list = append(list, [2]string{key, values["GIT_CONFIG_VALUE_"+strconv.Itoa(i)]})
		}
	}
	return list
}

// sections returns the names of all sections of the settings that git reads here, the user's
// and included files too, such as filter.lfs.
func (r *Repo) sections() map[string]bool {
	home := os.Getenv("HOME")
	files := []string{filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree")}
	if global, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		files = append(files, global)
	} else if home != "" {
		config := os.Getenv("XDG_CONFIG_HOME")
		if config == "" {
			config = filepath.Join(home, ".config")
		}
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(config, "git", "config"))
	}
	if system, ok := os.LookupEnv("GIT_CONFIG_SYSTEM"); ok {
		files = append(files, system)
	} else if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, "/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
	}
	found, seen := map[string]bool{}, map[string]bool{}
	for len(files) > 0 && len(seen) < maxIncluded {
		file := files[0]
		files = files[1:]
		if file == "" || file == os.DevNull || seen[file] {
			continue
		}
		seen[file] = true
		for _, s := range settingsIn(string(readBounded(file))) {
			found[s.section] = true
			if s.key != "path" || !strings.HasPrefix(s.section, "include") {
				continue
			}
			path := strings.Trim(s.value, `"`)
			if rest, ok := strings.CutPrefix(path, "~/"); ok {
				path = filepath.Join(home, rest)
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(file), path)
			}
			files = append(files, path) // whatever its condition
		}
	}
	return found
}

// setting is one setting of a git configuration. One without a key is the heading of a section.
type setting struct {
	section, key string // in lower case, except the name of a subsection
	value        string
}

// settingsIn reads a git configuration. It cuts a value that continues on the next line, which
// may then look like another setting.
func settingsIn(config string) []setting {
	var list []setting
	section := ""
	for line := range strings.Lines(strings.TrimPrefix(config, "\ufeff")) {
		line = strings.TrimSpace(line)
		for strings.HasPrefix(line, "[") { // headings and a setting may be in one line
			section, line = heading(line[1:])
			list = append(list, setting{section: section})
			line = strings.TrimSpace(line)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			value = "true"
		}
		list = append(list, setting{section, strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)})
	}
	return list
}

// heading reads one heading after its bracket, and returns what follows it.
func heading(text string) (name, rest string) {
	end := strings.IndexAny(text, "]\"")
	if end < 0 {
		return "", ""
	}
	name = strings.ToLower(strings.TrimSpace(text[:end]))
	if text[end] == ']' {
		return name, text[end+1:]
	}
	var sub strings.Builder
	for i := end + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) {
				sub.WriteByte(text[i])
			}
		case '"':
			_, rest, _ = strings.Cut(text[i+1:], "]")
			return name + "." + sub.String(), rest
		default:
			sub.WriteByte(text[i])
		}
	}
	return name, ""
}

// HasIdentity reports whether the settings or the environment name the author of commits.
// Without a name git guesses one from the account and the machine. It refuses to commit if it
// cannot.
func (r *Repo) HasIdentity(ctx context.Context) bool {
	_, err := r.git(ctx, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")
	return err == nil
}
