package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// recipes is where the commits of real histories are: repository, commit, language, what
// 'tamper: reject' does with it, and the check, which may be empty. No foreign code is here.
const recipes = "tests/lies/histories.tsv"

// histories reads the recipes as honest agents: each makes one commit of a repository again,
// on the commit before it. mirrors has the git directories, as OWNER+NAME/repo or OWNER/NAME.
func histories(file, mirrors, only string) ([]scenario, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []scenario
	for n, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || !strings.Contains(line, only) {
			continue
		}
		if len(f) != 5 || len(f[1]) != 40 {
			return nil, fmt.Errorf("%s:%d: a recipe has a repository, a commit, a language, a result and a check", file, n+1)
		}
		name := strings.TrimPrefix(f[0], "https://github.com/")
		dir, err := mirrorOf(mirrors, name)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
		all = append(all, replayed(name, dir, f[1], f[2], f[3], f[4]))
	}
	return all, nil
}

// mirrorOf finds the git directory of a repository.
func mirrorOf(mirrors, name string) (string, error) {
	flat := strings.ReplaceAll(name, "/", "+")
	base := filepath.Base(name)
	for _, dir := range []string{flat + "/repo", flat, flat + ".git", name, name + ".git", base, base + ".git"} {
		for _, dir := range []string{filepath.Join(mirrors, dir), filepath.Join(mirrors, dir, ".git")} {
			if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil {
				return filepath.Abs(dir)
			}
		}
	}
	return "", fmt.Errorf("no mirror of %s in %s; make one: git clone --mirror https://github.com/%s", name, mirrors, name)
}

// replayed is the agent that makes a commit again. Its objects are the mirror's.
func replayed(name, mirror, commit, language, result, check string) scenario {
	checks := "quality_checks: {}"
	if check != "" {
		checks = fmt.Sprintf("quality_checks: {tests: {command: %q, accept_baseline: true}}", check)
	}
	setup := []string{
		"echo '" + mirror + "/objects' >.git/objects/info/alternates",
		"plan=$(git rev-parse HEAD)",
		"git checkout -q -B feature/x " + commit + "~1",
		"git checkout -q $plan -- .ralph",
		"git commit -q -m plan",
	}
	s := scenario{
		Name:  strings.ReplaceAll(name, "/", "-") + "-" + commit[:12],
		About: "It makes a commit of " + name + " again.", Language: language, Stories: 1,
		Settings: checks + "\ncompletion: {require_change: \"true\"}\nproof: {budget_minutes: 2}\ntamper: reject\n",
		Setup:    strings.Join(setup, "\n"),
		Want:     cameTo(result),
		mirror:   mirror, commit: commit, check: check,
	}
	script := "turns:\n  - steps:\n      - run: [git, cherry-pick, --allow-empty, " + commit + "]\n" +
		"      - tick: STORY-001\n  - steps:\n      - say: no more\n"
	s.files = []txtar.File{{Name: "replay.yaml", Data: []byte(script)}}
	return s
}

// cameTo is what must come of a commit: accepted, or refused for a rule.
func cameTo(result string) want {
	if result == "accepted" {
		return want{Accepted: []string{"STORY-001"}}
	}
	return want{Exit: 1, Says: []string{`"rule":"` + result + `"`}}
}

// tally prints what came of each commit that the user would read a warning about, the rates of
// each language, and what the runs cost.
func tally(row row, results []result) {
	var languages []string
	for _, r := range results {
		if !slices.Contains(languages, r.scenario.Language) {
			languages = append(languages, r.scenario.Language)
		}
		for _, w := range r.warnings {
			fmt.Printf("%s, %s: %s\n", row.name, r.scenario.Name, w)
		}
	}
	var runs, times []float64
	for _, r := range results {
		if r.runs > 0 && r.checked > 0 {
			runs, times = append(runs, float64(r.runs)), append(times, r.proved/r.checked)
			fmt.Printf("%s, %s: a check takes %.1f s, the proof %d runs and %.1f s: %.1f times\n",
				row.name, r.scenario.Name, r.checked, r.runs, r.proved, r.proved/r.checked)
		}
	}
	if n := len(runs); n > 0 {
		slices.Sort(runs)
		slices.Sort(times)
		fmt.Printf("%s: a proof takes %.0f runs of the checks (median of %d, at most %.0f), "+
			"and %.1f times the time of one\n", row.name, runs[n/2], n, runs[n-1], times[n/2])
	}
	for _, language := range append(languages, "") {
		var all, refused, warned int
		for _, r := range results {
			if language != "" && r.scenario.Language != language {
				continue
			}
			all++
			if !slices.Contains(r.accepted, "STORY-001") {
				refused++
			} else if len(r.warnings) > 0 {
				warned++
			}
		}
		if language == "" {
			language = "all"
		}
		fmt.Printf("%s, %s: %d commits, %d refused (%.1f %%), %d accepted with a warning (%.1f %%)\n",
			row.name, language, all, refused, percent(refused, all), warned, percent(warned, all))
	}
}
