# SPDX-License-Identifier: Apache-2.0
# - is stdin where something is read and stdout where something is written: the same bytes as by a file's name.
. "$TRACEBOOK_TOP/tests/cli/functions"
small_trace trace.json

through() { # NAME STATUS ARGUMENT...: report with the trace on stdin
	wanted=$2
	status=0
	name=$1
	shift 2
	"$TRACEBOOK_BIN/report" "$@" <trace.json >"$name" 2>err || status=$?
	[ $status = "$wanted" ] || wrong "status $status, expected $wanted: report $*"
}

run 0 report --table trace.json
cp out table
through stdin 0 --table -
cmp stdin table

# A title is the file's name, so what is written differs only there: all from stdin.
mkdir files
for form in markdown json output learn; do
	through named 0 --$form "files/$form" -
	through piped 0 --$form - -
	cmp "files/$form" piped || wrong "--$form - writes something else than --$form FILE"
	[ -s piped ] || wrong "--$form - writes nothing"
done
# shellcheck disable=SC2002 # from a pipe, which no file is
cat trace.json | "$TRACEBOOK_BIN/report" --json - - | cmp - files/json
# What stands in a file already stays there.
echo before >grown
"$TRACEBOOK_BIN/report" --json - - <trace.json >>grown
{ echo before && cat files/json; } | cmp - grown

# Predictions from stdin.
run 0 report --learn learnt trace.json
"$TRACEBOOK_BIN/report" --check --expect - trace.json <learnt >out 2>err || wrong 'no predictions from stdin' 
says out 'predictions kept, 0 broken'
# A matrix too.
"$TRACEBOOK_BIN/collect" --list - <"$TRACEBOOK_TOP/experiments/matrix.json" >listed
"$TRACEBOOK_BIN/collect" --list "$TRACEBOOK_TOP/experiments/matrix.json" | cmp - listed

# Not two of a kind, and no folder.
run 2 report --json - -o - trace.json
says err 'both want stdout'
run 2 report --expect - -
says err 'stdin is read once'
run 2 report - -
says err 'stdin is read once'
run 2 report --svg - trace.json
says err 'wants a folder'
[ ! -e ./- ] || wrong 'a file named -'

# A full disk is told.
if [ -w /dev/full ]; then
	status=0
	"$TRACEBOOK_BIN/report" --json - trace.json >/dev/full 2>err || status=$?
	[ $status = 1 ] || wrong "status $status on a full disk"
fi

# Nothing to judge is told, and no failure; nothing compared is one.
run 0 report --check trace.json
says err 'warning: nothing was judged'
run 0 report --check --expect learnt trace.json
silent err
run 1 report --check --baseline trace.json "$TRACEBOOK_TOP/tests/golden/host/in"
says err 'nothing could be compared'

# What is often taken for a trace is named.
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n' >pointer.json
run 1 report pointer.json
says err 'Git LFS' 'git lfs pull'
printf '\001\002\003nsight' >a.nsys-rep
run 1 report a.nsys-rep
says err 'Nsight Systems'

# Names with blanks, quotes, line ends and signs of the shell.
odd="it's \"a\" \$(trace)
of two lines; *"
mkdir "$odd"
cp trace.json "$odd/trace.json"
run 0 report -o "$odd/r.pdf" --svg "$odd/svg" --markdown "$odd/r.md" --json "$odd/r.json" "$odd/trace.json"
for file in r.pdf r.md r.json; do
	[ -s "$odd/$file" ] || wrong "not written: $file"
done
cp trace.json "$odd.json"
run 0 report --table "$odd.json"
cmp out table
