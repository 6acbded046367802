// Package setup makes the files that 'ralph setup' installs in a project: slash commands for
// coding agents, and schemas for editors.
package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"ralph/internal/regular"
)

// The paths of the schemas, from the project's root. prd.json and the settings refer to them
// by these names.
const (
	PRDSchema    = ".ralph/prd.schema.json"
	ConfigSchema = ".ralph/config.schema.json"
)

// maxFile limits what is read of a file, in bytes.
const maxFile = 1 << 20

// File is a file of a project that ralph keeps up to date.
type File struct {
	Name  string // its path from the project's root
	About string // what it is for, such as /ralph-plan
	State FileState

	root, want string
}

// FileState is the result of comparing a file with its current text.
type FileState uint8

// The states of a file.
const (
	Missing FileState = iota
	Current
	Outdated // an older ralph wrote it
	Edited   // someone else wrote it
)

// Commands returns the files of the agent's slash commands, each compared with the project's
// file. texts are ralph's templates. The list is empty if the agent uses no such files.
func (a Agent) Commands(root string, texts fs.FS) (files []File, err error) {
	if a.folder == "" {
		return nil, nil
	}
	for _, name := range []string{planCommand, prdCommand} {
		c, err := load(texts, name)
		if err != nil {
			return nil, err
		}
		f := File{Name: a.path(name), About: a.prefix + name, root: root, want: a.content(c)}
		if err := f.compare(sealed); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Schemas returns the schemas of prd.json and the settings, each compared with the project's
// file.
func Schemas(root string, prd, settings []byte) (files []File, err error) {
	texts := [...][]byte{prd, settings}
	for i, name := range []string{PRDSchema, ConfigSchema} {
		want := bytes.TrimSpace(texts[i])
		f := File{Name: name, About: "for editors", root: root, want: string(want) + "\n"}
		if err := f.compare(func(have string) bool { return title([]byte(have)) == title(want) }); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// title returns the title of a schema, by which ralph knows its own older ones.
func title(schema []byte) string {
	var s struct{ Title string }
	_ = json.Unmarshal(schema, &s) // what is no JSON is not ours
	return s.Title
}

// compare finds the state of the file. written reports whether some ralph wrote a text.
func (f *File) compare(written func(have string) bool) error {
	data, err := regular.Read(f.path(), maxFile)
	have := string(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State = Missing
	case err != nil:
		return err
	case checksum(have) == checksum(f.want):
		f.State = Current
	case written(have):
		f.State = Outdated
	default:
		f.State = Edited
	}
	return nil
}

func (f *File) path() string { return filepath.Join(f.root, filepath.FromSlash(f.Name)) }

// Write writes the current text to the file. It replaces the target of a symbolic link.
func (f *File) Write() error {
	path := f.path()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = renameio.WriteFile(path, []byte(f.want), 0o644, renameio.WithTempDir(filepath.Dir(path)))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", f.Name, err)
	}
	return nil
}

// The seal is a comment with a checksum of all other lines of the file. Where it is right, only
// ralph has written the file, and a newer ralph may replace it without a question.
const sealPrefix = "# Written by 'ralph setup', which asks before it replaces this file once it was edited: "

func sealLine(text string) string { return sealPrefix + checksum(text) + "\n" }

// checksum ignores the form of line ends: git may change it at a checkout.
func checksum(text string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	return hex.EncodeToString(sum[:8])
}

// sealed reports whether the text is as some version of ralph wrote it.
func sealed(text string) bool {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	at := strings.Index(text, sealPrefix)
	if at < 0 || at > 0 && text[at-1] != '\n' {
		return false
	}
	line, after, _ := strings.Cut(text[at:], "\n")
	return strings.TrimPrefix(line, sealPrefix) == checksum(text[:at]+after)
}
