package plan

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// tasksDepth is how deep below the worktree's root a tasks.md is looked for,
// counted as find -maxdepth counts.
const tasksDepth = 3

// box matches a line that is a checkbox in a list. Its groups are what stands
// before the mark, the mark, and the text.
var box = regexp.MustCompile(`^(\s*(?:[-*+]|\d+[.)])\s+\[)([ xX?])(\]\s+)(.*\S)\s*$`)

// FindTasks returns the tasks.md of a worktree: the one in the root, else the
// first by path that is not below archive/ or node_modules/. It is empty where
// there is none.
func FindTasks(root string) string {
	if path := filepath.Join(root, "tasks.md"); isFile(path) {
		return path
	}
	var found []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a folder that cannot be read holds no plan of ours
		}
		rel, _ := filepath.Rel(root, path)
		depth := strings.Count(rel, string(filepath.Separator)) + 1
		switch {
		case d.IsDir() && rel != ".":
			if slices.Contains([]string{"archive", "node_modules", ".git"}, d.Name()) || depth >= tasksDepth {
				return fs.SkipDir
			}
		case d.Name() == "tasks.md" && d.Type().IsRegular():
			found = append(found, path)
		}
		return nil
	})
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return found[0]
}

// Tasks is a checklist. Its boxes are the record of what is done.
type Tasks struct {
	Root string // the worktree
	File string // the tasks.md, absolute
	Text string // what the user asked for besides, may be empty

	guard guard
}

// Kind implements Plan.
func (*Tasks) Kind() Kind { return KindTasks }

// Criteria implements Plan.
func (*Tasks) Criteria() string { return "tasks" }

// Read implements Plan.
func (t *Tasks) Read() (State, error) {
	data, err := readRegular(t.File)
	if err != nil {
		return State{}, fmt.Errorf("the plan cannot be read: %w", err)
	}
	s := State{Items: parseTasks(data), Print: fingerprint(data)}
	for i, it := range s.Items {
		if !it.Done && !it.Question {
			s.Next = &s.Items[i]
			break
		}
	}
	return s, nil
}

// parseTasks finds the boxes that stand outside of code fences.
func parseTasks(data []byte) []Item {
	var items []Item
	seen := map[string]int{}
	eachBox(data, func(_ int, m []string) {
		title := m[4]
		seen[title]++
		id := title
		if n := seen[title]; n > 1 {
			id = fmt.Sprintf("%s (%d)", title, n)
		}
		items = append(items, Item{
			ID: id, Title: title,
			Done: strings.EqualFold(m[2], "x"), Question: m[2] == "?",
		})
	})
	return items
}

// eachBox calls fn with the line number (from 0) and the groups of each box.
func eachBox(data []byte, fn func(line int, groups []string)) {
	fence, n := "", -1
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		n++
		text := strings.TrimRight(line, "\r\n")
		if mark := fenceMark(text); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.Trim(strings.TrimSpace(text), fence[:1]) == "":
				fence = ""
			}
			continue
		}
		if m := box.FindStringSubmatch(text); m != nil && fence == "" {
			fn(n, m)
		}
	}
}

// fenceMark returns the run of backticks or tildes that opens or closes a code
// fence, or nothing.
func fenceMark(line string) string {
	s := strings.TrimLeft(line, " \t")
	for _, c := range []string{"`", "~"} {
		if strings.HasPrefix(s, c+c+c) {
			return s[:len(s)-len(strings.TrimLeft(s, c))]
		}
	}
	return ""
}

// Context implements Plan.
func (t *Tasks) Context(s State) string {
	rel, err := filepath.Rel(t.Root, t.File)
	if err != nil {
		rel = t.File
	}
	var b strings.Builder
	done, total := s.Counts()
	fmt.Fprintf(&b, "## Your task\n\nWork through the checklist `%s`: %d of %d boxes are ticked.\n", rel, done, total)
	if t.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", t.Text)
	}
	if s.Next != nil {
		fmt.Fprintf(&b, "\nThe next open task: %s\n\nTick its box (`- [x]`) only when it is finished and committed.\n"+
			"Mark a task that only a person can decide with `- [?]` and go on with the next.\n", s.Next.Title)
	}
	return b.String()
}

// Snapshot implements Plan.
func (t *Tasks) Snapshot(dir string) error {
	rel, err := filepath.Rel(t.Root, t.File)
	if err != nil {
		return err
	}
	return t.guard.snapshot(t.Root, dir, "", rel, settingsFile)
}

// Guard implements Plan. A checklist is the agent's to work with: it may add,
// split and reword tasks. What it may not is make open ones fewer by removing them.
func (t *Tasks) Guard(label string) ([]Restored, error) {
	rel, err := filepath.Rel(t.Root, t.File)
	if err != nil {
		return nil, err
	}
	return t.guard.restore(label, map[string]rule{rel: keepBoxes})
}

// keepBoxes is the rule for tasks.md: the snapshot with the agent's marks, where
// open tasks are gone and nothing came in their place.
func keepBoxes(before, after []byte) ([]byte, string) {
	was, now := parseTasks(before), parseTasks(after)
	switch {
	case len(now) >= len(was):
		return after, ""
	case len(now) == 0:
		return before, "emptied"
	}
	marks := map[string]Item{}
	for _, it := range now {
		marks[it.ID] = it
	}
	var gone []string
	for _, it := range was {
		if _, ok := marks[it.ID]; !ok && !it.Done {
			gone = append(gone, it.Title)
		}
	}
	if len(gone) == 0 {
		return after, ""
	}
	return withMarks(before, was, marks), "open tasks removed: " + strings.Join(gone, ", ")
}

// withMarks sets the boxes of a checklist as they stand among marks, by id.
func withMarks(data []byte, items []Item, marks map[string]Item) []byte {
	lines, i := strings.SplitAfter(string(data), "\n"), 0
	eachBox(data, func(n int, m []string) {
		if it, ok := marks[items[i].ID]; ok {
			mark := " "
			switch {
			case it.Done:
				mark = "x"
			case it.Question:
				mark = "?"
			}
			lines[n] = strings.Replace(lines[n], m[1]+m[2], m[1]+mark, 1)
		}
		i++
	})
	return []byte(strings.Join(lines, ""))
}

// Judge implements Plan.
func (*Tasks) Judge(s State, promised, trust bool) Verdict {
	open := s.Open()
	switch {
	case promised && trust:
		return Verdict{Done: true, Reason: "promise"}
	case open > 0 && promised:
		return Verdict{Refused: fmt.Sprintf("%s still open in the checklist", count(open, "task is", "tasks are"))}
	case open > 0 || len(s.Items) == 0:
		return Verdict{}
	case len(s.Questions()) > 0:
		return Verdict{Waiting: true}
	}
	return Verdict{Done: true, Reason: "tasks_complete"}
}

// Revoke implements Plan: it unticks the boxes.
func (t *Tasks) Revoke(ids []string) error {
	data, err := readRegular(t.File)
	if err != nil {
		return err
	}
	items, lines, i := parseTasks(data), strings.SplitAfter(string(data), "\n"), 0
	eachBox(data, func(n int, m []string) {
		if slices.Contains(ids, items[i].ID) && items[i].Done {
			lines[n] = strings.Replace(lines[n], m[1]+m[2], m[1]+" ", 1)
		}
		i++
	})
	return renameio.WriteFile(t.File, []byte(strings.Join(lines, "")), 0o644)
}

// CommitIsProgress implements Plan.
func (*Tasks) CommitIsProgress() bool { return true }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
