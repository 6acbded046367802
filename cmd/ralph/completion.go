package main

import "embed"

// completionScripts hand what was typed to 'ralph __complete', in the language
// of each shell.
//
//go:embed completion
var completionScripts embed.FS

// completionCmd is "ralph completion".
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run carries the command out.
func (c *completionCmd) Run(a *app) error {
	script, err := completionScripts.ReadFile("completion/ralph." + c.Shell)
	if err != nil {
		return err
	}
	_, err = a.t.out.Write(script)
	return enough(err)
}
