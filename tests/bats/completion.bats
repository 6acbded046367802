#!/usr/bin/env bats
# The completions of bash, zsh and fish, with the real shells in a real terminal:
# what a person types, and what then stands on the screen.

setup() {
	export HOME="$BATS_TEST_TMPDIR/home" LANG=C.UTF-8 TERM=xterm
	unset RALPH_HOME TMUX HISTFILE ZDOTDIR XDG_CONFIG_HOME
	PATH="$(dirname "$RALPH_BINARY"):$PATH"
	# The second is a name that git accepts, and that a shell must not carry out.
	hostile='xx-$(touch${IFS}pwned)'
	mkdir -p "$HOME" "$BATS_TEST_TMPDIR/repo/.ralph/feature-login" "$BATS_TEST_TMPDIR/repo/.ralph/$hostile"
	cd "$BATS_TEST_TMPDIR/repo"
	git init -q -b feature/login .
	screen="tmux -L ralph-bats-$$-$BATS_TEST_NUMBER -f /dev/null"
}

teardown() {
	$screen kill-server 2>/dev/null || :
}

begin() { # COMMAND...: what runs in the terminal
	command -v "$1" || skip "no $1"
	$screen new-session -d -x 100 -y 30 -c "$PWD" "$@"
}

keys() { $screen send-keys "$@"; }

shows() { # TEXT: waits until it stands on the screen
	for _ in $(seq 200); do
		$screen capture-pane -p | grep -qF -- "$1" && return
		sleep 0.1
	done
	$screen capture-pane -p >&2
	return 1
}

# prompt: waits until the line below all others is an empty prompt. A shell that is not
# there yet does not read keys: the terminal would draw them, and the shell draw over them.
prompt() {
	for _ in $(seq 200); do
		[ "$($screen capture-pane -p | grep -v '^ *$' | tail -n 1)" = '>' ] && return
		sleep 0.1
	done
	$screen capture-pane -p >&2
	return 1
}

# tab TEXT: types it, sees it, and asks for the rest.
tab() {
	keys -l "$1"
	shows "$1"
	keys Tab
}

# anew: takes the line back.
anew() {
	keys C-u
	prompt
}

# What a person would try, in any shell.
completes() {
	prompt
	tab 'ralph stat'
	shows '> ralph status'
	tab 'fea'
	shows '> ralph status feature-login'
	anew
	tab 'ralph run --harness cla'
	shows '> ralph run --harness claude'
	anew
	tab 'ralph run --harness=cod'
	shows '> ralph run --harness=codex'
	anew
	tab 'ralph run --done=ma'
	shows '> ralph run --done=manual'
	anew
	tab 'ralph run --no-arch'
	shows '> ralph run --no-archive'
	anew
	tab 'ralph setup --agent open'
	shows '> ralph setup --agent opencode'
	anew
	tab 'ralph help exit'
	shows '> ralph help exit-codes'
	anew
	tab 'ralph status xx'
	keys Enter
	shows 'no run of xx-$(touch${IFS}pwned) yet'
	[ ! -e pwned ]
}

@test "bash" {
	begin bash --norc -i
	keys "PS1='> '; eval \"\$(ralph completion bash)\"; clear" Enter
	completes
}

@test "zsh" {
	begin zsh -f -i
	keys "PS1='> '; autoload -Uz compinit; compinit -D -u; source <(ralph completion zsh); clear" Enter
	completes
}

@test "zsh, from a folder of fpath" {
	mkdir "$HOME/functions"
	ralph completion zsh >"$HOME/functions/_ralph"
	begin zsh -f -i
	keys "PS1='> '; fpath+=(~/functions); autoload -Uz compinit; compinit -D -u; clear" Enter
	completes
}

@test "fish" {
	begin fish --no-config -i
	keys "function fish_prompt; echo '> '; end; ralph completion fish | source; clear" Enter
	completes
}

@test "a file is completed where a file is wanted" {
	: >prompt-for-night.md
	begin bash --norc -i
	keys "PS1='> '; source <(ralph completion bash); clear" Enter
	prompt
	tab 'ralph run --prompt prom'
	shows '> ralph run --prompt prompt-for-night.md'
}
