package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"ralph/internal/account"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/prd"
	"ralph/internal/regular"
	"ralph/internal/report"
	"ralph/internal/screen"
	"ralph/internal/spec"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/verify"
)

// prCmd is "ralph pr".
type prCmd struct {
	unitArg
	Create bool   `help:"Create the pull request with GitHub's gh. Log in to gh and push the branch first." xor:"form"`
	Draft  bool   `help:"With --create: as a draft. A feature that is not done can only become a draft."`
	Base   string `help:"With --create: the branch to merge into (default: the default branch)." placeholder:"BRANCH"`
	Title  string `help:"Title (default: the title of spec.md, else the task or the branch)." placeholder:"TEXT"`
	JSON   bool   `help:"Print JSON." xor:"form"`
}

// Validate refuses flags that would have no effect; kong calls it.
func (c *prCmd) Validate() error {
	if !c.Create && (c.Draft || c.Base != "") {
		return errors.New("--draft and --base are for --create")
	}
	return nil
}

// pullRequest is the text of one, as --json prints it.
type pullRequest struct {
	Title  string `json:"title"`
	Body   string `json:"body"` // Markdown
	Branch string `json:"branch"`
	Done   bool   `json:"done"` // the plan is

	root string // of the worktree
}

// Run carries the command out.
func (c *prCmd) Run(a *app) error {
	p, err := c.place(a)
	if err != nil {
		return err
	}
	pr, err := c.pullRequest(a, p)
	switch {
	case err != nil:
		return err
	case pr == nil:
		return hint.With(fmt.Errorf("there is no run of %s to write about", unit.Name(p)), "start one with 'ralph run'")
	case c.Create:
		return c.create(a, pr)
	case c.JSON:
		return terminal.PrintJSON(a.t, pr)
	}
	return terminal.Buffered(a.t, func(t *terminal.Terminal) error {
		t.Printf("# %s\n\n%s", pr.Title, pr.Body)
		return nil
	})
}

// pullRequest writes the text; it is nil where the unit never ran.
func (c *prCmd) pullRequest(a *app, p *unit.Place) (*pullRequest, error) {
	last, err := account.Read(screen.Notes(a.t), p, "")
	if err != nil || last == nil {
		return nil, err
	}
	text := report.PullRequest{Unit: last.Unit, Plan: last.Plan, Receipts: map[string]string{}}
	for _, s := range last.Runs {
		acc := last
		if s.ID != last.Run.ID {
			if acc, err = account.Of(screen.Notes(a.t), last.Record, s.ID); err != nil {
				return nil, err
			}
		}
		if acc.Run != nil {
			text.Runs = append(text.Runs, acc.Run)
		}
	}
	pr := &pullRequest{Branch: last.Branch, Done: last.Run.Done(), root: p.Repo.Root}
	title := ""
	if last.Plan.Feature() {
		if title, err = describe(a, p, &text); err != nil {
			return nil, err
		}
	}
	title = cmp.Or(title, last.Run.Task, last.Branch, last.Unit)
	pr.Title = cmp.Or(c.Title, terminal.Shortened(stream.OneLine(title), 100))
	var body bytes.Buffer
	err = text.Markdown(&body)
	pr.Body = body.String()
	return pr, err
}

// describe adds what the plan says of itself, and the receipts of its finished
// stories. It returns the title of its spec.md.
func describe(a *app, p *unit.Place, text *report.PullRequest) (string, error) {
	repo, err := git.Open(a.ctx, p.Repo.Root) // one from the list of loops knows its folders alone
	if err != nil {
		return "", err
	}
	feature, err := verify.Find(repo.Root, p.Archive(), p.Unit)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", unit.Local(repo.Root, err)
	}
	text.About = feature.PRD.Description
	head, err := repo.Head(a.ctx)
	if err != nil {
		return "", err
	}
	var finished []evidence.StoryOf
	for _, st := range feature.PRD.Stories {
		if st.Passes {
			finished = append(finished, evidence.StoryOf{Unit: p.Unit, Story: st.ID})
		}
	}
	found, err := evidence.FindReceipts(a.ctx, repo, head.Commit, finished)
	if err != nil {
		return "", err
	}
	for s, receipt := range found {
		text.Receipts[s.Story] = screen.Receipt(verify.NewReceipt(receipt))
	}
	path := filepath.Join(repo.Root, filepath.Dir(feature.File), "spec.md")
	data, err := regular.Read(path, prd.MaxSize)
	if err != nil {
		return "", nil //nolint:nilerr // a title is all that it is read for
	}
	s, _, err := spec.Parse(path, data)
	if err != nil {
		return "", nil //nolint:nilerr // as above
	}
	return s.Title, nil
}

// create hands the text to gh.
func (c *prCmd) create(a *app, pr *pullRequest) error {
	if !pr.Done && !c.Draft {
		return hint.With(errors.New("the plan is not done"), "continue with 'ralph run', or make a draft: ralph pr --create --draft")
	}
	gh, err := exec.LookPath("gh")
	if err != nil {
		return hint.With(errors.New("gh, GitHub's command line tool, was not found"),
			"install it (https://cli.github.com), or print the text: ralph pr")
	}
	argv := []string{"pr", "create", "--title", pr.Title, "--body-file", "-", "--head", pr.Branch}
	if c.Base != "" {
		argv = append(argv, "--base", c.Base)
	}
	if c.Draft {
		argv = append(argv, "--draft")
	}
	var complaint bytes.Buffer
	cmd := exec.CommandContext(a.ctx, gh, argv...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = pr.root, strings.NewReader(pr.Body), a.t.Out, &complaint
	if err := cmd.Run(); err != nil {
		text := cmp.Or(strings.TrimSpace(complaint.String()), err.Error())
		return hint.With(fmt.Errorf("gh has not created the pull request: %s", text),
			"is the branch pushed? git push -u origin "+stream.ShellWord(pr.Branch))
	}
	return nil
}
