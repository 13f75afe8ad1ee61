# SPDX-License-Identifier: Apache-2.0
# --set: another threshold decides, everywhere it is printed it is told from the default, and a mistake
# is answered with what is known.
. "$TRACEBOOK_TOP/tests/cli/functions"
golden="$TRACEBOOK_TOP/tests/golden/host/in"
small_trace train.json

# D1 asks for four nested rows; the trace has them. Both ways, and twice: the last counts.
run 0 report --dump analysis train.json
says out 'finding D1 fired' '  threshold levels 4 count'
! grep -q 'set; default' out || wrong 'something is called set'
run 0 report --set D1.levels=9 --set D1.levels=12 --dump analysis train.json
says out 'finding D1 not fired' '  threshold levels 12 count, set; default 4'

# The regime is what T1 and T2 say, by their thresholds.
run 0 report --json plain.json --markdown plain.md train.json
run 0 report --set T1.ratio=1000 --set T1.busy=0 --set T2.ratio=0 --set T2.least=0 --set T2.busy_plain=0% --json set.json \
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
assert found["T2"]["state"] == "not fired"
report, c, found = case("set.json")
assert report["thresholds"] == {"T1.ratio": 1000, "T1.busy": 0, "T2.ratio": 0, "T2.least": 0, "T2.busy_plain": 0}
assert c["numbers"]["regime"] == "compute-bound" and found["T2"]["state"] == "fired"
t1 = {t["name"]: t for t in found["T1"]["thresholds"]}
assert t1["ratio"] == {"name": "ratio", "value": 1000, "unit": "ratio", "default": 10, "set": True}
[table] = [d for d in report["detectors"] if d["id"] == "T1"]
assert table["thresholds"] == found["T1"]["thresholds"] and "{threshold.ratio}" in table["definition"]
END
says set.md '**Thresholds that were set** for this report: T1 **ratio 1000×** (set; default 10×), **busy 0 %** (set; default 50 %); T2'
! grep -q 'were set' plain.md || wrong 'defaults are called set'
pdftotext -layout set.pdf - >text
says text 'Thresholds that were set' 'ratio 1000× (set; default 10×)'

# Beside the findings of a page; on the cheatsheet, with traces or alone.
run 0 report --set D1.levels=3 --template atlas --dump document train.json
says out 'Thresholds that were set: D1 levels 3 (set; default 4).'
run 0 report --set C6.bytes=9 --template cheatsheet --dump document
says out 'A pattern counts as seen when: T1 ratio 10×, busy 50 %;' 'C6 bytes 9 B (set; default 256 B)'

# A detector that compares two cases uses it too, and --check says what was set.
cat >pair.json <<'END'
{"traces": [{"trace": "matmul_add/64_bf16_cold_compile",
  "expect": {"must_fire": [{"id": "K5", "case": "matmul_add/64_bf16_cold_eager"}]}}]}
END
run 3 report --expect pair.json --check "$golden"
says out 'K5 not fired'
run 0 report --expect pair.json --check --set K5.ratio=0 --json pair_out.json "$golden"
says out 'SET K5.ratio=0, default 1.2' '0 broken'
says pair_out.json '"case": "matmul_add/64_bf16_cold_eager"' \
	'{"name": "ratio", "value": 0, "unit": "ratio", "default": 1.200000, "set": true}'

# What a missed finding measured is told in words, not by the names of its values.
run 0 report --template atlas --expect pair.json --dump document "$golden"
says out 'Compiled costs the CPU more (K5) was not found. A step takes the CPU ' 'of the other case, to launch'
! grep -q 'base_step' out || wrong 'a value stands there by its name'

# What it finds stands on the page of the case, and the cheatsheet says where.
run 0 report --template atlas --expect pair.json --set K5.ratio=0 --dump document "$golden"
says out 'Beside “Small product”: Compiled costs the CPU more (K5).' 'K5 ratio 0× (set; default 1.2×)'

# In the file of expectations, where the command line counts more; --learn writes it down.
sed 's/^{"traces"/{"thresholds": {"K5.ratio": 0}, "traces"/' pair.json >filed.json
run 0 report --expect filed.json --check "$golden"
says out 'SET K5.ratio=0, default 1.2'
run 3 report --expect filed.json --set K5.ratio=9 --check "$golden"
says out 'SET K5.ratio=9, default 1.2'
run 0 report --expect filed.json --learn learnt.json "$golden"
says learnt.json '"thresholds": {"K5.ratio": 0}' '"must_fire": [{"id": "K5"'
run 0 report --expect learnt.json --check "$golden"
sed 's/"K5.ratio": 0/"K5.ratoi": 0/' filed.json >wrong.json
run 1 report --expect wrong.json --check "$golden"
says err wrong.json '"thresholds"' 'no threshold "ratoi"' 'it has ratio (1.2 ratio)'

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
refused T1 '"T1" sets no threshold' 'ID.threshold=number'
refused T77.ratio=1 '"T77"' 'there are T1, T2'
refused T1.rat=1 '"rat"' 'it has ratio (10 ratio), busy (0.5 share)'
refused T1.ratio=many '"many" is no number from 0 up'
refused T1.busy=60 'share from 0 to 1, as 0.5 or 50%'
run 2 report --set
says err '--set needs a value: ID.threshold=VALUE'
