// Package ralph holds the files that the program carries with it: the templates and the
// built-in settings. The program is cmd/ralph; ARCHITECTURE.md has the map of the code.
package ralph

import "embed"

// Templates are the files in templates/: prompts, examples, slash commands and the demo.
//
//go:embed all:templates
var Templates embed.FS

// ConfigExample is config.yaml.example: the documentation of all settings, with their
// built-in values.
//
//go:embed config.yaml.example
var ConfigExample []byte
