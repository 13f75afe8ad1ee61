# SPDX-License-Identifier: Apache-2.0
# --set: another threshold decides, everywhere it is printed it is told from the default, and a mistake
# is answered with what is known.
. "$TRACEBOOK_TOP/tests/cli/functions"
golden="$TRACEBOOK_TOP/tests/golden/host/in"
small_trace train.json

# DISPATCH-CHAIN asks for four nested rows; the trace has them. Both ways, and twice: the last counts.
run 0 report --dump analysis train.json
says out 'finding DISPATCH-CHAIN fired' '  threshold levels 4 count'
! grep -q 'set; default' out || wrong 'something is called set'
run 0 report --set DISPATCH-CHAIN.levels=9 --set DISPATCH-CHAIN.levels=12 --dump analysis train.json
says out 'finding DISPATCH-CHAIN not fired' '  threshold levels 12 count, set; default 4'

# The regime is what OVERHEAD-BOUND and DEVICE-BOUND say, by their thresholds.
run 0 report --json plain.json --markdown plain.md train.json
run 0 report --set OVERHEAD-BOUND.ratio=1000 --set OVERHEAD-BOUND.busy=0 --set DEVICE-BOUND.ratio=0 --set DEVICE-BOUND.least=0 --set DEVICE-BOUND.busy_plain=0% --json set.json \
	--markdown set.md -o set.pdf train.json
silent err
python3 - <<'END' >out 2>&1 || wrong 'the JSON does not say what was set'
import json

def case(path):
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    [run] = report["runs"]
    [c] = run["cases"]
    return report, c, {f["id"]: f for f in c["findings"]}

report, c, found = case("plain.json")
assert report["thresholds"] == {}
assert all(not t["set"] for d in report["detectors"] for t in d["thresholds"])
assert c["numbers"]["regime"] == "mixed", c["numbers"]
assert found["DEVICE-BOUND"]["state"] == "not fired"
report, c, found = case("set.json")
assert report["thresholds"] == {"OVERHEAD-BOUND.ratio": 1000, "OVERHEAD-BOUND.busy": 0, "DEVICE-BOUND.ratio": 0, "DEVICE-BOUND.least": 0, "DEVICE-BOUND.busy_plain": 0}
assert c["numbers"]["regime"] == "compute-bound" and found["DEVICE-BOUND"]["state"] == "fired"
t1 = {t["name"]: t for t in found["OVERHEAD-BOUND"]["thresholds"]}
assert t1["ratio"] == {"name": "ratio", "value": 1000, "unit": "ratio", "default": 10, "set": True}
[table] = [d for d in report["detectors"] if d["id"] == "OVERHEAD-BOUND"]
assert table["thresholds"] == found["OVERHEAD-BOUND"]["thresholds"] and "{threshold.ratio}" in table["definition"]
END
says set.md '**Thresholds that were set** for this report: OVERHEAD-BOUND (T1) **ratio 1000×** (set; default 10×), **busy 0 %** (set; default 50 %); DEVICE-BOUND (T2)'
! grep -q 'were set' plain.md || wrong 'defaults are called set'
pdftotext -layout set.pdf - >text
says text 'Thresholds that were set' 'ratio 1000× (set; default 10×)'

# Beside the findings of a page; on the cheatsheet, with traces or alone.
run 0 report --set DISPATCH-CHAIN.levels=3 --template atlas --dump document train.json
says out 'Thresholds that were set: DISPATCH-CHAIN (D1) levels 3 (set; default 4).'
run 0 report --set HIDDEN-COPY.bytes=9 --template cheatsheet --dump document
says out 'A pattern counts as seen when: OVERHEAD-BOUND (T1) ratio 10×, busy 50 %;' 'HIDDEN-COPY (C6) bytes 9 B (set; default 256 B)'

# A detector that compares two cases uses it too, and --check says what was set.
cat >pair.json <<'END'
{"traces": [{"trace": "matmul_add/64_bf16_cold_compile",
  "expect": {"must_fire": [{"id": "COMPILED-CPU-COST", "case": "matmul_add/64_bf16_cold_eager"}]}}]}
