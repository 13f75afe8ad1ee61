# SPDX-License-Identifier: Apache-2.0
# The advice against programs that were timed before and after one remedy, and every trace's own words.
. "$TRACEBOOK_TOP/tests/cli/functions"
pairs="$TRACEBOOK_SHARED/traces/h200/pairs"
check="$TRACEBOOK_TOP/tests/advise/pairs.py"
if [ ! -d "$pairs" ]; then
	echo "no pairs in $TRACEBOOK_SHARED"
	exit 77
fi
python3 "$check" "$TRACEBOOK_BIN/report" "$pairs" >out || wrong "the advice does not hold"
says out ' kept'

# What a step takes without the recorder: the wall times, where recording made some of them twice as long. All but the first
# were taken in a process that had recorded before, so CUPTI is in those that only launch.
python3 - "$TRACEBOOK_BIN/report" "$pairs" <<'END' || wrong "the recorder's weight"
import json, subprocess, sys
pairs = json.load(open(sys.argv[2] + "/PAIRS.json"))["pairs"]
recorded = []
for name, pair in pairs.items():
    told = subprocess.run([sys.argv[1], "--json", "-", f"{sys.argv[2]}/{name}.before.pt.trace.json.gz"], check=True, capture_output=True)
    case, wall = json.loads(told.stdout)["runs"][0]["cases"][0], sorted(pair["wall_us_per_step_before"])[1] * 1000
    assert 0.75 < case["recorder"]["window_ns"] / wall < 1.1, (name, case["recorder"], wall)
    recorded.append(case["window"]["ns"] / wall)
assert max(recorded) > 1.9, recorded
END
run 0 report --dump document "$pairs/item_sync.before.pt.trace.json.gz"
says out 'Recording slows the host: without it, expect about 978 µs'

# Recording may hide what limits a program: the headline is that of a step without it, and the recorded one stands beside it.
run 0 report --dump document "$pairs/cuda_graph.after.pt.trace.json.gz"
says out 'text Limited by computing (compute-bound): about ' ' that it takes without the profiler, by estimate' \
	'as recorded, is the host, which launches the next work too late: 59.6 %'

# It sees a promise that is too large, an action that is not named, and one that is still there after.
for fault in 's/\("gain_ns": [0-9]*\)/\19/' 's/"id": "attention"/"id": "fusion"/' 's/"id": "flash"/"id": "attention"/'; do
	cat >faulty <<END
#!/bin/sh
"\$TRACEBOOK_BIN/report" "\$@" | sed '$fault; s/"leave": \[/"unused": 0, "leave": [/'
END
	chmod +x faulty
	case $fault in *flash*)
		# What is left alone after the remedy, taken for an action.
		sed -i 's/; s."leave".*$/; s|"actions": \\[\\]|"actions": [{"id": "attention", "gain_ns": 1}]|'"'"'/' faulty
		;;
	esac
	! python3 "$check" ./faulty "$pairs" >out || wrong "pairs.py does not see: $fault"
done

# No place of a sentence stays open, whatever the trace.
mkdir results
n=0
for trace in "$pairs"/*.gz "$TRACEBOOK_SHARED"/traces/h200/programs/*.trace.json.gz "$TRACEBOOK_SHARED"/traces/kineto/*; do
	[ "$(stat -c %s "$trace")" -lt 1000000 ] || continue
	run 0 report --json results/$((n = n + 1)).json "$trace"
done
python3 - results/* <<'END' >said 2>&1 || wrong "$(cat said)"
import json
import sys

for path in sys.argv[1:]:
    for case in (case for run in json.load(open(path, encoding="utf-8"))["runs"] for case in run["cases"]):
        gains = [a["gain_ns"] for a in case.get("actions", [])]
        # What names no cause stands behind those that do, though it saves more.
        order = [(not a["setting"], a["behind"], -a["gain_ns"]) for a in case.get("actions", []) if a["id"] not in ("graphs", "fusion")]
        assert order == sorted(order), (path, order)
        assert all(0 <= g <= case["window"]["ns"] for g in gains), (path, gains)
        assert all(a["gain_ns"] or a["once_ns"] for a in case.get("actions", [])), (path, gains)
        for said in case.get("actions", []) + case.get("leave", []):
            for words in (said["sentence"], said.get("switch", "-")):
                assert words and "{" not in words and "n/a" not in words and "inf" not in words.split(), (path, words)
            assert all(e["row"] >= 0 and e["name"] for e in said["events"]), path
END
