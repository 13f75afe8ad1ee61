# SPDX-License-Identifier: Apache-2.0
# Programs with PyTorch in them are recorded from inside, from the first operator to the last, and end as alone.
# (PyTorch is tests/data/collect/fake/torch.py here; collect_pytorch has the real one.)
# waits: programs that run for their time
. "$TRACEBOOK_TOP/tests/cli/functions"
torch_client

# recorded STATUS FOLDER COLLECT-OPTION... -- CLIENT-OPTION...
recorded() {
	wanted=$1
	folder=$2
	shift 2
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	rm -rf "$folder"
	# shellcheck disable=SC2086 # the options are words of their own
	run "$wanted" collect $options --out "$folder" -- "$client" "$@"
}
# counts FILE NAME: how many events of that name it has
counts() {
	python3 - "$1" "$2" <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
assert all(a["ts"] > 0 and a["dur"] >= 0 for a in events)
print(sum(e["name"].startswith(sys.argv[2]) for e in events))
END
}
trace=client.pt.trace.json

# All of a short program: each operator, each step, whatever ends it; what is said, and what stands in run.json.
for end in '--status 0:0' '--status 7:7' '--kill 15:143' '--kill 2:130' '--kill 1:129'; do
	# shellcheck disable=SC2086
	recorded "${end##*:}" whole -- --count 40 ${end%:*}
	[ "$(counts whole/$trace aten::mm)" = 80 ] || wrong "$(counts whole/$trace aten::mm) of 80 after $end"
	[ "$(counts whole/$trace 'ProfilerStep#')" = 40 ] || wrong "$(counts whole/$trace ProfilerStep) steps"
	says err "traces go to $PWD/whole" "$trace: from its import of PyTorch to its end, " ', 40 steps; it took 0.' ' s to end and write'
done
recorded 0 whole -- --count 40
silent out
lines err 2
says whole/$trace 'Input Dims'
says whole/run.json '"PyTorch": "2.11.0"' '"with": "shapes"' '"part": "start"' '40 steps"'
run 0 report --dump document whole
says out "caption Recorded from $client --count 40 · "
FAKE_KILL=15 recorded 143 whole -- --count 40 # while it is written
[ "$(counts whole/$trace aten::mm)" = 80 ] || wrong "$(counts whole/$trace aten::mm) of 80"
FAKE_SLOW=50 TRACEBOOK_START_S=1 recorded 0 whole -- --count 40 --no-steps # no window begins meanwhile
lines err 2
recorded 0 whole -- --count 5 --ends 8 # a child gets the signal that comes while it is made
is out '8 ended'
recorded 137 none -- --count 5 --kill 9
says err 'its start is lost: it was killed, crashed'
absent none/run.json

# By a shell, by another Python, with a PYTHONPATH and a sitecustomize of the program's own; without what imports it.
run 0 collect -q --out shell -- sh -c 'python3 "$0" --count 3; exit 0' "$client"
[ "$(counts shell/sh.pt.trace.json aten::mm)" = 6 ] || [ "$(counts shell/client.pt.trace.json aten::mm)" = 6 ] || wrong "$(ls shell)"
mkdir own
echo 'import os; print("its own", "tracebook" in os.path.join(*__import__("sys").path))' >own/sitecustomize.py
PYTHONPATH=$PWD/own run 0 collect -q --out chained -- "$client" --count 3
is out 'its own False'
[ "$(counts chained/$trace aten::mm)" = 6 ] || wrong 'not recorded'
run 0 collect --out isolated -- python3 -I -c 'import os; print(os.environ.get("NOTHING"))'
says err 'nothing recorded: looked for PyTorch'

