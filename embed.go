package ralph

import _ "embed"

// ConfigExample is config.yaml.example: the documentation of all settings, and
// at the same time their built-in values.
//
//go:embed config.yaml.example
var ConfigExample []byte
