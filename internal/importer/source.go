package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSize bounds a source, in bytes.
const maxSize = 16 << 20

// places lists the files in which other tools keep their plans, from the worktree's root.
// UNIT is replaced with the folder of the branch.
var places = []string{
	".ralph-hybrid/UNIT/prd.json", "scripts/ralph/prd.json", "prd.json", "tasks/prd.json", ".ralph-tui/prd.json",
	".ralph/fix_plan.md", ".ralph/@fix_plan.md", "@fix_plan.md", "fix_plan.md", ".beads/issues.jsonl",
	".ralph/PROMPT.md", "TODO.md",
}

// changes lists the folders that contain changes of Ito and OpenSpec.
var changes = []string{".ito/changes", "openspec/changes"}

// NoSourceError reports that nothing was found to import, or more than one thing.
type NoSourceError struct{ Found []string }

// Error names what was found.
func (e *NoSourceError) Error() string {
	if len(e.Found) == 0 {
		return "no plan of another tool was found here"
	}
	return "there is more than one plan to import: " + strings.Join(e.Found, ", ")
}

// Find finds the plan of another tool below root, and returns its path from there. The plan
// is a file, or the folder of a change. The error is a *NoSourceError unless exactly one was
// found.
func Find(root, unit string) (string, error) {
	var found []string
	for _, place := range places {
		place = strings.ReplaceAll(place, "UNIT", unit)
		if info, err := os.Stat(filepath.Join(root, place)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if filepath.Base(place) == "PROMPT.md" && len(found) > 0 {
			continue // it belongs to the fix_plan.md next to it
		}
		found = append(found, place)
	}
	for _, folder := range changes {
		entries, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if _, err := os.Stat(filepath.Join(root, folder, e.Name(), "tasks.md")); err == nil && e.Name() != "archive" {
				found = append(found, filepath.Join(folder, e.Name()))
			}
		}
	}
	if len(found) != 1 {
		return "", &NoSourceError{found}
	}
	return found[0], nil
}

// IsIssues reports whether the source names GitHub issues and not a file: "#12",
// "12,13", "label:NAME" or the address of an issue.
func IsIssues(source string) bool {
	return issueNumbers.MatchString(source) || strings.HasPrefix(source, "label:") || issueURL.MatchString(source)
}

var (
	issueNumbers = regexp.MustCompile(`^#?\d+(,\s*#?\d+)*$`)
	issueURL     = regexp.MustCompile(`^https://[^/]+/[^/]+/[^/]+/issues/\d+$`)
)

// Read reads the plan from a file or a folder; path is as the user named it.
func Read(path string) (*Plan, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return readFolder(path)
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	p, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	p.addNeighbours(path)
	return p, p.finish()
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a plain file", path)
	case info.Size() > maxSize:
		return nil, fmt.Errorf("%s is larger than 16 MB", path)
	}
	data, err := os.ReadFile(path)
	if err == nil && !utf8.Valid(data) {
		err = fmt.Errorf("%s is not UTF-8 text", path)
	}
	return bytes.TrimPrefix(data, []byte("\uFEFF")), err
}

func parse(path string, data []byte) (*Plan, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".json":
		return readJSON(path, data)
	case ".jsonl":
		return readBeads(path, data)
	case ".md", ".markdown", ".txt", "":
		if _, items := scan(string(data)); len(items) == 0 {
			return nil, fmt.Errorf("%s has no boxes (- [ ]) that could become stories", path)
		}
		return readChecklist(path, string(data)), nil
	default:
		return nil, fmt.Errorf("%s: files of type %s cannot be imported", path, ext)
	}
}

// addNeighbours adds what the files next to the source say: the problem and the success
// criteria of ralph-hybrid's spec.md, the instructions of a PROMPT.md.
func (p *Plan) addNeighbours(path string) {
	folder := filepath.Dir(path)
	if data, err := readFile(filepath.Join(folder, "spec.md")); err == nil && filepath.Base(path) == "prd.json" {
		if title, _ := scan(string(data)); title != "" {
			p.Title = title
		}
		_, problem := cutSection(string(data), "problem statement")
		_, success := cutSection(string(data), "success criteria")
		_, excluded := cutSection(string(data), "out of scope")
		if problem != "" {
			p.Problem = problem
		}
		if success != "" {
			p.Success = itemsOf(success)
		}
		p.Excluded = excluded
		p.lose("other sections of %s: copy what the agent needs to specs/", filepath.Join(folder, "spec.md"))
	}
	for _, name := range []string{"PROMPT.md", "prompt.md", "CLAUDE.md"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			p.lose("%s: ralph has a prompt of its own; keep what the agent must know in CLAUDE.md or in specs/", filepath.Join(folder, name))
			break
		}
	}
}

