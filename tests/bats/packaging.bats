#!/usr/bin/env bats
# What packages are made of, and the ways to install a release that are not install.sh.

setup() {
	repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	release=$BATS_TEST_TMPDIR/releases/v1.0.0
	mkdir -p "$release"
	cd "$release"
}

sums() { { sha256sum "$@" 2>/dev/null || shasum -a 256 "$@"; } >SHA256SUMS; }

@test "the formula names the archive and the checksum of each platform" {
	for platform in darwin-arm64 darwin-amd64 linux-arm64 linux-amd64; do
		echo "$platform" >"ralph-1.0.0-$platform.tar.gz"
	done
	sums ./*.tar.gz
	sed 's|\./||' SHA256SUMS >sums
	run sh "$repo/packaging/homebrew/formula" 1.0.0 https://example.invalid/v1.0.0/ https://example.invalid sums
	[ "$status" -eq 0 ]
	[ "$(grep -c 'sha256 "[0-9a-f]\{64\}"' <<<"$output")" -eq 4 ]
	[[ "$output" == *'url "https://example.invalid/v1.0.0/ralph-1.0.0-linux-arm64.tar.gz"'* ]]
	if command -v ruby >/dev/null; then
		ruby -c <<<"$output"
	fi
	sed -i.bak /linux-arm64/d sums
	run sh "$repo/packaging/homebrew/formula" 1.0.0 https://example.invalid/v1.0.0 https://example.invalid sums
	[ "$status" -eq 1 ]
	[ "$output" = "formula: sums does not list ralph-1.0.0-linux-arm64.tar.gz" ]
}

feature() { VERSION=$1 RELEASEURL="file://$BATS_TEST_TMPDIR/releases" RALPH_ROOT="$BATS_TEST_TMPDIR/root" sh "$repo/packaging/devcontainer/src/ralph/install.sh"; }

@test "the devcontainer feature installs a release by its checksum" {
	[ "$(uname -s)" = Linux ] || skip "dev containers are Linux"
	for arch in amd64 arm64; do cp "$RALPH_BINARY" "ralph-linux-$arch"; done
	sums ralph-linux-*
	run feature v1.0.0
	[ "$status" -eq 0 ]
	[[ "${lines[-1]}" == "ralph "* ]]
	bash -n "$BATS_TEST_TMPDIR/root/usr/share/bash-completion/completions/ralph"
	[ -s "$BATS_TEST_TMPDIR/root/usr/local/share/zsh/site-functions/_ralph" ]

	rm -r "$BATS_TEST_TMPDIR/root"
	for arch in amd64 arm64; do echo more >>"ralph-linux-$arch"; done
	run feature v1.0.0
	[ "$status" -eq 1 ]
	[[ "$output" == *"is not what SHA256SUMS promises: nothing was installed"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/root" ]
	run feature ''
	[ "$status" -eq 1 ]
	[[ "$output" == *'name the release in the option "version"'* ]]
}

@test "a package has a page and a completion for everything" {
	mkdir man
	"$RALPH_BINARY" __man man 2026-01-02
	[ -s man/ralph.1 ]
	[ -s man/ralph-exit-codes.7 ]
	for command in $("$RALPH_BINARY" __complete '' | cut -f 1); do
		ls man/ralph-"$command"*.1
	done
	mandoc -T lint -W warning man/*
}
