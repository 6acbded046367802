package agent

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// unwrittenKept bounds how much of the end of a log is searched, in bytes.
const unwrittenKept = 256 << 10

// refusedWrite matches what programs print when they write where a room is read-only, with
// the path before or after the system's words.
var refusedWrite = regexp.MustCompile(`(?i)(?:(?:^|[\s'"])((?:/|\.\.?/|~/)[^\s'"\\:;,]+)['"\\]{0,2}: |)read-only file system(?:[^/\n]{0,20}['"\\]{1,2}(/[^\s'"\\:;,]+))?`)

// unwritten says which paths the agent could not write in its room, according to its
// tools, and which setting allows it; empty without such paths.
func unwritten(log *os.File) string {
	info, err := log.Stat()
	if err != nil {
		return ""
	}
	from := max(info.Size()-unwrittenKept, 0)
	text, err := io.ReadAll(io.NewSectionReader(log, from, info.Size()-from))
	if err != nil {
		return ""
	}
	var paths []string
	for _, m := range refusedWrite.FindAllStringSubmatch(string(text), -1) {
		for _, path := range m[1:] {
			if path != "" && !slices.Contains(paths, path) && !strings.Contains(path, "/.git/") && !strings.Contains(path, "/.ralph/") {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return ""
	}
	shown := strings.Join(paths[:min(len(paths), 3)], ", ")
	if more := len(paths) - 3; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the agent could not write %s: that is read-only in its room; allow it with sandbox.write in ~/.ralph/config.yaml", shown)
}
