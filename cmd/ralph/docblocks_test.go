package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"ralph"
	"ralph/internal/config"
	"ralph/internal/prd"
	"ralph/internal/replay"
	"ralph/internal/spec"
)

// TestEveryExampleOfTheDocumentationIsValid reads each example of settings, scripts,
// plans and JSON as the program would.
func TestEveryExampleOfTheDocumentationIsValid(t *testing.T) {
	t.Parallel()
	read := map[string]int{}
	for _, page := range docPages(t) {
		for _, b := range page.blocks {
			kind, err := readExample(t, b)
			if err != nil {
				t.Errorf("%s:%d: %v\n%s", page.path, b.line, err, b.text)
			}
			read[kind]++
		}
	}
	for _, kind := range []string{"settings", "script", "spec", "prd", "json"} {
		if read[kind] == 0 {
			t.Errorf("no example of the kind %s was found at all", kind)
		}
	}
}

// TestNoCommandOfTheDocumentationIsLeftOut checks that each call of ralph in a block is
// run, or has a reason not to be.
func TestNoCommandOfTheDocumentationIsLeftOut(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`(?m)^(\$ )?([A-Z_]+=\S+ )*ralph [a-z]`)
	for _, page := range docPages(t) {
		for _, b := range page.blocks {
			if (b.lang == "" || b.lang == "sh" || b.lang == "bash") && call.MatchString(b.text) {
				t.Errorf("%s:%d: a call of ralph in a block that is not of the language console", page.path, b.line)
			}
		}
	}
}

// readExample returns what a block is an example of, and what is wrong with it.
func readExample(t *testing.T, b docBlock) (kind string, err error) {
	t.Helper()
	switch {
	case b.lang == "yaml":
		return readYAML(t, b.text)
	case b.lang == "json" && strings.Contains(b.text, `"userStories"`):
		_, findings, err := prd.Parse("prd.json", []byte(b.text))
		return "prd", errors.Join(err, inFindings(findings))
	case b.lang == "json":
		var v any
		return "json", json.Unmarshal([]byte(b.text), &v)
	case b.lang == "markdown" && strings.HasPrefix(b.text, "---\n"):
		s, findings, err := spec.Parse("spec.md", []byte(b.text))
		if err == nil && len(s.Stories) == 0 {
			err = errors.New("a spec.md without a story")
		}
		return "spec", errors.Join(err, inFindings(findings))
	}
	return "", nil
}

// inFindings is an error where there are findings at all: an example has none.
func inFindings[F any](findings []F) error {
	if len(findings) > 0 {
		return fmt.Errorf("%v", findings)
	}
	return nil
}

// othersKeys are what the files of other programs begin with, such as a workflow.
var othersKeys = []string{"name", "on", "jobs", "steps", "repos", "runs"}

func readYAML(t *testing.T, text string) (kind string, err error) {
	t.Helper()
	var keys map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(text), &keys); err != nil {
		return "", err
	}
	for key := range keys {
		switch {
		case key == "turns":
			_, err := replay.Parse("replay.yaml", []byte(text))
			return "script", err
		case slices.Contains(othersKeys, key):
			return "", nil
		}
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	_, err = config.Load(config.Input{Example: ralph.ConfigExample, UserFile: file, Environ: []string{"HOME=" + t.TempDir()}})
	return "settings", err
}
