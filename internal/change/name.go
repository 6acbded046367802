package change

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName leaves room in a file name (255 bytes on Linux and macOS) for the time and the suffix
// that an archive adds to the name of a unit.
const maxName = 200

// UnitOf derives the name of the unit from a branch or a change id: it replaces "/" with "-".
// If the name cannot be a unit, the error says why and what to do.
func UnitOf(branch string) (string, error) {
	unit := strings.ReplaceAll(branch, "/", "-")
	why := unusable(unit)
	switch unit {
	case "":
		return "", errors.New("an empty name cannot name a unit: check out a branch (git switch -c NAME)")
	case ".", "..":
		why = "it is a directory of its own in every directory"
	}
	if why != "" {
		return "", fmt.Errorf("%q cannot name a unit: %s; rename it (git branch -m NEW-NAME)", branch, why)
	}
	return unit, nil
}

// Valid returns an error if a text cannot be a change id or the short form of one.
func Valid(id string) error {
	why := unusable(id)
	switch {
	case strings.TrimSpace(id) == "":
		return errors.New("an empty text is not a change id")
	case strings.ContainsAny(id, `/\`):
		why = "it is a path; name the change's folder alone, without the folders above it"
	case strings.Contains(id, ".."):
		why = `it holds ".."`
	case strings.HasPrefix(id, "-"):
		why = "it starts with a dash, as a flag does"
	}
	if why == "" {
		return nil
	}
	if len(id) > 60 {
		id = strings.ToValidUTF8(id[:60], "") + "…"
	}
	return fmt.Errorf("%q is not a change id: %s", id, why)
}

// unusable returns why ralph cannot use a name for a folder and show it; "" if it can.
func unusable(name string) string {
	switch {
	case len(name) > maxName:
		return fmt.Sprintf("it has %d bytes, at most %d are possible", len(name), maxName)
	case !utf8.ValidString(name):
		return "it is not valid UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "it contains a control character"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }):
		return "it contains a character that changes the direction of text"
	// File systems that fold case would take "Archive" for the same folder.
	case strings.EqualFold(name, "archive"), strings.EqualFold(name, "config.yaml"):
		return "ralph uses this name for something else"
	}
	return ""
}

// maxBranchWords is how many words of a title make the name of a branch.
const maxBranchWords = 4

// BranchFor proposes a branch for a feature with this title.
func BranchFor(title string) string {
	parts := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if len(parts) == 0 {
		return "feature/NAME"
	}
	return "feature/" + strings.Join(parts[:min(len(parts), maxBranchWords)], "-")
}
