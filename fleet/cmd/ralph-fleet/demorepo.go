package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"text/template"

	"ralph/fleet/internal/feature"
)

// demoParts are what the demo's features are about.
var demoParts = []string{"login", "basket", "search", "invoices", "newsletter", "returns"}

func demoBranch(i int) string { return "feature/" + demoParts[i-1] }

// demoFiles are the plan of a feature, and the script that its agent plays.
var demoFiles = map[string]string{
	"prd.json": `{
  "description": "The {{.Name}} of a shop",
  "createdAt": "2026-11-21T09:00:00Z",
  "userStories": [{{range $i, $s := .Stories}}{{if $i}},{{end}}
    {"id": "{{$s.ID}}", "title": "{{$s.Title}}", "acceptanceCriteria": ["Typecheck passes", "Unit tests pass"], "priority": {{$s.Priority}}, "passes": false}{{end}}
  ]
}
`,
	"spec.md": `---
created: 2026-11-21T09:00:00Z
---
# The {{.Name}} of a shop

## Problem Statement
The shop has no {{.Name}}.

## Success Criteria
- [ ] It has one

## User Stories
{{range .Stories}}
### {{.ID}}: {{.Title}}
**As a** customer
**I want to** see it
**So that** I come again

**Acceptance Criteria:**
- [ ] Typecheck passes
- [ ] Unit tests pass
{{end}}
## Out of Scope
- Everything else

## Open Questions
`,
	"progress.txt": "# Progress Log: {{.Name}}\n# Started: 2026-11-21T09:00:00Z\n\n---\n",
	"../replay.yaml": `turns:{{range .Stories}}
  - story: {{.ID}}
    steps:
      - sleep: 2500ms
      - write: {path: {{$.Name}}-{{.Priority}}.txt, content: "{{.Title}}\n"}
      - git_commit: "feat({{$.Name}}): {{.Title}}"
      - tick: {{.ID}}
      - tokens: {input: 2100, output: 450}
      - cost: 0.02
      - final: {{.ID}} is done.{{end}}
`,
}

type demoStory struct {
	ID, Title string
	Priority  int
}

// demoRemote makes a bare repository with a branch for each feature.
func demoRemote(ctx context.Context, dir string) (string, error) {
	seed, bare := filepath.Join(dir, "seed"), filepath.Join(dir, "shop.git")
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", bare}, {"init", "--quiet", seed},
	} {
		if err := gitIn(ctx, dir, args...); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{
		{"config", "user.name", "ralph demo"}, {"config", "user.email", "demo@example.invalid"}, {"config", "commit.gpgsign", "false"},
		{"config", "core.hooksPath", "/dev/null"}, {"commit", "--quiet", "--allow-empty", "-m", "A shop"}, {"branch", "--quiet", "-M", "main"},
	} {
		if err := gitIn(ctx, seed, args...); err != nil {
			return "", err
		}
	}
	for i, name := range demoParts {
		branch := demoBranch(i + 1)
		if err := gitIn(ctx, seed, "switch", "--quiet", "-c", branch, "main"); err != nil {
			return "", err
		}
		if err := writeDemo(filepath.Join(seed, ".ralph", feature.Unit(branch)), name); err != nil {
			return "", err
		}
		for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "-m", "A plan for the " + name}} {
			if err := gitIn(ctx, seed, args...); err != nil {
				return "", err
			}
		}
	}
	return bare, gitIn(ctx, seed, "push", "--quiet", bare, "--all")
}

func writeDemo(folder, name string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	about := map[string]any{"Name": name, "Stories": []demoStory{
		{"STORY-001", "Show the " + name, 1}, {"STORY-002", "Keep the " + name, 2}, {"STORY-003", "Fix the " + name, 3},
	}}
	for file, text := range demoFiles {
		t, err := template.New(file).Parse(text)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, about); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(file)), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
