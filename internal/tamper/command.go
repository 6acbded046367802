package tamper

import (
	"slices"
	"strings"
)

// Command reports whether a shell line of an agent bypasses the repository's hooks or hides
// files from git. hooked says whether the repository had hooks before. Without hooks, a new
// hooks folder bypasses nothing.
func Command(line string, hooked bool) (Finding, bool) {
	for _, argv := range commandsOf(withoutDocuments(line)) {
		if message := evades(argv, hooked); message != "" {
			return Finding{Rule: "hooks-bypassed", Message: message, Text: shorten(strings.Join(argv, " "))}, true
		}
	}
	return Finding{}, false
}

// evades says what is wrong with one command, "" where nothing is.
func evades(argv []string, repoHooked bool) string {
	bypass := false
	for len(argv) > 0 && strings.Contains(argv[0], "=") && !strings.HasPrefix(argv[0], "-") {
		name, value, _ := strings.Cut(argv[0], "=")
		bypass = bypass || slices.Contains([]string{"HUSKY", "LEFTHOOK"}, name) && (value == "0" || value == "false") ||
			name == "HUSKY_SKIP_HOOKS" && value != "0" || name == "SKIP" && value != ""
		argv = argv[1:]
	}
	argv, global := gitWords(argv)
	if len(argv) == 0 {
		return ""
	}
	sub, args := argv[0], argv[1:]
	hooked := sub == "commit" || sub == "push" || sub == "merge" || sub == "am" || sub == "rebase"
	switch {
	case hooked && (bypass || global):
		return "git was called with the repository's hooks turned off"
	case hooked && slices.Contains(args, "--no-verify"), sub == "commit" && slices.ContainsFunc(args, shortNoVerify):
		return "git " + sub + " was called with --no-verify: the repository's hooks did not run"
	case sub == "config" && repoHooked && setsHooksPath(args):
		return "the repository's hooks were turned off with git config"
	case sub == "update-index" && (slices.Contains(args, "--assume-unchanged") || slices.Contains(args, "--skip-worktree")):
		return "changes to a file were hidden from git"
	}
	return ""
}

// gitWords returns the words of a git command from its name on, and whether the
// words before it turn the hooks off; nothing where it is no call of git.
func gitWords(argv []string) (words []string, hooksOff bool) {
	for len(argv) > 0 && (argv[0] == "sudo" || argv[0] == "env" || argv[0] == "command" || argv[0] == "exec" || argv[0] == "time") {
		argv = argv[1:]
	}
	if len(argv) == 0 || argv[0] != "git" && !strings.HasSuffix(argv[0], "/git") {
		return nil, false
	}
	argv = argv[1:]
	for len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
		takes := argv[0] == "-c" || argv[0] == "-C" || argv[0] == "--git-dir" || argv[0] == "--work-tree"
		if argv[0] == "-c" && len(argv) > 1 {
			key, _, _ := strings.Cut(argv[1], "=")
			hooksOff = hooksOff || isHooksPath(key)
		}
		argv = argv[1:]
		if takes && len(argv) > 0 {
			argv = argv[1:]
		}
	}
	return argv, hooksOff
}

func isHooksPath(word string) bool { return strings.EqualFold(word, "core.hooksPath") }

// setsHooksPath reports whether the arguments of "git config" change the folder of the
// hooks. Reading the setting changes nothing.
func setsHooksPath(args []string) bool {
	at := slices.IndexFunc(args, isHooksPath)
	if at < 0 {
		return false
	}
	for _, arg := range args[:at] {
		switch {
		case strings.HasPrefix(arg, "--unset"), arg == "unset", arg == "set":
			return true
		case strings.HasPrefix(arg, "--get"), arg == "get":
			return false
		}
	}
	return at+1 < len(args) && !strings.ContainsAny(args[at+1], "<>")
}

// withoutDocuments removes here documents from a script: they are text, unless a shell
// reads them. One without an end is not a here document: << also occurs in quotes and sums.
func withoutDocuments(script string) string {
	if !strings.Contains(script, "<<") {
		return script
	}
	var b strings.Builder
	lines := slices.Collect(strings.Lines(script))
	for len(lines) > 0 {
		b.WriteString(lines[0])
		word := documentAt(lines[0])
		lines = lines[1:]
		if word == "" {
			continue
		}
		end := slices.IndexFunc(lines, func(line string) bool { return strings.TrimLeft(strings.TrimRight(line, "\r\n"), "\t") == word })
		lines = lines[end+1:]
	}
	return b.String()
}

// documentAt returns the word that ends the here document after a line; "" if no document
// starts there or a shell reads it.
func documentAt(line string) string {
	_, after, found := strings.Cut(line, "<<")
	if !found || strings.HasPrefix(after, "<") {
		return ""
	}
	for _, argv := range commandsOf(line) { // one after a pipe may read it, too
		if slices.ContainsFunc(argv, isShell) {
			return ""
		}
	}
	after = strings.TrimLeft(strings.TrimPrefix(after, "-"), " \t")
	end := strings.IndexAny(after, " \t\r\n;&|)<>")
	if end < 0 {
		end = len(after)
	}
	return strings.Trim(after[:end], `'"\`)
}

func isShell(word string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, word[strings.LastIndexByte(word, '/')+1:])
}

// shortNoVerify finds -n, alone or among other letters that take no value.
func shortNoVerify(arg string) bool {
	if !strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "--") {
		return false
	}
	for _, r := range arg[1:] {
		switch r {
		case 'n':
			return true
		case 'm', 'F', 'C', 'c', 't', 'u', 'S': // the rest is its value
			return false
		}
	}
	return false
}

// commandsOf splits a line of shell into commands and words, as far as quotes and
// separators go. What is quoted, a commit's message for instance, stays one word.
func commandsOf(line string) [][]string {
	var all [][]string
	var argv []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	end := func() {
		if inWord {
			argv = append(argv, word.String())
		}
		word.Reset()
		inWord = false
	}
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case strings.ContainsRune(";&|\n(){}", r):
			end()
			all, argv = append(all, argv), nil
		case r == ' ' || r == '\t':
			end()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	return append(all, argv)
}
