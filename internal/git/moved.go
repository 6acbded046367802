package git

import (
	"context"
	"strings"
)

// Moved compares the history of two commits. gained lists the commits reachable from to but
// not from from, lost the opposite: full hashes, parents before children. An empty from means
// that there was no commit.
func (r *Repo) Moved(ctx context.Context, from, to string) (gained, lost []string, err error) {
	switch {
	case from != "" && to == "": // the branch itself is gone
		lost, err = r.Commits(ctx, "", from)
		return nil, lost, err
	case from == "" || from == to:
		gained, err = r.Commits(ctx, from, to)
		return gained, nil, err
	}
	if err := checkRevision(from, to); err != nil {
		return nil, nil, err
	}
	out, err := r.git(ctx, "rev-list", "--topo-order", "--reverse", "--left-right", from+"..."+to, "--")
	if err != nil {
		return nil, nil, err
	}
	for hash := range strings.FieldsSeq(string(out)) {
		if side, ok := strings.CutPrefix(hash, "<"); ok {
			lost = append(lost, side)
		} else {
			gained = append(gained, strings.TrimPrefix(hash, ">"))
		}
	}
	return gained, lost, nil
}
