# SPDX-License-Identifier: Apache-2.0
# Programs with NVTX ranges or CUDA in them are recorded from inside, and what was recorded survives every
# way to end (tests/data/inject; the GPU is the one that is none).
# waits: programs that run for their time
. "$TRACEBOOK_TOP/tests/cli/functions"
tests=$TRACEBOOK_LIB/../tests
ranges=$tests/inject/ranges
copies=$tests/fake/copies
[ -e "$ranges" ] || { echo "no NVTX headers: they come with the CUDA toolkit"; exit 77; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo "a library with sanitizers cannot be loaded into a program without"; exit 77; }
TMPDIR=/tmp
export TMPDIR

# has FOLDER N TEXT: its trace is whole, and N of its lines say this.
has() {
	python3 -m json.tool "$1"/*.pt.trace.json >/dev/null || wrong "$1: no whole trace"
	n=$(grep -cF -e "$3" "$1"/*.pt.trace.json) || true
	[ "$n" = "$2" ] || wrong "$1: $n lines with $3, expected $2"
}

# NVTX alone, whatever ends the program: nothing that was done is lost.
for how in exit:3 _exit:3 abort:134 kill:137; do
	folder=nvtx-${how%:*}
	run "${how#*:}" collect -q --out "$folder" -- "$ranges" "${how%:*}"
	if grep -q collect err; then wrong 'more was said than nothing'; fi
	has "$folder" 13 '"cat": "user_annotation"'
	has "$folder" 1 '"name": "step 2"'
	has "$folder" 3 '"name": "weit é"'
	has "$folder" 1 '"name": "registered"'
	has "$folder" 1 '"name": "in a domain"'
	says "$folder/run.json" '"device": "cpu"'
done
if grep -q 'Recorded with' nvtx-exit/run.json; then wrong 'shapes of a program that has none'; fi
run 0 report -o nvtx.pdf nvtx-exit

# Ranks say who they are, however short they live; what a rank has started comes behind it, and one process alone is none.
run 0 collect -q --out ranks -- sh -c '
	for r in 0 1; do RANK=$r WORLD_SIZE=2 "$0" exit & done; wait; SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3 "$0" fork
	PMI_RANK=0 PMI_SIZE=1 "$0" exit; exit 0' "$ranges"
[ "$(ls ranks/*.rank?.pt.trace.json | wc -l)" = 3 ] || wrong "not three ranks: $(ls ranks)"
[ "$(ls ranks/*.rank2-process-*.pt.trace.json ranks/sh.process-*.pt.trace.json | wc -l)" = 2 ] || wrong "no others: $(ls ranks)"
says ranks/sh.rank1.pt.trace.json '"distributedInfo": {"rank": 1, "world_size": 2}'
says ranks/sh.rank2.pt.trace.json '"rank": 2, "world_size": 3'
if grep -q '"name": "child"' ranks/sh.rank2.pt.trace.json; then wrong 'the child has the rank of its parent'; fi

# A child that forks has a trace of its own; too many, too deep: counted, and said.
run 3 collect -q --out forked -- "$ranges" fork
[ "$(ls forked/*.process-*.pt.trace.json | wc -l)" = 2 ] || wrong "not two traces: $(ls forked)"
[ "$(cat forked/*.json | grep -c '"name": "child"')" = 1 ] || wrong 'the range of the child'
run 3 collect --out many -- "$ranges" many
says err 'the newest 262144 spans of 400013'
if grep -q 'earlier recording' err; then wrong 'an earlier recording where there was none'; fi
run 3 collect --out many -- "$ranges" many
says err 'many holds an earlier recording, which this one replaces: --out FOLDER keeps both'
says many/run.json 'the newest 262144 spans of 400013'
run 0 report -o many.pdf many
if command -v pdftotext >/dev/null; then
	pdftotext -l 1 many.pdf - | tr '\n' ' ' >first
	says first 'the newest 262144 spans of 400013'
fi
says many/ranges.pt.trace.json '"dropped_spans": 137869'
run 3 collect --out deep -- "$ranges" deep
says err '72 more were lost by the recorder'

# What is open when the program is killed lasts to when it was last seen alive, and says so; a child that
# forks in ranges ends copies of them, which are its parent's.
run 137 collect -q --out open -- "$ranges" open
python3 - open/*.pt.trace.json <<'END' || wrong 'open ranges'
import json, sys
both = {}
for path in sys.argv[1:]:
    t = [e for e in json.load(open(path))["traceEvents"] if e.get("cat") == "user_annotation"]
    both["child" if any(e["name"] == "of the child" for e in t) else "parent"] = {e["name"]: e for e in t}
parent, child = both["parent"], both["child"]
assert "inner" in parent and "inner (open at the end)" not in parent, sorted(parent)
last = parent["last"]["ts"]
for name in ("outer (open at the end)", "across (open at the end)"):
    assert abs(parent[name]["ts"] + parent[name]["dur"] - last) < 1 and parent[name]["dur"] > 5000, parent[name]
assert sorted(child) == ["of the child"], sorted(child)
END

# A window by time.
run 3 collect --out late --after 30s --for 1s -- "$ranges"
says err 'the program used CUDA or NVTX, and ended after' 'but not in the window (--after, --for)'
run 3 collect -q --out early --for 20s -- "$ranges"
has early 1 '"name": "step 2"'

run 3 collect -q --out steps --steps 3 -- "$ranges"
says err 'which is not in this program'
if grep -q '"with"' steps/run.json; then wrong 'what nobody was asked for'; fi

# Python, by whatever library brings NVTX.
interop=${CUDA:-/usr/local/cuda}/lib64/libnvtx3interop.so
if [ -e "$interop" ]; then
	cat >nvtx.py <<'END'
import ctypes, sys
nvtx = ctypes.CDLL(sys.argv[1])
for i in range(4):
    nvtx.nvtxRangePushA(b"of Python")
    sum(range(10000))
    nvtx.nvtxRangePop()
END
	run 0 collect -q --out python -- python3 nvtx.py "$interop"
	has python 4 '"name": "of Python"'
fi

# No room for a ring: said before the program starts, which runs all the same.
small=$(mktemp -d "$TMPDIR/tbXXXXXX")
if mount -t tmpfs -o size=8m none "$small" 2>/dev/null; then
	TMPDIR=$small "$TRACEBOOK_BIN/collect" --out none -- "$ranges" >out 2>err && status=0 || status=$?
	umount "$small"
	[ $status = 3 ] || wrong "status $status"
	says err 'has 8 MB left: CUDA and NVTX need 42 MB' 'nothing recorded'
fi
rmdir "$small"

# A door that somebody else stands in stays his.
NVTX_INJECTION64_PATH=/none.so run 3 collect --out his -- "$ranges"
says err 'NVTX_INJECTION64_PATH is set already' 'nothing recorded'

[ -e "$copies" ] || exit 0
gpu=$tests/fake/libcuda_fake.so
export TRACEBOOK_CUDA_DRIVER="$gpu" TRACEBOOK_CUPTI="$gpu"
for how in exit:4 _exit:4 abort:134 kill:137; do
	folder=cuda-${how%:*}
	run "${how#*:}" collect -q --out "$folder" -- "$copies" "${how%:*}"
	if grep -q collect err; then wrong 'more was said than nothing'; fi
	has "$folder" 10 '"cat": "gpu_memcpy"'
	has "$folder" 10 '"name": "cudaMemcpyAsync"'
	has "$folder" 5 '"cat": "user_annotation", "name": "step"'
	has "$folder" 5 '"cat": "gpu_user_annotation", "name": "step"'
	says "$folder/run.json" '"device": "cuda"' 'fake GPU (tests)'
done
if grep -q cuDeviceGet cuda-exit/*.pt.trace.json; then wrong 'calls of ours are in the trace'; fi
has cuda-exit 1 '"computeMajor": 9, "computeMinor": 1076, "maxThreadsPerBlock": 1001, "maxThreadsPerMultiprocessor": 1039, "regsPerBlock": 1012, "warpSize": 1010, "sharedMemPerBlock": 1008, "numSms": 132, "regsPerMultiprocessor": 1082, "sharedMemPerBlockOptin": 1097, "sharedMemPerMultiprocessor": 1081'
run 0 report -o cuda.pdf --json cuda.json cuda-exit
says cuda.json '"name": "Memcpy DtoD (Device -> Device)"'

# libtorch is a library like any other, until a start-up file has PyTorch's own profiler record: that gets CUPTI, and
# what was recorded until then is kept.
cp "$(find /usr/lib /lib -name 'libz.so.1*' | head -n 1)" libtorch_cpu.so
recorder=': >"${TRACEBOOK_INJECT%% *}/python.$$"; exec "$0" "$@"'
run 4 collect -q --out libtorch -- "$copies" torch
has libtorch 11 '"cat": "gpu_memcpy"'
run 4 collect -q --out later -- sh -c "$recorder" "$copies" torch
has later 10 '"cat": "gpu_memcpy"'
LD_PRELOAD=./libtorch_cpu.so run 4 collect --out never -- sh -c "$recorder" "$copies"
says err 'nothing recorded'

# Ended by a signal, all is there up to that moment, and the signal does what it would have done.
for signal in INT:130 TERM:143; do
	folder=signal-${signal%:*}
	rm -f out
	# a shell lets what it starts with & ignore SIGINT
	env --default-signal=INT "$TRACEBOOK_BIN/collect" -q --out "$folder" -- "$copies" wait >out 2>err &
	pid=$!
	for try in $(seq 500); do
		if grep -q ready out 2>/dev/null; then break; fi
		sleep 0.02
	done
	kill -${signal%:*} $pid
	wait $pid && status=0 || status=$?
	[ $status = ${signal#*:} ] || wrong "status $status after $signal"
	has "$folder" 10 '"cat": "gpu_memcpy"'
done

# What it costs: outside the window next to nothing, inside it little (the fastest of ten rounds, so that others
# at work on this machine weigh less).
cost() { # PROGRAM NAME [COLLECT-OPTION]...: into cost.NAME
	costing=$1 part=$2
	shift 2
	if [ $# = 0 ]; then "$costing" cost >cost."$part"; else run 0 collect -q --out cost "$@" -- "$costing" cost; cp out cost."$part"; fi
}
for costs in "$ranges" "$copies"; do
	cost "$costs" alone
	cost "$costs" outside --after 1h --for 1s
	cost "$costs" inside --for 1h
	python3 - "$(basename "$costs")" <<'END' || wrong 'the cost'
import sys
alone, outside, inside = (float(open("cost." + n).read()) for n in ("alone", "outside", "inside"))
print(f"{sys.argv[1]}: {alone:.0f} ns alone, {outside - alone:+.0f} outside the window, {inside - alone:+.0f} inside")
assert outside - alone < 1000 and inside - alone < 5000, (alone, outside, inside)
END
done

# A ring of the same size whatever was done; a window; CUPTI taken by somebody.
run 4 collect -q --out window --after 300ms --for 400ms -- "$copies" exit 800
python3 - window/*.pt.trace.json <<'END' || wrong 'not the window'
import json, sys
t = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") == "gpu_memcpy"]
length = (max(e["ts"] + e["dur"] for e in t) - min(e["ts"] for e in t)) / 1e3
assert len(t) > 20 and length < 450, (len(t), length)
END
FAKE_CUDA=contexts run 4 collect -q --out contexts -- "$copies"
python3 - contexts/*.pt.trace.json <<'END' || wrong 'not two contexts'
import json, sys
t = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") == "gpu_memcpy"]
both = {(e["pid"], e["args"]["device"], e["args"]["context"]) for e in t}
assert len(t) == 10 and both == {(0, 0, 1), (1, 1, 2)}, (len(t), both)
END
FAKE_CUDA=cupti run 4 collect --out taken -- "$copies"
says err 'CUDA was not recorded' 'another profiler or debugger has CUPTI'
has taken 5 '"cat": "user_annotation"'
FAKE_CUDA=dropped run 4 collect --out dropped -- "$copies"
says err 'more were lost by the recorder'