END
run 3 report --expect pair.json --check "$golden"
says out 'COMPILED-CPU-COST not fired'
run 0 report --expect pair.json --check --set COMPILED-CPU-COST.ratio=0 --json pair_out.json "$golden"
says out 'SET COMPILED-CPU-COST.ratio=0, default 1.2' '0 broken'
says pair_out.json '"case": "matmul_add/64_bf16_cold_eager"' \
	'{"name": "ratio", "value": 0, "unit": "ratio", "default": 1.200000, "set": true}'

# What a missed finding measured is told in words, not by the names of its values.
run 0 report --template atlas --expect pair.json --dump document "$golden"
says out 'Compiled costs the CPU more (K5) was not found. A step takes the CPU ' 'of the other case, to launch'
! grep -q 'base_step' out || wrong 'a value stands there by its name'

# What it finds stands on the page of the case, and the cheatsheet says where.
run 0 report --template atlas --expect pair.json --set COMPILED-CPU-COST.ratio=0 --dump document "$golden"
says out 'Beside “Small product”: Compiled costs the CPU more (K5).' 'COMPILED-CPU-COST (K5) ratio 0× (set; default 1.2×)'

# In the file of expectations, where the command line counts more; --learn writes it down.
sed 's/^{"traces"/{"thresholds": {"COMPILED-CPU-COST.ratio": 0}, "traces"/' pair.json >filed.json
run 0 report --expect filed.json --check "$golden"
says out 'SET COMPILED-CPU-COST.ratio=0, default 1.2'
run 3 report --expect filed.json --set COMPILED-CPU-COST.ratio=9 --check "$golden"
says out 'SET COMPILED-CPU-COST.ratio=9, default 1.2'
run 0 report --expect filed.json --learn learnt.json "$golden"
says learnt.json '"thresholds": {"COMPILED-CPU-COST.ratio": 0}' '"must_fire": [{"id": "COMPILED-CPU-COST"'
run 0 report --expect learnt.json --check "$golden"
sed 's/"COMPILED-CPU-COST.ratio": 0/"COMPILED-CPU-COST.ratoi": 0/' filed.json >wrong.json
run 1 report --expect wrong.json --check "$golden"
says err wrong.json '"thresholds"' 'no threshold "ratoi"' 'it has ratio (1.2 ratio)'

# The cheatsheet's number goes for the id, wherever one is read; what is written is the id, with the number beside it.
sed 's/COMPILED-CPU-COST/K5/' filed.json >numbers.json
run 0 report --expect numbers.json --check --learn again.json --json by_number.json "$golden"
says out 'SET COMPILED-CPU-COST.ratio=0, default 1.2'
cmp learnt.json again.json || wrong 'learnt from numbers is another file'
says by_number.json '"id": "COMPILED-CPU-COST"' '"label": "K5"' '"thresholds": {"COMPILED-CPU-COST.ratio": 0}'
run 0 report --set D1.levels=9 --dump analysis train.json
says out 'finding DISPATCH-CHAIN not fired'

# Wrong usage: nothing is written.
refused() { # VALUE WORD...
	value=$1
	shift
	run 2 report --set "$value" -o r.pdf train.json
	lines err 1
	silent out
	says err '--set' "$@"
	absent r.pdf
}
refused OVERHEAD-BOUND '"OVERHEAD-BOUND" sets no threshold' 'ID.threshold=number'
refused T77.ratio=1 '"T77"' 'there are OVERHEAD-BOUND, DEVICE-BOUND'
refused OVERHEAD-BOUND.rat=1 '"rat"' 'it has ratio (10 ratio), busy (0.5 share)'
refused OVERHEAD-BOUND.ratio=many '"many" is no number from 0 up'
refused OVERHEAD-BOUND.busy=60 'share from 0 to 1, as 0.5 or 50%'
run 2 report --set
says err '--set needs a value: ID.threshold=VALUE'
