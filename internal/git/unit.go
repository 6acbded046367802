package git

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxUnit leaves room in a file name (255 bytes on Linux and macOS) for the
// time and the suffix that an archive puts around a unit.
const maxUnit = 200

// UnitOf derives the name of the unit from a branch or a change id: it replaces "/" with "-".
// If the name cannot be a unit, the error says why and what to do.
func UnitOf(branch string) (string, error) {
	unit := strings.ReplaceAll(branch, "/", "-")
	refused := func(why string) (string, error) {
		return "", fmt.Errorf("%q cannot name a unit: %s; rename it (git branch -m NEW-NAME)", branch, why)
	}
	switch {
	case unit == "":
		return "", fmt.Errorf("an empty name cannot name a unit: check out a branch (git switch -c NAME)")
	case unit == "." || unit == "..":
		return refused("it is a directory of its own in every directory")
	// File systems that fold case would take "Archive" for the same folder.
	case strings.EqualFold(unit, "archive"), strings.EqualFold(unit, "config.yaml"):
		return refused("ralph keeps something else under .ralph/" + strings.ToLower(unit))
	case len(unit) > maxUnit:
		return refused(fmt.Sprintf("it has %d bytes, at most %d are possible", len(unit), maxUnit))
	case !utf8.ValidString(unit):
		return refused("it is not valid UTF-8")
	case strings.ContainsFunc(unit, unicode.IsControl):
		return refused("it contains a control character")
	case strings.ContainsFunc(unit, turnsText):
		return refused("it contains a character that changes the direction of text")
	}
	return unit, nil
}

// turnsText reports characters that show a name as another one, and that are taken
// out of whatever is shown: a path would not be found by what a prompt says.
func turnsText(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }
