package main

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// helpFiles hold the texts of the help that no code knows: the examples of each
// command, and the topics.
//
//go:embed help
var helpFiles embed.FS

// examplesOf returns the lines of calls that the help of a command shows, such
// as "config show".
func examplesOf(command string) []string {
	data, err := helpFiles.ReadFile("help/examples.txt")
	if err != nil {
		return nil
	}
	var lines []string
	inside := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		name, heading := strings.CutPrefix(line, "== ")
		switch {
		case heading:
			inside = name == command
		case inside && line != "":
			lines = append(lines, line)
		}
	}
	return lines
}

// topics are the names of the texts that 'ralph help NAME' shows.
func topics() []string {
	entries, err := helpFiles.ReadDir("help/topics")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// topic returns a topic's text; its first line is the title.
func topic(name string) (string, error) {
	data, err := helpFiles.ReadFile(path.Join("help/topics", name+".txt"))
	if err != nil {
		return "", fmt.Errorf("there is no topic %q", name)
	}
	return string(data), nil
}

// topicTitle is the first line of a topic.
func topicTitle(name string) string {
	text, _ := topic(name)
	title, _, _ := strings.Cut(text, "\n")
	return title
}
