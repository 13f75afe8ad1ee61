# SPDX-License-Identifier: Apache-2.0
# The program without the objects of report/course (section/course.h): it writes the same bytes of anybody's
# traces, in every form and template, and refuses the pages of a run of a matrix in one line. Its data go on.
. "$TRACEBOOK_TOP/tests/cli/functions"
plain=$TRACEBOOK_LIB/../tests/report-without-course
golden=$TRACEBOOK_TOP/tests/golden
run_of_ours=$TRACEBOOK_TOP/experiments/recorded/nvidia-h200

if nm -C "$plain" 2>/dev/null | grep -q ' matrix_course$'; then wrong 'it was linked with the course'; fi
nm -C "$TRACEBOOK_BIN/report" | grep -q ' matrix_course$' || wrong 'the program has no course'

# both ARGUMENT...: both programs end well and say the same on both channels.
both() {
	run 0 report "$@"
	mv out with.out && mv err with.err
	"$plain" "$@" >out 2>err </dev/null || wrong "without the course: $*"
	cmp out with.out || wrong "stdout differs: $*"
	cmp err with.err || wrong "stderr differs: $*"
}

cp -r "$golden" golden
traces=$(find golden/kineto/in golden/chrome/in golden/cut/in -name '*.json*' | sort)
[ "$(echo "$traces" | wc -l)" -ge 3 ] || wrong 'too few traces'
for trace in $traces; do
	for template in report atlas note handout answers; do
		both --template $template --dump document "$trace"
		[ -s out ] || wrong "an empty $template of $trace"
	done
	both --dump canvas "$trace"
	both --dump analysis "$trace"
done
# Several, and before and after.
# shellcheck disable=SC2086
both --dump document $traces
first=$(echo "$traces" | head -n 1)
both --dump document --baseline "$first" "$(echo "$traces" | tail -n 1)"
# What it writes.
for program in "$TRACEBOOK_BIN/report" "$plain"; do
	name=$(basename "$program")
	"$program" -o "$name.pdf" --svg "$name.svg" --markdown "$name.md" --json "$name.json" --csv "$name.csv" "$first" || wrong "$name"
	mkdir "$name" && mv "$name".* "$name"
	(cd "$name" && for file in *; do mv "$file" "all.${file##*.}"; done)
done
diff -r report report-without-course || wrong 'files differ'

# A run of a matrix.
for template in report atlas brief; do
	status=0
	"$plain" --template $template -o refused.pdf "$run_of_ours" >out 2>err || status=$?
	[ $status = 1 ] || wrong "status $status of a run of a matrix"
	lines err 1
	says err "$run_of_ours is a run of a matrix" 'without'
	absent refused.pdf
done
# Nor one beside a trace.
status=0
"$plain" --recorded "$run_of_ours" -o refused.pdf "$first" >out 2>err || status=$?
[ $status = 1 ] || wrong "status $status of a recorded run"
lines err 1
says err 'is a run of a matrix'
absent refused.pdf
# Its data need no course.
both --dump analysis "$run_of_ours"
both --json - "$run_of_ours"
