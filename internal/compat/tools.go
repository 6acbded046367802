package compat

// same is a flag that ralph has under the same names.
func same(value bool, names ...string) flag {
	return flag{names: names, value: value, to: names[len(names)-1]}
}

// tools is the table of all command lines that are known.
func tools() []tool { return []tool{ralphHybrid(), wtLoop(), ito()} }

// ralphHybrid is the command line of ralph-hybrid, after its own help.
func ralphHybrid() tool {
	model := flag{names: []string{"-m", "--model"}, value: true, to: "--model"}
	noModel := flag{names: model.names, value: true, why: "ralph verify runs the checks, and no agent"}
	profile := flag{names: []string{"--profile"}, value: true, why: "ralph has no profiles; name a model with --model"}
	yes := flag{names: []string{"-y", "--yes"}, why: "ralph archives without a question"}
	return tool{name: "ralph-hybrid", commands: []command{
		{name: "run", to: []string{"run"}, own: []flag{
			same(true, "-n", "--max-iterations"), same(true, "-t", "--timeout"), same(true, "-r", "--rate-limit"),
			same(true, "-p", "--prompt"), same(false, "-v", "--verbose"), same(false, "--no-archive"),
			same(false, "--dry-run"), same(false, "--skip-preflight"), same(false, "--dangerously-skip-permissions"),
			same(false, "--monitor"), same(false, "--reset-circuit"), model, profile,
			{names: []string{"--success-criteria"}, value: true, no: "write the command to .ralph/config.yaml: quality_checks: {tests: \"COMMAND\"}"},
			{names: []string{"--legacy"}, why: "ralph reads .ralph/; use ralph import for .ralph-hybrid/"},
		}},
		{name: "status", to: []string{"status"}},
		{name: "monitor", to: []string{"monitor"}},
		{name: "kill", to: []string{"stop"}},
		{name: "archive", to: []string{"archive"}, own: []flag{yes}},
		{name: "restore", to: []string{"archive", "--restore"}, args: true},
		{name: "validate", to: []string{"validate"}, own: []flag{{names: []string{"--smoke"}, why: "make the smoke test a quality check"}}},
		{name: "import", to: []string{"import"}, args: true, own: []flag{
			{names: []string{"--format"}, value: true, why: "ralph recognises the format"},
			{names: []string{"--output"}, value: true, no: "ralph import writes to the folder of the branch"},
		}},
		{name: "setup", to: []string{"setup"}},
		{name: "verify", to: []string{"verify"}, own: []flag{noModel, profile, {names: []string{"-v", "--verbose"}, why: "verify prints everything"},
			{names: []string{"-o", "--output"}, value: true, why: "redirect the output of ralph verify"}}},
		{name: "init", no: "ralph needs no init: plan with 'ralph plan', or import with 'ralph import'"},
		{name: "debug", no: "use the agent itself; ralph why shows the evidence for each decision"},
		{name: "integrate", no: "make the integration check a quality check with when: end"},
		{name: "analyse-commands", no: "ralph logs shows what the agent did"},
		{name: "help", to: []string{"help"}, args: true},
		{name: "version", to: []string{"--version"}},
	}}
}

// wtLoop is the command line of the worktree tools' loop.
func wtLoop() tool {
	return tool{name: "wt-loop", commands: []command{
		{name: "start", to: []string{"start"}, args: true, own: []flag{
			same(true, "--max"), same(true, "--stall-threshold"), same(true, "--iteration-timeout"), same(true, "--model"),
			same(true, "--change"), same(false, "--fullscreen"),
			{names: []string{"--force"}, why: "one loop per worktree: stop the other one with ralph stop"},
			{names: []string{"--done"}, value: true, to: "--done", values: []string{"tasks", "manual"}, why: "the change and the quality checks decide what done means"},
			{names: []string{"--capacity-limit"}, value: true, to: "--max-account"},
			{names: []string{"--token-budget"}, value: true, to: "--max-tokens"},
			{names: []string{"--permission-mode"}, value: true, to: "--dangerously-skip-permissions", only: "auto-accept", why: "only auto-accept has an equivalent; use claude.allowed_tools"},
			{names: []string{"--label"}, value: true, why: "the terminal's title names the worktree"},
			{names: []string{"--team", "--no-resume"}, why: "every iteration is one agent with a fresh context"},
		}},
		{name: "stop", to: []string{"stop"}, args: true},
		{name: "status", to: []string{"status"}, args: true},
		{name: "list", to: []string{"list"}},
		{name: "history", to: []string{"history"}, args: true},
		{name: "monitor", to: []string{"monitor"}, args: true, own: []flag{{names: []string{"--interval"}, value: true, why: "the dashboard redraws on events"}}},
	}}
}

// ito is the command line of "ito ralph" and "ito loop".
func ito() tool {
	flags := []flag{
		same(true, "--change"), same(true, "--module"), same(true, "--harness"), same(true, "--model"),
		same(true, "--max-iterations"), same(true, "--min-iterations"), same(false, "--no-interactive"),
		same(false, "--status"), same(false, "--allow-all"), {names: []string{"--yolo", "--dangerously-allow-all"}, to: "--allow-all"},
		same(false, "-v", "--verbose"),
		{names: []string{"--timeout"}, value: true, to: "--idle-timeout"},
		{names: []string{"--completion-promise"}, value: true, no: "write completion.promise to .ralph/config.yaml"},
		{names: []string{"--add-context"}, value: true, no: "use: ralph context add TEXT --change ID"},
		{names: []string{"--clear-context"}, no: "use: ralph context clear --change ID"},
		{names: []string{"--file"}, value: true, to: "--prompt"},
		{names: []string{"--continue-ready", "--continue-module"}, why: "one run works on one change: start ralph again for the next"},
		{names: []string{"--no-commit"}, no: "ralph never commits; say it in the prompt"},
		{names: []string{"--skip-validation", "--exit-on-error"}, why: "done is decided by checks and open tasks"},
		{names: []string{"--error-threshold"}, value: true, why: "done is decided by checks and open tasks"},
	}
	return tool{name: "ito", commands: []command{
		{name: "ralph", to: []string{"run"}, args: true, own: flags},
		{name: "loop", to: []string{"run"}, args: true, own: flags},
	}}
}
