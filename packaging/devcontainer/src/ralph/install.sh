#!/bin/sh
# Installs ralph into a dev container, as root. The options of
# devcontainer-feature.json come as variables.
set -eu

die() {
	printf 'ralph: %s\n' "$*" >&2
	exit 1
}

VERSION=${VERSION:-}
RELEASEURL=${RELEASEURL:-}
[ -n "$VERSION" ] || die 'name the release in the option "version", such as v1.2.0'
[ -n "$RELEASEURL" ] || die 'set the option "releaseUrl" to the address of the releases'
release=${RELEASEURL%/}/$VERSION
root=${RALPH_ROOT:-} # a test installs elsewhere

case $(uname -m) in
x86_64 | amd64) name=ralph-linux-amd64 ;;
aarch64 | arm64) name=ralph-linux-arm64 ;;
*) die "there is no released binary for $(uname -m)" ;;
esac

missing=
for tool in git tmux curl; do
	command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
if [ -n "$missing" ]; then
	# One word per package; certificates are what curl needs besides.
	# shellcheck disable=SC2086
	if command -v apt-get >/dev/null 2>&1; then
		apt-get update && apt-get install -y --no-install-recommends ca-certificates $missing && rm -rf /var/lib/apt/lists/*
	elif command -v apk >/dev/null 2>&1; then
		apk add --no-cache ca-certificates $missing
	elif command -v dnf >/dev/null 2>&1; then
		dnf install -y $missing
	else
		die "install these first:$missing"
	fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl -fsSL -o "$work/SHA256SUMS" "$release/SHA256SUMS" || die "cannot fetch $release/SHA256SUMS"
curl -fsSL -o "$work/$name" "$release/$name" || die "cannot fetch $release/$name"
awk -v name="$name" '$2 == name || $2 == "*" name { print $1 "  " name }' "$work/SHA256SUMS" >"$work/sum"
[ -s "$work/sum" ] || die "$release/SHA256SUMS does not list $name"
(cd "$work" && sha256sum -c sum >/dev/null 2>&1) || die "$name is not what SHA256SUMS promises: nothing was installed"

mkdir -p "$root/usr/local/bin" "$root/usr/share/bash-completion/completions" "$root/usr/local/share/zsh/site-functions" \
	"$root/usr/share/fish/vendor_completions.d"
chmod 755 "$work/$name"
mv "$work/$name" "$root/usr/local/bin/ralph"
"$root/usr/local/bin/ralph" completion bash >"$root/usr/share/bash-completion/completions/ralph"
"$root/usr/local/bin/ralph" completion zsh >"$root/usr/local/share/zsh/site-functions/_ralph"
"$root/usr/local/bin/ralph" completion fish >"$root/usr/share/fish/vendor_completions.d/ralph.fish"
"$root/usr/local/bin/ralph" --version
