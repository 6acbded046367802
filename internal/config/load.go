package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Input is where the settings come from, weakest first.
type Input struct {
	Example     []byte     // the built-in values: config.yaml.example
	UserFile    string     // for all projects of a user
	ProjectFile string     // of one project; may be the same file as UserFile
	ProjectRoot string     // what trusted_projects must name for ProjectFile to set all keys
	Environ     []string   // as os.Environ gives it
	Flags       []Override // of the command line
}

// Override sets one key from the command line.
type Override struct {
	Key   string // such as "defaults.max_iterations"
	Flag  string // as the user typed it, for messages
	Value string // spans of time may have a unit, lists are separated by commas
}

// Loaded is the settings and what is known of where they came from.
type Loaded struct {
	Settings Settings
	Warnings []string // what was ignored, with file and line

	origins map[string]Origin
}

// ProjectFile returns the path of a project's settings.
func ProjectFile(root string) string { return filepath.Join(root, ".ralph", "config.yaml") }

// Load reads all layers. A file that does not exist is an empty one. The error
// joins one *Error for each thing that is wrong, in the order of the layers.
func Load(in Input) (*Loaded, error) {
	l := &Loaded{origins: map[string]Origin{}}
	errs := l.layer(&decoder{file: "built-in settings", builtIn: true}, in.Example)

	environ := map[string]string{}
	for _, entry := range in.Environ {
		name, value, _ := strings.Cut(entry, "=")
		environ[name] = value
	}
	userFile, projectFile := in.UserFile, in.ProjectFile
	if sameFile(userFile, projectFile) {
		projectFile = "" // the home directory is the project
	}
	errs = append(errs, l.readLayer(&decoder{file: userFile})...)
	errs = append(errs, l.readLayer(&decoder{
		file:    projectFile,
		ignored: l.restriction(userFile, in.ProjectRoot),
		trusted: trusts(l.Settings.TrustedProjects, in.ProjectRoot, environ["HOME"]),
	})...)
	errs = append(errs, l.environment(environ)...)
	for _, flag := range in.Flags {
		errs = append(errs, l.setText(flag.Key, flag.Flag, flag.Value)...)
	}
	if len(errs) == 0 {
		errs = l.complete()
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return l, nil
}

// WithDefaults returns a copy in which values take the place of built-in ones:
// of the keys that no file, variable or flag has set. They count as built-in.
func (l *Loaded) WithDefaults(values map[string]string) (*Loaded, error) {
	changed := &Loaded{Settings: l.Settings, Warnings: l.Warnings, origins: maps.Clone(l.origins)}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if l.IsDefault(key) {
			errs = append(errs, changed.setText(key, "default", values[key])...)
			delete(changed.origins, key)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return changed, nil
}

// CheckValue returns an error if a file of settings cannot give a key this value, written as
// YAML. It knows no keys with names that the user chooses, such as quality_checks.NAME.
func CheckValue(path, text string) error {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) != 1 {
		return &Error{Place: path, What: fmt.Sprintf("%q is not a value", text)}
	}
	for _, k := range keys() {
		if k.path == path {
			d := &decoder{name: path, origins: map[string]Origin{}}
			d.leaf(document.Content[0], "", k.field, reflect.New(k.field.Type).Elem())
			return errors.Join(d.errs...)
		}
	}
	return nil
}

// readLayer decodes the decoder's file into the settings.
func (l *Loaded) readLayer(d *decoder) []error {
	content, err := readFile(d.file)
	if err != nil {
		return []error{err}
	}
	return l.layer(d, content)
}

func (l *Loaded) layer(d *decoder, content []byte) []error {
	root, err := parseFile(d.file, content)
	switch {
	case err != nil:
		return []error{err}
	case root == nil:
		return nil
	}
	d.origins = l.origins
	d.section(root, "", reflect.ValueOf(&l.Settings).Elem())
	return d.errs
}

// environment sets the keys that have a variable which is set and not empty.
func (l *Loaded) environment(values map[string]string) []error {
	names := envNames()
	var errs []error
	for _, k := range keys() {
		if value := values[names[k.path]]; value != "" {
			errs = append(errs, l.setText(k.path, names[k.path], value)...)
		}
	}
	if mode := values["RALPH_SANDBOX"]; mode != "" { // the short form
		errs = append(errs, l.setText("sandbox.mode", "RALPH_SANDBOX", mode)...)
	}
	known := slices.Sorted(maps.Values(names))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if meant := nearMiss(name, known); meant != "" && values[name] != "" {
			l.Warnings = append(l.Warnings,
				name+" is not a setting and is ignored; did you mean "+meant+"?")
		}
	}
	return errs
}

// setText sets one key from a text; name is the variable or the flag.
func (l *Loaded) setText(path, name, value string) []error {
	for _, k := range keys() {
		if k.path == path {
			d := &decoder{name: name, origins: l.origins}
			node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
			d.leaf(node, path, k.field, reflect.ValueOf(&l.Settings).Elem().FieldByIndex(k.index))
			return d.errs
		}
	}
	return []error{&Error{Place: name, What: "unknown key " + path + guess(path, reflect.TypeFor[Settings]())}}
}

// complete fills in what the entries of groups leave open, and finds what is
// only wrong as a whole.
func (l *Loaded) complete() []error {
	var errs []error
	checks := l.Settings.QualityChecks
	for i := range checks {
		if checks[i].When == "" {
			checks[i].When = "claim"
		}
		if checks[i].Command == "" {
			errs = append(errs, l.incomplete("quality_checks."+checks[i].Name, "has no command"))
		}
	}
	if p := &l.Settings.Proof; p.Strength > 0 && p.BudgetMinutes == 0 {
		place := l.origins["proof.strength"]
		errs = append(errs, &Error{Place: place.String(), Key: "proof.strength",
			What: "needs time for its runs: set proof.budget_minutes above 0, or strength to 0"})
	}
	d := &l.Settings.Defaults
	if d.MinIterations > d.MaxIterations {
		l.Warnings = append(l.Warnings, l.Origin("defaults.min_iterations").String()+
			": defaults.min_iterations is more than defaults.max_iterations: no promise can be accepted")
	}
	return errs
}

// incomplete is an error about an entry, at the place of what it does have.
func (l *Loaded) incomplete(entry, what string) error {
	place := "settings"
	for _, key := range slices.Sorted(maps.Keys(l.origins)) {
		if strings.HasPrefix(key, entry+".") {
			place = l.origins[key].String()
			break
		}
	}
	return &Error{Place: place, Key: entry, What: what}
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}
