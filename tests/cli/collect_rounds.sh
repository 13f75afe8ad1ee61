# SPDX-License-Identifier: Apache-2.0
# collect --repeat and --against: files of the rounds, taking up again, what the report makes of them, and that
# a run measured alone afterwards is not compared with what was measured before it.
# shellcheck disable=SC2086 # the commands are words of their own
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'it compares times'; exit 77; }
cat >matrix.json <<'END'
{"cases": [
  {"workload": "matmul_add", "size": 64, "warm": true, "schedule": {"warmup": 2, "active": 6}},
  {"workload": "square", "batch": 64, "dim": 64, "dtype": "fp32"}
]}
END
once() { # EXPECTED OPTION...
	summary=$1
	shift
	run 0 collect --device host --out traces "$@" matrix.json
	says err "$summary"
}
one=matmul_add/64_bf16_warm_eager.pt.trace.json

once '6 measured, 0 kept, 0 failed' --repeat 3
is out traces/host
says err 'round 3'
says traces/host/run.json '"repeats": ["repeat-2", "repeat-3"]'
for folder in . repeat-2 repeat-3; do
	[ -s "traces/host/$folder/$one" ] || wrong "no trace in $folder"
done
# Nothing to do, one trace to do, and all of the rounds stay when one is asked for.
once '0 measured, 6 kept' --repeat 3
rm "traces/host/repeat-2/$one"
once '1 measured, 5 kept' --repeat 3
once '0 measured, 2 kept'
says traces/host/run.json '"repeats"'
# A report is of one run.
run 0 report --json j.json traces/host
[ "$(python3 -c 'import json; print(len(json.load(open("j.json"))["runs"][0]["cases"]))')" = 2 ] || wrong 'not two cases'
cp -r traces again
run 0 report --check --baseline traces/host again/host
says out identical

# In turn with the same programs; then with what is planted in all rounds after.
turn() {
	run 0 collect --device host --out turn --repeat 16 --against "$TRACEBOOK_BIN" matrix.json
}
turn
says turn/host/run.json '"against": {"programs": "' '"before-16/host"'
# Short cases record 100 steps instead of 6 in the rounds behind the first, on both sides alike; each has two ranges.
steps() {
	grep -c '"name": "ProfilerStep#' "turn/host/$1/$one"
}
[ "$(steps .) $(steps before-1/host) $(steps repeat-2) $(steps before-2/host)" = '12 12 200 200' ] ||
	wrong "$(steps .) $(steps before-1/host) $(steps repeat-2) $(steps before-2/host)"
! find turn/host -maxdepth 1 -name 'longer*' | grep . || wrong 'the longer matrices were left there'
run 0 report --check turn/host
! grep -q '^SLOWER' out || wrong "$(cat out)"
says out '2 compared: 0 slower'
cp -r turn slow
# Each call of a kernel ten times as long, and all behind it so much later: more than any machine is busy.
python3 - <<'END'
import glob, json
for path in glob.glob("slow/host/matmul_add/*.json") + glob.glob("slow/host/repeat-*/matmul_add/*.json"):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f)
    timed = sorted((e for e in trace["traceEvents"] if "ts" in e and e["ph"] != "M"), key=lambda e: e["ts"])
    slow = [(e["ts"], 9 * e["dur"]) for e in timed if e.get("cat") == "kernel" and "add" in e["name"]]
    later = lambda at: sum(more for ts, more in slow if ts < at)
    for e in timed:
        begin, end = e["ts"], e["ts"] + e.get("dur", 0)
        on_device = e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")
        e["ts"] = round(begin + later(begin), 3)
        if "dur" in e:
            more = later(end) - later(begin)
            e["dur"] = round(e["dur"] + (more if not on_device or "add" in e["name"] else 0), 3)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(trace, f)
END
run 3 report --check --markdown m.md --json j.json slow/host
says out 'SLOWER matmul_add/64_bf16_warm_eager: a kernel'
says m.md 'rounds of both in turn' 'A call of `jit:uni add` in `tb::add` takes'
[ "$(python3 -c 'import json; print(json.load(open("j.json"))["comparison"]["pairs"][0]["device"]["samples_after"])')" = 16 ] ||
	wrong 'not 16 rounds'
# Taken up again nothing is measured; a lost trace is measured by both.
turn
says err '0 measured, 32 kept'
rm "turn/host/repeat-3/$one"
cp "turn/host/before-3/host/$one" old.json
turn
says err '1 measured, 31 kept'
! cmp -s old.json "turn/host/before-3/host/$one" || wrong 'the old programs did not measure again'
# A trace that cannot be put where it belongs is no case done.
rm "turn/host/repeat-3/$one"
mkdir -p "turn/host/repeat-3/$one/in-its-place"
run 1 collect --device host --out turn --repeat 16 --against "$TRACEBOOK_BIN" matrix.json
says err '0 measured, 31 kept, 1 failed' "cannot move turn/host/after-3/host/$one to turn/host/repeat-3/$one"
says turn/host/repeat-3/run.json '"status": "failed"' 'cannot move'
rm -r "turn/host/repeat-3/$one"
turn
says err '1 measured, 31 kept'
# Measured alone it is compared with nothing.
rm "turn/host/$one"
run 0 collect --device host --out turn matrix.json
! grep -q '"against"' turn/host/run.json || wrong 'still said to be in turn'
run 0 report --check turn/host
! grep -q compared out || wrong "$(cat out)"

# Wrong use leaves nothing behind; rounds that are gone are missed.
mkdir old
# Short cases beside a long one: each has all rounds on both sides, the short ones with more steps.
cat >mixed.json <<'END'
{"noise": {"rounds": 1, "steps": 20, "below_us": 100}, "cases": [
  {"workload": "square", "batch": 64, "dim": 64, "dtype": "fp32", "tag": "short"},
  {"workload": "square", "batch": 512, "dim": 8192, "dtype": "fp32", "tag": "long"},
  {"workload": "matmul_add", "size": 64, "warm": true, "tag": "also_short"}
]}
END
run 0 collect --device host --out mixed --repeat 3 --against "$TRACEBOOK_BIN" mixed.json
run 0 report --json mixed.of.json --markdown mixed.md mixed/host
says mixed.md 'There are too few rounds for an interval: 3. Measure more: `tracebook collect --against`'
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
with open("mixed.of.json", encoding="utf-8") as f:
    pairs = json.load(f)["comparison"]["pairs"]
assert {p["id"]: (p["samples_before"], p["samples_after"]) for p in pairs} == {
    "square/short": (3, 3), "square/long": (3, 3), "matmul_add/also_short": (3, 3)}, pairs
for folder in ("repeat-3", "before-3/host"):
    steps = {}
    for case in ("square/short", "square/long", "matmul_add/also_short"):
        with open(f"mixed/host/{folder}/{case}.pt.trace.json", encoding="utf-8") as f:
            steps[case] = f.read().count('"name": "ProfilerStep#')
    assert steps["square/long"] < 20 < steps["square/short"] == steps["matmul_add/also_short"], steps
END

for use in --repeat=0 --repeat=x --repeat=1001 --repeat=2x --against=nowhere; do
	run 2 collect --device host --out none "$use" matrix.json
	[ ! -e none ] || wrong "$use left a folder"
done
run 2 collect --repeat 2 --list matrix.json
run 2 collect --device host --out none --against old matrix.json
says err 'no program "collect" is there' 'out/bin/'
rm -r slow/host/before-*
run 1 report --check slow/host
says err 'none of those rounds is there'
