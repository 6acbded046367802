// Package plan makes up plans for tests and measurements: stories about parts of
// nothing in particular, in the files that ralph reads.
package plan

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Story is the id of the nth story, from 1.
func Story(n int) string { return fmt.Sprintf("STORY-%03d", n) }

// Files are the files of a plan with so many stories, by their names in the folder of
// the feature.
func Files(stories int) map[string]string {
	return map[string]string{
		"prd.json":     prd(stories),
		"spec.md":      spec(stories),
		"progress.txt": "# Progress Log: parts\n# Started: 2026-11-21T00:00:00Z\n\n---\n",
	}
}

func prd(stories int) string {
	var list []map[string]any
	for i := range stories {
		list = append(list, map[string]any{"id": Story(i + 1), "title": fmt.Sprintf("Part %d", i+1),
			"acceptanceCriteria": []string{"Typecheck passes", "Unit tests pass"}, "priority": i + 1, "passes": false})
	}
	text, _ := json.MarshalIndent(map[string]any{"description": "Parts", "createdAt": "2026-11-21T00:00:00Z", "userStories": list}, "", "  ") // strings and numbers
	return string(text) + "\n"
}

func spec(stories int) string {
	var b strings.Builder
	b.WriteString("---\ncreated: 2026-11-21T00:00:00Z\n---\n# Parts\n\n## Problem Statement\nParts are missing.\n\n## Success Criteria\n- [ ] They are there\n\n## User Stories\n\n")
	for i := range stories {
		fmt.Fprintf(&b, "### %s: Part %d\n**As a** user\n**I want to** have it\n**So that** it is there\n\n**Acceptance Criteria:**\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n\n", Story(i+1), i+1)
	}
	b.WriteString("## Out of Scope\n- The rest\n\n## Open Questions\n")
	return b.String()
}
