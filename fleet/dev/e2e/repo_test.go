package e2e

import (
	"fmt"
	"path/filepath"
	"strings"

	"ralph/fleet/dev/plan"
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

// remote makes a bare repository with a plan of three stories on each branch, and the script that
// the agents play. It returns its path.
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
		for name, content := range plan.Files(3) {
			l.write(folder+"/"+name, content)
		}
		l.write("seed/.ralph/replay.yaml", script)
		l.git(seed, "add", ".")
		l.git(seed, "commit", "--quiet", "-m", "plan")
	}
	l.git(seed, "push", "--quiet", bare, "--all")
	return bare
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
