package completion

import (
	"embed"
	"fmt"
)

// scripts hand what was typed to 'ralph __complete', in the language of each shell.
//
//go:embed ralph.*
var scripts embed.FS

// Script is what makes a shell (bash, zsh or fish) complete ralph's words.
func Script(shell string) ([]byte, error) {
	text, err := scripts.ReadFile("ralph." + shell)
	if err != nil {
		return nil, fmt.Errorf("there is no completion for %s", shell)
	}
	return text, nil
}
