package stream

import "strings"

// ShellWord returns a word as the user can type it into a shell, in a line that is
// shown to be copied: branches and folders may be named $(reboot). Nothing of
// ralph's own goes through a shell.
func ShellWord(word string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > '~' || strings.ContainsRune("-_./:=@%+,", r))
	}
	if word != "" && !strings.ContainsFunc(word, odd) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
