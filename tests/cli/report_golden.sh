# SPDX-License-Identifier: Apache-2.0
# Every stage prints what it printed when somebody last looked: tests/golden/refresh makes the texts
# anew (make golden), and the difference is to be read before it is committed.
. "$TRACEBOOK_TOP/tests/cli/functions"
golden="$TRACEBOOK_TOP/tests/golden"
cases=0
sh "$golden/refresh" made
for made in made/*; do
	name=$(basename "$made")
	cases=$((cases + 1))
	for file in "$made"/*; do
		expected="$golden/$name/$(basename "$file")"
		diff -u "$expected" "$file" >difference || {
			cut -c 1-200 difference | head -n 60
			wrong "$name/$(basename "$file") is another; when it shall be so: make golden"
		}
	done
done
[ $cases -ge 5 ] || wrong "only $cases cases"
