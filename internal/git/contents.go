package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// contents reads objects by their names in one call of git.
func (r *Repo) contents(ctx context.Context, names []string) ([]string, error) {
	out, err := run(ctx, r.Root, []byte(strings.Join(names, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, len(names))
	for _, name := range names {
		text, rest, err := cutObject(out)
		if err != nil {
			return nil, fmt.Errorf("git cat-file: the object %s cannot be read: %w", name, err)
		}
		texts, out = append(texts, text), rest
	}
	return texts, nil
}

// cutObject splits the first record off the output of "git cat-file --batch": "<name> <type>
// <size> LF <content> LF". For a missing object git prints "<name> missing LF".
func cutObject(out []byte) (text string, rest []byte, err error) {
	head, rest, _ := bytes.Cut(out, []byte("\n"))
	part := strings.Fields(string(head))
	if len(part) != 3 {
		return "", nil, fmt.Errorf("git says %q", head)
	}
	size, err := strconv.Atoi(part[2])
	if err != nil || size < 0 || size >= len(rest) {
		return "", nil, fmt.Errorf("git says %q", head)
	}
	return string(rest[:size]), rest[size+1:], nil
}
