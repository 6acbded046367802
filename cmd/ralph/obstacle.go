package main

import (
	"context"
	"path/filepath"

	"ralph/internal/doctor"
	"ralph/internal/git"
)

// placesOf are where ralph keeps files of its own, in a worktree or outside of one.
func placesOf(home string, repo *git.Repo) doctor.Places {
	in := doctor.Places{Home: home}
	if repo != nil {
		in.Others = []string{filepath.Join(repo.GitDir, "ralph")}
		for _, name := range []string{".ralph", ".claude", filepath.Join(".ito", ".state")} {
			in.Others = append(in.Others, filepath.Join(repo.Root, name))
		}
	}
	return in
}

// obstacle is what can be done about an error of the file system that ended a command.
func obstacle(err error) string {
	if (doctor.Places{}).Obstacle(err) == "" {
		return "" // nearly all; git need not be asked
	}
	repo, _ := git.Open(context.Background(), ".") // outside of a repository there is only the user's own folder
	return placesOf(ralphHome(), repo).Obstacle(err)
}
