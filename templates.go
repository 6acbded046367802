package ralph

import "embed"

// Templates are the files below templates/: prompts, examples, slash commands
// and the demo's feature.
//
//go:embed all:templates
var Templates embed.FS