# With this and without that.
recorded 0 none --with none -- --count 3
if grep -q 'Input Dims' none/$trace; then wrong 'shapes, though they were not wanted'; fi
recorded 0 stacks --with shapes,stacks -- --count 3
says err 'no functions of Python were recorded: they are in a window only'
says stacks/run.json '"with": "shapes"'
TRACEBOOK_START_S=1 recorded 0 stacks --after 700ms --for 100ms -- --seconds 1.2
says stacks/run.json '"with": "shapes, stacks"' 'weigh on the numbers'
TRACEBOOK_START_S=1 recorded 0 stacks --with shapes,stacks --after 700ms --for 100ms -- --seconds 1.2 --threads 2 --no-steps
says err 'a window, 0.' 'while no other thread works'

# Steps without end are many before they are long; who wants all of them says so.
recorded 0 many -- --count 520 --every 0
[ "$(counts many/$trace 'ProfilerStep#')" = 500 ] || wrong "$(counts many/$trace 'ProfilerStep#') of 500 steps"
says err 'its start is recorded; the program runs on' 'its start, ' ', 500 steps; more operators ' 'TRACEBOOK_START_S='
if grep -q '"title": .*TRACEBOOK' many/run.json; then wrong 'a title that long'; fi
TRACEBOOK_START_S=10 recorded 0 many -q -- --count 520 --every 0
[ "$(counts many/$trace 'ProfilerStep#')" = 520 ] || wrong "$(counts many/$trace 'ProfilerStep#') of 520 steps"

# Where ending and writing would take long its start is shorter; the window, too, or it waits longer than the program lasts.
(mkdir dear && cd dear && FAKE_TENSORS=5000 recorded 0 dear -- --seconds 3.5 --every 0.005 --no-steps) &
dear=$!
FAKE_TENSORS=50 recorded 0 short -- --seconds 3.5 --every 0.005 --no-steps
says err 'client.start.pt.trace.json: its start, 0.' '; more operators would take long'
python3 - short/client.steady.pt.trace.json <<'END' || wrong 'not as long as it may be'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
length = max(e["ts"] + e["dur"] for e in events) - min(e["ts"] for e in events)
assert 0.09e6 < length < 0.45e6, length
END
wait $dear || exit 1
says dear/err 'client.pt.trace.json: its start, 0.'
FAKE_TENSORS=500 recorded 0 steps -- --count 30 --every 0.005 # two steps at least: the first, and one beside it
says err "client.pt.trace.json: its start, 0." ' steps; more operators would take long'

# Without a GPU by its operators, that are counted as long as something is recorded: a start that would take 0.4 s to write
# (products for 0.1 s, 4000 operators each) ends before all of it has run, and no window is paid for.
mkdir -p torch/lib
cp "$FAKE/torch.py" torch
${CC:-gcc} -shared -fPIC -o torch/lib/libtorch_cpu.so "$FAKE/libtorch_cpu.c"
FAKE_OPERATORS=4000 FAKE=$PWD/torch recorded 0 counted -- --count 60 --every 0.01 --no-steps --hooks
says err 'client.pt.trace.json: its start, 0.' '; more operators would take long'
grep -q ' 0$' out || wrong 'operators are counted, though nothing is recorded'
n=$(counts counted/$trace aten::mm)
[ "$n" -ge 1 ] && [ "$n" -le 25 ] || wrong "$n of 120 products"
FAKE_OPERATORS=4000 FAKE=$PWD/torch TRACEBOOK_START_S=10 recorded 0 counted -- --count 60 --every 0.001 --no-steps
[ "$(counts counted/$trace aten::mm)" = 120 ] || wrong "$(counts counted/$trace aten::mm) of 120"
FAKE_TORCH=2.99.0 FAKE_OPERATORS=4000 FAKE=$PWD/torch recorded 0 counted -- --count 60 --every 0.001 --no-steps
[ "$(counts counted/$trace aten::mm)" = 120 ] || wrong "$(counts counted/$trace aten::mm) of 120 by a PyTorch that nobody looked at"
# What others took of its time is none that it may spend: the same products as paid for, and as not, where it only waited.
FAKE_OPERATORS=25 FAKE=$PWD/torch recorded 0 paid -- --count 60 --every 0.01 --no-steps
[ "$(counts paid/$trace aten::mm)" = 120 ] || wrong "$(counts paid/$trace aten::mm) of 120"
FAKE_WAIT=1 FAKE_OPERATORS=25 FAKE=$PWD/torch recorded 0 waited -- --count 60 --every 0.01 --no-steps
says err 'client.pt.trace.json: its start, ' '; more operators would take long'
[ "$(counts waited/$trace aten::mm)" -le 60 ] || wrong "$(counts waited/$trace aten::mm) of 120 where all of the time was waited"

