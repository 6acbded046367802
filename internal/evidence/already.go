package evidence

import (
	"context"
	"regexp"
	"strings"

	"ralph/internal/proof"
)

// alreadyDone begins the note of a story that needs no work.
const alreadyDone = "already done:"

var hashWord = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)

// already looks for the work of marks without a change: the commit that the story's note
// names, else those that touched the tests it names last, else what was committed since ralph
// started with the story's id in its message. The mark counts where tests of that work fail without it.
func (g *gathering) already(ctx context.Context) error {
	if g.Rules.Mode == Off || len(g.Checks) == 0 || g.base.Commit == "" {
		return nil
	}
	for _, id := range Without(g.claim.Items, g.claim.TakenOver) {
		from, to, err := g.doneBy(ctx, id, g.noteOf(id))
		if err != nil || ctx.Err() != nil {
			return err
		}
		if from == "" || from == to {
			continue
		}
		rules := g.Rules.Runs
		rules.OldTests, rules.NewTests = proof.Off, proof.Warn
		p, touched, err := g.runsOf(ctx, proof.Commits{Base: from, Head: to}, rules)
		if err != nil {
			return err
		}
		if touched != "" {
			continue // no proof can come from code that changes what is proved
		}
		if p != nil && (p.New.Outcome == proof.Failed || p.Strength.Held > 0) {
			g.facts.Already, g.facts.Proof = append(g.facts.Already, id), p
		}
	}
	return nil
}

// noteOf returns the note of an item.
func (g *gathering) noteOf(id string) string {
	for _, it := range g.claim.State.Items {
		if it.ID == id {
			return it.Notes
		}
	}
	return ""
}

// doneBy returns the commits before and after the work of a story that is done already; both
// are empty where none is known.
func (g *gathering) doneBy(ctx context.Context, id, note string) (from, to string, err error) {
	if text, ok := strings.CutPrefix(strings.TrimSpace(note), alreadyDone); ok {
		for _, hash := range hashWord.FindAllString(text, -1) {
			if in, err := g.Repo.IsAncestor(ctx, hash, g.base.Commit); err == nil && in {
				c, err := g.Repo.Commit(ctx, hash)
				return c.Parent, hash, err
			}
		}
		for _, word := range strings.Fields(text) {
			word = strings.Trim(word, ".,;:()`\"'")
			if !strings.ContainsAny(word, "./") {
				continue
			}
			if c, err := g.Repo.LastCommit(ctx, word); err == nil && c.Hash != "" {
				return c.Parent, c.Hash, nil
			}
		}
	}
	if g.began == "" || g.began == g.base.Commit {
		return "", "", nil
	}
	whole := regexp.MustCompile(`(?:^|[^\w.-])` + regexp.QuoteMeta(id) + `(?:[^\w-]|$)`)
	commits, err := g.Repo.Log(ctx, g.base.Commit, g.began) // the newest first
	for _, c := range commits {
		if whole.MatchString(c.Message) {
			from = c.Parent
			if to == "" {
				to = c.Hash
			}
		}
	}
	return from, to, err
}
