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
import json, math, os, re, subprocess, sys

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


reasons, off, above = set(), {"recorded": [], "unrecorded": []}, 0
for name, known in truth.items():
    old, new = (f"{folder}/{name}.{side}.pt.trace.json.gz" for side in ("before", "after"))
    done, c, comment = compare(old, new)
    assert done.returncode == 0, (name, done)
    # Of two later steps a side the device's time tells where the step's own differ by too much.
    assert c["became"] == "faster", (name, c["became"])
    assert c["low"] <= c["ratio"] < 1 and (c["verdict"] == "faster") == (c["high"] < 1), (name, c["verdict"])
    parts = {p["part"]: (p["before_ns"], p["after_ns"]) for p in c["parts"]}
    if name == "item_sync":  # the waits go, and with them what the operators around them took to launch
        assert parts["idle.sync"][0] > 300000 and parts["idle.sync"][1] == 0, parts
        assert c["largest"] in (cause[name], "idle.launching"), c["largest"]
    else:
        assert c["largest"] == cause[name], (name, c["largest"])
    assert sum(p["after_ns"] - p["before_ns"] for p in c["parts"]) == -c["saved_ns"], name
    assert sum(p["before_ns"] for p in c["parts"]) == c["before_ns"], name
    assert sum(p["after_ns"] for p in c["parts"]) == c["after_ns"], name
    times = c["saved_ns"] / 1000 / known["saved_us_per_step"]
    told = "profiler's own cost" in comment or "profiler itself takes" in comment
    print(f"{name}: {c['ratio']:.2f}, {times:.2f} of what was saved", "told why" if told else "")
    if not 1 / 1.5 < times < 1.5 or c["recorded"]["ratio"] > 1:
        # The reason is printed, with the numbers of the data, and without the recorder the steps tell more of the truth.
        assert told, (name, times)
        said = [float(n) * {"ms": 1e6, "\u00b5s": 1e3}[unit] for n, unit in re.findall(r"([\d.]+) (ms|\u00b5s)", comment)]
        shown = [c["recorded"]["before_ns"], c["recorded"]["after_ns"]] if c["estimated"] else \
            [c["recorder_before_ns"], c["recorder_after_ns"]]
        for ns in shown:
            assert any(abs(ns - n) < 0.006 * ns for n in said), (name, ns, said)
        truth_ns = known["saved_us_per_step"] * 1e3
        without = c["unrecorded"]["before_ns"] - c["unrecorded"]["after_ns"]
        recorded = c["recorded"]["before_ns"] - c["recorded"]["after_ns"]
        assert abs(without - truth_ns) < abs(recorded - truth_ns), (name, without, recorded, truth_ns)
        reasons.add(name)
    for side in ("before", "after"):
        wall = sorted(known[f"wall_us_per_step_{side}"])[1] * 1000
        for how in off:
            off[how].append(abs(math.log(c[how][f"{side}_ns"] / wall)))
        above += c["unrecorded"][f"{side}_ns"] > 1.1 * wall
    if told and not c["estimated"]:
        less = re.search(r"a step would take about ([\d.]+) (ms|\u00b5s) less, by estimate", comment)
        promised = float(less[1]) * {"ms": 1e6, "\u00b5s": 1e3}[less[2]]
        assert abs(promised - (c["unrecorded"]["before_ns"] - c["unrecorded"]["after_ns"])) < 0.006 * promised, less[0]
        assert 0.5 < promised / 1000 / known["saved_us_per_step"] < 1.5, (name, promised)
    if name == "sdpa":
        flash = next(k for k in c["kernels"] if k["state"] == "fused")
        assert "sdpa" in flash["kernel"] and len(flash["from"]) == 4 and any("softmax" in k for k in flash["from"]), flash
    assert comment.startswith("### Faster") and comment.count("\n") <= 40 and len(comment.encode()) <= 3000, comment
    pages = subprocess.run(["pdfinfo", "p.pdf"], capture_output=True, text=True, check=True).stdout
    assert int(pages.split("Pages:")[1].split()[0]) <= 5, pages
    # The host runs ahead of the device: the picture of a step is longer than the step, which is said.
    words = subprocess.run(["pdftotext", "p.pdf", "-"], capture_output=True, text=True, check=True).stdout
    if name in ("sdpa", "item_sync"):
        assert ("Where the host runs ahead of the device" in " ".join(words.split())) == (name == "sdpa"), name
    # The other way round it fails the gate.
    done, c, _ = compare(new, old)
    assert done.returncode == 3 and c["became"] == "slower" and c["saved_ns"] < 0, (name, done)
assert reasons == {"pad_vocab", "cuda_graph", "channels_last"}, reasons
near = {how: sum(v < math.log(1.1) for v in of) for how, of in off.items()}
off = {how: math.exp(sum(v) / len(v)) for how, v in off.items()}
print("a step's length is off by a factor of", ", ".join(f"{v:.2f} {how}, {near[how]} of 14 by less than a tenth" for how, v in off.items()))
# These walls were taken in a process that had recorded already, whose launches cost more than nobody's (docs/record.md): an
# estimate may lie below one, hardly above it; and all of them together are nearer than they had to be, 1.15 instead of 1.25.
assert off["unrecorded"] < 1.15 and 1.25 < off["recorded"] and near["recorded"] < 9 <= near["unrecorded"], (off, near)
assert above <= 1, above
END
cat out
