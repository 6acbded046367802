#!/usr/bin/env bats
# install.sh and uninstall.sh in a fresh home. The binary is a stand-in, so that
# nothing is built; the last test builds the real one.

# The build has a home of its own, but takes the modules that are here, and downloads nothing.
setup_file() {
	GOMODCACHE=$(go env GOMODCACHE)
	GOCACHE=$(go env GOCACHE)
	export GOMODCACHE GOCACHE
}

setup() {
	repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export HOME="$BATS_TEST_TMPDIR/home" SHELL=/bin/bash
	unset RALPH_HOME RALPH_VERSION RALPH_RELEASE_URL RALPH_NO_PATH ZDOTDIR XDG_CONFIG_HOME
	mkdir "$HOME"
	export RALPH_BINARY="$BATS_TEST_TMPDIR/ralph"
	printf '#!/bin/sh\necho ralph one\n' >"$RALPH_BINARY"
	chmod +x "$RALPH_BINARY"
	# Linux, wherever the tests run; a test may put another uname in its place.
	mkdir "$BATS_TEST_TMPDIR/path"
	pretend Linux x86_64
	PATH="$BATS_TEST_TMPDIR/path:$PATH"
}

pretend() {
	printf '#!/bin/sh\ncase $1 in -s) echo %s ;; -m) echo %s ;; esac\n' "$1" "$2" >"$BATS_TEST_TMPDIR/path/uname"
	chmod +x "$BATS_TEST_TMPDIR/path/uname"
}

install() { sh "$repo/install.sh"; }
uninstall() { sh "$repo/uninstall.sh" "$@" </dev/null; }
mode() { ls -ld "$1" | cut -c 1-10; }

@test "the clone is not needed afterwards" {
	mkdir "$BATS_TEST_TMPDIR/clone"
	cp "$repo/install.sh" "$repo/uninstall.sh" "$repo/config.yaml.example" "$BATS_TEST_TMPDIR/clone"
	sh "$BATS_TEST_TMPDIR/clone/install.sh"
	rm -r "$BATS_TEST_TMPDIR/clone"
	run bash -c '. ~/.bashrc && ralph'
	[ "$output" = "ralph one" ]
	sh "$HOME/.ralph/uninstall.sh" --yes
	[ ! -e "$HOME/.ralph" ]
	[ ! -e "$HOME/.bashrc" ]
}

@test "a second install updates the binary and adds nothing twice" {
	install
	cp "$HOME/.bashrc" "$BATS_TEST_TMPDIR/before"
	printf '#!/bin/sh\necho ralph two\n' >"$RALPH_BINARY"
	run install
	[ "$status" -eq 0 ]
	[[ "$output" == *"Kept $HOME/.ralph/config.yaml"*"Kept the PATH line"* ]]
	[ "$("$HOME/.ralph/bin/ralph")" = "ralph two" ]
	cmp "$HOME/.bashrc" "$BATS_TEST_TMPDIR/before"
	[ -z "$(find "$HOME/.ralph" -name '*.new.*')" ]
}

@test "the settings are private, say nothing of their own, and an existing file is kept" {
	install
	[ "$(mode "$HOME/.ralph/config.yaml")" = -rw------- ]
	[ "$(mode "$HOME/.ralph")" = drwx------ ]
	run grep -v -e '^ *#' -e '^ *$' -e '^[a-z_]*:$' "$HOME/.ralph/config.yaml"
	[ -z "$output" ]
	grep -q '^#  max_iterations: 20' "$HOME/.ralph/config.yaml"
	echo 'harness: codex' >"$HOME/.ralph/config.yaml"
	install
	[ "$(cat "$HOME/.ralph/config.yaml")" = "harness: codex" ]
}

@test "start-up files come back byte for byte" {
	for content in '' 'alias a=b\n' 'no line end' '\n\nblank lines\n\n'; do
		printf "$content" >"$HOME/.bashrc"
		cp "$HOME/.bashrc" "$BATS_TEST_TMPDIR/before"
		install
		grep -q ralph "$HOME/.bashrc"
		uninstall
		cmp "$HOME/.bashrc" "$BATS_TEST_TMPDIR/before"
	done
}

