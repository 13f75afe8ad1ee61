# SPDX-License-Identifier: Apache-2.0
# LICENSE is the licence as it stands everywhere; NOTICE names every library and font that a build takes,
# by the package that base/packages wants it from, and the licences of the data in the tree.
. "$TRACEBOOK_TOP/tests/cli/functions"
cd "$TRACEBOOK_TOP"
[ "$(sha256sum <LICENSE)" = 'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30  -' ] ||
	wrong 'LICENSE is not the text of Apache-2.0'
awk -F '\t' '$1 ~ /^(read|measure)[?]?$/ && $2 ~ /^(header|library|archive|font) / { print $3 }' base/packages >"$TMPDIR/linked"
[ "$(wc -l <"$TMPDIR/linked")" -gt 10 ] || wrong 'base/packages lists no libraries'
while read -r package; do
	grep -qE "^[A-Za-z][A-Za-z0-9 -]* $package " NOTICE || wrong "NOTICE does not name $package"
done <"$TMPDIR/linked"
for data in experiments/recorded tests/data tests/golden tests/fuzz/seeds; do
	if ! [ -d "$data" ] || ! grep -q "$data/" NOTICE; then wrong "NOTICE does not say under which licence $data is"; fi
done
