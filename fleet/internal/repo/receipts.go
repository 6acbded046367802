package repo

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// receiptsRef is where ralph notes on each commit why a story was accepted. All loops of
// a mirror share it, and on the remote all hosts.
const receiptsRef = "refs/notes/ralph"

// joinedNotes is the name of the notes in which a mirror puts its own and the remote's
// together: ralph may write its own at the same time.
const joinedNotes = "ralph-fleet"

// receiptTries is how often other hosts may be first.
const receiptTries = 8

// receipts is what a mirror knows of its receipts on the remote.
type receipts struct {
	mu     sync.Mutex // one push at a time
	pushed string     // our notes as the remote has them
}

// PushReceipts puts the receipts of this mirror next to those that are on the remote, so
// that 'ralph verify' finds them in any clone.
func (t *Tree) PushReceipts(ctx context.Context) error {
	t.receipts.mu.Lock()
	defer t.receipts.mu.Unlock()
	var refused error
	for range receiptTries {
		local := call{dir: t.mirror}
		ours, err := local.run(ctx, "for-each-ref", "--format=%(objectname)", receiptsRef)
		if err != nil || ours == "" || ours == t.receipts.pushed {
			return err
		}
		refs, err := remoteRefs(ctx, t.mirror, "origin", receiptsRef)
		if err != nil {
			return err
		}
		joined, theirs := ours, refs[receiptsRef]
		if theirs != "" && theirs != ours {
			if joined, err = t.join(ctx, ours, theirs); err != nil {
				return fmt.Errorf("the receipts cannot be put together with those on the remote: %w", err)
			}
		}
		_, refused = call{dir: t.mirror, limit: talkLimit}.run(ctx, "push", "--quiet", "--no-verify", "--force-with-lease="+receiptsRef+":"+theirs,
			"origin", joined+":"+receiptsRef)
		if refused == nil {
			t.receipts.pushed = ours
			return nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return &TroubleError{errors.Join(errors.New("the receipts cannot be pushed"), refused)}
}

// join makes one history of our notes and theirs; a commit that both know has the lines
// of both.
func (t *Tree) join(ctx context.Context, ours, theirs string) (string, error) {
	if _, err := (call{dir: t.mirror, limit: fetchLimit}).run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "origin", theirs); err != nil {
		return "", err
	}
	c := call{dir: t.mirror, env: identity}
	if _, err := c.run(ctx, "update-ref", "refs/notes/"+joinedNotes, ours); err != nil {
		return "", err
	}
	if _, err := c.run(ctx, "notes", "--ref="+joinedNotes, "merge", "--quiet", "--strategy=cat_sort_uniq", theirs); err != nil {
		return "", err
	}
	return c.run(ctx, "rev-parse", "--verify", "refs/notes/"+joinedNotes)
}
