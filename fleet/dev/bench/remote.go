package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"

	"ralph/fleet/dev/plan"
)

// makeRemote makes a bare repository with a branch for each feature, in one call of
// git: a thousand worktrees would take longer than what is measured.
func makeRemote(ctx context.Context, dir string, features, stories int) (string, error) {
	bare := filepath.Join(dir, "shop.git")
	if out, err := exec.CommandContext(ctx, "git", "init", "--quiet", "--bare", bare).CombinedOutput(); err != nil {
		return "", fmt.Errorf("git init: %w: %s", err, out)
	}
	var in bytes.Buffer
	commit(&in, "refs/heads/main", "A shop", "", map[string]string{"README.md": "A shop.\n"})
	for i := range features {
		files := map[string]string{".ralph/replay.yaml": script(stories)}
		for name, content := range plan.Files(stories) {
			files[fmt.Sprintf(".ralph/feature-%04d/%s", i, name)] = content
		}
		commit(&in, "refs/heads/"+branch(i), "A plan", "refs/heads/main", files)
	}
	cmd := exec.CommandContext(ctx, "git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = bare, &in
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("git fast-import: %w: %s", err, out)
	}
	return bare, nil
}

func branch(i int) string { return fmt.Sprintf("feature/%04d", i) }

// commit writes a commit in the language of git fast-import.
func commit(in *bytes.Buffer, ref, message, from string, files map[string]string) {
	fmt.Fprintf(in, "commit %s\ncommitter Ada <ada@example.com> 1790000000 +0000\ndata %d\n%s\n", ref, len(message), message)
	if from != "" {
		fmt.Fprintf(in, "from %s\n", from)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(in, "M 100644 inline %s\ndata %d\n%s\n", name, len(files[name]), files[name])
	}
	in.WriteByte('\n')
}

// script is what the agent of a feature plays: each story is a file and a commit.
func script(stories int) string {
	text := "turns:\n"
	for i := 1; i <= stories; i++ {
		text += fmt.Sprintf(`  - story: %[1]s
    steps:
      - write: {path: part-%[2]d.txt, content: "x\n"}
      - git_commit: "feat: part %[2]d"
      - tick: %[1]s
      - tokens: {input: 100, output: 10}
      - final: ok
`, plan.Story(i), i)
	}
	return text
}
