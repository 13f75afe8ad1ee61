#!/bin/sh
# Installs the packages of packages.txt that are missing: says which, then asks apt-get, as root or through sudo.
# On a system without apt-get it names them and stops. Usage: install.sh [--list]
set -eu
here=$(dirname "$0")
wanted=$(sed 's/#.*//' "$here/packages.txt" | awk 'NF { print $1 }')
if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "tracebook needs these Debian packages or their like; install them, then 'make READY=1 ...':" >&2
	echo "$wanted" | tr '\n' ' ' >&2
	echo >&2
	exit 1
fi
missing=
for p in $wanted; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) || state=
	[ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "missing packages:$missing"
[ "${1:-}" != --list ] || exit 0
root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || {
		echo "installing needs root: run 'apt-get install$missing' as root, then make again" >&2
		exit 1
	}
	root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
# shellcheck disable=SC2086
$root apt-get install -y -qq --no-install-recommends $missing >/dev/null
echo "installed."
