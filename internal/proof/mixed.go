package proof

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// merge returns a file that mixes dependencies and check settings: the dependencies of
// one commit with the scripts and tool sections of another. What cannot be read is
// taken from dependencies.
func merge(name, dependencies, settings string) string {
	switch path.Base(name) {
	case "package.json":
		return mergePackage(dependencies, settings)
	case "pyproject.toml":
		return mergeSections(dependencies, settings, isPythonTool)
	case "setup.cfg":
		return mergeSections(dependencies, settings, isSetupTool)
	case "Cargo.toml":
		return mergeCargo(dependencies, settings)
	case "go.mod":
		return mergeModule(dependencies, settings)
	case ".npmrc":
		return mergeNpmrc(dependencies, settings)
	}
	return dependencies
}

// checkKeys are the parts of a package.json that decide what checks run.
var checkKeys = []string{"jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "xo", "standard", "eslintConfig", "eslintIgnore",
	"prettier", "stylelint", "lint-staged", "husky", "simple-git-hooks", "wireit", "nx", "type"}

func mergePackage(dependencies, settings string) string {
	var head, base map[string]json.RawMessage
	if settings == "" {
		settings = "{}" // the file is new
	}
	if json.Unmarshal([]byte(dependencies), &head) != nil || json.Unmarshal([]byte(settings), &base) != nil {
		return dependencies
	}
	for _, key := range checkKeys {
		if old, was := base[key]; was {
			head[key] = old
		} else if key != "type" {
			delete(head, key)
		}
	}
	var is, was map[string]string
	_, _ = json.Unmarshal(head["scripts"], &is), json.Unmarshal(base["scripts"], &was) // none is an empty one
	if scripts, err := json.Marshal(mergeScripts(is, was)); err == nil {
		head["scripts"] = scripts
	}
	text, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return dependencies
	}
	return string(text) + "\n"
}

// mergeScripts returns the scripts that were there, and the new ones that nothing runs
// by itself.
func mergeScripts(is, was map[string]string) map[string]string {
	merged := map[string]string{}
	for name, script := range is {
		after, before := strings.TrimPrefix(name, "pre"), strings.TrimPrefix(name, "post")
		hook := name == "prepare" || name == "install" || after != name && is[after] != "" || before != name && is[before] != "" ||
			after == "install" || before == "install"
		if !hook {
			merged[name] = script
		}
	}
	for name, script := range was {
		merged[name] = script
	}
	return merged
}

// section is a part of a TOML or INI file: its heading and its lines with the heading.
type section struct{ name, text string }

func sectionsOf(text string) []section {
	all := []section{{}}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") && strings.Contains(trimmed, "]") && !strings.HasPrefix(line, " ") {
			name, _, _ := strings.Cut(strings.TrimLeft(trimmed, "["), "]")
			all = append(all, section{name: strings.TrimSpace(name)})
		}
		all[len(all)-1].text += line
	}
	return all
}

// mergeSections takes the sections of tools from settings and all others from dependencies.
func mergeSections(dependencies, settings string, isTool func(string) bool) string {
	var b strings.Builder
	for _, s := range sectionsOf(dependencies) {
		if !isTool(s.name) {
			b.WriteString(s.text)
		}
	}
	for _, s := range sectionsOf(settings) {
		if isTool(s.name) {
			if text := b.String(); text != "" && !strings.HasSuffix(text, "\n") {
				b.WriteString("\n")
			}
			b.WriteString(s.text)
		}
	}
	return b.String()
}

func isPythonTool(name string) bool {
	tool, ok := strings.CutPrefix(name, "tool.")
	first, rest, _ := strings.Cut(tool, ".")
	switch first {
	case "pytest", "ruff", "mypy", "coverage", "tox", "nox", "pylint", "pyright", "basedpyright", "flake8", "black", "isort", "bandit",
		"poe", "taskipy", "interrogate", "pydocstyle", "vulture", "pyre", "ty", "unittest":
		return ok
	case "hatch":
		return ok && strings.HasPrefix(rest, "envs")
	case "pdm":
		return ok && rest == "scripts"
	}
	return false
}

func isSetupTool(name string) bool {
	first, _, _ := strings.Cut(name, ":")
	return slices.Contains([]string{"tool", "coverage", "flake8", "mypy", "isort", "pylint", "pycodestyle", "pydocstyle", "tox", "aliases", "pytest"}, first) ||
		strings.HasPrefix(name, "mypy-")
}

// cargoFlags are the lines that take tests out of a crate.
var cargoFlags = regexp.MustCompile(`^\s*(?:test|doctest|harness|autotests|autoexamples|exclude|default-members)\s*=`)

func mergeCargo(dependencies, settings string) string {
	isTool := func(name string) bool {
		return name == "test" || name == "profile.test" || strings.HasPrefix(name, "lints") || strings.HasPrefix(name, "workspace.lints")
	}
	flags := map[string][]string{} // of the sections as they were
	for _, s := range sectionsOf(settings) {
		for line := range strings.Lines(s.text) {
			if cargoFlags.MatchString(line) && !isTool(s.name) {
				flags[s.name] = append(flags[s.name], line)
			}
		}
	}
	var b strings.Builder
	for _, s := range sectionsOf(dependencies) {
		heading := true
		for line := range strings.Lines(s.text) {
			if !cargoFlags.MatchString(line) || isTool(s.name) {
				b.WriteString(line)
			}
			if heading && s.name != "" {
				b.WriteString(strings.Join(flags[s.name], ""))
			}
			heading = false
		}
	}
	return mergeSections(b.String(), settings, isTool)
}

var replaceLine = regexp.MustCompile(`^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+)`)

// mergeModule leaves out what replaces a module that was required before by a folder
// of the project, unless it did so before.
func mergeModule(dependencies, settings string) string {
	was := map[string]string{}
	for line := range strings.Lines(settings) {
		if m := replaceLine.FindStringSubmatch(line); m != nil {
			was[m[1]] = m[2]
		}
	}
	var b strings.Builder
	for line := range strings.Lines(dependencies) {
		m := replaceLine.FindStringSubmatch(line)
		local := m != nil && (strings.HasPrefix(m[2], ".") || strings.HasPrefix(m[2], "/"))
		if local && was[m[1]] != m[2] && strings.Contains(settings, m[1]+" v") {
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// npmChecks are the settings of npm that decide how a script runs.
var npmChecks = regexp.MustCompile(`^\s*(?:script-shell|node-options|ignore-scripts|if-present|shell|scripts-prepend-node-path|node-version|prefix|userconfig|globalconfig)\s*=`)

func mergeNpmrc(dependencies, settings string) string {
	var b strings.Builder
	for line := range strings.Lines(dependencies) {
		if !npmChecks.MatchString(line) {
			b.WriteString(line)
		}
	}
	for line := range strings.Lines(settings) {
		if npmChecks.MatchString(line) {
			b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return b.String()
}
