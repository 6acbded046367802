package proc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Named is a living process with the kernel's short name of it, which is for
// people only.
type Named struct {
	ID
	Name string
}

// ByToken lists the living processes of this user, the caller aside, that were
// started with TokenVar=token in their environment, by pid: those that EndByToken
// would kill.
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
