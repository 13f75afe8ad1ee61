# SPDX-License-Identifier: Apache-2.0
# make check's part "layers" finds a forbidden include, a foreign library and an unknown room, and
# nothing else. A check that cannot fail is none.
command -v git >/dev/null 2>&1 || { echo "git is not here"; exit 77; }
mkdir -p tests/check report/trace report/page report/canvas report/attic base templates
cp "$TRACEBOOK_TOP"/tests/check/layers.sh "$TRACEBOOK_TOP"/tests/check/sources.sh tests/check
git init -q .

layers() { # prints what the check prints, ends with its status
	sh -eu tests/check/layers.sh >said 2>&1
}
file() { # PATH INCLUDE...
	path=$1
	shift
	printf '#include %s\n' "$@" >"$path"
}
refused() { # WORDS: the check fails and says them
	if layers; then echo "nothing was found where this was expected: $1"; exit 1; fi
	grep -qF -e "$1" said || { cat said; echo "expected: $1"; exit 1; }
}

file report/trace/trace.c '"base/err.h"' '"report/trace/trace.h"' '<stdio.h>'
file report/page/layout.c '"report/canvas/canvas.h"'
file report/canvas/pdf.c '<hpdf.h>'
layers || { cat said; echo "nothing is wrong here"; exit 1; }

file report/trace/dump.c '"report/page/layout.h"'
refused 'report/trace/dump.c:1: #include "report/page/layout.h" (report/trace may include'
rm report/trace/dump.c

file report/canvas/look.c '"base/err.h"' '"report/trace/trace.h"'
refused 'report/canvas/look.c:2:'
rm report/canvas/look.c

file report/page/draw.c '<cairo/cairo.h>'
refused '(drawing is for'
rm report/page/draw.c

file report/attic/old.c '"base/err.h"'
refused 'no room of the table: report/attic'
rm report/attic/old.c

file base/err.c '"report/trace/trace.h"'
refused 'base/err.c:1:'
rm base/err.c

# The program links without the course, but for its main file; JSON of run.json stays in its room.
mkdir -p report/course report/run
file report/course/course.c '"report/page/layout.h"'
file report/report.c '"report/course/course.h"'
layers || { cat said; echo "nothing is wrong here"; exit 1; }
file report/program.c '"report/course/course.h"'
refused 'report/program.c:1:'
rm report/program.c
file report/page/draw.c '"report/course/course.h"'
refused 'report/page/draw.c:1:'
rm report/page/draw.c
echo 'c->raw_entry' >report/run/run.c
layers || { cat said; echo "the room itself may"; exit 1; }
echo 'c->raw_entry' >report/page/draw.c
refused 'the JSON of run.json is read in report/run/ alone'
rm report/page/draw.c

touch templates/words.py
refused 'templates/ is data'