# By steps and by time: to the step.
recorded 0 steps --after 5 --steps 7 -- --count 30
[ "$(counts steps/$trace 'ProfilerStep#')" = 7 ] || wrong "$(counts steps/$trace 'ProfilerStep#') of 7 steps"
grep -o 'ProfilerStep#[0-9]*' steps/$trace | sort -u -t'#' -k2n | head -n 1 | grep -q '#5$' || wrong 'not from step 5 on'
recorded 0 time --after 0s --for 200ms -- --seconds 0.8 --no-steps
says err 'its window is recorded; the program runs on' 'a window, 0.'
recorded 0 empty --after 0s --for 100ms -- --wait 0.6 --count 3
says err 'its window held no operator; the program runs on' 'nothing recorded: no process ran an operator'
FAKE_OPERATORS=1 FAKE=$PWD/torch recorded 0 time --after 0s --for 200ms -- --wait 0.6 --count 100 --every 0.01 --no-steps # operators are counted
says err 'its window is recorded; the program runs on' 'a window, 0.'
n=$(counts time/$trace aten::mm)
[ "$n" -ge 3 ] && [ "$n" -le 40 ] || wrong "$n products in 200 ms"
recorded 0 'done' --after 5 --steps 7 -- --count 30 --hooks # nothing of ours is in a step after it
is out '[]'
# Its end waits for no thread that is gone: for one it was half a second, each time.
took() { # the milliseconds of a recording
	began=$(date +%s%N)
	recorded 0 took "$@"
	ms=$((($(date +%s%N) - began) / 1000000))
}
for try in 1 2 3 4 5; do
	took --after 20s -- --count 30
	idle=$ms
	took --after 5 --steps 7 -- --count 30
	[ $ms -ge $((idle + 350)) ] || break
done
[ "$ms" -lt $((idle + 350)) ] || wrong "$ms ms where a window is over, $idle ms without one, at try $try"
recorded 0 late --after 20s -- --count 3
says err 'nothing recorded: the program ended after' 'without --after it is recorded from its start'
absent late/run.json

# Longer than its start: that, and a steady window of whole steps, also without steps, meanwhile; a report of both.
mkdir meanwhile
(cd meanwhile && TRACEBOOK_START_S=0.4 recorded 0 rounds -- --seconds 4 --no-steps) &
meanwhile=$!
TRACEBOOK_START_S=0.4 recorded 0 long -- --seconds 4 --every 0.005
[ "$(ls long | tr '\n' ' ')" = 'client.start.pt.trace.json client.steady.pt.trace.json run.json ' ] || wrong "$(ls long)"
says err 'its start is recorded; the program runs on' 'its window is recorded; the program runs on'
says long/run.json '"part": "start"' '"part": "steady"'
python3 - long/client.steady.pt.trace.json <<'END' || wrong 'not whole steps'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
steps = [e for e in events if e["name"].startswith("ProfilerStep#")]
numbers = sorted(int(e["name"].split("#")[1]) for e in steps)
assert len(steps) >= 3 and numbers == list(range(numbers[0], numbers[0] + len(steps))), numbers
inside = [sum(s["ts"] <= e["ts"] < s["ts"] + s["dur"] for e in events if e["name"] == "aten::mm") for s in steps]
assert set(inside) == {2}, inside
length = max(s["ts"] + s["dur"] for s in steps) - min(s["ts"] for s in steps)
assert 0.49e6 <= length < 2e6, length # the half second began a little before the first step
END
run 0 report -o long.pdf --json long.json long
# The steps that nobody recorded, in front of the window, say what one takes without the recorder; a start has none.
wait $meanwhile || exit 1
python3 - long/client.steady.pt.trace.json long/client.start.pt.trace.json meanwhile/rounds/client.steady.pt.trace.json <<'END' || wrong 'steps alone'
import json, sys
steady, start, rounds = (json.load(open(path)).get("unrecorded_step_ns") for path in sys.argv[1:])
assert 9e6 < steady < 40e6, steady # two products of 5 ms
assert start is None and rounds is None, (start, rounds)
END
says meanwhile/rounds/run.json '"part": "start"' '"part": "steady"'

