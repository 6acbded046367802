package proof

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxFound bounds how many check files the commands can lead to.
const maxFound = 100

// finder finds the files that the check commands read to decide what to run.
type finder struct {
	has     func(path string) bool   // the file is in the tree
	read    func(path string) string // its text
	all     func() []string          // all paths of the tree
	found   map[string]bool
	targets []string // what make is called with
}

// find follows the commands of the checks.
func (f *finder) find(commands []string) {
	for _, c := range commands {
		f.command(c, ".", true)
	}
}

// command follows one line of shell that runs in a folder. direct is true for the command
// of a check itself: only there a called program of the project is part of the check. A
// script also calls the work.
func (f *finder) command(line, dir string, direct bool) {
	for _, argv := range simpleCommands(line) {
		for len(argv) > 0 && (isAssignment(argv[0]) || isPrefix(argv[0])) {
			argv = argv[1:]
		}
		if len(argv) > 1 && argv[0] == "cd" {
			dir = path.Join(dir, argv[1])
			continue
		}
		if len(argv) > 0 {
			f.call(argv, dir, direct)
		}
	}
}

func (f *finder) call(argv []string, dir string, direct bool) {
	piped := argv[len(argv)-1] == "|"
	switch path.Base(argv[0]) {
	case "make", "gmake":
		f.make(argv[1:], dir)
	case "npm", "yarn", "pnpm", "bun", "npx", "pnpx":
		f.scripts(path.Join(dir, "package.json"))
	case "just":
		f.rules(dir, "justfile", "Justfile", ".justfile")
	case "task":
		f.rules(dir, "Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml")
	case "rake", "bundle":
		f.rules(dir, "Rakefile")
	case "composer":
		f.rules(dir, "composer.json")
	case ".", "source":
		if len(argv) > 1 {
			f.script(path.Join(dir, argv[1]))
		}
		return
	}
	for i, word := range argv {
		name := path.Join(dir, strings.TrimPrefix(word, "--config="))
		if !f.has(name) {
			continue
		}
		first := i == 0 || i == 1 && isShell(argv[0])
		if namesCheck(name) || first && direct && !piped && (i == 0 || strings.HasSuffix(name, ".sh")) {
			f.script(name)
		}
	}
}

// script notes a check file, and what it calls in turn where it is one of the shell.
func (f *finder) script(name string) {
	if !f.has(name) || f.found[name] || len(f.found) >= maxFound {
		return
	}
	f.found[name] = true
	text := f.read(name)
	if ext := path.Ext(name); ext != "" && ext != ".sh" && ext != ".bash" && !strings.HasPrefix(text, "#!/bin/sh") {
		return
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			f.command(line, ".", false)
		}
	}
}

// rules notes a file of rules with what its lines call.
func (f *finder) rules(dir string, names ...string) {
	for _, base := range names {
		name := path.Join(dir, base)
		if !f.has(name) || f.found[name] {
			continue
		}
		f.found[name] = true
		for line := range strings.Lines(f.read(name)) {
			f.command(strings.TrimLeft(line, " \t@-"), dir, false)
		}
	}
}

var scriptLine = regexp.MustCompile(`"[^"]+"\s*:\s*"((?:[^"\\]|\\.)*)"`)

// scripts follows the scripts of a package.json, which itself is mixed.
func (f *finder) scripts(name string) {
	if !f.has(name) || f.found[name] {
		return
	}
	f.found[name] = true
	_, scripts, _ := strings.Cut(f.read(name), `"scripts"`)
	scripts, _, _ = strings.Cut(scripts, "}")
	for _, m := range scriptLine.FindAllStringSubmatch(scripts, -1) {
		f.command(strings.ReplaceAll(m[1], `\"`, `"`), path.Dir(name), true)
	}
}

var (
	includeLine = regexp.MustCompile(`^\s*(?:-include|sinclude|include)\s+(.+)`)
	targetLine  = regexp.MustCompile(`^([\w./-]+(?:\s+[\w./-]+)*)\s*:(?:[^=]|$)`)
)

