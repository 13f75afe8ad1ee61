#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh [--look] read|measure|test: sees to it that what base/packages lists for that is there. What is missing
# is named; on Debian and its kin it is then installed by apt-get, as root or through sudo, elsewhere the command for
# it is told. --look (make READY=1) only names it.
set -eu
table=$(dirname "$0")/packages
tab=$(printf '\t')
look=
if [ "${1-}" = --look ]; then
	look=yes
	shift
fi
wanted=$1
CC=${CC:-gcc}

links() { # NAME: is there a library to link with -lNAME? "NAME -lNAME": several
	program=$(mktemp) || return 0
	came=0
	# shellcheck disable=SC2086
	echo 'int main(void) { return 0; }' | $CC -x c - -l$1 -o "$program" >/dev/null 2>&1 || came=1
	rm -f "$program"
	return $came
}
there() { # program|header|library|archive|font NAME
	case $1 in
	program) command -v "$2" >/dev/null 2>&1 ;;
	header) printf '#include <stdio.h>\n#include <%s>\n' "$2" | $CC -E -x c - >/dev/null 2>&1 ;;
	library) "${PKG_CONFIG:-pkg-config}" --exists "$2" 2>/dev/null ;;
	archive) links "$2" ;;
	font) [ -n "$(fonts -name "$2" | head -n 1)" ] ;;
	esac
}
fonts() { # CONDITION...
	find "${TRACEBOOK_FONTS:-/nowhere}" /usr/share/fonts /usr/local/share/fonts /Library/Fonts \
		"${HOME:-/nowhere}/.local/share/fonts" "${HOME:-/nowhere}/Library/Fonts" "$@" -print 2>/dev/null
}

asked() { # does a row for $1 count?
	case $wanted:${1%\?} in
	*:read | measure:measure | test:*) ;;
	*) return 1 ;;
	esac
}

# "debian", "fedora", "arch", "macos" or nothing, by what the system says of itself.
system() {
	if [ "$(uname 2>/dev/null)" = Darwin ]; then echo macos && return; fi
	[ -r "${OS_RELEASE:=/etc/os-release}" ] || return 0
	# shellcheck disable=SC1090
	for id in $(. "$OS_RELEASE" && echo "${ID-} ${ID_LIKE-}"); do
		case $id in
		debian | ubuntu) echo debian && return ;;
		fedora | rhel) echo fedora && return ;;
		arch) echo arch && return ;;
		esac
	done
}

# Nearly always all is there, which is asked at once: one question each for headers, archives and fonts.
all_there() {
	headers='#include <stdio.h>' libraries='' archives='' fonts=$(fonts -name '*.ttf')
	while IFS="$tab" read -r for found _; do
		case $for in
		'#'* | '') continue ;;
		esac
		asked "$for" || continue
		case $found in
		header\ *) headers="$headers
#include <${found#* }>" ;;
		library\ *) libraries="$libraries ${found#* }" ;;
		archive\ *) archives="$archives -l${found#* }" ;;
		font\ *)
			case $fonts in
			*/"${found#* }"*) ;;
			*) return 1 ;;
			esac
			;;
		*)
			# shellcheck disable=SC2086
			there $found || return 1
			;;
		esac
	done <"$table"
	# shellcheck disable=SC2086
	echo "$headers" | $CC -E -x c - >/dev/null 2>&1 &&
		"${PKG_CONFIG:-pkg-config}" --exists $libraries 2>/dev/null && links "${archives# -l}"
}

# The packages of this system for what is not there: of the rows that must be, or of the optional ones.
missing() { # must|may
	while IFS="$tab" read -r for found debian fedora arch macos _; do
		case $for in
		'#'* | '') continue ;;
		*\?) [ "$1" = may ] || continue ;;
		*) [ "$1" = must ] || continue ;;
		esac
		# shellcheck disable=SC2086
		if asked "$for" && ! there $found; then
			case $here in
			fedora) echo "$fedora" ;;
			arch) echo "$arch" ;;
			macos) echo "$macos" ;;
			*) echo "$debian" ;;
			esac
		fi
	done <"$table" | grep -v '^-$' | tr '\n' ' '
}

install_debian() {
	root=
	if [ "$(id -u)" != 0 ]; then
		root=sudo
		command -v sudo >/dev/null 2>&1 || {
			echo "this needs root: run 'apt-get update; apt-get install $must$may' as root, then make again" >&2
			exit 1
		}
	fi
	export DEBIAN_FRONTEND=noninteractive
	echo "installing what is missing: $must$may" >&2
	if ! $root apt-get update -qq >&2; then
		echo "apt-get cannot fetch its lists: is there a network? Wanted: $must$may" >&2
		exit 1
	fi
	available=
	for p in $may; do
		[ -z "$(apt-cache madison "$p" 2>/dev/null)" ] || available="$available $p"
	done
	# shellcheck disable=SC2086
	if ! $root apt-get install -y -qq --no-install-recommends $must $available >/dev/null; then
		echo "apt-get could not install them all: $must$available" >&2
		exit 1
	fi
	echo "installed." >&2
}

! all_there || exit 0
here=$(system)
must=$(missing must)
may=$(missing may)
all=$must$may
all=${all% }
if [ -n "$look" ]; then
	[ -z "$must$may" ] || echo "READY=1, but these seem to be missing: $all" >&2
elif [ -n "$must$may" ] && [ "$here" = debian ]; then
	install_debian
elif [ -n "$must" ]; then
	case $here in
	fedora) how="run 'dnf install $all' as root, then make again" ;;
	arch) how="run 'pacman -S --needed $all' as root, then make again" ;;
	macos) how="run 'brew install $all', then make again" ;;
	*) how="these are Debian's names; install their like, then make again" ;;
	esac
	echo "tracebook needs what is not here: $all" >&2
	echo "$how; READY=1 goes on without looking" >&2
	exit 1
fi