# Ranks, threads, children: a trace each; who does nothing has none.
recorded 0 ranks -- --children 3 --count 10
[ "$(ls ranks | tr '\n' ' ')" = "client.rank0.pt.trace.json client.rank1.pt.trace.json client.rank2.pt.trace.json \
run.json " ] || wrong "$(ls ranks)"
says ranks/client.rank2.pt.trace.json '"distributedInfo": {"rank": 2, "world_size": 3}'
run 0 report --json ranks.json -o ranks.pdf ranks
recorded 0 threads -- --count 10 --threads 3 --no-steps
[ "$(counts threads/$trace aten::mm)" = 80 ] || wrong "$(counts threads/$trace aten::mm) of 80"
FAKE_TORCH=2.6.0 run 0 collect --out threads -- "$client" --count 10 --threads 3 --no-steps
[ "$(counts threads/$trace aten::mm)" = 20 ] || wrong "$(counts threads/$trace aten::mm) of 20"
FAKE_TORCH=2.6.0 TRACEBOOK_START_S=0.2 recorded 0 threads -- --seconds 1.2 --every 0.01 --threads 2 --no-steps # also when all is over before its end
says err 'operators of its main thread only'
# Where the main thread waits for the others a window begins without it, if that reaches them; else it is said why not.
recorded 0 waits --after 300ms --for 200ms -- --seconds 2.2 --threads 2 --join --no-steps
says err 'its window is recorded; the program runs on' 'a window, 0.'
python3 - waits/$trace <<'END' || wrong 'not both of the threads'
import json, sys
assert len({e["tid"] for e in json.load(open(sys.argv[1]))["traceEvents"] if e["name"] == "aten::mm"}) == 2
END
FAKE_SLOW=50 recorded 0 forks --after 300ms --for 200ms -- --seconds 2.5 --threads 2 --join --no-steps --every 0.04 --forks ends
says err 'a window, 0.'
returning="--count 2 --threads 2 --join --no-steps --forks returns"
# shellcheck disable=SC2086 # words
timeout 20 "$client" $returning || wrong "alone: $?"
# shellcheck disable=SC2086
recorded 0 forks -- $returning
main_only='nothing recorded: only the main thread could be recorded'
recorded 0 none --after 300ms --for 200ms --with memory -- --seconds 1 --threads 2 --join --no-steps
says err "$main_only" 'without memory in --with those of all threads are'
FAKE_TORCH=2.6.0 run 124 collect --out none --after 300ms -- timeout 1.9 "$client" --seconds 9 --threads 2 --join --no-steps
says err "$main_only" 'PyTorch 2.6.0 records no other threads'
# A window that is due while a thread makes its CUDA context waits: until the threads are over, here, or ten seconds.
FAKE_GPU=1 recorded 0 context --after 300ms --for 200ms -- --seconds 0.6 --threads 2 --cuda --no-steps
says err 'a window, 0.'
FAKE_GPU=1 recorded 0 context --after 300ms --for 200ms -- --seconds 1.9 --threads 2 --cuda --join --no-steps
says err 'nothing recorded: ' 'waits until CUDA has been in use for ten seconds'
recorded 0 forks -- --count 10 --fork 2
[ "$(ls forks | wc -l)" = 4 ] || wrong "$(ls forks)"
[ "$(counts forks/$trace aten::mm)" = 20 ] || wrong 'not the parent alone'
recorded 0 idle -- --idle
says err 'nothing recorded: no process ran an operator'
run 0 collect -q --out twins -- env RANK=1 WORLD_SIZE=2 sh -c '"$0" --count 2; "$0" --count 2' "$client"
[ "$(ls twins | wc -l)" = 3 ] || wrong "$(ls twins)"
[ "$(cat twins/*.trace.json | grep -c '"distributedInfo": {"rank": 1')" = 1 ] || wrong 'two of one rank'

