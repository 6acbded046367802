package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ralph/internal/words"
)

// foreign is a prd.json as snarktank/ralph, ralph-hybrid and ralph-tui write it. The
// three differ in keys that the others do not have.
type foreign struct {
	Name        string         `json:"name"`
	Project     string         `json:"project"`
	Description string         `json:"description"`
	Branch      string         `json:"branchName"`
	Success     map[string]any `json:"successCriteria"`
	Stories     []foreignStory `json:"userStories"`
}

type foreignStory struct {
	ID        any      `json:"id"`
	Title     string   `json:"title"`
	Text      string   `json:"description"`
	Criteria  []string `json:"acceptanceCriteria"`
	Priority  *float64 `json:"priority"`
	Passes    bool     `json:"passes"`
	Notes     string   `json:"notes"`
	Done      string   `json:"completionNotes"`
	DependsOn []string `json:"dependsOn"`
	Model     string   `json:"model"`
	MCP       []string `json:"mcpServers"`
}

// readJSON reads the prd.json of another tool.
func readJSON(name string, data []byte) (*Plan, error) {
	var f foreign
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, jsonError(name, data, err)
	}
	p := &Plan{From: name, Problem: f.Description, Branch: f.Branch, Title: f.Name}
	if p.Title == "" {
		p.Title = cmpTitle(f.Description, f.Project)
	}
	p.Checks = f.checks(p)
	for i, s := range f.Stories {
		p.Stories = append(p.Stories, s.story(i, p))
	}
	p.losesKeys(data)
	return p, nil
}

// cmpTitle returns the first sentence of the description, which says more about a
// feature than the project's name does.
func cmpTitle(description, project string) string {
	first, _, _ := strings.Cut(oneLine(description), ". ")
	if head, _, found := strings.Cut(first, " - "); found {
		first = head
	}
	const most = 80
	if first == "" || len(first) > most {
		return project
	}
	return strings.TrimSuffix(first, ".")
}

func (s foreignStory) story(i int, p *Plan) Story {
	made := Story{Title: s.Title, Text: s.Text, Criteria: s.Criteria, Passes: s.Passes, Notes: s.Notes,
		DependsOn: s.DependsOn, Model: s.Model, priority: float64(i + 1)}
	if s.ID != nil {
		made.ID = fmt.Sprint(s.ID)
	}
	if s.Priority != nil {
		made.priority = *s.Priority
	}
	if made.Notes == "" {
		made.Notes = s.Done
	}
	if len(s.MCP) > 0 {
		made.Technical = "MCP servers that the source gave to this story: " + strings.Join(s.MCP, ", ")
		p.lose("mcpServers: configure MCP servers in the agent itself; the stories name theirs in their technical notes")
	}
	return made
}

// checks turns the success criteria of ralph-hybrid into quality checks: commands by
// name, and one limit in seconds for all of them.
func (f foreign) checks(p *Plan) []ForeignCheck {
	seconds, _ := f.Success["timeout"].(float64)
	var list []ForeignCheck
	for _, name := range slices.Sorted(maps.Keys(f.Success)) {
		command, ok := f.Success[name].(string)
		switch {
		case name == "timeout":
		case !ok || command == "":
			p.lose("successCriteria.%s: not a command", name)
		default:
			if name == "command" {
				name = "tests"
			}
			list = append(list, ForeignCheck{Name: name, Command: command, TimeoutMinutes: seconds / 60})
		}
	}
	return list
}

// losesKeys lists the keys of the file that nothing in ralph corresponds to.
func (p *Plan) losesKeys(data []byte) {
	var all struct {
		Stories []map[string]any `json:"userStories"`
	}
	top := map[string]any{}
	if json.Unmarshal(data, &top) != nil || json.Unmarshal(data, &all) != nil {
		return
	}
	known := []string{"$schema", "name", "project", "description", "branchName", "createdAt", "successCriteria", "userStories"}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		switch {
		case slices.Contains(known, key):
		case key == "gates":
			p.lose("gates: every check runs when a story is claimed (quality_checks.NAME.when: end runs one at the end only)")
		case key == "profile":
			p.lose("profile: name a model with --model, or per story with **Model:**")
		default:
			p.lose("%s: no equivalent", key)
		}
	}
	known = []string{"id", "title", "description", "acceptanceCriteria", "priority", "passes", "notes", "completionNotes", "dependsOn", "model", "mcpServers"}
	lost := map[string]bool{}
	for _, s := range all.Stories {
		for key := range s {
			if !slices.Contains(known, key) {
				lost[key] = true
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lost)) {
		p.lose("userStories[].%s: no equivalent", key)
	}
}

// jsonError names the line of a JSON error.
func jsonError(name string, data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(0)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	line := 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
	return fmt.Errorf("%s:%d: %w", name, line, plainJSON(err))
}

// plainJSON says what is wrong with a value without the words of Go.
func plainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	want := map[reflect.Kind]string{reflect.String: "a text", reflect.Bool: "true or false",
		reflect.Float64: "a number", reflect.Slice: "a list"}[kind.Type.Kind()]
	return fmt.Errorf("%s: want %s, got: %s", cmp.Or(kind.Field, "the file"),
		cmp.Or(want, "an object {...}"), kind.Value)
}

// bead is one line of .beads/issues.jsonl.
type bead struct {
	ID           string  `json:"id"`
	Title        string  `json:"title"`
	Text         string  `json:"description"`
	Design       string  `json:"design"`
	Criteria     string  `json:"acceptance_criteria"`
	Notes        string  `json:"notes"`
	Status       string  `json:"status"`
	Priority     float64 `json:"priority"`
	Type         string  `json:"issue_type"`
	Dependencies []struct {
		On   string `json:"depends_on_id"`
		Type string `json:"type"`
	} `json:"dependencies"`
}

// readBeads reads the open issues of beads. Closed ones are no work any more.
func readBeads(name string, data []byte) (*Plan, error) {
	p := &Plan{From: name, Title: "Issues of beads"}
	epics, closed := 0, map[string]bool{}
	var beads []bead
	var epic bead
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var b bead
		if err := json.Unmarshal(line, &b); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, plainJSON(err))
		}
		switch {
		case b.Status == "closed" || b.Status == "tombstone":
			closed[b.ID] = true
		case b.Type == "epic":
			epics++
			epic = b
		default:
			beads = append(beads, b)
		}
	}
	for _, b := range beads {
		s := markdownStory(b.Title, b.Text)
		s.ID, s.priority, s.Notes = b.ID, b.Priority, b.Notes
		s.Technical = strings.TrimSpace(b.Design + "\n\nIssue " + b.ID + " of beads.")
		s.Criteria = append(s.Criteria, itemsOf(b.Criteria)...)
		for _, d := range b.Dependencies {
			if d.Type == "blocks" && !closed[d.On] { // a closed issue blocks nothing
				s.DependsOn = append(s.DependsOn, d.On)
			}
		}
		p.Stories = append(p.Stories, s)
	}
	if n := len(closed); n > 0 {
		p.lose("%s: only open work is imported", words.CountPlural(n, "closed issue", "closed issues"))
	}
	switch {
	case epics == 1:
		p.Title, p.Problem = epic.Title, epic.Text
	case epics > 1:
		p.lose("%s: the stories are in one plan", words.CountPlural(epics, "epic", "epics"))
	}
	p.lose("the state in beads is not updated: close the issues there when the stories are done")
	return p, nil
}
