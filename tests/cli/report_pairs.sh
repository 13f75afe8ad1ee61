# SPDX-License-Identifier: Apache-2.0
# Seven programs before and after one known change, against their steps timed without a profiler: the
# direction, the cause, and how much was saved, or why the recording cannot tell.
. "$TRACEBOOK_TOP/tests/cli/functions"
pairs="$TRACEBOOK_SHARED/traces/h200/pairs"
if [ ! -f "$pairs/PAIRS.json" ]; then
	echo "no pairs in $TRACEBOOK_SHARED"
	exit 77
fi
python3 - "$pairs" <<'END' >out 2>&1 || wrong "$(cat out)"
import json, os, subprocess, sys

folder, report = sys.argv[1], os.environ["TRACEBOOK_BIN"] + "/report"
cause = {"pad_vocab": "computing", "channels_last": "computing", "sdpa": "computing", "item_sync": "idle.sync",
         "cuda_graph": "idle.launching", "pinned": "copies", "batching": "idle.launching"}
with open(f"{folder}/PAIRS.json", encoding="utf-8") as f:
    truth = json.load(f)["pairs"]
assert set(truth) == set(cause), set(truth) ^ set(cause)


def compare(old, new):
    done = subprocess.run([report, "--check", "--json", "j.json", "-o", "p.pdf", "--markdown", "m.md",
                           "--baseline", old, new], capture_output=True, text=True)
    with open("j.json", encoding="utf-8") as f, open("m.md", encoding="utf-8") as m:
        return done, json.load(f)["comparison"], m.read()


for name, known in truth.items():
    old, new = (f"{folder}/{name}.{side}.pt.trace.json.gz" for side in ("before", "after"))
    done, c, comment = compare(old, new)
    assert done.returncode == 0, (name, done)
    assert c["verdict"] == "faster" and c["low"] <= c["ratio"] <= c["high"] < 1, (name, c["verdict"])
    assert c["largest"] == cause[name], (name, c["largest"])
    assert sum(p["after_ns"] - p["before_ns"] for p in c["parts"]) == -c["saved_ns"], name
    assert sum(p["before_ns"] for p in c["parts"]) == c["before_ns"], name
    assert sum(p["after_ns"] for p in c["parts"]) == c["after_ns"], name
    times = c["saved_ns"] / 1000 / known["saved_us_per_step"]
    told = "profiler's own weight" in comment
    print(f"{name}: {c['ratio']:.2f}, {times:.2f} of what was saved", "told why" if told else "")
    assert 1 / 1.5 < times < 1.5 or told, (name, times)
    assert comment.startswith("### Faster") and comment.count("\n") <= 40 and len(comment.encode()) <= 3000, comment
    pages = subprocess.run(["pdfinfo", "p.pdf"], capture_output=True, text=True, check=True).stdout
    assert int(pages.split("Pages:")[1].split()[0]) <= 5, pages
    # The other way round it fails the gate.
    done, c, _ = compare(new, old)
    assert done.returncode == 3 and c["verdict"] == "slower" and c["saved_ns"] < 0, (name, done)
END
cat out
