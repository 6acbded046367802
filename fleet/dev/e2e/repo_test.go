package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// noteCall has the agent note that it was called, when, by whom and for which story.
const noteCall = `      - run: [sh, -c, 'echo "$(date +%s.%N) $RALPH_UNIT" >> "$CALLS"']
        fail_ok: false
`

// atGate has the agent wait until the test opens its host's gate.
const atGate = `      - run: [sh, -c, 'until [ -e "$GATE" ]; do sleep 0.05; done']
`

// turnFor is a turn that finishes a story, with steps before.
func turnFor(story int, before string) string {
	return fmt.Sprintf(`  - story: STORY-%03d
    steps:
%s%s      - write: {path: part-%d.txt, content: "x\n"}
      - git_commit: "feat: part %d"
      - tick: STORY-%03d
      - tokens: {input: 100, output: 10}
      - cost: 0.01
      - final: ok
`, story, noteCall, before, story, story, story)
}

// script is a whole feature of three stories.
func script(before ...string) string {
	text := "turns:\n"
	for i := range 3 {
		b := ""
		if i < len(before) {
			b = before[i]
		}
		text += turnFor(i+1, b)
	}
	return text
}

// remote makes a bare repository whose branches have a plan of three stories each, and
// the script that their agent plays. It returns its path.
func (l *lab) remote(scripts map[string]string) string {
	l.t.Helper()
	bare, seed := filepath.Join(l.dir, "git", "shop.git"), filepath.Join(l.dir, "seed")
	l.git(l.dir, "init", "--quiet", "--bare", bare)
	l.git(l.dir, "init", "--quiet", seed)
	l.write("seed/README.md", "A shop.\n")
	l.git(seed, "add", ".")
	l.git(seed, "commit", "--quiet", "-m", "init")
	for branch, script := range scripts {
		l.git(seed, "switch", "--quiet", "-c", branch, "main")
		folder := "seed/.ralph/" + strings.ReplaceAll(branch, "/", "-")
		l.write(folder+"/prd.json", prd())
		l.write(folder+"/spec.md", spec())
		l.write(folder+"/progress.txt", "# Progress Log: parts\n# Started: 2026-11-21T00:00:00Z\n\n---\n")
		l.write("seed/.ralph/replay.yaml", script)
		l.git(seed, "add", ".")
		l.git(seed, "commit", "--quiet", "-m", "plan")
	}
	l.git(seed, "push", "--quiet", bare, "--all")
	return bare
}

func prd() string {
	var stories []map[string]any
	for i := range 3 {
		stories = append(stories, map[string]any{"id": fmt.Sprintf("STORY-%03d", i+1), "title": fmt.Sprintf("Part %d", i+1),
			"acceptanceCriteria": []string{"Typecheck passes", "Unit tests pass"}, "priority": i + 1, "passes": false})
	}
	text, _ := json.MarshalIndent(map[string]any{"description": "Parts", "createdAt": "2026-11-21T00:00:00Z", "userStories": stories}, "", "  ")
	return string(text) + "\n"
}

func spec() string {
	text := "---\ncreated: 2026-11-21T00:00:00Z\n---\n# Parts\n\n## Problem Statement\nParts are missing.\n\n## Success Criteria\n- [ ] They are there\n\n## User Stories\n\n"
	for i := range 3 {
		text += fmt.Sprintf("### STORY-%03d: Part %d\n**As a** user\n**I want to** have it\n**So that** it is there\n\n**Acceptance Criteria:**\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n\n", i+1, i+1)
	}
	return text + "## Out of Scope\n- The rest\n\n## Open Questions\n"
}

// wantDone wants a feature to be done exactly once: each part committed by one commit,
// every story marked, the plan on the branch.
func (l *lab) wantDone(bare, branch string) {
	l.t.Helper()
	log := l.git(bare, "log", "--format=%s", "main.."+branch)
	for part := 1; part <= 3; part++ {
		if n := strings.Count(log+"\n", fmt.Sprintf("feat: part %d\n", part)); n != 1 {
			l.t.Errorf("part %d of %s has %d commits:\n%s", part, branch, n, log)
		}
	}
	plan := l.git(bare, "show", branch+":.ralph/"+strings.ReplaceAll(branch, "/", "-")+"/prd.json")
	if n := strings.Count(plan, `"passes": true`); n != 3 {
		l.t.Errorf("%s has %d of 3 stories:\n%s", branch, n, plan)
	}
}
