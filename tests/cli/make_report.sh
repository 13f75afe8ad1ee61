# SPDX-License-Identifier: Apache-2.0
# make report when things go wrong: killed in each of its phases, twice at once, without rights, on a full
# disk, with a clock that was set back, without HOME, with few files: what was there stays whole, one line says what
# is wrong, and the next call goes on.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host
[ -z "${TRACEBOOK_SAN-}" ] || { echo "what make builds has no sanitizers"; exit 77; }

# A tree of its own, with what is built, and a door before each program.
mkdir tree tree/out
here=$PWD
(cd "$TRACEBOOK_TOP" && cp -a Makefile base collect experiments report templates tracebook "$here/tree")
rm -rf tree/experiments/recorded
cp -a "$TRACEBOOK_BIN" "$TRACEBOOK_LIB" "$TRACEBOOK_TOP/out/obj" tree/out
rm -r tree/out/obj/tests
find tree/out/obj -name '*.d' -delete # no header changes here, and make reads them at each call
cd tree
for program in collect report; do
	mv out/bin/$program out/bin/$program.real
	cat >out/bin/$program <<-'END'
		#!/bin/sh
		case "$COPIED $*" in
		?*\ --out*) mkdir -p "$(dirname "$2")" && exec cp -r "$COPIED" "$2" ;; # instead of recording
		esac
		case "$KILLED" in
		"") exec "$0.real" "$@" ;;
		esac
		case "$0 $*" in
		*$KILLED*) exec timeout -s KILL "$AFTER" "$0.real" "$@" ;;
		esac
		exec "$0.real" "$@"
	END
	chmod +x out/bin/$program
done
export KILLED='' AFTER='' COPIED=''

