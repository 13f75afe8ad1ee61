# SPDX-License-Identifier: Apache-2.0
# What cannot be read or written: status 1, and a message that says what and where. Nothing that was
# there before is touched, and no half file is left.
. "$TRACEBOOK_TOP/tests/cli/functions"

failed() { # WORDS-OF-THE-MESSAGE PROGRAM ARGUMENT...
	message=$1
	shift
	run 1 "$@"
	silent out
	says err "$message"
}

failed 'no-such.json' report no-such.json
says err 'No such file'
absent report.pdf

# Not a trace: refused in one line.
printf 'Dear reader,\nthis is a letter.\n' >letter.json
failed letter.json report letter.json
lines err 1
: >empty.json
failed empty.json report empty.json
lines err 1
head -c 5000 /dev/zero >zeros.json
failed zeros.json report zeros.json
lines err 1
mkdir nothing
failed nothing report nothing
absent report.pdf

# Among several paths the wrong one is named.
small_trace good.json
run 1 report good.json no-such.json
says err no-such.json

# A place that cannot be written to.
echo earlier >file
failed 'file is in the way' report -o file/report.pdf good.json
failed 'file/svg' report --svg file/svg good.json
[ "$(cat file)" = earlier ] || wrong 'the earlier file was changed'
if [ -c /dev/full ]; then
	run 0 report --table good.json
	status=0
	"$TRACEBOOK_BIN/report" --table good.json >/dev/full 2>err || status=$?
	[ $status = 1 ] || wrong "status $status when stdout is full"
	says err 'No space left'
fi

# The matrix.
failed no-such-matrix.json collect --device host --dry-run no-such-matrix.json
says err 'No such file'
echo '{"cases": [' >cut.json
failed cut.json collect --device host --dry-run cut.json

# What holds no trace says why, and what to do.
mkdir recorded
echo '{"tracebook": 1, "command": {"argv": ["python3", "x.py"]}, "cases": []}' >recorded/run.json
run 1 report recorded
says err 'the recording of a program, and no trace: nothing ran in its window' '--for'
gzip -c </dev/null >nothing.json.gz
run 1 report nothing.json.gz
is err 'report: nothing.json.gz: is empty: gzip data of no bytes'
echo NSYS >x.nsys-rep
run 1 report x.nsys-rep
says err 'nsys export --type sqlite'
