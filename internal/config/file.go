package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"

	"gopkg.in/yaml.v3"
)

// maxFile bounds a settings file in bytes; beyond it, it is something else.
const maxFile = 1 << 20

// readFile returns the content of a settings file, nothing if the file does not exist.
func readFile(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the settings: %w", err)
	case !info.Mode().IsRegular(): // to open a named pipe would wait for ever
		return nil, &Error{Place: file, What: "is not a plain file"}
	case info.Size() > maxFile:
		return nil, &Error{Place: file, What: fmt.Sprintf("has %d bytes, settings have at most %d", info.Size(), maxFile)}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return content, nil
}

// yamlError matches an error of yaml.v3: "yaml: line 3: what is wrong".
var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?((?s).*)$`)

// parseFile returns the one document of a file, nil for an empty one.
func parseFile(file string, content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		if extra := decoder.Decode(&second); extra == nil {
			return nil, &Error{Place: fmt.Sprintf("%s:%d", file, second.Line), What: "a second document, settings have one"}
		} else if !errors.Is(extra, io.EOF) {
			err = extra
		}
	}
	if err != nil {
		part := yamlError.FindStringSubmatch(err.Error())
		if part == nil {
			return nil, &Error{Place: file, What: err.Error()}
		}
		if part[1] != "" {
			file += ":" + part[1]
		}
		return nil, &Error{Place: file, What: "this is not YAML: " + part[2]}
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return resolve(document.Content[0]), nil
}
