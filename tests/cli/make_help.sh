# SPDX-License-Identifier: Apache-2.0
# What make says before it builds: the list of its targets, and the packages that it wants, for each system.
cd "$TRACEBOOK_TOP"
scratch=$TMPDIR
make help >"$scratch/help"
for target in report test reader install clean check; do
	grep -q "^make $target  *[^ ]" "$scratch/help" || { cat "$scratch/help"; exit 1; }
done

# A machine on which nothing is there but a shell: every package is named in its system's own way, nothing is
# installed, and the status tells.
bare=$scratch/bare
mkdir "$bare"
for tool in sh dirname tr id find cat grep head mktemp rm; do
	ln -s "$(command -v $tool)" "$bare/$tool"
done
names() { # ID COMMAND PACKAGE...
	printf 'ID=%s\nID_LIKE="%s"\n' "$1" "$1" >"$scratch/os-release"
	! env -i PATH="$bare" OS_RELEASE="$scratch/os-release" sh base/install.sh "$wanted" >"$scratch/said" 2>&1 ||
		{ echo "status 0 on a bare $1"; exit 1; }
	shift
	for text; do
		grep -qF -e "$text" "$scratch/said" || { echo "not said: $text"; cat "$scratch/said"; exit 1; }
	done
}
wanted="test"
if [ "$(id -u)" != 0 ]; then
	names debian 'apt-get install' libcmocka-dev libdnnl-dev
fi
names fedora 'dnf install' libcmocka-devel onednn-devel cjson-devel
names arch 'pacman -S' cmocka onednn cjson
# A name that a system does not know makes its whole command fail: none stands for what it lacks.
! grep -q 'nanum\| - ' "$scratch/said"
names plan9 "Debian's names" libcmocka-dev READY=1
printf '#!/bin/sh\necho Darwin\n' >"$bare/uname" && chmod +x "$bare/uname"
names debian 'brew install' cjson libharu
rm "$bare/uname"
# Who only reads needs neither oneDNN nor what tests want.
wanted="read"
names arch cjson cairo
! grep -qE 'cmocka|onednn|qpdf|python' "$scratch/said"
# READY=1 never hides what is missing.
env -i PATH="$bare" OS_RELEASE="$scratch/os-release" sh base/install.sh --look read >"$scratch/said" 2>&1
grep -q 'READY=1, but these seem to be missing:.*cjson' "$scratch/said"
# Every row has its columns and knows how to be found, and what must be there has a name on every system.
awk -F '\t' '!/^#/ && (NF != 7 || (!/^[a-z]+\?/ && /\t-\t/) || $1 !~ /^(read|measure|test)\??$/ ||
	$2 !~ /^(program|header|library|archive|font) [^ ]+$/) { print; bad = 1 } END { exit bad }' base/packages
# The Debian package asks for the same libraries, and fonts come with it.
grep -v '^#' base/packages | awk -F '\t' '$1 !~ /^test/ { print $3 }' | tr ' ' '\n' | grep -v '^gcc$\|^libc6-dev$' |
	while read -r package; do
		grep -q "^ $package,\{0,1\}\$" debian/control || { echo "not in debian/control: $package"; exit 1; }
	done
# As many jobs as there are cores, and as many as are asked for.
jobs() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -pn READY=1 "$@" help 2>/dev/null | sed -n 's/^MAKEFLAGS = [a-z]* -j\([0-9]*\) .*/\1/p' | sort -u; }
[ "$(jobs)" = "$(nproc)" ]
[ "$(jobs -j7)" = 7 ]
