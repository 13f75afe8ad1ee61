# SPDX-License-Identifier: Apache-2.0
# Where the time went, against plain Python over the raw events of real traces, to the nanosecond. Files of
# more than 1 MB are left out, unless TRACEBOOK_EVERY is set: they take Python a minute; of more than 300 kB in make test.
. "$TRACEBOOK_TOP/tests/cli/functions"
traces="$TRACEBOOK_SHARED/traces"
truth="$TRACEBOOK_TOP/tests/data/trust/breakdown_truth.py"
if [ ! -d "$traces/kineto" ]; then
	echo "no traces in $TRACEBOOK_SHARED"
	exit 77
fi
find "$traces/kineto" "$traces/ranks" "$traces/h200" -type f -name '*.json*' ! -name '*averages*' \
	! -name PAIRS.json $([ "${TRACEBOOK_EVERY-}" ] || echo -size "-$(sweep && echo 1024k || echo 300k)") | sort >list
[ "$(wc -l <list)" -ge 52 ] || wrong "only $(wc -l <list) traces"
xargs python3 "$truth" "$TRACEBOOK_BIN/report" <list >out || wrong "$(grep -v ^equal out)"
says out ' equal, 0 wrong'

# It sees when two parts change places, and when one has a nanosecond too many.
cat >swapped <<'END'
#!/bin/sh
"$TRACEBOOK_BIN/report" "$@" && [ "$1" = --json ] || exit 0
sed -i 's/computing.gemm/x/; s/computing.convolution/computing.gemm/; s/"x"/"computing.convolution"/' "$2"
END
cat >longer <<'END'
#!/bin/sh
"$TRACEBOOK_BIN/report" "$@" && [ "$1" = --json ] || exit 0
sed -i 's/\("idle.unknown", "ns": \)0/\11/' "$2"
END
chmod +x swapped longer
for fault in swapped longer; do
	! python3 "$truth" "./$fault" "$traces/kineto/bnb_linear_a100.json" >out ||
		wrong "breakdown_truth.py does not see: $fault"
	says out '0 equal, 1 wrong'
done

