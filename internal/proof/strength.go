package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ralph/internal/git"
)

const (
	// hunkGap is how many unchanged lines may be between two blocks of one hunk.
	hunkGap = 3
	// maxDiff bounds what is read of a change, in bytes.
	maxDiff = 16 << 20
	// maxUnheld bounds how many hunks are named.
	maxUnheld = 20
)

// Strength measures how much of the work the checks hold.
type Strength struct {
	Held   int    `json:"held"`
	Run    int    `json:"run"`   // the sample
	Total  int    `json:"total"` // hunks of the work
	Unheld []Hunk `json:"unheld,omitempty"`
}

// sampled reports whether the time allowed only a sample of the hunks.
func (s Strength) sampled() bool { return s.Run < s.Total }

// Share returns the part of the sample that the checks hold. It is 1 if nothing was run.
func (s Strength) Share() float64 {
	if s.Run == 0 {
		return 1
	}
	return float64(s.Held) / float64(s.Run)
}

// Hunk describes a part of the work that can be removed without any check failing.
type Hunk struct {
	Path string `json:"path"`
	Line int    `json:"line"` // in head; where lines were removed, the line before
	End  int    `json:"end"`
	Text string `json:"text,omitempty"` // the first line that says something
}

// String returns the place of the hunk in the form that editors understand.
func (h Hunk) String() string {
	if h.End > h.Line {
		return fmt.Sprintf("%s:%d-%d", h.Path, h.Line, h.End)
	}
	return fmt.Sprintf("%s:%d", h.Path, h.Line)
}

// block is a hunk with what is needed to take it out.
type block struct {
	git.DiffHunk
	Hunk
}

// strength takes one hunk after the other out of the work, in an order in which any
// beginning is an even sample.
func (p *Prover) strength(ctx context.Context, c *comparison, r *Proof) (Strength, error) {
	if p.Settings.Budget <= 0 {
		return Strength{}, nil
	}
	blocks, err := c.blocks(ctx)
	if err != nil {
		return Strength{}, err
	}
	s := Strength{Total: len(blocks)}
	until := p.Elapsed() + p.Settings.Budget
	for _, i := range spread(len(blocks)) {
		left := until - p.Elapsed()
		if left <= 0 {
			break
		}
		limited, cancel := context.WithTimeout(ctx, left)
		held, err := p.holds(limited, c, r, blocks[i])
		over := limited.Err() != nil
		cancel()
		if ctx.Err() != nil {
			return s, err
		}
		if over {
			break
		}
		if err != nil {
			return s, err
		}
		s.Run++
		if held {
			s.Held++
		} else {
			s.Unheld = append(s.Unheld, blocks[i].Hunk)
		}
	}
	slices.SortFunc(s.Unheld, func(a, b Hunk) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.Line - b.Line
	})
	s.Unheld = s.Unheld[:min(maxUnheld, len(s.Unheld))]
	return s, nil
}

// holds reports whether a check fails without the hunk.
func (p *Prover) holds(ctx context.Context, c *comparison, r *Proof, b block) (bool, error) {
	entry := git.TreeEntry{}
	if is := c.is[b.Path]; is.IsFile() && c.was[b.Path].IsFile() {
		hash, err := c.repo.WriteBlob(b.without(c.texts[is.Hash], c.texts[c.was[b.Path].Hash]))
		if err != nil {
			return false, err
		}
		entry = git.TreeEntry{Mode: is.Mode, Hash: hash}
	} else {
		entry = c.was[b.Path]
	}
	commit, err := c.commit(ctx, c.head, map[string]git.TreeEntry{b.Path: entry})
	if err != nil {
		return false, err
	}
	for _, ck := range p.Checks {
		head, err := p.run(ctx, r, c.head, ck)
		if err != nil {
			return false, err
		}
		if !head.Green() {
			continue // it fails with the hunk too
		}
		res, err := p.runBroken(ctx, c, r, commit, ck)
		if err != nil {
			return false, err
		}
		if !res.Green() {
			return true, nil
		}
	}
	return false, nil
}

