# SPDX-License-Identifier: Apache-2.0
# The disk is full, or broken, at any single call that changes a file of collect's results: of a matrix, in
# rounds, in turn with an earlier build, merged, and of a program of one's own. What was there stays whole, the
# other cases go on, one line says what is wrong, and the same command goes on from there. make test tries one call
# in eleven, make check each.
# waits: each call that fails is tried in a program of its own
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host
torch_client
fail_call
cat >check <<'END'
import glob, json, os, sys

# Whole, and as many as there were; then how many cases of all runs are not done.
left, same = 0, True
for path in glob.glob("o/**/*", recursive=True):
    if path.endswith(".part") or "longer-" in path or "/after-" in path:
        sys.exit(f"left behind: {path}")
for path in glob.glob("o/**/*.json", recursive=True):
    with open(path) as f:
        run = json.load(f)
    if path.endswith("run.json") and "before-" not in path:
        left += sum(c["status"] != "done" for c in run["cases"])
        for c in run["cases"]:
            if c["status"] == "done" and not os.path.exists(os.path.dirname(path) + "/" + c["trace"]):
                sys.exit(f"{path} names {c['trace']}, which is not there")
for path in glob.glob("earlier/**/*", recursive=True):
    now = "o" + path[len("earlier"):]
    # a trace of the other side may not outlive what it was measured in turn with
    if "before-" not in path and not os.path.exists(now):
        sys.exit(f"{now} is lost")
    same &= not os.path.isfile(path) or os.path.exists(now) and open(path, "rb").read() == open(now, "rb").read()
print("same" if same else left)
END

# each MOST STEP COMMAND...: all faults of a command that measures, of which one in STEP; at most MOST cases are lost by one
each() {
	most=$1
	step=$(($2 * some | (some > 1))) # odd, so that both errors come
	shift 2
	rm -rf o && cp -r earlier o
	./fail_call o 0 0 calls "$@" >out 2>err || wrong "without a fault: $*"
	n=$(wc -l <calls)
	i=$(((tried % step) + 1))
	while [ $i -le "$n" ]; do
		case $((i % 2)) in
		0) number=28 reason='No space left on device' ;;
		1) number=5 reason='Input/output error' ;;
		esac
		rm -rf o && cp -r earlier o
		status=0
		./fail_call o "$i" "$number" calls "$@" >out 2>err || status=$?
		what="$(sed -n "${i}p" calls): $*"
		lost=$(python3 -S check 2>&1) || wrong "$lost: $what"
		[ "$(grep -c "$reason" err)" = 1 ] || [ "$status,$lost" = 0,0 ] || wrong "not one line: $what"
		case $status,$lost in
		0,0 | 1,same | 1,0) ;;
		1,[1-9]*) [ "$lost" -le "$most" ] || wrong "$lost cases lost: $what" ;;
		*) wrong "status $status, $lost cases lost: $what" ;;
		esac
		if [ $((i % 4)) = 0 ]; then
			"$@" >out 2>err || wrong "and then without a fault: $what"
			[ "$(python3 -S check)" = 0 ] || wrong "not all is done then: $what"
		fi
		tried=$((tried + 1))
		i=$((i + step))
	done
}
matrix() { # SIZE
	cat >m.json <<-END
		{"cases": [{"workload": "matmul_add", "size": $1, "tag": "a"}, {"workload": "matmul_add", "size": $1, "warm": true, "tag": "b"}]}
	END
}
collect=$TRACEBOOK_BIN/collect
tried=0
some=11
! sweep || some=1

