#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages named in $NEEDED that are missing: says which, then asks apt-get, as root or through
# sudo. On a system without dpkg it names them and stops. The list itself is in the Makefile.
set -eu
if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "tracebook needs these Debian packages or their like:" >&2
	echo "  $NEEDED" >&2
	echo "install them, then add READY=1 to the make command" >&2
	exit 1
fi
missing=
for p in $NEEDED; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) || state=
	[ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "installing what is missing:$missing"
root=
if [ "$(id -u)" != 0 ]; then
	root=sudo
	command -v sudo >/dev/null 2>&1 || {
		echo "this needs root: run 'apt-get install$missing' as root, then make again" >&2
		exit 1
	}
fi
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
# shellcheck disable=SC2086
$root apt-get install -y -qq --no-install-recommends $missing >/dev/null
echo "installed."
