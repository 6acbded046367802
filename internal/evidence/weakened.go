package evidence

import (
	"context"
	"slices"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/stream"
	"ralph/internal/tamper"
)

// maxCommands bounds how many findings about commands are kept.
const maxCommands = 50

// InspectCommand checks a command that the agent runs, and keeps a finding for the next claim.
func (g *Gate) InspectCommand(e stream.Event) {
	if e.Kind == stream.KindTool && e.Command != "" && len(g.commands) < maxCommands {
		if f, ok := tamper.Command(e.Command, g.local.Hooked()); ok {
			g.commands = append(g.commands, f)
		}
	}
}

// HasCommandFindings reports whether InspectCommand found something that no claim was judged
// with yet.
func (g *Gate) HasCommandFindings() bool { return len(g.commands) > 0 }

// Open reports whether recorded findings are neither accepted nor undone.
func (g *Gate) Open() bool { return g.open }

// weakened returns what weakens the evidence since the base, without what is known.
func (g *gathering) weakened(ctx context.Context) ([]tamper.Finding, error) {
	found, err := g.inspect(context.WithoutCancel(ctx))
	found = append(found, g.commands...)
	g.commands = nil
	return found, err
}

func (g *gathering) inspect(ctx context.Context) ([]tamper.Finding, error) {
	found := tamper.Compare(g.local, g.Repo.LocalConfig())
	patched, err := g.patched(ctx)
	if err != nil {
		return nil, err
	}
	found = append(found, patched...)
	if g.base.Commit != "" {
		d, err := g.changes(ctx)
		if err != nil {
			unreadable := tamper.Finding{Rule: "unreadable", Message: "the changes cannot be inspected: " + err.Error()}
			return []tamper.Finding{unreadable}, nil
		}
		inDiff, err := g.inDiff(ctx, d)
		if err != nil {
			return nil, err
		}
		found = append(found, inDiff...)
	}
	return slices.DeleteFunc(found, func(f tamper.Finding) bool { return g.known[f] }), nil
}

// patched returns the borrowed folders that are not as they were at the base, although no lock
// file next to them is another one.
func (g *gathering) patched(ctx context.Context) ([]tamper.Finding, error) {
	now, err := g.Deps.Prints(ctx, g.borrowed)
	var found []tamper.Finding
	for _, n := range now {
		patched := func(b journal.Borrowed) bool { return b.Path == n.Path && b.Locks == n.Locks && b.Content != n.Content }
		if slices.ContainsFunc(g.borrowed, patched) {
			found = append(found, tamper.Finding{Path: n.Path, Rule: "dependencies-changed",
				Message: "dependencies were changed, and no lock file next to them; " +
					"if that was you, install them again"})
		}
	}
	return found, err
}

// inDiff returns what a diff to the worktree weakens. Where it is too large, foreign and
// generated files are left out.
func (g *gathering) inDiff(ctx context.Context, d changes) ([]tamper.Finding, error) {
	if d.cut {
		exclude := append(g.Derived(), git.ExcludeAnywhere(tamper.Ignored())...)
		text, cut, err := g.Repo.Diff(ctx, git.Diff{From: d.from, Exclude: exclude, Limit: maxDiff})
		if err != nil {
			return nil, err
		}
		d.text, d.cut = text, cut
	}
	return tamper.Inspect(tamper.Input{Diff: d.text, CutOff: d.cut, Root: g.Repo.Root, Open: slices.ContainsFunc(g.Checks, unsealed)}), nil
}

// unsealed reports whether a check always runs without a room.
func unsealed(c check.Check) bool { return c.Rooms == nil }
