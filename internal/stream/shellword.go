package stream

import "strings"

// ShellWord quotes a word for a shell command that the user may copy, as a branch may be named
// $(reboot). ralph itself passes nothing through a shell.
func ShellWord(word string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > '~' || strings.ContainsRune("-_./:=@%+,", r))
	}
	if word != "" && !strings.ContainsFunc(word, odd) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
