#!/usr/bin/env bats
# The step of action.yml, as a runner would call it, with the built-in agent that
# plays a script.

setup() {
	repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export HOME="$BATS_TEST_TMPDIR/home" RUNNER_TEMP="$BATS_TEST_TMPDIR/temp" NO_COLOR=1 LANG=C.UTF-8
	export GITHUB_OUTPUT="$BATS_TEST_TMPDIR/output" GITHUB_STEP_SUMMARY="$BATS_TEST_TMPDIR/summary" GITHUB_PATH="$BATS_TEST_TMPDIR/path"
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
	export RALPH_NOTIFY_DESKTOP=false RALPH_KEEP_AWAKE=false
	unset RALPH_HOME GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
	mkdir "$HOME" "$RUNNER_TEMP"
	: >"$GITHUB_OUTPUT" >"$GITHUB_STEP_SUMMARY"
	PATH="$(dirname "$RALPH_BINARY"):$PATH"
	# The scratch repository of the demo: a feature, its checks and a script.
	ralph demo "$BATS_TEST_TMPDIR/repo" >/dev/null 2>&1
	cd "$BATS_TEST_TMPDIR/repo"
}

step() { # COMMAND FLAG...
	INPUT_COMMAND=$1
	shift
	INPUT_FLAGS=$(printf '%s\n' "$@")
	export INPUT_COMMAND INPUT_FLAGS
	run bash "$repo/packaging/action/step"
}

# The demo has run already: what it made goes, its plan comes back.
again() {
	git reset -q --hard "$(git rev-list --max-parents=0 HEAD)"
	rm -rf .ralph/archive
	git config --remove-section user 2>/dev/null || : # as on a runner
}

@test "a run: exit code, reason and report" {
	again
	export INPUT_SETTINGS='defaults: {pause_seconds: 0}'
	step run --harness replay
	[ "$status" -eq 0 ]
	grep -qx 'exit-code=0' "$GITHUB_OUTPUT"
	grep -qx 'reason=stories_complete' "$GITHUB_OUTPUT"
	grep -qx 'unit=feature-greeting' "$GITHUB_OUTPUT"
	grep -q '^# feature-greeting$' "$GITHUB_STEP_SUMMARY"
	grep -q '\[x\] STORY-003' "$GITHUB_STEP_SUMMARY"
	[[ "$output" != *'"type":'* ]]
	[ "$(ls -l "$RUNNER_TEMP/ralph-events.jsonl" "$RUNNER_TEMP/ralph/config.yaml" | grep -c '^-rw-------')" -eq 2 ]
	git log --format=%an | grep -qx 'github-actions\[bot\]'
	grep -qx "$RUNNER_TEMP/ralph/bin" "$GITHUB_PATH"
}

@test "a run that is not done, and one that cannot begin" {
	again
	step run --harness replay --max-iterations 1 --pause 0
	[ "$status" -eq 1 ]
	grep -qx 'exit-code=1' "$GITHUB_OUTPUT"
	grep -qx 'reason=max_iterations' "$GITHUB_OUTPUT"
	grep -q 'Not done' "$GITHUB_STEP_SUMMARY"
	: >"$GITHUB_OUTPUT" >"$GITHUB_STEP_SUMMARY"
	step run --no-such-flag
	[ "$status" -eq 80 ]
	grep -qx 'exit-code=80' "$GITHUB_OUTPUT"
	[ ! -s "$GITHUB_STEP_SUMMARY" ]
}

@test "verify and validate" {
	step verify --all
	[ "$status" -eq 0 ]
	[[ "$output" == *'3 of 3 stories proved'* ]]
	grep -q '3 of 3 stories proved' "$GITHUB_STEP_SUMMARY"
	step validate
	[ "$status" -eq 1 ] # the feature is archived
	grep -q 'Folder missing: the feature is done and archived in ' "$GITHUB_STEP_SUMMARY"
	step frobnicate
	[ "$status" -eq 80 ]
	[[ "$output" == *'::error::command is run, verify or validate, not frobnicate'* ]]
}

# bare COMMAND...: with git and ralph, and without any agent.
bare() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	for tool in bash sh env git sed tail head tee mkdir dirname; do
		ln -sf "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
	done
	ln -sf "$RALPH_BINARY" "$BATS_TEST_TMPDIR/bin/ralph"
	run env PATH="$BATS_TEST_TMPDIR/bin" "$@"
}

@test "a plan is validated where no agent is installed, by the action and by the hook" {
	again
	export RALPH_HARNESS=claude
	bare ralph validate
	[ "$status" -eq 1 ]
	[[ "$output" == *"Agent 'claude' not found"* ]]
	bare env INPUT_COMMAND=validate bash "$repo/packaging/action/step"
	[ "$status" -eq 0 ]
	[[ "$output" == *'✓ Sync check passed'* ]]
	grep -q '✓ Sync check passed' "$GITHUB_STEP_SUMMARY"
	hook=$(sed -n '/id: ralph-validate/,/entry/s/^ *entry: //p' "$repo/.pre-commit-hooks.yaml")
	bare sh -c "$hook"
	[ "$status" -eq 0 ]
	sed -i.bak '/"title"/d' .ralph/feature-greeting/prd.json
	bare sh -c "$hook"
	[ "$status" -eq 1 ]
	[[ "$output" == *'✗ prd.json schema invalid'* ]]
}
