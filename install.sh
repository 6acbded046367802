#!/bin/sh
# Installs ralph for this user: the binary, a default config, a PATH line.
#
#   sh install.sh              inside a clone: builds from source, which needs Go
#   RALPH_VERSION=v1.2.0 RALPH_RELEASE_URL=https://HOST/PATH sh install.sh
#                              takes the released binary from URL/VERSION/ and
#                              compares it with the SHA256SUMS there
#   RALPH_BINARY=FILE          installs an existing binary
#   RALPH_HOME=DIR             installs there instead of ~/.ralph
#   RALPH_NO_PATH=1            leaves the shell's start-up file alone
#
# It can be run again at any time, to update. The clone is not needed afterwards.
# uninstall.sh removes exactly what this script added.
set -eu

say() { printf '%s\n' "$*"; }
die() {
	printf 'install: %s\n' "$*" >&2
	exit 1
}

case ${1-} in
'') ;;
-h | --help)
	sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"
	exit 0
	;;
*) die "unknown argument: $1 (see sh install.sh --help)" ;;
esac

[ -n "${HOME:-}" ] || die "HOME is not set"
source_dir=$(cd "$(dirname "$0")" && pwd)
home=${RALPH_HOME:-$HOME/.ralph}
case $home in /*) ;; *) home=$PWD/$home ;; esac
bin=$home/bin

work=$(mktemp -d "${TMPDIR:-/tmp}/ralph-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- the binary, and what is installed next to it, into $work ----------------------

platform() {
	os=$(uname -s) arch=$(uname -m)
	case $os in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) die "ralph runs on Linux and macOS, not on $os" ;;
	esac
	case $arch in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) die "there is no released binary for $arch; build one in a clone" ;;
	esac
	printf '%s-%s' "$os" "$arch"
}

fetch() { # URL FILE
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL -o "$2" "$1" || die "cannot fetch $1"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1" || die "cannot fetch $1"
	else
		die "curl or wget is needed to fetch $1"
	fi
}

sha256() { # FILE
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

fetch_checked() { # NAME FILE
	fetch "$release/$1" "$2"
	expected=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
	[ -n "$expected" ] || die "$release/SHA256SUMS does not list $1"
	[ "$(sha256 "$2")" = "$expected" ] || die "$1 is not what SHA256SUMS promises: nothing was installed"
}

take_release() {
	[ -n "${RALPH_VERSION:-}" ] || die "name the release to take in RALPH_VERSION"
	[ -n "${RALPH_RELEASE_URL:-}" ] || die "set RALPH_RELEASE_URL to the address of the releases"
	release=${RALPH_RELEASE_URL%/}/$RALPH_VERSION
	name=ralph-$(platform)
	fetch "$release/SHA256SUMS" "$work/SHA256SUMS"
	fetch_checked "$name" "$work/ralph"
	fetch_checked config.yaml.example "$work/config.yaml.example"
	fetch_checked uninstall.sh "$work/uninstall.sh"
}

build() {
	[ -f "$source_dir/cmd/ralph/main.go" ] ||
		die "this is no clone of ralph: name a release in RALPH_VERSION and RALPH_RELEASE_URL"
	command -v go >/dev/null 2>&1 ||
		die "Go is needed to build ralph (https://go.dev/dl), or a release in RALPH_VERSION"
	version=$(git -C "$source_dir" describe --tags --always --dirty 2>/dev/null || echo dev)
	say "Building ralph $version ..."
	(cd "$source_dir" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$version" \
		-o "$work/ralph" ./cmd/ralph) || die "the build failed: nothing was installed"
}

if [ -n "${RALPH_VERSION:-}${RALPH_RELEASE_URL:-}" ]; then
	take_release
else
	if [ -n "${RALPH_BINARY:-}" ]; then
		[ -f "$RALPH_BINARY" ] || die "RALPH_BINARY: there is no file $RALPH_BINARY"
		cp "$RALPH_BINARY" "$work/ralph"
	else
		build
	fi
	cp "$source_dir/config.yaml.example" "$source_dir/uninstall.sh" "$work/"
fi
chmod 755 "$work/ralph" "$work/uninstall.sh"
"$work/ralph" --version >/dev/null || die "the binary does not run on this machine: nothing was installed"

# --- into ~/.ralph ----------------------------------------------------------------

(umask 077 && mkdir -p "$bin") || die "cannot make $bin"
# By rename: a loop that is running keeps the binary it was started from.
place() { # FILE TARGET
	if ! { cp -p "$1" "$2.new.$$" && mv -f "$2.new.$$" "$2"; }; then
		rm -f "$2.new.$$"
		die "cannot write $2"
	fi
}
place "$work/ralph" "$bin/ralph"
place "$work/uninstall.sh" "$home/uninstall.sh"
say "Installed $bin/ralph"

if [ -e "$home/config.yaml" ]; then
	say "Kept $home/config.yaml"
else
	# Every setting is a comment: a value that is written down would win over better
	# defaults of a later version, or of a kind of plan. The names of sections are not,
	# so that removing a single # is enough. Details of an example have two.
	(umask 077 && sed 's/^#     /##     /; s/^#\(   [a-z]*:\)$/##\1/; s/^# \([a-z_]*:\)$/\1/; /^[a-z_]*:$/!s/^\( *[^# ]\)/#\1/' "$work/config.yaml.example" >"$home/config.yaml.new.$$") &&
		mv "$home/config.yaml.new.$$" "$home/config.yaml"
	say "Created $home/config.yaml: the built-in settings as comments; take the # away to change one"
fi

# The schema that the first line of the settings names: editors use it.
if "$bin/ralph" config schema >"$home/config.schema.json.new.$$"; then
	mv "$home/config.schema.json.new.$$" "$home/config.schema.json"
else
	rm -f "$home/config.schema.json.new.$$"
fi

# --- PATH ---------------------------------------------------------------------------

begin='# >>> ralph >>>'
end='# <<< ralph <<<'

rc_file() {
	case $(basename "${SHELL:-sh}") in
	zsh) say "${ZDOTDIR:-$HOME}/.zshrc" ;;
	fish) say "${XDG_CONFIG_HOME:-$HOME/.config}/fish/conf.d/ralph.fish" ;;
	bash)
		if [ "$(uname -s)" != Darwin ]; then
			say "$HOME/.bashrc"
			return
		fi
		# Terminals of macOS start login shells, which read the first of these only.
		for name in .bash_profile .bash_login .profile; do
			if [ -e "$HOME/$name" ]; then
				say "$HOME/$name"
				return
			fi
		done
		say "$HOME/.bash_profile"
		;;
	*) say "$HOME/.profile" ;;
	esac
}

# quoted TEXT: TEXT in quotes that sh and fish understand alike.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"$`]/\\&/g')"; }

block() { # RC
	if [ "$home" = "$HOME/.ralph" ]; then
		# shellcheck disable=SC2016 # the start-up file expands it
		dir='"$HOME/.ralph/bin"'
	else
		dir=$(quoted "$bin")
	fi
	case $1 in
	*.fish)
		[ "$home" = "$HOME/.ralph" ] || say "set -gx RALPH_HOME $(quoted "$home")"
		say "contains -- $dir \$PATH; or set -gx PATH $dir \$PATH"
		;;
	*)
		[ "$home" = "$HOME/.ralph" ] || say "export RALPH_HOME=$(quoted "$home")"
		say "case \":\$PATH:\" in *:$dir:*) ;; *) export PATH=$dir:\"\$PATH\" ;; esac"
		;;
	esac
}

# names_bin RC: the user has put the folder into PATH without our help.
names_bin() {
	# shellcheck disable=SC2016,SC2088 # these are searched for literally
	grep -v '^ *#' "$1" | grep -qF -e "$bin" -e '$HOME/.ralph/bin' -e '~/.ralph/bin'
}

add_path() {
	rc=$(rc_file)
	block "$rc" >"$work/block"
	if [ -f "$rc" ] && grep -q "^$begin" "$rc"; then
		sed -n "/^$begin/,/^$end/p" "$rc" | sed '1d;$d' >"$work/present"
		if cmp -s "$work/block" "$work/present"; then
			say "Kept the PATH line in $rc"
			return
		fi
		sh "$home/uninstall.sh" --only-path >/dev/null
	elif [ -f "$rc" ] && names_bin "$rc"; then
		say "$rc names $bin already: no change"
		return
	fi
	# uninstall.sh needs this to restore the file, byte for byte.
	note=
	if [ ! -e "$rc" ]; then
		note=' created'
		mkdir -p "$(dirname "$rc")"
	elif [ -n "$(tail -c 1 "$rc")" ]; then
		note=' joined'
		say >>"$rc"
	fi
	{
		say "$begin$note"
		cat "$work/block"
		say "$end"
	} >>"$rc" || die "cannot write $rc; add $bin to PATH yourself"
	say "Added $bin to PATH in $rc; it holds in new terminals"
}

[ -n "${RALPH_NO_PATH:-}" ] || add_path

say
say "Start with:  ralph demo      a whole loop on a scratch repository"
say "             ralph --help"
