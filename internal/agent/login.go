package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Move is a variable that moves a folder away from the home directory.
type Move struct{ Variable, Folder string }

// Login is a sign that an agent is logged in. It never holds the credential.
type Login struct {
	Variable string // of the environment; empty where it is a file
	File     string // absolute
}

// String names the sign in a message.
func (l Login) String() string {
	if l.Variable != "" {
		return "the variable " + l.Variable
	}
	return l.File
}

// Logins returns the signs of a login in the environment and below the home directory, in
// the order of the harness's table. A harness with an unknown login has no signs.
func (h Harness) Logins(env []string, home string) []Login {
	var found []Login
	for _, name := range h.LoginEnv {
		if Getenv(env, name) != "" {
			found = append(found, Login{Variable: name})
		}
	}
	for _, rel := range h.LoginFiles {
		path := h.Place(env, home, rel)
		if _, err := os.Stat(path); path != "" && err == nil {
			found = append(found, Login{File: path})
		}
	}
	return found
}

// Place is the path of one of the agent's own files, given from the home
// directory; empty where there is no home directory.
func (h Harness) Place(env []string, home, rel string) string {
	for _, m := range h.Moved {
		rest, ok := strings.CutPrefix(rel, m.Folder+"/")
		if dir := Getenv(env, m.Variable); ok && dir != "" {
			return filepath.Join(dir, rest)
		}
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, rel)
}

// VersionArgv returns the call that prints the agent's version, nil if it is unknown: a
// program from the settings may take the words for a task.
func (h Harness) VersionArgv() []string {
	if len(h.Headless) == 0 {
		return nil
	}
	return append(slices.Clone(h.Command), "--version")
}

// Getenv returns the value of a variable in an environment, the last one of that name;
// empty if it is not set.
func Getenv(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