@test "what was added behind the block stays, on lines of its own" {
	printf 'first' >"$HOME/.bashrc"
	install
	echo last >>"$HOME/.bashrc"
	uninstall
	[ "$(cat "$HOME/.bashrc")" = "first
last" ]
}

@test "a linked start-up file stays a link and keeps its mode" {
	mkdir "$HOME/dotfiles"
	echo 'alias a=b' >"$HOME/dotfiles/bashrc"
	chmod 600 "$HOME/dotfiles/bashrc"
	ln -s dotfiles/bashrc "$HOME/.bashrc"
	install
	uninstall
	[ -L "$HOME/.bashrc" ]
	[ "$(mode "$HOME/dotfiles/bashrc")" = -rw------- ]
	[ "$(cat "$HOME/.bashrc")" = "alias a=b" ]
}

@test "a block that has lost its end is left to the user" {
	install
	sed '/^# <<< ralph/d' "$HOME/.bashrc" >"$BATS_TEST_TMPDIR/rc"
	echo 'precious' >>"$BATS_TEST_TMPDIR/rc"
	cp "$BATS_TEST_TMPDIR/rc" "$HOME/.bashrc"
	run uninstall
	[ "$status" -eq 0 ]
	[[ "$output" == *"by hand"* ]]
	cmp "$HOME/.bashrc" "$BATS_TEST_TMPDIR/rc"
}

@test "the user's own PATH line is enough" {
	echo 'PATH=$HOME/.ralph/bin:$PATH' >"$HOME/.bashrc"
	run install
	[[ "$output" == *"already: no change"* ]]
	[ "$(wc -l <"$HOME/.bashrc")" -eq 1 ]
}

@test "zsh" {
	command -v zsh || skip "no zsh"
	export SHELL=/usr/bin/zsh ZDOTDIR="$HOME/z dir"
	mkdir "$ZDOTDIR"
	install
	run zsh -c '. "$ZDOTDIR/.zshrc" && . "$ZDOTDIR/.zshrc" && ralph && echo "$PATH" | tr : "\n" | grep -c ralph/bin'
	[ "$output" = "ralph one
1" ]
	uninstall
	[ ! -e "$ZDOTDIR/.zshrc" ]
}

@test "fish" {
	export SHELL=/usr/bin/fish
	install
	[ -f "$HOME/.config/fish/conf.d/ralph.fish" ]
	if command -v fish; then
		run fish -c ralph
		[ "$output" = "ralph one" ]
	fi
	uninstall
	[ ! -e "$HOME/.config/fish/conf.d/ralph.fish" ]
}

@test "bash on macOS: the first start-up file that a login shell reads" {
	pretend Darwin arm64
	echo 'x=1' >"$HOME/.profile"
	install
	grep -q ralph "$HOME/.profile"
	[ ! -e "$HOME/.bash_profile" ]
	uninstall
	rm "$HOME/.profile"
	install
	grep -q ralph "$HOME/.bash_profile"
}

@test "another shell gets .profile" {
	export SHELL=/bin/dash
	install
	run sh -c '. ~/.profile && ralph'
	[ "$output" = "ralph one" ]
}

@test "RALPH_HOME is honoured, with awkward characters, and can move" {
	export RALPH_HOME="$BATS_TEST_TMPDIR/a \"b\" \$c"
	install
	[ ! -e "$HOME/.ralph" ]
	run env -u RALPH_HOME bash -c '. ~/.bashrc && ralph && echo "$RALPH_HOME"'
	[ "$output" = "ralph one
$RALPH_HOME" ]
	first=$RALPH_HOME
	export RALPH_HOME="$BATS_TEST_TMPDIR/second"
	install
	[ "$(grep -c '>>> ralph' "$HOME/.bashrc")" -eq 1 ]
	grep -q second "$HOME/.bashrc"
	RALPH_HOME='' sh "$first/uninstall.sh" --yes
	[ ! -e "$first" ]
}

@test "RALPH_NO_PATH leaves start-up files alone" {
	RALPH_NO_PATH=1 install
	[ -x "$HOME/.ralph/bin/ralph" ]
	[ ! -e "$HOME/.bashrc" ]
}

@test "uninstall keeps settings and ledger unless told, and what is not ralph's always" {
	install
	mkdir -p "$HOME/.ralph/ratelimit" "$HOME/.ralph/loops" "$HOME/project/.ralph/feature-x"
	echo 10 >"$HOME/.ralph/ratelimit/claude"
	echo spec >"$HOME/project/.ralph/feature-x/spec.md"
	cd "$HOME/project"
	run uninstall
	[ "$status" -eq 0 ]
	[ ! -e "$HOME/.ralph/bin" ]
	[ -e "$HOME/.ralph/config.yaml" ]
	[ -e "$HOME/.ralph/ratelimit/claude" ]
	echo mine >"$HOME/.ralph/mine"
	run uninstall --yes
	[ "$(ls "$HOME/.ralph")" = mine ]
	[ "$(cat "$HOME/project/.ralph/feature-x/spec.md")" = spec ]
	run uninstall --yes # nothing is left: no error
	[ "$status" -eq 0 ]
}

release() {
	export RALPH_VERSION=v1.0.0 RALPH_RELEASE_URL="file://$BATS_TEST_TMPDIR/releases"
	dir=$BATS_TEST_TMPDIR/releases/v1.0.0
	mkdir -p "$dir"
	cp "$RALPH_BINARY" "$dir/ralph-linux-amd64"
	cp "$repo/config.yaml.example" "$repo/uninstall.sh" "$dir"
	(cd "$dir" && { sha256sum ./* 2>/dev/null || shasum -a 256 ./*; } | sed 's|\./||' >"$BATS_TEST_TMPDIR/sums")
	mv "$BATS_TEST_TMPDIR/sums" "$dir/SHA256SUMS"
	unset RALPH_BINARY
}

@test "a released binary is taken by its checksum, without a clone" {
	release
	cp "$repo/install.sh" "$BATS_TEST_TMPDIR/alone.sh"
	run sh "$BATS_TEST_TMPDIR/alone.sh"
	[ "$status" -eq 0 ]
	[ "$("$HOME/.ralph/bin/ralph")" = "ralph one" ]
	[ -e "$HOME/.ralph/config.yaml" ]
	[ -e "$HOME/.ralph/uninstall.sh" ]
}

@test "a released binary that was tampered with is refused" {
	release
	echo '# more' >>"$dir/ralph-linux-amd64"
	run install
	[ "$status" -eq 1 ]
	[[ "$output" == *"is not what SHA256SUMS promises"* ]]
	[ ! -e "$HOME/.ralph" ]
}

@test "a platform without a release is refused" {
	release
	pretend Linux riscv64
	run install
	[ "$status" -eq 1 ]
	[[ "$output" == *"no released binary for riscv64"* ]]
}

@test "a binary that does not run is not installed" {
	printf '#!/bin/sh\nexit 1\n' >"$RALPH_BINARY"
	run install
	[ "$status" -eq 1 ]
	[ ! -e "$HOME/.ralph" ]
}

@test "without Go there is a word about it" {
	unset RALPH_BINARY
	for tool in sh dirname mktemp rm git cat; do ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/path/$tool"; done
	PATH="$BATS_TEST_TMPDIR/path" run sh "$repo/install.sh"
	[ "$status" -eq 1 ]
	[[ "$output" == *"Go is needed"* ]]
}

@test "inside a clone it builds" {
	[ -n "${RALPH_TEST_BUILD:-}" ] || skip "slow: set RALPH_TEST_BUILD=1"
	unset RALPH_BINARY
	install
	"$HOME/.ralph/bin/ralph" --version
	head -n 1 "$HOME/.ralph/config.yaml" | grep -q 'schema=config.schema.json$'
	"$HOME/.ralph/bin/ralph" config schema | cmp - "$HOME/.ralph/config.schema.json"
	uninstall
	[ ! -e "$HOME/.ralph/config.schema.json" ]
}
