// Package importer reads the plans and the settings of other loop tools and turns them
// into ralph's: a spec.md, the state of its stories, quality checks and settings. It
// reads files and, for GitHub issues, the output of gh. It writes nothing.
//
// Whatever has no equivalent is listed in Lost, one line each, so that a user can decide
// before anything is written.
package importer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ralph/internal/words"
)

// Plan holds the plan of another tool in ralph's terms.
type Plan struct {
	From     string // what was read, such as "prd.json (ralph-hybrid)"
	Title    string
	Problem  string // the problem statement, as markdown
	Success  []string
	Excluded string // what is out of scope, as markdown
	Branch   string // the git branch that the source names, or ""
	Stories  []Story
	Checks   []ForeignCheck
	Lost     []string
}

// Story describes one story of the plan.
type Story struct {
	ID        string
	Title     string
	Text      string // the description, as markdown
	Criteria  []string
	Passes    bool
	Notes     string
	DependsOn []string
	Model     string
	Technical string // technical notes, as markdown

	priority float64 // the lowest comes first
}

// ForeignCheck describes a quality check that the other tool runs.
type ForeignCheck struct {
	Name           string
	Command        string
	TimeoutMinutes float64 // 0: ralph's default
}

// lose adds a line about something that has no equivalent.
func (p *Plan) lose(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if !slices.Contains(p.Lost, line) {
		p.Lost = append(p.Lost, line)
	}
}

// finish brings the plan into a form that spec.md can hold: stories in the order of
// their priorities, ids that are unique and valid, a criterion for each story.
func (p *Plan) finish() error {
	if len(p.Stories) == 0 {
		return fmt.Errorf("%s has no stories or tasks", p.From)
	}
	slices.SortStableFunc(p.Stories, func(a, b Story) int { return cmp.Compare(a.priority, b.priority) })
	p.renumber()
	bare := 0
	for i := range p.Stories {
		s := &p.Stories[i]
		s.Title = oneLine(ownID.ReplaceAllString(s.Title, ""))
		if strings.Trim(s.Title, "# ") == "" {
			s.Title = cmp.Or(cmpTitle(s.Text, ""), s.ID)
			p.lose("%s has no title in the source: it is called %q", s.ID, s.Title)
		}
		s.Criteria = slices.Clone(s.Criteria)
		for i, c := range s.Criteria {
			s.Criteria[i] = oneLine(c)
		}
		s.Criteria = slices.DeleteFunc(s.Criteria, func(c string) bool { return c == "" })
		if len(s.Criteria) == 0 {
			s.Criteria, bare = []string{s.Title, "Typecheck passes", "Unit tests pass"}, bare+1
		}
		s.Criteria = slices.Compact(s.Criteria)
	}
	if bare > 0 {
		p.lose("%s without acceptance criteria: the title became their criterion (better ones: ralph plan --criteria)",
			words.CountPlural(bare, "story", "stories"))
	}
	p.Title = cmp.Or(oneLine(p.Title), "Imported plan")
	return nil
}

// ownID is an id that an issue repeats in its title.
var ownID = regexp.MustCompile(`^\s*[A-Z]+-\d+\s*:\s*`)

// renumber gives stories new ids where theirs cannot be the id of a heading in spec.md
// or are not unique. Dependencies follow.
func (p *Plan) renumber() {
	seen, valid := map[string]bool{}, true
	for _, s := range p.Stories {
		valid = valid && storyID.MatchString(s.ID) && !seen[s.ID]
		seen[s.ID] = true
	}
	renamed, ids := map[string]string{}, []string{}
	if !valid {
		for i := range p.Stories {
			s := &p.Stories[i]
			id := fmt.Sprintf("STORY-%03d", i+1)
			if s.ID != "" && renamed[s.ID] == "" {
				renamed[s.ID] = id
				ids = append(ids, s.ID+" is "+id)
			}
			s.ID = id
		}
	}
	if len(ids) > 0 {
		p.lose("the ids of the source: %s", strings.Join(ids, ", "))
	}
	for i := range p.Stories {
		s := &p.Stories[i]
		var known []string
		for _, d := range s.DependsOn {
			d = cmp.Or(renamed[d], d)
			if slices.ContainsFunc(p.Stories, func(o Story) bool { return o.ID == d && o.ID != s.ID }) {
				known = append(known, d)
			} else {
				p.lose("%s depends on %s, which is not in the source", s.ID, d)
			}
		}
		s.DependsOn = known
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// plainKey is a name that YAML takes for the same text without quotation marks.
var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// ChecksYAML returns the checks as a section of a config.yaml.
func ChecksYAML(checks []ForeignCheck) string {
	var b strings.Builder
	b.WriteString("quality_checks:\n")
	for _, c := range checks {
		name := c.Name
		if !plainKey.MatchString(name) {
			name = strconv.Quote(name)
		}
		if c.TimeoutMinutes == 0 {
			fmt.Fprintf(&b, "  %s: %q\n", name, c.Command)
			continue
		}
		fmt.Fprintf(&b, "  %s: {command: %q, timeout_minutes: %g}\n", name, c.Command, c.TimeoutMinutes)
	}
	return b.String()
}
