package help

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// files hold the texts of the help that no code knows: the examples of each
// command, and the topics.
//
//go:embed examples.txt topics
var files embed.FS

// Examples returns the lines of calls that the help of a command shows, such
// as "config show".
func Examples(command string) []string {
	data, err := files.ReadFile("examples.txt")
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

// Topics are the names of the texts that 'ralph help NAME' shows.
func Topics() []string {
	entries, err := files.ReadDir("topics")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// Topic returns a topic's text; its first line is the title. settings is
// config.yaml.example, from which the topic "settings" lists each key.
func Topic(name string, settings []byte) (string, error) {
	data, err := files.ReadFile(path.Join("topics", name+".txt"))
	if err != nil {
		return "", fmt.Errorf("there is no topic %q", name)
	}
	if name == "settings" {
		return settingsTopic(string(data), settings)
	}
	return string(data), nil
}

// Title is the first line of a topic.
func Title(name string) string {
	text, _ := files.ReadFile(path.Join("topics", name+".txt"))
	title, _, _ := strings.Cut(string(text), "\n")
	return title
}
