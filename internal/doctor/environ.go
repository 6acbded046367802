package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ralph/internal/agent"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/regular"
)

// maxSettings bounds what is read of an agent's own settings, in bytes.
const maxSettings = 1 << 20

// bites finds what would lead the agent astray: variables that ralph takes away
// from it, and the same ones in the agent's own settings, where ralph cannot.
func (in Input) bites(h agent.Harness) []preflight.Condition {
	const id = "environment"
	var checks []preflight.Condition
	if names := dropped(h, in.Env); len(names) > 0 {
		checks = append(checks, ok(id, fmt.Sprintf("Taken away from %s, harmless so: %s", h.Name, strings.Join(names, ", "))))
	}
	for _, path := range in.envFiles(h) {
		set, err := envOf(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			checks = append(checks, warn(id, err.Error(), "Correct it: the agent reads it too."))
			continue
		}
		var entries []string
		for _, name := range set {
			entries = append(entries, name+"=set")
		}
		if names := dropped(h, entries); len(names) > 0 {
			checks = append(checks, warn(id, fmt.Sprintf("%s sets for %s: %s", path, h.Name, strings.Join(names, ", ")),
				"Remove it from \"env\" there: ralph takes it away from unattended sessions, and cannot do so here."))
		}
	}
	return checks
}

// dropped returns the variables with a value that ralph removes from the agent's
// environment.
func dropped(h agent.Harness, env []string) []string {
	kept := agent.Without(env, h.DropEnv, nil)
	var names []string
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); value != "" && !slices.Contains(kept, kv) {
			names = append(names, name)
		}
	}
	return names
}

// envFiles are the files in which the agent finds variables for itself.
func (in Input) envFiles(h agent.Harness) []string {
	var paths []string
	for _, rel := range h.EnvFiles {
		if path := h.Place(in.Env, in.UserHome, rel); path != "" {
			paths = append(paths, path)
		}
		if in.Repo != nil {
			paths = append(paths, filepath.Join(in.Repo.Root, rel))
		}
	}
	return slices.Compact(paths)
}

// envOf reads which variables an agent's settings set, and not to nothing. Their values, which may
// be secret, are passed over.
func envOf(path string) ([]string, error) {
	data, err := regular.Read(path, maxSettings)
	if err != nil {
		return nil, err
	}
	var settings struct {
		Env map[string]json.RawMessage `json:"env"`
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return nil, fmt.Errorf("%s cannot be read: it is not JSON: %w", path, err)
	}
	maps.DeleteFunc(settings.Env, func(_ string, value json.RawMessage) bool { return string(value) == `""` })
	return slices.Sorted(maps.Keys(settings.Env)), nil
}

// misleading are the variables that make an agent's git work somewhere else.
var misleading = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE"}

// environment finds what bites every agent.
func (in Input) environment() []preflight.Condition {
	const id = "environment"
	var checks []preflight.Condition
	is := func(name string) bool { return agent.Getenv(in.Env, name) != "" }
	if is(proc.TokenVar) {
		checks = append(checks, warn(id, "This is inside of a run of ralph, as its agent or its check", "Start loops from a terminal of your own: this one ends with the run."))
	}
	if set := slices.DeleteFunc(slices.Clone(misleading), func(n string) bool { return !is(n) }); len(set) > 0 {
		checks = append(checks, warn(id, strings.Join(set, ", ")+" would lead the agent's git to another repository", "unset "+strings.Join(set, " ")))
	}
	if strings.Contains(agent.Getenv(in.Env, "NODE_OPTIONS"), "--inspect") {
		checks = append(checks, warn(id, "NODE_OPTIONS makes agents that run on Node.js wait for a debugger", "unset NODE_OPTIONS"))
	}
	if dir := agent.Getenv(in.Env, "TMPDIR"); dir != "" && unix.Access(dir, unix.W_OK) != nil {
		checks = append(checks, fail(id, fmt.Sprintf("TMPDIR is %s, where nothing can be written", dir), "Make that folder, or unset TMPDIR."))
	}
	if in.UserHome == "" {
		checks = append(checks, fail(id, "There is no home directory: HOME is not set", "Set HOME: agents keep their login there."))
	}
	return checks
}
