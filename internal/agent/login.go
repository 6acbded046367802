package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Move names a variable that moves a folder out of the home directory.
type Move struct{ Variable, Folder string }

// Logins describes the signs that the agent is logged in: the names of variables that are set,
// then the paths of files that exist. It returns none if ralph does not know how the agent logs
// in.
func (h Harness) Logins(env []string, home string) []string {
	var found []string
	for _, name := range h.LoginEnv {
		if Getenv(env, name) != "" {
			found = append(found, "the variable "+name)
		}
	}
	for _, rel := range h.LoginFiles {
		path := h.Place(env, home, rel)
		if _, err := os.Stat(path); path != "" && err == nil {
			found = append(found, path)
		}
	}
	return found
}

// Place returns the absolute path of one of the agent's files. rel is its path below the home
// directory. A variable in Moved may move it elsewhere. Place returns "" if the home directory
// is needed and unknown.
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

// VersionArgv returns the command line that prints the agent's version. It returns nil for a
// program from the settings, which may take "--version" for a task.
func (h Harness) VersionArgv() []string {
	if len(h.Headless) == 0 {
		return nil
	}
	return append(slices.Clone(h.Command), "--version")
}

// Getenv returns the value of a variable in an environment, or "" if it is not set. The last
// entry of a name counts.
func Getenv(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
