// Package checklist parses tasks.md: a list of boxes, or Ito's form, where each task is a
// heading with a status line. It finds the tasks and their states. Callers decide what to do
// with them.
package checklist

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"ralph/internal/words"
)

// TaskState is the state of a task.
type TaskState uint8

// The states of a task.
const (
	Open    TaskState = iota // [ ], and every box with a mark of its own: [/], [-], [!]
	Done                     // [x]
	Asked                    // [?], or a checkpoint of Ito: the user has to answer
	Shelved                  // of Ito: not to be done
)

// Task is one task of a checklist.
type Task struct {
	ID    string // unique in the list: the number in Ito's form, else the title
	Title string
	State TaskState

	line int // that holds its mark, from 0
}

// box matches a line that is a checkbox in a list, whatever its mark; a number is a
// reference. Its groups are the text before the mark, the mark, and the text after it.
var box = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\s*(?:[-*+]|\d+[.)])\s+\[)([^\]\d])(\]\s+)(.*\S)\s*$`)
})

// Ito's form, as its own templates and its "tasks" command write it. The brackets
// of a status are escaped where a formatter went over the file.
var (
	heading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^###\s+(?:Task\s+)?([^:]+):\s+(.*\S)\s*$`)
	})
	status = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\s*[-*]\s+\*\*Status\*\*:\s*)\\?\[([ xX?~>-])\\?\](?:\s+(pending|in-progress|complete|shelved))?\s*$`)
	})
)

// Parse returns the tasks in order. It ignores code fences and comments. In a file in Ito's
// form it reads only the status lines, since boxes are notes there.
func Parse(data []byte) []Task {
	if tasks := parseStatuses(data); len(tasks) > 0 {
		return tasks
	}
	var tasks []Task
	eachLine(data, func(n int, line string) {
		if m := box().FindStringSubmatch(line); m != nil {
			tasks = append(tasks, Task{ID: m[4], Title: m[4], State: stateOf(m[2]), line: n})
		}
	})
	return unique(tasks)
}

// HasStatuses reports whether the file is in Ito's form, with a status line for each task.
func HasStatuses(data []byte) bool { return len(parseStatuses(data)) > 0 }

func parseStatuses(data []byte) []Task {
	var tasks []Task
	var head []string
	eachLine(data, func(n int, line string) {
		if strings.HasPrefix(line, "#") {
			head = heading().FindStringSubmatch(line)
		}
		m := status().FindStringSubmatch(line)
		if m == nil || head == nil {
			return
		}
		t := Task{ID: strings.TrimSpace(head[1]), Title: head[2], State: labelled(m[2], m[3]), line: n}
		if t.State == Open && strings.HasPrefix(t.ID, "Checkpoint") {
			t.State = Asked // its own words: "requires human approval"
		}
		tasks = append(tasks, t)
		head = nil
	})
	return unique(tasks)
}

// labelled is the state of a status line: the word decides where there is one.
func labelled(mark, word string) TaskState {
	switch word {
	case "complete":
		return Done
	case "shelved":
		return Shelved
	case "pending", "in-progress":
		if mark == "?" {
			return Asked
		}
		return Open
	}
	if mark == "-" {
		return Shelved
	}
	return stateOf(mark)
}

func stateOf(mark string) TaskState {
	switch mark {
	case "x", "X":
		return Done
	case "?":
		return Asked
	}
	return Open
}

// unique numbers ids that occur again.
func unique(tasks []Task) []Task {
	seen := map[string]int{}
	for i := range tasks {
		id := tasks[i].ID
		if seen[id]++; seen[id] > 1 {
			tasks[i].ID = fmt.Sprintf("%s (%d)", id, seen[id])
		}
	}
	return tasks
}

// eachLine calls fn with the number (from 0) and the text of each line outside of
// code fences and of comments that begin a line. One that no one closes ends with
// the file, as in CommonMark.
func eachLine(data []byte, fn func(n int, line string)) {
	fence, comment, n := "", false, -1
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		n++
		text := strings.TrimRight(line, "\r\n")
		mark, rest := words.Fence(text)
		if fence == "" && (comment || strings.HasPrefix(strings.TrimSpace(text), "<!--")) {
			comment = !strings.Contains(text, "-->")
			continue
		}
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence == "":
			fn(n, text)
		case strings.HasPrefix(mark, fence) && strings.TrimSpace(rest) == "":
			fence = ""
		}
	}
}
