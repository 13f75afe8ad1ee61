# SPDX-License-Identifier: Apache-2.0
# Where outputs go is on a read-only mount, which stops root, too: one line names the place and the reason, the status is
# that of any output that cannot be written, what was there stays whole, and what needs no writing works.
. "$TRACEBOOK_TOP/tests/cli/functions"
mkdir empty

private_view 'mount --bind empty empty && mount -o remount,bind,ro empty && ! touch empty/file'
sums() {
	find . -type f ! -path './out/obj/*' -exec md5sum {} + | sort
}
# locked STATUS FOLDER COMMAND...: the command where the folder is read-only; its words go to out.txt and err.txt, and
# no file is another or new.
locked() {
	wanted=$1
	shift
	what=$*
	sums >"$here/before.txt"
	status=0
	# shellcheck disable=SC2016 # expanded there
	unshare $view sh -c 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$PWD" && exec "$@"' "$@" \
		>"$here/out.txt" 2>"$here/err.txt" </dev/null || status=$?
	sums >"$here/after.txt"
	[ $status = "$wanted" ] || { cat "$here/err.txt" && wrong "status $status, expected $wanted: $what"; }
}
same() {
	diff "$here/before.txt" "$here/after.txt" || wrong "files are others: $what"
}
refused() { # PLACE: one line, with the reason, besides those of make
	[ "$(grep -vc '^make: ' "$here/err.txt")" = 1 ] || { cat "$here/err.txt" && wrong "not one line: $what"; }
	says "$here/err.txt" "$1" 'Read-only file system'
	same
}
here=$PWD
mkdir work
cd work
mkdir o
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" .

# Each output of report, where there is an earlier one and where there is none.
run 0 report -o o/r.pdf --svg o/svg --png o/png --markdown o/r.md --json o/r.json --csv o/csv --stacks o/s.folded --html o/p.html --brief o/b.md --from 0s --cut o/c.json --learn o/l.json trace.json
rm out err
for option in '-o o/r.pdf' '--svg o/svg' '--png o/png' '--markdown o/r.md' '--json o/r.json' '--csv o/csv' '--stacks o/s.folded' '--html o/p.html' '--brief o/b.md' '--from 0s --cut o/c.json' '--learn o/l.json' \
	'-o o/new.pdf' '--svg o/new' '-o o/r.pdf --svg o/svg --png o/png --markdown o/r.md --json o/r.json --csv o/csv'; do
	# shellcheck disable=SC2086 # words
	locked 1 o "$TRACEBOOK_BIN/report" $option trace.json
	refused 'report: cannot '
	says "$here/err.txt" ' o/'
done
locked 1 . "$TRACEBOOK_BIN/tracebook" trace.json
refused 'report: cannot write report.pdf'
locked 0 . "$TRACEBOOK_BIN/tracebook" report --markdown - trace.json
silent "$here/err.txt"
locked 1 . "$TRACEBOOK_BIN/collect" -- true
refused 'collect: cannot make the folder out'

[ -e "$TRACEBOOK_LIB/tracebook-host.so" ] && [ -z "${TRACEBOOK_SAN-}" ] || exit 0
mkdir "$here/tree" "$here/tree/out"
(cd "$TRACEBOOK_TOP" && cp -a Makefile base collect experiments report templates tracebook "$here/tree")
rm -rf "$here/tree/experiments/recorded"
cp -a "$TRACEBOOK_BIN" "$TRACEBOOK_LIB" "$TRACEBOOK_TOP/out/obj" "$here/tree/out"
rm -r "$here/tree/out/obj/tests"
find "$here/tree/out/obj" -name '*.d' -delete # no header changes here, and make reads them at each call
cd "$here/tree"
matrix() { # SIZE
	cat >"$here/m.json" <<-END
		{"cases": [{"workload": "matmul_add", "size": $1, "tag": "a"}, {"workload": "matmul_add", "size": 32, "tag": "b"}]}
	END
}
build() { # FOLDER STATUS [VARIABLE=VALUE...]
	folder=$1
	wanted=$2
	shift 2
	locked "$wanted" "$folder" make READY=1 report "MATRIX=$here/m.json" RECORDED= DEVICE=host "$@"
}
matrix 64
make READY=1 report "MATRIX=$here/m.json" RECORDED= DEVICE=host >"$here/out.txt" 2>"$here/err.txt" || wrong "$(cat "$here/err.txt")"

# The whole tree, what is built and measured, and what is measured alone.
for folder in . out; do
	build "$folder" 2
	refused out/.run
	build "$folder" 2 CMD=true
	refused 'collect: cannot make the folder out/.new'
	for sheet in handout cheatsheet; do
		locked 2 "$folder" make READY=1 $sheet
		refused "report: cannot write out/$sheet.pdf"
	done
	locked 0 "$folder" out/bin/report --check out/traces/host
	same
done
build out/traces 0
matrix 72
build out/traces 2
refused 'collect: cannot write out/traces/host/run.json'
locked 1 out/traces out/bin/collect --device host --out out/traces "$here/m.json"
refused 'collect: cannot write out/traces/host/run.json'
make READY=1 report "MATRIX=$here/m.json" RECORDED= DEVICE=host >"$here/out.txt" 2>"$here/err.txt" || wrong 'and then with rights'
grep -q 72 out/traces/host/run.json || wrong 'nothing was measured'