# What limits them, and how steps were told, as a reader of the raw events says: trace, headline, steps.
while read -r trace headline steps; do
	run 0 report --json one.json "$traces/$trace"
	[ "$(python3 -c 'import json
c = json.load(open("one.json"))["runs"][0]["cases"][0]
print(c["largest"], c["window"]["steps_by"])')" = "$headline $steps" ] ||
		wrong "$trace is not $headline by $steps: $(grep -E 'headline|steps_by' one.json)"
done <<'END'
h200/programs/attention_sdpa_vs_naive.pt.trace.json.gz memory-bound profiler
h200/programs/gpt2_generate_fp16.pt.trace.json.gz stall-bound launches
h200/programs/gpt2_train_eager.pt.trace.json.gz compute-bound profiler
h200/programs/resnet18_amp_loader.pt.trace.json.gz launch-bound profiler
h200/programs/streams_copies.pt.trace.json.gz copy-bound profiler
kineto/mi300x_vllm_capture_piecewise_32MB.json.gz compile-bound launches
h200/pairs/batching.before.pt.trace.json.gz launch-bound profiler
h200/pairs/channels_last.before.pt.trace.json.gz memory-bound profiler
h200/pairs/cuda_graph.before.pt.trace.json.gz launch-bound profiler
h200/pairs/pad_vocab.before.pt.trace.json.gz compute-bound profiler
h200/pairs/pinned.before.pt.trace.json.gz copy-bound profiler
h200/pairs/sdpa.before.pt.trace.json.gz memory-bound profiler
h200/pairs/sdpa.after.pt.trace.json.gz compute-bound profiler
kineto/h100_owlv2_large.json.gz input-bound profiler
kineto/hta_gp100_gpu_user_annotation.json.gz launch-bound optimizer
kineto/hta_v100_ns_resolution.json.gz compute-bound profiler
kineto/partxf_a100pcie_b512.json.gz stall-bound nothing
kineto/sglang_qwen3_8b_decode_mi300x.json.gz unseen nothing
kineto/torchbench_a100_memcpy_only.json copy-bound profiler
kineto/mi300x_ddp_resnet18.json.gz sync-bound optimizer
kineto/b300_moe_top1_sparse.json.gz memory-bound range
kineto/dtu_cpu.json none nothing
ranks/dlrm_8/worker1_step_12.1694128201556.pt.trace.json.gz communication-bound profiler
END

# Because of what the device waited: the kinds sum to the idle time, and page one names the largest silence.
run 0 report --json one.json "$traces/kineto/hta_backward_thread.json"
python3 - <<'END' || wrong "the blame of hta_backward_thread"
import json
case = json.load(open("one.json"))["runs"][0]["cases"][0]
for window in "window", "whole":
    blame = case["blame"][window]
    idle = sum(p["ns"] for p in case[window]["parts"] if p["part"].startswith("idle."))
    assert sum(blame["kinds"].values()) == idle > 0, (window, blame, idle)
    key = "ns" if window == "whole" else "window_ns"
    for kind, ns in blame["kinds"].items():
        assert ns == sum(c[key] for c in case["blame"]["causes"] if c["kind"] == kind), (window, kind, ns)
first = case["blame"]["silences"][0]
assert first["kind"] == "nothing" and first["before"].endswith("AddmmBackward0"), first
assert case["headline"] == "host-bound", case["headline"]
END
run 0 report --dump document "$traces/kineto/hta_backward_thread.json"
says out 'The device waits because the host did something that was not recorded, before autograd::engine::evaluate_function: AddmmBackward0 (host-bound): 80.1 % of the step of 413 ms.'

# And what it is busy with that nobody asked for, though no remedy is known: its share is that of the table.
run 0 report --json use.json "$traces/kineto/bnb_linear_a100.json"
run 0 report --dump document "$traces/kineto/bnb_linear_a100.json"
python3 - out use.json <<'END' || wrong "the use of bnb_linear_a100"
import json, re, sys
rows = [r for r in json.load(open(sys.argv[2]))["runs"][0]["cases"][0]["tables"]["uses"]["rows"]]
worst = max((r for r in rows if r[0] not in ("useful", "unknown")), key=lambda r: r[2])
said = re.search(r"Of the time that the device works, ([\d.]+) % .* the largest part of it in (\S+)", open(sys.argv[1]).read())
assert worst[1] == "converted" and abs(float(said[1]) - 100 * worst[2] / sum(r[2] for r in rows)) < 0.06, (worst, said)
assert said[2].rstrip(",") == worst[5], (said[2], worst)
END
! grep -q 'the line that mixes' out || wrong "an action says it, and so does the sentence"

# Where no action is about the kernels, the sentence says what would decide.
run 0 report --dump document "$traces/kineto/b300_moe_top1_sparse.json.gz"
says out 'goes to reading and writing rows by their index; the largest part of it in aten::index'
says out 'It depends on how many of the rows that are taken are used, and on whether they lie side by side.'

# Where most of the window is not in the file, what is left of it is judged: its parts are all of the rest.
run 0 report --dump document "$traces/kineto/sglang_qwen3_8b_decode_mi300x.json.gz"
python3 - out <<'END' || wrong 'the rest of a window that the file does not show'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
unseen, window = re.search(r"\(not in the file\): ([\d.]+) % of the window of ([\d.]+) ms\. The rest: computing ([\d.]+) %", text).groups()[:2]
left, computing, list_of = re.search(r"Without that time ([\d.]+) ms are left: computing ([\d.]+) %, (.*?)\. By themselves they are compute-bound\.", text).groups()
assert abs(float(left) - float(window) * (100 - float(unseen)) / 100) < 0.3, (left, window, unseen)
assert 98 < float(computing) + sum(map(float, re.findall(r"[\d.]+(?= %)", list_of))) <= 100.2, (computing, list_of)
END

# A file of spans that has its longest chain as a lane tells it, as plain Python counts it; where steps were found, no table says that nothing counts.
chain=$traces/chrome/bazel_local-jobs-4.json.gz
run 0 report --dump document "$chain"
python3 - out "$chain" <<'END' || wrong 'the longest chain'
import gzip, json, re, sys
events = json.load(gzip.open(sys.argv[2]))["traceEvents"]
[lane] = [e["tid"] for e in events if e.get("name") == "thread_name" and e["args"]["name"] == "Critical Path"]
spans = [e["dur"] for e in events if e.get("ph") == "X" and e["tid"] == lane]
n, time, most = re.search(r"in “Critical Path”: (\d+) spans of ([\d.]+) s in all, the longest .* with ([\d.]+) s\.", open(sys.argv[1]).read()).groups()
assert int(n) == len(spans) and f"{sum(spans) / 1e6:.2f}" == time and f"{max(spans) / 1e6:.2f}" == most, (n, time, most, spans)
END
run 0 report --dump document "$traces/kineto/b200_eager.json.gz"
says out '36 were found by their kernels' 'Tables count over the whole window'
! grep -q 'Nothing is counted' out || wrong 'nothing is counted, and yet 36 steps are'
