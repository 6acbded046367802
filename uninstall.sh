#!/bin/sh
# Removes what install.sh added: the binary and the PATH line. The settings
# and the ledger of calls go too if you say so.
#
#   sh uninstall.sh            asks about settings and ledger
#   sh uninstall.sh --yes      removes them without asking
#   sh uninstall.sh --keep     keeps them without asking
#
# The feature folders in your projects are never touched.
set -eu

say() { printf '%s\n' "$*"; }
die() {
	printf 'uninstall: %s\n' "$*" >&2
	exit 1
}

answer=ask
case ${1-} in
'') ;;
-y | --yes) answer=yes ;;
-k | --keep) answer=no ;;
--only-path) answer=path ;; # for install.sh, which writes the line again
-h | --help)
	sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"
	exit 0
	;;
*) die "unknown argument: $1 (see sh uninstall.sh --help)" ;;
esac

[ -n "${HOME:-}" ] || die "HOME is not set"
home=${RALPH_HOME:-$HOME/.ralph}
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${RALPH_HOME:-}" ] && [ -e "$here/bin/ralph" ] && [ ! -e "$here/go.mod" ]; then
	home=$here # this is the copy that install.sh left next to the binary
fi
case $home in /*) ;; *) home=$PWD/$home ;; esac

work=$(mktemp -d "${TMPDIR:-/tmp}/ralph-uninstall.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Removes the marked block. "joined" after the mark: the file had no line end
# before it. "created": there was no file.
remove_block() { # RC
	[ -f "$1" ] && grep -q '^# >>> ralph >>>' "$1" || return 0
	# Without its end line the end of the block is unknown.
	grep -q '^# <<< ralph <<<' "$1" || {
		say "The block in $1 has no end line: remove it by hand" >&2
		return 0
	}
	note=$(sed -n 's/^# >>> ralph >>> *//p' "$1" | head -n 1)
	awk -v note="$note" '
		/^# >>> ralph >>>/ { inside = 1; bare = (note == "joined") }
		!inside { if (n++) printf "\n"; printf "%s", $0; bare = 0 }
		/^# <<< ralph <<</ { inside = 0 }
		END { if (n && !bare) printf "\n" }
	' "$1" >"$work/rc"
	if [ "$note" = created ] && [ ! -s "$work/rc" ]; then
		rm -f "$1"
	else
		cat "$work/rc" >"$1" # in place: the file may be a link, and keeps its mode
	fi
	say "Removed the PATH line from $1"
}

# Check every file that install.sh may have chosen: the user may have changed shells.
for rc in "$HOME/.bashrc" "$HOME/.bash_profile" "$HOME/.bash_login" "$HOME/.profile" \
	"${ZDOTDIR:-$HOME}/.zshrc" "$HOME/.zshrc" \
	"${XDG_CONFIG_HOME:-$HOME/.config}/fish/conf.d/ralph.fish"; do
	remove_block "$rc"
done
[ "$answer" != path ] || exit 0

if [ -e "$home/bin/ralph" ]; then
	rm -f "$home/bin/ralph"
	say "Removed $home/bin/ralph"
fi
rm -f "$home/uninstall.sh" "$home/config.schema.json"
rmdir "$home/bin" 2>/dev/null || :

if [ "$answer" = ask ]; then
	answer=no
	if [ -t 0 ] && [ -e "$home" ]; then
		printf 'Remove your settings and the ledger of calls in %s too? [y/N] ' "$home"
		read -r reply || reply=
		case $reply in [yY] | [yY][eE][sS]) answer=yes ;; esac
	fi
fi
if [ "$answer" = yes ]; then
	# By name: other files in this folder stay.
	rm -f "$home/config.yaml"
	rm -rf "$home/ratelimit" "$home/loops"
fi
rmdir "$home" 2>/dev/null || :
if [ -e "$home" ]; then
	say "Kept $home"
else
	say "Removed $home"
fi
