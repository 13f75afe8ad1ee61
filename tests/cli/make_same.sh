# SPDX-License-Identifier: Apache-2.0
# The same sources give the same program, to the byte, wherever the tree lies.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'once is enough'; exit 77; }
for place in "one place" another; do
	mkdir "$place"
	(cd "$TRACEBOOK_TOP" && cp -a Makefile base collect experiments report templates tracebook "$OLDPWD/$place") || exit 1
	(cd "$place" && make READY=1 out/bin/tracebook) >made 2>&1 || wrong "$(cat made)"
done
cmp "one place/out/bin/tracebook" another/out/bin/tracebook || wrong 'the programs differ'
if grep -qF -e "$PWD" "another/out/bin/tracebook"; then wrong 'the path is in the program'; fi
