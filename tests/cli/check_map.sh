# SPDX-License-Identifier: Apache-2.0
# make check's part "map" finds a picture of the rooms that a new include has made untrue, and no other.
mkdir -p tests/check report/trace report/page base
cp "$TRACEBOOK_TOP/tests/check/map.py" tests/check
map() { python3 tests/check/map.py "$@"; }
picture() { # a picture of the tree as it is, without graphviz
	map | python3 -c 'import html, sys
print("<svg><desc>%s</desc></svg>" % html.escape(sys.stdin.read()))' >rooms.svg
}
echo '#include "base/err.h"' | tee report/trace/trace.c >report/page/page.c
touch base/err.c
picture
map check rooms.svg
map | grep -qF '"trace" -> "base"'

echo '#include "report/trace/trace.h"' >>report/page/page.c
if map check rooms.svg 2>said; then echo "the picture is stale, and nobody says so"; exit 1; fi
grep -q 'does not show the rooms as they are: make map' said
picture
map check rooms.svg
map | grep -qF '"page" -> "trace"'
if map | grep -F '"page" -> "base"'; then echo "what follows from other arrows is drawn"; exit 1; fi
if map check absent.svg 2>said; then echo "no picture is no true picture"; exit 1; fi