// without returns the text of head with the block as it was at base.
func (b block) without(head, base string) string {
	is, was := splitLines(head), splitLines(base)
	from, to := b.NewLine-1, b.NewLine-1+b.NewCount
	if b.NewCount == 0 {
		from, to = b.NewLine, b.NewLine
	}
	start := b.OldLine - 1
	if b.OldCount == 0 {
		start = b.OldLine
	}
	if from < 0 || to > len(is) || start < 0 || start+b.OldCount > len(was) {
		return head
	}
	return strings.Join(slices.Concat(is[:from], was[start:start+b.OldCount], is[to:]), "")
}

// splitLines splits a text after its line ends.
func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// blocks lists the hunks of the work that can matter to a check.
func (c *comparison) blocks(ctx context.Context) ([]block, error) {
	if len(c.changed[Work]) == 0 {
		return nil, nil
	}
	diff, _, err := c.repo.Diff(ctx, git.Diff{From: c.base, To: c.head, Gap: hunkGap, NoRenames: true, Limit: maxDiff})
	if err != nil {
		return nil, err
	}
	work := map[string]bool{}
	for _, name := range c.changed[Work] {
		work[name] = true
	}
	var blocks []block
	seen := map[string]bool{}
	for _, b := range blocksIn(diff) {
		was, is := c.was[b.Path], c.is[b.Path]
		whole := !was.IsFile() || !is.IsFile()
		if !work[b.Path] || seen[b.Path] && whole || is.IsSubmodule() || was.IsSubmodule() || isGenerated(c.texts[is.Hash]) {
			continue
		}
		seen[b.Path] = true
		without := c.texts[was.Hash]
		if !whole {
			without = b.without(c.texts[is.Hash], c.texts[was.Hash])
		}
		if withoutRemarks(b.Path, without) == withoutRemarks(b.Path, c.texts[is.Hash]) || b.inRustTests(c.texts[is.Hash]) {
			continue
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// inRustTests reports whether the block is in a module of tests.
func (b block) inRustTests(head string) bool {
	if !strings.HasSuffix(b.Path, ".rs") || b.NewCount == 0 {
		return false
	}
	lines := splitLines(head)
	from, to := min(b.NewLine-1, len(lines)), min(b.NewLine-1+b.NewCount, len(lines))
	text := strings.Join(lines[from:to], "")
	before := len(strings.Join(lines[:from], ""))
	for _, at := range testModule.FindAllStringIndex(head, -1) {
		if before >= at[0] && before+len(text) <= closing(head, at[1]) {
			return true
		}
	}
	return false
}

// isGenerated reports whether a file says in its first lines that a program wrote it.
func isGenerated(text string) bool {
	head := strings.ToLower(text[:min(len(text), 600)])
	return strings.Contains(head, "code generated") && strings.Contains(head, "do not edit") || strings.Contains(head, "@generated") ||
		strings.Contains(head, "auto-generated") || strings.Contains(head, "autogenerated") || strings.Contains(head, "automatically generated")
}

// blocksIn returns the hunks of a diff.
func blocksIn(diff string) (blocks []block) {
	for _, f := range git.ParseDiff(diff) {
		for _, h := range f.Hunks {
			last := h.NewLine + h.NewCount - 1
			blocks = append(blocks, block{h, Hunk{
				Path: f.Path(), Line: max(h.NewLine, 1), End: max(last, 1), Text: firstText(h)}})
		}
	}
	return blocks
}

// firstText returns the first changed line that says something.
func firstText(h git.DiffHunk) string {
	for _, line := range slices.Concat(h.Removed, h.Added) {
		if text := strings.TrimSpace(line); len(text) > 2 {
			return strings.ToValidUTF8(text[:min(len(text), 120)], "")
		}
	}
	return ""
}

// spread returns the numbers below n in an order in which each beginning is spread evenly.
func spread(n int) []int {
	order, seen := make([]int, 0, n), make([]bool, n)
	for parts := 1; len(order) < n; parts *= 2 {
		for k := range parts {
			i := (2*k + 1) * n / (2 * parts)
			if i < n && !seen[i] {
				seen[i] = true
				order = append(order, i)
			}
		}
		if parts > 2*n {
			for i, done := range seen {
				if !done {
					seen[i] = true
					order = append(order, i)
				}
			}
		}
	}
	return order
}
