# SPDX-License-Identifier: Apache-2.0
# make check's part "size" finds a long file and a long function, of C and of Python, and nothing else.
. "$TRACEBOOK_TOP/tests/cli/functions"
command -v git >/dev/null || { echo 'git is not here'; exit 77; }

git init -q tree
mkdir -p tree/tests tree/report
cp -r "$TRACEBOOK_TOP/tests/check" tree/tests/
cd tree
lines() { # N: as many lines of a body
	i=0
	while [ $i -lt "$1" ]; do
		printf '\tf();\n'
		i=$((i + 1))
	done
}
c_function() { # LINES from brace to brace
	printf 'static void long_one(int a,\n\tint b)\n{\n'
	lines $(($1 - 2))
	printf '}\n'
}
py_function() { # LINES in all
	printf 'def long_two():\n'
	lines $(($1 - 1))
}
holds() {
	sh -eu tests/check/size.sh >../out 2>&1 || wrong 'the check fails where nothing is too long'
	silent ../out
}
broken() { # WORDS... are said
	if sh -eu tests/check/size.sh >../out 2>&1; then wrong "not found: $*"; fi
	says ../out "$@"
}
holds
c_function 60 >report/a.c
c_function 60 >>report/a.c
py_function 60 >tests/a.py
lines 500 >report/b.h
lines 500 >Makefile
holds
c_function 61 >>report/a.c
broken 'report/a.c:125:static void long_one(int a,' 'has 61 lines'
rm report/a.c
py_function 61 >tests/a.py
broken 'tests/a.py:1:long_two has 61 lines'
rm tests/a.py
for long in report/b.h Makefile tests/check/long.sh; do
	lines 501 >"$long"
	broken "$long: more than 500 lines"
	rm "$long"
done
mkdir tree_of_pictures docs
: >docs/a.svg
: >tree_of_pictures/a.svg
broken tree_of_pictures/a.svg 'pictures outside of docs and report'
rm -r tree_of_pictures
holds