// make follows a call of make: its file, what that includes, and its targets.
func (f *finder) make(args []string, dir string) {
	file := ""
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case (arg == "-C" || arg == "--directory") && i+1 < len(args):
			dir, i = path.Join(dir, args[i+1]), i+1
		case (arg == "-f" || arg == "--file") && i+1 < len(args):
			file, i = path.Join(dir, args[i+1]), i+1
		case strings.HasPrefix(arg, "-"), strings.ContainsAny(arg, "=|"):
		default:
			f.targets = append(f.targets, path.Join(dir, arg))
		}
	}
	if file != "" {
		f.makefile(file, dir)
		return
	}
	// The first one that is there is read; another one may come to be there.
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		f.makefile(path.Join(dir, name), dir)
	}
}

func (f *finder) makefile(name, dir string) {
	if f.found[name] || len(f.found) >= maxFound {
		return
	}
	f.found[name] = true
	for line := range strings.Lines(f.read(name)) {
		if m := includeLine.FindStringSubmatch(line); m != nil {
			for _, word := range strings.Fields(m[1]) {
				f.include(word, dir)
			}
			continue
		}
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			f.command(strings.TrimLeft(recipe, "@-+ "), dir, false)
			continue
		}
		if m := targetLine.FindStringSubmatch(line); m != nil {
			for _, t := range strings.Fields(m[1]) {
				if !strings.HasPrefix(t, ".") || strings.ContainsAny(t[1:], "./-_") || strings.ToUpper(t) != t {
					f.targets = append(f.targets, path.Join(dir, t))
				}
			}
		}
	}
}

// include follows a word of an include line, which may be a pattern.
func (f *finder) include(word, dir string) {
	name := path.Join(dir, word)
	if strings.Contains(word, "$") {
		name = path.Join(dir, regexp.MustCompile(`\$\([^)]*\)|\$\{[^}]*\}`).ReplaceAllString(word, "*"))
	}
	if !strings.ContainsAny(name, "*?[") {
		f.makefile(name, dir) // also where it is not there yet
		return
	}
	for _, p := range f.all() {
		if ok, _ := path.Match(name, p); ok {
			f.makefile(p, dir)
		}
	}
}

var checkWord = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:tests?|check\w*|lint\w*|ci|verify\w*|spec|validate\w*|coverage|run[-_]?tests?|runtests?)(?:[^a-z]|$)`)

// namesCheck reports whether a path looks like that of a check.
func namesCheck(name string) bool {
	return checkWord.MatchString(name) || slices.Contains([]string{"scripts", "script", "ci", ".ci", "hack", "tools", "build-tools"}, strings.Split(name, "/")[0]) && strings.Contains(name, "/")
}

func isShell(word string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, path.Base(word))
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "-./")
}

func isPrefix(word string) bool {
	return slices.Contains([]string{"env", "time", "exec", "command", "nice", "then", "do", "else", "if", "!", "while", "until", "{", "sudo", "&"}, word)
}

// simpleCommands splits a line of shell into commands and words, as far as quotes and
// separators go. The last word of a command is "|" where its output goes into another
// one, or into a value.
func simpleCommands(line string) [][]string {
	var all [][]string
	var argv []string
	var word strings.Builder
	quote, nested := rune(0), 0
	end := func() {
		if word.Len() > 0 {
			argv = append(argv, word.String())
		}
		word.Reset()
	}
	flush := func(piped bool) {
		end()
		if len(argv) > 0 {
			if piped {
				argv = append(argv, "|")
			}
			all = append(all, argv)
		}
		argv = nil
	}
	runes := []rune(line)
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case r == '$' && next == '(':
			flush(false)
			nested++
		case r == '(' && quote != '\'':
			flush(false)
		case r == ')' && nested > 0:
			flush(true)
			nested--
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0 && nested == 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			if quote == 0 && nested == 0 {
				quote = r
			}
		case r == '|' && next != '|' && (i == 0 || runes[i-1] != '|'):
			flush(true)
		case strings.ContainsRune(";&|\n)", r):
			flush(false)
		case r == ' ' || r == '\t':
			end()
		case r == '\\':
		default:
			word.WriteRune(r)
		}
	}
	flush(false)
	return all
}
