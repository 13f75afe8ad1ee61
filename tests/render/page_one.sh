# SPDX-License-Identifier: Apache-2.0
# Page one says of a trace what plain Python finds in its events; of every public one where TRACEBOOK_SWEEP=all.
. "$TRACEBOOK_TOP/tests/render/functions"
check="$TRACEBOOK_TOP/tests/check/page_one.py"

# A checker that cannot fail checks nothing: a report of another trace than the one it is held against, whose kernels
# are a tenth longer, or whose operators are, disagrees.
cat >liar <<'END'
#!/usr/bin/env python3
import json, os, subprocess, sys
*options, path = sys.argv[1:]
doc = json.load(open(path))
work = [e for e in doc["traceEvents"] if e.get("cat") == "kernel"] or [e for e in doc["traceEvents"] if e.get("cat") == "cpu_op"]
for e in work:
    e["dur"] *= 1.1
json.dump(doc, open("other.json", "w"))
sys.exit(subprocess.call([os.environ["REPORT"], *options, "other.json"]))
END
chmod +x liar
own="$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json"
REPORT="$TRACEBOOK_BIN/report" python3 "$check" ./liar "$own" >lies 2>&1 && {
	echo "the checker does not see that another trace was reported:"
	cat lies
	exit 1
}
grep -q 'computing of the window: printed' lies

# Of a CPU alone: operators.
python3 - <<'END'
import json
events = [dict(ph="X", cat="cpu_op", name=f"aten::op{k}", pid=1, tid=1 + k % 2, ts=1000 * s + 300 * k, dur=200 - 30 * k)
          for s in range(5) for k in range(3)]
events += [dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{s}", pid=1, tid=1, ts=1000 * s, dur=990) for s in range(5)]
json.dump({"schemaVersion": 1, "traceEvents": events}, open("cpu.json", "w"))
END
if REPORT="$TRACEBOOK_BIN/report" python3 "$check" ./liar cpu.json >lies 2>&1; then
	cat lies
	exit 1
fi
grep -q 'own time of operators: printed' lies

# Spans of begins and ends, one of them without an end.
python3 - <<'END'
import json
rows = [dict(ph=ph, name=name, pid="p", tid=1, ts=ts) for ph, name, ts in
        [("B", "outer", 0), ("B", "inner", 10), ("E", "inner", 90), ("B", "lost", 91), ("E", "outer", 100), ("B", "again", 120), ("E", "", 150)]]
json.dump(rows, open("spans.json", "w"))
doc = [dict(e, ts=e["ts"] + 7) if e["ph"] == "E" else e for e in rows]
json.dump(doc, open("longer.json", "w"))
END
cat >liar <<'END'
#!/bin/sh
shift_out=$(for x in "$@"; do [ "$x" = spans.json ] || printf '%s ' "$x"; done)
exec "$REPORT" $shift_out longer.json
END
if REPORT="$TRACEBOOK_BIN/report" python3 "$check" ./liar spans.json >lies 2>&1; then
	cat lies
	exit 1
fi
grep -q 'self time of all: printed' lies

# A sentence that says another number than the values of its action.
cat >liar <<'END'
#!/usr/bin/env python3
import json, os, re, subprocess, sys
status = subprocess.call([os.environ["REPORT"], *sys.argv[1:]])
path = sys.argv[sys.argv.index("--json") + 1]
text = re.sub(r'("sentence": "[^"]*?There are )(\d)', r'\g<1>9\2', open(path).read())
open(path, "w").write(text)
sys.exit(status)
END
python3 - <<'END'
import json
rows = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 1200}]
for i in range(30):
    at = 10 + 40 * i
    rows += [dict(ph="X", cat="cpu_op", name="aten::add", pid=1, tid=1, ts=at, dur=36),
             dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=at + 20, dur=10, args=dict(correlation=i + 1)),
             dict(ph="X", cat="kernel", name="vectorized_elementwise_kernel", pid=0, tid=7, ts=at + 32, dur=8,
                  args=dict(device=0, stream=7, correlation=i + 1))]
json.dump({"schemaVersion": 1, "traceEvents": rows}, open("graphs.json", "w"))
END
if REPORT="$TRACEBOOK_BIN/report" python3 "$check" ./liar graphs.json >lies 2>&1; then
	cat lies
	exit 1
fi
grep -q "graphs: the sentence's numbers: printed 930" lies

set -- "$own" cpu.json graphs.json spans.json
if [ -d "$TRACEBOOK_SHARED/traces/kineto" ]; then
	for trace in "$TRACEBOOK_SHARED"/traces/kineto/*.json* "$TRACEBOOK_SHARED"/traces/h200/*/*.json* \
		"$TRACEBOOK_SHARED"/traces/ranks/*/*.json* "$TRACEBOOK_SHARED"/traces/*_gpu/*.json* "$TRACEBOOK_SHARED"/traces/chrome/*.json* \
		"$TRACEBOOK_SHARED"/traces/issue_snippets/*.json*; do
		[ "${TRACEBOOK_SWEEP:-}" = all ] || [ "$(stat -c %s "$trace")" -le 60000 ] || continue
		set -- "$@" "$trace"
	done
fi
python3 "$check" "$TRACEBOOK_BIN/report" "$@" >said 2>&1 || {
	grep -v '^not computed again' said
	exit 1
}
tail -n 1 said
