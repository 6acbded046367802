# What the hidden parts of the pages have at hand.

# repository NAME [BRANCH]: a project of that name in the home directory, with a
# commit, on a branch of its own.
repository() {
	mkdir "$HOME/$1" && cd "$HOME/$1" && git init -q . &&
		git switch -q -c "${2:-feature/greeting}" &&
		echo "# $1" >README.md && git add README.md && git commit -q -m "Begin"
}

# stories TITLE...: a planned feature on the branch that is checked out, committed.
stories() {
	unit=$(git branch --show-current | tr / -)
	mkdir -p ".ralph/$unit"
	{
		printf -- '---\ncreated: 2026-03-02T09:00:00Z\n---\n\n# Greeting\n\n## Problem Statement\n\nNothing greets.\n\n'
		printf '## Success Criteria\n\n- [ ] People are greeted\n\n## User Stories\n'
		n=0
		for title in "$@"; do
			n=$((n + 1))
			printf '\n### STORY-%03d: %s\n\n**Acceptance Criteria:**\n- [ ] It works\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n' $n "$title"
		done
		printf '\n## Out of Scope\n\n- Everything else\n'
	} >".ralph/$unit/spec.md"
	ralph prd && git add -A && git commit -q -m "Plan"
}

# checks: a quality check that passes, committed.
checks() {
	mkdir -p .ralph && printf 'quality_checks:\n  tests: "true"\n' >.ralph/config.yaml &&
		git add -A && git commit -q -m "Name the checks"
}

# agent: what the built-in agent plays from now on, from standard input.
agent() { cat >"$HOME/.agent.yaml"; }
echo 'turns: [{steps: [{say: Hello}]}]' | agent
