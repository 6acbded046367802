package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ralph/internal/git"
)

// Guard restores files that no agent may change and that no room can protect: the settings and
// hooks of the repository, ralph's refs, and the settings files of agents. A changed settings
// file would give the next session more rights.
type Guard struct {
	Repo *git.Repo
	Refs string // prefix of the unit's refs
	Home string // the user's home directory; empty if unknown
	Env  []string
	Kept string   // folder where the agent's versions of restored files are kept
	Also []string // more files that no agent may change
}

// backup reads everything before an agent runs.
func (g *Guard) backup() *git.Backup {
	if g == nil {
		return nil
	}
	files := slices.Clone(g.Also)
	for _, h := range Builtin("") { // an agent can write the settings of another one too
		for _, name := range h.Settings {
			files = append(files, filepath.Join(g.Repo.Root, name))
			if path, _ := stateOf(h, g.Home, g.Env, name); path != "" {
				files = append(files, path)
			}
		}
	}
	return g.Repo.Backup(g.Refs, files...)
}

// restore restores what has changed, and returns a line for each change.
func (g *Guard) restore(ctx context.Context, b *git.Backup) ([]string, error) {
	if b == nil {
		return nil, nil
	}
	list, err := b.Restore(context.WithoutCancel(ctx))
	var said []string
	for _, r := range list {
		text := fmt.Sprintf("the agent changed %s: restored", r.Path)
		if len(r.Was) > 0 {
			if file, err := g.keepReplaced(r); err == nil {
				text += "; its version is kept in " + file
			}
		}
		said = append(said, text)
	}
	return said, err
}

// keepReplaced stores replaced content: it may be an edit of the user.
func (g *Guard) keepReplaced(r git.Restored) (string, error) {
	if err := os.MkdirAll(g.Kept, 0o700); err != nil {
		return "", err
	}
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(strings.TrimPrefix(r.Path, "/"))
	if len(name) > 150 {
		name = name[len(name)-150:]
	}
	file := filepath.Join(g.Kept, time.Now().UTC().Format("20060102-150405.000")+"-"+name)
	return file, os.WriteFile(file, r.Was, 0o600)
}
