package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"
)

// scenario is one agent of the corpus: an archive. Its comment is the head, in YAML. Its files
// are the agent's script (replay.yaml), the rest of the project (repo/...) and the user's own
// settings (home/config.yaml).
type scenario struct {
	Name     string   `yaml:"-"`
	About    string   `yaml:"about"` // what the agent does, in a sentence
	Lie      bool     `yaml:"lie"`
	Stories  int      `yaml:"stories"`  // of the plan, 1 where nothing is said
	Settings string   `yaml:"settings"` // in place of the usual ones
	Setup    string   `yaml:"setup"`    // shell, in the repository before the run
	Args     []string `yaml:"args"`     // of ralph run, besides the usual ones
	Want     want     `yaml:"want"`
	Language string   `yaml:"-"` // of a commit of a real history

	files []txtar.File

	// Of a commit of a real history: its git directory, its check, and what undoes its work.
	mirror, commit, check, undo string
}

// want is what must come of a scenario.
type want struct {
	Exit     int      `yaml:"exit"`
	Reason   string   `yaml:"reason"`   // of the end; empty: any
	Accepted []string `yaml:"accepted"` // the stories that ralph accepts at the end, and no others
	Events   []string `yaml:"events"`   // types that must be among the run's events
	Never    []string `yaml:"never"`    // types that must not
	Says     []string `yaml:"says"`     // texts that must be in the events
}

// load reads the corpus in the order of its names.
func load(dir, only string) ([]scenario, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var all []scenario
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		if !strings.Contains(name, only) {
			continue
		}
		s, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		s.Name = name
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no agents in %s: is this the repository's root?", dir)
	}
	return all, nil
}

// sample returns n agents at even distances, or all of them where n is 0.
func sample(all []scenario, n int) []scenario {
	if n <= 0 || n >= len(all) {
		return all
	}
	few := make([]scenario, n)
	for i := range few {
		few[i] = all[i*len(all)/n]
	}
	return few
}

func read(path string) (scenario, error) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		return scenario{}, err
	}
	s := scenario{Stories: 1, files: a.Files}
	dec := yaml.NewDecoder(strings.NewReader(string(a.Comment)))
	dec.KnownFields(true)
	return s, dec.Decode(&s)
}
