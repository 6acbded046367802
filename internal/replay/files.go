package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The steps of this file change files. Paths are relative to the working
// directory. Like an agent's tools they write in place, not by rename.

// writeStep creates or replaces a file, and the folders above it.
type writeStep struct {
	Path    string `yaml:"path"`
	Content string `yaml:"content"`
	Exec    bool   `yaml:"exec"` // make it executable
}

func (s *writeStep) check() error { return needPath(s.Path) }

func (s *writeStep) play(_ context.Context, p *player) error {
	path := p.env.path(s.Path)
	mode := os.FileMode(0o644)
	if s.Exec {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(s.Content), mode); err != nil {
		return err
	}
	if s.Exec { // an existing file keeps its mode when it is written
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
	}
	p.out.call("Write", map[string]any{"file_path": s.Path, "content": s.Content}, "written: "+s.Path)
	return nil
}

// appendStep adds to the end of a file, which it creates where it is missing,
// like the folders above it.
type appendStep struct {
	Path    string `yaml:"path"`
	Content string `yaml:"content"`
}

func (s *appendStep) check() error { return needPath(s.Path) }

func (s *appendStep) play(_ context.Context, p *player) error {
	path := p.env.path(s.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := appendFile(path, s.Content); err != nil {
		return err
	}
	p.edited(s.Path, "", s.Content)
	return nil
}

// replaceStep replaces the one place where Old stands.
type replaceStep struct {
	Path string `yaml:"path"`
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
}

func (s *replaceStep) check() error {
	if s.Old == "" {
		return errors.New("replace needs the old text")
	}
	return needPath(s.Path)
}

func (s *replaceStep) play(_ context.Context, p *player) error {
	path := p.env.path(s.Path)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := bytes.Count(data, []byte(s.Old)); n != 1 {
		return fmt.Errorf("%s holds the old text %d times, not once", s.Path, n)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte(s.Old), []byte(s.New), 1), 0o644); err != nil {
		return err
	}
	p.edited(s.Path, s.Old, s.New)
	return nil
}

// removeStep removes a file or a folder with all it holds.
type removeStep string

func (s *removeStep) check() error { return needPath(string(*s)) }

func (s *removeStep) play(_ context.Context, p *player) error {
	path := p.env.path(string(*s))
	if _, err := os.Lstat(path); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	p.shell(argv{"rm", "-r", string(*s)})
	return nil
}

// mkdirStep makes a folder and those above it.
type mkdirStep string

func (s *mkdirStep) check() error { return needPath(string(*s)) }

func (s *mkdirStep) play(_ context.Context, p *player) error {
	if err := os.MkdirAll(p.env.path(string(*s)), 0o755); err != nil {
		return err
	}
	p.shell(argv{"mkdir", "-p", string(*s)})
	return nil
}

// symlinkStep makes a symbolic link.
type symlinkStep struct {
	Path   string `yaml:"path"`
	Target string `yaml:"target"`
}

func (s *symlinkStep) check() error {
	if s.Target == "" {
		return errors.New("symlink needs a target")
	}
	return needPath(s.Path)
}

func (s *symlinkStep) play(_ context.Context, p *player) error {
	if err := os.Symlink(s.Target, p.env.path(s.Path)); err != nil {
		return err
	}
	p.shell(argv{"ln", "-s", s.Target, s.Path})
	return nil
}

// edited prints the call of an editing tool.
func (p *player) edited(path, old, replacement string) {
	p.out.call("Edit", map[string]any{
		"file_path": path, "old_string": old, "new_string": replacement}, "edited: "+path)
}

// shell prints the call of a command that was carried out without one.
func (p *player) shell(command argv) {
	p.out.call("Bash", map[string]any{"command": command.String()}, "")
}

func needPath(path string) error {
	if strings.TrimSpace(path) == "" {
		return errors.New("a path is needed")
	}
	return nil
}

func appendFile(path, content string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Close())
}