matrix() { # SIZE
	cat >"my matrix's.json" <<-END
		{"cases": [{"workload": "matmul_add", "size": $1, "tag": "a", "expect": {"kernels": 2}}, {"workload": "matmul_add", "size": 32, "tag": "b"}]}
	END
}
build() { # STATUS [COMMAND...]: make report, as the command is told to
	wanted=$1
	shift
	status=0
	"$@" make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host >out.txt 2>err.txt || status=$?
	[ "$status" = "$wanted" ] || { cat out.txt err.txt && wrong "status $status, not $wanted: $*"; }
}
whole() { # what is there is whole: documents, figures, data
	for file in out/report.pdf out/atlas.pdf; do
		qpdf --check $file >check.txt 2>&1 || wrong "$file is not whole: $1"
	done
	for file in out/summary.md out/.run; do
		[ -s $file ] || wrong "no $file: $1"
	done
	ls out/svg >figures
	diff figures figures.first >/dev/null || wrong "figures are missing: $1"
	xmllint --noout out/svg/*.svg || wrong "a figure is not whole: $1"
	# what is the same as it was is as whole
	find out/traces -name '*.json' -exec md5sum {} + | sort >sums
	touch sums.whole
	comm -23 sums sums.whole | cut -c 35- >changed
	tr '\n' '\0' <changed | xargs -0r python3 -c 'import json, sys; [json.load(open(f)) for f in sys.argv[1:]]' ||
		wrong "a trace is not whole: $1"
	mv sums sums.whole
}

matrix 64
build 0
ls out/svg >figures.first
whole 'at first'
# A run to compare with: the same one, so that nothing has changed.
cp -a out/traces/host "the run's copy"
make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host "BASE=the run's copy" >out.txt 2>err.txt || wrong 'BASE='
whole 'with a base'
grep -qi 'same\|identical' out/summary.md || { cat out/summary.md; wrong 'the summary compares nothing'; }
tail -1 out.txt | grep -q '^identical: ' || { cat out.txt; wrong 'the last line does not say what the comparison gave'; }
rm -r "the run's copy"
# An earlier build, here the same one: measured in turn, round by round.
make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host "BASE=$PWD" >out.txt 2>err.txt || { cat err.txt; wrong 'BASE= of a build'; }
whole 'against a build'
python3 -c 'import json; assert json.load(open("out/traces/host/run.json"))["against"]["rounds"]' || wrong 'not measured in turn'
tail -1 out.txt | grep -q '2 compared: 0 slower, 0 faster' || { cat out.txt; wrong 'the last line does not say what the rounds gave'; }
mkdir "runs of others"
cp -a "$TRACEBOOK_TOP/tests/golden/host/in" "runs of others/z"
sed -i 's/"device": "host"/"device": "cuda"/' "runs of others/z/run.json"
make READY=1 report "MATRIX=my matrix's.json" "RECORDED=runs of others" DEVICE=host >out.txt 2>err.txt || wrong 'RECORDED='
pdftotext out/atlas.pdf - | grep -q 'not measured here' || wrong 'the runs of others are not in the atlas'
build 0
whole 'without the runs of others'

# Killed while it measures, before and while it writes; the next call does what is left.
size=40
phases='bin/collect|0.02 markdown|0.01 atlas|0.02 atlas|0.1 bin/collect|0.3 markdown|0.05'
for phase in $(echo "$phases" | tr ' ' '\n' | every 6); do
	matrix $((size += 8))
	KILLED=${phase%|*} AFTER=${phase#*|}
	make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host >out.txt 2>err.txt || :
	whole "$phase"
	KILLED='' AFTER=''
	build 0
	whole "after $phase"
done

# A program of one's own: where nothing is recorded, or the report of it fails, all that was there stays.
for fails in 'COPIED= KILLED=' 'COPIED=out/traces/host KILLED=--svg AFTER=0.01'; do
	cp -r out/traces before
	status=0
	# shellcheck disable=SC2086 # words
	env $fails make READY=1 report CMD=false >out.txt 2>err.txt || status=$?
	[ $status != 0 ] || wrong "status 0: $fails"
	whole "$fails"
	ls -A out >left
	if grep -q '^\.new' left; then wrong "something is left: $(cat left)"; fi
	[ -n "${fails##COPIED= *}" ] || diff -r before out/traces
	rm -r before
done
mkdir -p out/svg && cp out/report.pdf first.pdf
COPIED=out/traces/host make READY=1 report CMD=true >out.txt 2>err.txt || wrong "$(cat out.txt err.txt)"
[ out/report.pdf -nt first.pdf ] || wrong 'no report of the program'
xmllint --noout out/svg/*.svg
if grep -q '\.new' out/summary.md; then wrong 'the summary names a folder that is gone'; fi
# The recordings are on another disk, which has no room for a larger one of the program.
cat >small_disk <<-'END'
	set -e
	mount -t tmpfs -o size=$(($(du -sk before | cut -f1) * 3 / 2))k none out/traces
	cp -r before out/traces/command
	status=0
	make READY=1 report CMD=true >out.txt 2>err.txt || status=$?
	diff -r before out/traces/command
	[ "$(ls -A out/traces)" = command ]
	exit $status
END
cp -r out/traces/command before
cp -r before larger
head -c "$(du -sb before | cut -f1)" /dev/zero >larger/more
for way in '-m' '-rm'; do
	unshare $way mount -t tmpfs none out/traces 2>/dev/null || continue
	status=0
	COPIED=larger unshare $way sh small_disk || status=$?
	[ $status = 2 ] || { cat out.txt err.txt && wrong "status $status where the disk of the recordings is full"; }
	says err.txt 'No space left on device'
	break
done
rm -r small_disk before larger out/traces/command
build 0

# Two at once: one of them may say that the other is at work, and nothing is half.
matrix 96
make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host >other.txt 2>&1 &
build_status=0
make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host >out.txt 2>err.txt || build_status=$?
wait $! || build_status=$((build_status + 10))
case $build_status in
0 | 2 | 10 | 12 | 1) ;;
*) wrong "two at once: $build_status" ;;
esac
[ $build_status != 12 ] || wrong 'two at once: both failed'
build 0
whole 'two at once'

# The clock was set back: all that is there comes from the future.
find out/traces out/report.pdf out/atlas.pdf -exec touch -d '+5 years' {} +
matrix 104
build 0
whole 'from the future'
grep -q '104' out/traces/host/run.json || wrong 'a case was not measured'

# Without HOME and all else, and with sixteen files.
matrix 112
build 0 env -i PATH="$PATH" KILLED= AFTER=
whole 'no HOME'
matrix 120
build 0 prlimit --nofile=16
whole '16 files'

# The disk is full at one of the calls that write: one line, and the next call does what is left.
fail_call
matrix 128
for i in $(printf '%s\n' 38 21 30 55 59 | every 5); do
	status=0
	./fail_call out "$i" 28 calls make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host >out.txt 2>err.txt || status=$?
	what=$(sed -n "${i}p" calls)
	[ -n "$what" ] || wrong "there are fewer than $i calls that write: choose others"
	told=$(grep -c 'No space left on device' err.txt || :)
	case "$status $told $what" in
	"2 1 "* | "0 0 "*rename*) ;; # mv has two ways to rename
	*) cat err.txt && wrong "status $status, $told lines: $what" ;;
	esac
	whole "$what"
done
# The figures that are made go in no place: the earlier ones are there again.
matrix 132
status=0
./fail_call out 'rename svg' 28 calls make READY=1 report "MATRIX=my matrix's.json" RECORDED= DEVICE=host >out.txt 2>err.txt || status=$?
grep -q 'rename svg' calls || wrong 'no figures take the place of others'
[ "$status $(grep -c 'No space left on device' err.txt)" = '2 1' ] || { cat err.txt && wrong "status $status without new figures"; }
whole 'no new figures'
build 0
whole 'the disk was full'

# Nobody may write: one line, and what is there stays.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	matrix 136
	chmod 755 . out
	build 2 setpriv --reuid=65534 --regid=65534 --clear-groups
	grep -qi 'permission denied' err.txt || wrong 'no word of rights'
	whole 'no rights'
fi
