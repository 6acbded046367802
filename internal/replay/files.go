package replay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The steps of this file change files. Paths are relative to the working
// directory. Like an agent's tools they write in place, not by rename.

type file struct {
	Path    string `yaml:"path"`
	Content string `yaml:"content"`
	Exec    bool   `yaml:"exec"` // make it executable
}

type replacement struct {
	Path string `yaml:"path"`
	Old  string `yaml:"old"` // must be there exactly once
	New  string `yaml:"new"`
}

// write creates or replaces a file, and the folders above it.
func (p *player) write(f file) error {
	path := p.env.path(f.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(f.Content), 0o644); err != nil {
		return err
	}
	if f.Exec {
		if err := os.Chmod(path, 0o755); err != nil {
			return err
		}
	}
	p.out.call("Write", map[string]any{"file_path": f.Path, "content": f.Content}, "written: "+f.Path)
	return nil
}

// append adds to the end of a file, and creates it where it is missing.
func (p *player) append(f file) error {
	path := p.env.path(f.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := appendFile(path, f.Content); err != nil {
		return err
	}
	p.edited(f.Path, "", f.Content)
	return nil
}

func (p *player) replace(r replacement) error {
	path := p.env.path(r.Path)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(data), r.Old); n != 1 {
		return fmt.Errorf("%s holds the old text %d times, not once", r.Path, n)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), r.Old, r.New, 1)), 0o644); err != nil {
		return err
	}
	p.edited(r.Path, r.Old, r.New)
	return nil
}

// remove removes a file or a folder with its content.
func (p *player) remove(name string) error {
	path := p.env.path(name)
	if _, err := os.Lstat(path); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	p.out.call("Bash", map[string]any{"command": argv{"rm", "-r", name}.String()}, "")
	return nil
}

// edited prints the call of an editing tool.
func (p *player) edited(path, old, replacement string) {
	p.out.call("Edit", map[string]any{
		"file_path": path, "old_string": old, "new_string": replacement}, "edited: "+path)
}

func appendFile(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}
