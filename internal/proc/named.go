package proc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Named is a living process with the kernel's short name for it. The name is only for
// display.
type Named struct {
	ID
	Name string
}

// ByToken lists the living processes that EndByToken would kill, by pid. They are the
// processes of this user that carry the token, except the caller.
func ByToken(token string) ([]Named, error) {
	if token == "" {
		return nil, errors.New("looking for processes by token needs a token that is not empty")
	}
	found, err := holders(token, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot read the process table: %w", err)
	}
	list := make([]Named, 0, len(found))
	for _, e := range found {
		list = append(list, Named{e.id, e.name})
	}
	slices.SortFunc(list, func(a, b Named) int { return cmp.Compare(a.PID, b.PID) })
	return list, nil
}