// readFolder reads a change of Ito or OpenSpec, or the only plan in a folder.
func readFolder(folder string) (*Plan, error) {
	data, err := readFile(filepath.Join(folder, "tasks.md"))
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range []string{"prd.json", "fix_plan.md", "@fix_plan.md", "issues.jsonl"} {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				return Read(filepath.Join(folder, name))
			}
		}
		return nil, fmt.Errorf("%s has no tasks.md, prd.json, fix_plan.md or issues.jsonl", folder)
	}
	if err != nil {
		return nil, err
	}
	p := readGroups(filepath.Join(folder, "tasks.md"), string(data))
	p.Title = filepath.Base(folder)
	if proposal, err := readFile(filepath.Join(folder, "proposal.md")); err == nil {
		if title, _ := scan(string(proposal)); title != "" && !strings.EqualFold(title, "proposal") {
			p.Title = title
		}
		if _, p.Problem = cutSection(string(proposal), "why"); p.Problem == "" {
			p.Problem, _ = cutSection(string(proposal), "what changes")
		}
	}
	for _, name := range []string{"design.md", "specs"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			p.lose("%s: stays where it is; 'ralph run --change %s' works on the change itself", filepath.Join(folder, name), filepath.Base(folder))
		}
	}
	return p, p.finish()
}

// Issues reads GitHub issues through gh, in the folder of the repository: one, a list,
// or all open ones with a label. The error names what gh said.
func Issues(ctx context.Context, dir, source string) (*Plan, error) {
	const fields = "number,title,body,state,url"
	p := &Plan{From: "GitHub issues " + source, Title: "GitHub issues " + source}
	var list []issue
	label, byLabel := strings.CutPrefix(source, "label:")
	label = strings.TrimSpace(label)
	switch {
	case byLabel && label == "":
		return nil, errors.New("label: names no label; name one: ralph import label:NAME")
	case byLabel:
		if err := gh(ctx, dir, &list, "issue", "list", "--label", label, "--state", "open", "--limit", "200", "--json", fields); err != nil {
			return nil, err
		}
		slices.Reverse(list) // gh prints the newest first
	default:
		for _, ref := range issueRefs(source) {
			var one issue
			if err := gh(ctx, dir, &one, "issue", "view", ref, "--json", fields); err != nil {
				return nil, err
			}
			list = append(list, one)
		}
	}
	for i, is := range list {
		s := markdownStory(is.Title, is.Body)
		s.ID, s.priority = fmt.Sprintf("GH-%d", is.Number), float64(i)
		s.Technical = "Issue: " + is.URL
		if strings.EqualFold(is.State, "closed") {
			p.lose("issue #%d is closed: it is imported as open work", is.Number)
		}
		p.Stories = append(p.Stories, s)
	}
	if len(list) == 1 {
		p.Title, p.Problem = list[0].Title, list[0].Body
	}
	p.lose("comments, assignees and milestones of the issues")
	return p, p.finish()
}

// issueRefs returns the issues that a source names, each once, as gh takes them.
func issueRefs(source string) []string {
	var refs []string
	for ref := range strings.SplitSeq(source, ",") {
		ref = cmp.Or(strings.TrimLeft(strings.TrimSpace(ref), "#0"), "0")
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

type issue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	State  string `json:"state"`
	URL    string `json:"url"`
}

func gh(ctx context.Context, dir string, into any, args ...string) error {
	cmd := exec.CommandContext(ctx, "gh", args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return errors.New("gh is not installed: GitHub issues are read with it (https://cli.github.com)")
		}
		return fmt.Errorf("gh %s: %s", strings.Join(args[:2], " "), oneLine(errs.String()+" "+err.Error()))
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		return fmt.Errorf("gh %s: its output cannot be read: %w", strings.Join(args[:2], " "), err)
	}
	return nil
}
