package checklist

import (
	"slices"
	"strings"
)

// Mark marks the open tasks with these ids as done, or opens the finished ones again. It
// changes no other byte.
func Mark(data []byte, ids []string, done bool) []byte {
	from, to := Done, Open
	if done {
		from, to = Open, Done
	}
	marks := map[int]TaskState{}
	for _, t := range Parse(data) {
		if t.State == from && slices.Contains(ids, t.ID) {
			marks[t.line] = to
		}
	}
	return setMarks(data, marks)
}

// setMarks changes the marks of lines that hold one.
func setMarks(data []byte, marks map[int]TaskState) []byte {
	if len(marks) == 0 {
		return data
	}
	lines := strings.SplitAfter(string(data), "\n")
	for n, state := range marks {
		text := strings.TrimRight(lines[n], "\r\n")
		lines[n] = setMark(text, state) + lines[n][len(text):]
	}
	return []byte(strings.Join(lines, ""))
}

// setMark sets the mark of a line, and keeps a line that has this state already, in whatever
// words.
func setMark(line string, state TaskState) string {
	mark, word := map[TaskState]string{Open: " ", Done: "x", Asked: "?", Shelved: "-"}[state],
		map[TaskState]string{Open: "pending", Done: "complete", Asked: "pending", Shelved: "shelved"}[state]
	if m := status().FindStringSubmatch(line); m != nil {
		if labelled(m[2], m[3]) == state {
			return line
		}
		return m[1] + "[" + mark + "] " + word
	}
	m := box().FindStringSubmatch(line)
	if m == nil || stateOf(m[2]) == state {
		return line
	}
	return strings.Replace(line, m[1]+m[2], m[1]+mark, 1)
}
