# SPDX-License-Identifier: Apache-2.0
# Outputs that cannot be written: one message with the place and the reason, status 1; what was there
# before is whole, and no part of a file is left. Devices and pipes are written to as they are.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp -r "$TRACEBOOK_TOP/tests/golden/kineto/in" in
mkdir old
run 0 report -o old/r.pdf --svg old/svg --png old/png --markdown old/r.md in
cp -r old kept

# The full disk, played by a limit on the size of files: 512-byte blocks.
full() { # BLOCKS OPTION...
	blocks=$1
	shift
	status=0
	(
		ulimit -f "$blocks"
		exec "$TRACEBOOK_BIN/report" "$@" in
	) >out 2>err || status=$?
	[ $status = 1 ] || wrong "status $status with $*"
	lines err 1
	says err 'is the disk full?'
	diff -r kept old
}
full 16 -o old/r.pdf
says err old/r.pdf
full 16 --svg old/svg
says err old/svg/
full 4 --png old/png
says err old/png/
full 4 --markdown old/r.md
says err old/r.md
# What was finished before stays finished.
run 1 report -o new.pdf --markdown old/svg in
qpdf --check new.pdf >check 2>&1 || wrong "$(cat check)"

# Folders in the way of files and files in the way of folders.
run 1 report -o old in
says err old folder
run 1 report --markdown old/svg in
says err old/svg folder
run 1 report --svg old/r.md in
says err old/r.md 'in the way'
run 1 report -o old/r.md/new.pdf in
says err old/r.md 'in the way'
diff -r kept old

# A pipe gets the report and stays a pipe.
mkfifo pipe
cat pipe >through.pdf &
run 0 report -o pipe in
wait
[ -p pipe ] || wrong 'the pipe was replaced by a file'
cmp through.pdf old/r.pdf
"$TRACEBOOK_BIN/report" --markdown /dev/stdout in | cat >through.md
run 0 report --markdown plain.md in
cmp plain.md through.md

# A full device of our own, since a mistake would replace it.
if [ "$(id -u)" = 0 ] && mknod full c 1 7 2>/dev/null && { : >full; } 2>/dev/null; then
	for option in -o --markdown; do
		run 1 report $option full in
		says err full 'No space left'
		[ -c full ] || wrong 'the device was replaced by a file'
	done
fi

# stdout: full, or closed.
if [ -c /dev/full ]; then
	for what in '--dump trace' '--dump analysis' '--dump document' '--dump canvas' --table --check; do
		# shellcheck disable=SC2086 # two words
		set -- $what
		status=0
		"$TRACEBOOK_BIN/report" "$@" in >/dev/full 2>err || status=$?
		[ $status = 1 ] || wrong "status $status: $what on a full device"
		lines err 1
		status=0
		"$TRACEBOOK_BIN/report" "$@" in >&- 2>err || status=$?
		[ $status = 1 ] || wrong "status $status: $what without stdout"
	done
fi
