# SPDX-License-Identifier: Apache-2.0
# A finding and an action about the same matter share one measure: over all public traces no page says yes where another
# says no, and none promises what another does not. Which belong together stands in the table of detectors. And idle time has
# one account: its table of causes and the parts of the whole are the same nanoseconds, told in other words.
. "$TRACEBOOK_TOP/tests/cli/functions"
traces="$TRACEBOOK_SHARED/traces"
if [ ! -d "$traces/kineto" ]; then
	echo "no traces in $TRACEBOOK_SHARED"
	exit 77
fi
mkdir json
find "$traces" -type f \( -name '*.json' -o -name '*.json.gz' \) -size -6200k ! -path '*/not_traces/*' | sort >list
while read -r trace; do
	"$TRACEBOOK_BIN/report" --json "json/$(echo "${trace#"$traces/"}" | tr / _).json" "$trace" >/dev/null 2>&1 || :
done <list
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import glob
import json
import os

HOST, seen, accounts = ("launching", "input", "sync", "stall", "profiler"), {}, 0
for path in sorted(glob.glob("json/*.json")):
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    rows = {d["id"]: d for d in report["detectors"]}
    for case in (c for run in report["runs"] for c in run["cases"] if c["readable"]):
        gain = {a["id"]: a["gain_ns"] for a in case["actions"]}
        for x in case["findings"]:
            row = rows[x["id"]]
            if "action" not in row or x["state"] == "not applicable":
                continue
            where, fired = f"{os.path.basename(path)} {x['id']}", x["state"] == "fired"
            given = [a for a in row["repeats"] if a in gain]
            if not row["own_rule"]:
                assert fired or row["action"] not in gain, f"{where}: the action is given, the finding has not fired"
                assert not fired or given or not x["give_back"]["us"], f"{where} gives back what no action does"
            if fired and given:
                sum_us = sum(gain[a] for a in given) / 1e3
                whole = sum_us * case["whole"]["ns"] / case["window"]["ns"]
                most = min(whole, x["give_back"]["ceiling_us"])
                assert abs(x["give_back"]["us"] - most) <= 0.002 + 1e-6 * most, f"{where}: {x['give_back']}, actions {whole}"
                seen.setdefault(x["id"], []).append(os.path.basename(path))
        if "idle" not in case["tables"] or not case["whole"]:
            continue
        part = {p["part"]: p["ns"] for p in case["whole"]["parts"]}
        cause = {row[0]: row[2] for row in case["tables"]["idle"]["rows"]}
        held = {row[0]: row[2] for row in case["tables"].get("held", {"rows": []})["rows"]}
        unseen, before = held.get("unseen", 0), cause.get("before", 0)
        late = sum(part.get(f"idle.{p}", 0) for p in HOST)
        late -= sum(cause.get(c, 0) for c in ("host", "latency", "sync", "held", "profiler")) - unseen
        where = os.path.basename(path)
        assert part.get("idle.after", 0) == cause.get("after", 0), where
        assert 0 <= late <= before, f"{where}: {late} ns more for the host than its causes have"  # of `before`
        assert part.get("idle.unknown", 0) <= cause.get("unknown", 0) + unseen, where
        assert sum(ns for p, ns in part.items() if p.startswith("idle.")) == sum(cause.values()), where
        accounts += 1
assert accounts >= 75, accounts
assert len(seen) == 7, sorted(seen)
for name, id in (("kineto_sam_fast_a100_false_81MB", "TC-UNUSED"), ("h200_pairs_item_sync.before", "SYNC"),
                 ("h200_programs_gpt2_train_eager", "EQUAL-WORK")):
    assert any(path.startswith(name) for path in seen[id]), f"{id} of {name} does not agree with its action"
END
