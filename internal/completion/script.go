package completion

import (
	"embed"
	"fmt"
)

// scripts hand what was typed to 'ralph __complete', in the language of each shell.
//
//go:embed ralph.*
var scripts embed.FS

// Script returns the completion script for a shell: bash, zsh or fish.
func Script(shell string) ([]byte, error) {
	text, err := scripts.ReadFile("ralph." + shell)
	if err != nil {
		return nil, fmt.Errorf("there is no completion for %s", shell)
	}
	return text, nil
}