# A loop and who makes its batches: 20 ms each, 16 of them in decode(), beside 10 ms of work. Where it stands is looked
# at every few ms, which a busy machine can spoil: one recording of three has to be right.
loop_is_told() { # WORKERS
	recorded 0 load -- --load $1
	run 0 report --json load.json -o load.pdf load
	[ "$(pdftotext -l 1 load.pdf - | tr '\n' ' ' | grep -c 'For each of 19 batches')" = $(($1 < 4)) ] || return 1
	python3 - $1 <<'END'
import json, sys
workers = int(sys.argv[1])
run, report = json.load(open("load/run.json")), json.load(open("load.json"))
[told] = [c["loading"] for c in run["cases"] if "loading" in c]
assert told["batches"] == 19 and told["workers"] == workers and told["in"].startswith("Numbers.decode client.py:"), told
assert 20 <= told["make_ms"] < 40 and 10 <= told["work_ms"] < 30, told
share = told["in_ms"] / told["make_ms"]  # looked at every few ms, and in each of four workers for five batches only
assert 0.6 < share < 0.95 or workers == 4 and share <= 1, told
assert told["enough"] == -(-told["make_ms"] // told["work_ms"]) or told["enough"] == 2, told
assert workers == 4 or told["wait_ms"] > 5, told
assert [c.get("worker") for c in run["cases"]].count(None) == 1, run
[case] = report["runs"][0]["cases"]  # the workers have no page
assert case["loading"]["in"] == "Numbers.decode" and case["loading"]["wait_ms"] == told["wait_ms"], case["loading"]
END
}
for workers in 0 1 4; do
	loop_is_told $workers || loop_is_told $workers || loop_is_told $workers || wrong "$(cat load/run.json)"
done

# A profiler of its own: ours gives way and says so.
recorded 0 self -- --count 5 --own
says out '1 of its own'
says err 'profiles itself: recording ended there' "ended when the program's own profiler began"
[ "$(counts self/$trace aten::mm)" = 10 ] || wrong "$(counts self/$trace aten::mm) of 10"

# A PyTorch that tells on stderr of each start and end of a profiler: of the program's own, at the level that it set.
FAKE=$PWD/torch recorded 0 logs -- --count 5 --fork 1 --own
[ "$(grep USDT err | tr '\n' ' ')" = 'USDT:4: profiler_start USDT:4: profiler_stop ' ] || wrong "$(cat err)"

# What a program puts where we look: pipes, links, junk.
for mess in fifo link junk; do
	recorded 0 mess -- --count 3 --mess $mess
	[ "$(counts mess/$trace aten::mm)" = 6 ] || wrong "$mess"
	if grep -q root mess/*.json; then wrong 'a link was followed'; fi
done

# A run takes the place of the one before; the report in the same command; a status is the program's all the same.
recorded 5 ranks --report report.pdf -- --status 5
[ "$(ls ranks | wc -l)" = 2 ] || wrong "left of the run before: $(ls ranks)"
says err 'report.pdf'
[ -s report.pdf ] || wrong 'no report'

# A full disk costs the trace and some lines, not the program.
if mkdir small && mount -t tmpfs -o size=100k none small 2>/dev/null; then
	TMPDIR=$PWD/small run 3 collect -q --out full -- "$client" --status 3 --count 400 --every 0
	umount small
	[ -s full/$trace ] || says err 'process' # whole where TMPDIR has a blank: LD_PRELOAD ends there, and /tmp is taken
fi
left=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'tracebook-??????' -newer whole/run.json -user "$(id -un)" -empty)
[ -z "$left" ] || wrong "left behind: $left"
