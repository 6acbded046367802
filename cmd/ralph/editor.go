package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"

	"ralph"
	"ralph/internal/config"
	"ralph/internal/prd"
	"ralph/internal/regular"
)

// Where 'ralph setup' puts the schemas with which editors complete and check the
// plans and the settings of a project. What refers to them does so by these names:
// a prd.json that 'ralph prd' makes, and the first line of the settings.
const (
	prdSchemaFile    = ".ralph/prd.schema.json"
	configSchemaFile = ".ralph/config.schema.json"
)

// schemas brings the schemas up to date, says what it did, and returns how many
// files it left alone because something else is there.
func (c *setupCmd) schemas(a *app, root string) (refused int, err error) {
	settings, err := config.Schema(ralph.ConfigExample)
	if err != nil {
		return 0, err
	}
	for _, s := range []struct {
		rel  string
		text []byte
	}{{prdSchemaFile, prd.Schema}, {configSchemaFile, settings}} {
		f, err := inspectSchema(root, s.rel, s.text)
		if err != nil {
			return refused, err
		}
		left, err := c.put(a, f, "for editors")
		if err != nil {
			return refused, err
		}
		if left {
			refused++
		}
	}
	return refused, nil
}

// inspectSchema compares the file of a schema with what it should be. One with
// our title is an older ralph's.
func inspectSchema(root, rel string, text []byte) (commandFile, error) {
	text = append(bytes.TrimSpace(text), '\n')
	f := commandFile{root: root, rel: rel, want: string(text)}
	have, err := regular.Read(f.path(), maxCommandFile)
	var ours, theirs struct{ Title string }
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.state = fileMissing
	case err != nil:
		return f, inTheWay(root, err.Error())
	case checksum(string(have)) == checksum(f.want):
		f.state = fileCurrent
	case json.Unmarshal(have, &theirs) == nil && json.Unmarshal(text, &ours) == nil && theirs == ours:
		f.state = fileOutdated
	default:
		f.state = fileEdited
	}
	return f, nil
}