# A matrix, of which each case was measured before in another size.
matrix 40
"$collect" -q --device host --out earlier m.json >out
matrix 32
each 1 1 "$collect" --device host --out o m.json
first=$tried
[ $((first * some)) -ge 25 ] || wrong "only $first faults"
matrix 40
rm -r earlier
"$collect" -q --device host --repeat 2 --out earlier m.json >out
matrix 32
each 1 4 "$collect" --device host --repeat 2 --out o m.json
mkdir old && cp -r "$TRACEBOOK_BIN" "$TRACEBOOK_LIB" old
rm -r earlier
echo '{"cases": [{"workload": "matmul_add", "size": 40, "tag": "a"}]}' >m.json
"$collect" -q --device host --repeat 1 --against old --out earlier m.json >out
echo '{"cases": [{"workload": "matmul_add", "size": 32, "tag": "a"}]}' >m.json
each 1 3 "$collect" --device host --repeat 1 --against old --out o m.json
matrix 32

# Runs become one: nothing, or all of it.
for k in 1 2; do "$collect" -q --device host --shard $k/2 --out shards m.json >out; done
mkdir m
./fail_call m 0 0 calls "$collect" --merge shards --out m/merged >out 2>err
n=$(wc -l <calls)
for i in $(seq 1 $some "$n"); do
	rm -rf m/merged
	status=0
	./fail_call m "$i" 28 calls "$collect" --merge shards --out m/merged >out 2>err || status=$?
	what="$(sed -n "${i}p" calls) while merging"
	[ $status = 1 ] || wrong "status $status: $what"
	lines err 1
	says err 'No space left on device'
	absent m/merged/run.json
	run 0 collect --merge shards --out m/merged
	tried=$((tried + 1))
done

# A program: it runs to its end and has its own status, and what was recorded before stays until there is more.
tmp=$(TMPDIR=/tmp mktemp -d) # the path of a socket is short
trap 'rm -r "$tmp"' EXIT
program() { # OPTION...
	TMPDIR=$tmp "$collect" -q --after 0s --for 30ms --out "$@"
}
faults_of_program() { # STATUS OPTION...
	wanted=$1
	shift
	rm -rf o earlier
	program earlier "$@" -- "$client" >out 2>err || wrong 'not recorded'
	cp -r earlier o
	TMPDIR=$tmp ./fail_call o 0 0 calls "$collect" -q --after 0s --for 30ms --out o "$@" -- "$client" >out 2>err
	n=$(wc -l <calls)
	for i in $(seq 1 $some "$n"); do
		rm -rf o && cp -r earlier o
		status=0
		TMPDIR=$tmp ./fail_call o "$i" 28 calls "$collect" -q --after 0s --for 30ms --out o "$@" -- "$client" \
			>out 2>err || status=$?
		what="$(sed -n "${i}p" calls) of a program, $*"
		[ "$(wc -l <calls)" -ge "$i" ] || continue # not every run makes as many calls: none failed
		[ $status = "$wanted" ] || wrong "status $status: $what"
		[ "$(grep -c 'No space left on device' err)" = 1 ] || wrong "not one line: $what"
		[ $# -gt 0 ] || says err "$PWD/o/run.json is that of the earlier recording"
		lost=$(python3 -S check 2>&1) || wrong "$lost: $what"
		[ -z "$(ls "$tmp")" ] || wrong "left behind: $(ls "$tmp"): $what"
		[ $((i % 4)) != 0 ] || program o "$@" -- "$client" >out 2>err || wrong "and then without a fault: $what"
		tried=$((tried + 1))
	done
}
faults_of_program 0
faults_of_program 1 --repeat 2

# Before it starts: it is not started.
rm -rf o && cp -r earlier o
TMPDIR=$tmp ./fail_call "$tmp" 0 0 calls "$collect" -q --out o -- true >out 2>err
n=$(wc -l <calls)
[ "$n" -ge 2 ] || wrong "only $n calls before a program starts"
for i in $(seq "$n" | every 3); do
	status=0
	TMPDIR=$tmp ./fail_call "$tmp" "$i" 28 calls "$collect" -q --out o -- touch started >out 2>err || status=$?
	[ $status = 1 ] || wrong "status $status: $(sed -n "${i}p" calls)"
	lines err 1
	diff -r earlier o
	absent started
	[ -z "$(ls "$tmp")" ] || wrong "left behind: $(ls "$tmp")"
	tried=$((tried + 1))
done
echo "$tried faults"
