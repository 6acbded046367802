package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/regular"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// setupCmd is "ralph setup".
type setupCmd struct {
	Agent  string `help:"Coding agent: claude, codex, opencode, gemini or all." type:"choice" enum:"claude,codex,opencode,gemini,all" default:"claude" placeholder:"NAME"`
	Force  bool   `help:"Overwrite edited files without a question."`
	DryRun bool   `help:"Only show what would be done."`
}

// Run carries the command out.
func (c *setupCmd) Run(a *app) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	repo, err := git.Open(a.ctx, dir)
	if err != nil {
		return err
	}
	refused := 0
	for _, d := range dialects() {
		if d.folder == "" || c.Agent != "all" && c.Agent != d.agent {
			continue
		}
		n, err := c.install(a, repo.Root, d)
		if err != nil {
			return err
		}
		refused += n
	}
	n, err := c.schemas(a, repo.Root)
	if err != nil {
		return err
	}
	if refused += n; refused > 0 {
		return hint.With(fmt.Errorf("%s left alone because of edits that are not ralph's", words.Plural(refused, "file was", "files were")),
			"overwrite with: ralph setup --agent "+c.Agent+" --force")
	}
	return nil
}

// install brings the commands of one agent up to date, says what it did, and
// returns how many files it left alone because they were edited.
func (c *setupCmd) install(a *app, root string, d dialect) (refused int, err error) {
	for _, name := range slashCommands {
		f, err := inspect(root, d, name)
		if err != nil {
			return refused, err
		}
		left, err := c.put(a, f, d.commands+name)
		if err != nil {
			return refused, err
		}
		if left {
			refused++
		}
	}
	return refused, nil
}

// put writes a file if need be, and says so. left is true where it was left
// alone because it was edited.
func (c *setupCmd) put(a *app, f commandFile, what string) (left bool, err error) {
	done, write := c.decide(a, f)
	if write && !c.DryRun {
		if err := f.write(); err != nil {
			return false, err
		}
	}
	a.t.Printf("%-12s %s  (%s)\n", done, f.rel, what)
	return !write && f.state == fileEdited && !c.DryRun, nil
}

// decide says in a word or two what becomes of a file, and whether it is written.
func (c *setupCmd) decide(a *app, f commandFile) (done string, write bool) {
	done, write = f.state.verb()
	switch {
	case f.state == fileEdited && c.DryRun && !c.Force:
		return "edited, kept", false
	case f.state == fileEdited:
		write = c.Force || a.t.CanAsk && a.t.Ask(a.ctx, f.rel+" was edited. Overwrite it?", 5*time.Minute)
		if !write {
			done = "kept"
		}
	}
	if write && c.DryRun {
		done = "would be " + done
	}
	return done, write
}

// fileState tells how the file of a command compares with what it should be.
type fileState uint8

const (
	fileMissing fileState = iota
	fileCurrent
	fileOutdated // as an older ralph wrote it
	fileEdited   // by somebody else
)

func (s fileState) verb() (done string, write bool) {
	switch s {
	case fileMissing:
		return "created", true
	case fileCurrent:
		return "up to date", false
	case fileOutdated:
		return "updated", true
	}
	return "overwritten", true
}

// commandFile is the file of a slash command, or of a schema, in a project.
type commandFile struct {
	root, rel string
	want      string
	state     fileState
}

// maxCommandFile bounds what is read of a command's file, in bytes.
const maxCommandFile = 1 << 20

// inspect compares the file of a command with what it should be.
func inspect(root string, d dialect, name string) (commandFile, error) {
	c, err := loadSlashCommand(name)
	if err != nil {
		return commandFile{}, err
	}
	f := commandFile{root: root, rel: d.path(name), want: d.content(c)}
	have, err := regular.Read(f.path(), maxCommandFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.state = fileMissing
	case err != nil:
		return f, inTheWay(root, err.Error())
	case checksum(string(have)) == checksum(f.want):
		f.state = fileCurrent
	case sealed(string(have)):
		f.state = fileOutdated
	default:
		f.state = fileEdited
	}
	return f, nil
}

// inTheWay says what to do about a file that keeps a command from its place: it
// may be one of the folders above.
func inTheWay(root, message string) error {
	return hint.With(errors.New(unit.Relative(root, message)),
		"move what is in the way somewhere else, or see to its permissions, then run again: ralph setup")
}

func (f commandFile) path() string { return filepath.Join(f.root, filepath.FromSlash(f.rel)) }

// write replaces the file, or the one that a link in its place leads to.
func (f commandFile) write() error {
	path := f.path()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = renameio.WriteFile(path, []byte(f.want), 0o644, renameio.WithTempDir(filepath.Dir(path)))
	}
	if err != nil {
		return inTheWay(f.root, fmt.Sprintf("%s cannot be written: %s", f.rel, err))
	}
	return nil
}
