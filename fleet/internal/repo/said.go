package repo

import (
	"regexp"
	"slices"
	"strings"

	"ralph/fleet/internal/events"
)

// unreasoned are complaints of git that give no reason: the connection, the remote or a hook
// there gave it before.
var unreasoned = []string{
	"Could not read from remote repository", "failed to push some refs", "the remote end hung up", "early EOF", "index-pack failed",
}

// refusal is how a push reports what became of a reference, with the reason.
var refusal = regexp.MustCompile(`^! \[[a-z ]+\] .* \((.+)\)$`)

// complaint is what a call of git said on standard error, by who said it.
type complaint struct {
	git, refused, remote, others []string
}

func complaintOf(text string) (c complaint) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		remote, isRemote := strings.CutPrefix(line, "remote:")
		reason := refusal.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: "):
			c.git = append(c.git, line[len("fatal: "):]) // both are of one length
		case isRemote:
			c.remote = append(c.remote, strings.TrimSpace(remote))
		case reason != nil && !slices.Contains(c.refused, reason[1]):
			c.refused = append(c.refused, reason[1])
		case reason == nil && !isBesides(line):
			c.others = append(c.others, line)
		}
	}
	return c
}

// isBesides reports whether a line has nothing to do with what went wrong.
func isBesides(line string) bool {
	return line == "" || slices.ContainsFunc([]string{
		"hint:", "warning:", "Warning:", "To ", "From ", "Please make sure you have the correct access", "and the repository exists",
	}, func(prefix string) bool { return strings.HasPrefix(line, prefix) })
}

// said is what git complained of, in a line, with the reasons that others gave.
func said(text string, err error) string {
	c := complaintOf(text)
	isFull := func(line string) bool { return strings.Contains(line, "No space left on device") }
	switch { // of all that git says then, this is what matters
	case slices.ContainsFunc(slices.Concat(c.git, c.others), isFull):
		return "the disk is full (no space left on device)"
	case slices.ContainsFunc(c.remote, isFull):
		return "the disk of the remote is full (no space left on device)"
	}
	gives := func(line string) bool {
		return !slices.ContainsFunc(unreasoned, func(prefix string) bool { return strings.HasPrefix(line, prefix) })
	}
	var parts []string
	if i := slices.IndexFunc(c.git, gives); i >= 0 {
		parts = append(parts, c.git[i])
	} else {
		if len(c.git) > 0 {
			parts = append(parts, strings.TrimSuffix(c.git[0], "."))
		}
		parts = slices.Concat(parts, c.refused, c.others[max(len(c.others)-2, 0):])
	}
	parts = append(parts, strings.Join(c.remote, " "))
	line := events.OneLine(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": "))
	switch {
	case line == "":
		return err.Error()
	case len(line) > longestSaid:
		return strings.ToValidUTF8(line[:longestSaid], "") + "…"
	}
	return line
}

const longestSaid = 500 // bytes
