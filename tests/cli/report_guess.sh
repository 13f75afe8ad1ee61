# SPDX-License-Identifier: Apache-2.0
# A guess in sentences: each is a fact with its own tests; what is said of the other kind of device is no
# fact here, what follows from a broken one counts once, the shape of the trace counts only when it breaks.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

matrix() { # KERNELS: what the shape expects
	cat >matrix.json <<END
{"guessed": "2026-11-22", "cases": [
  {"workload": "matmul_add", "size": 24, "dtype": "fp32", "warm": true, "tag": "first", "title": "First",
   "guess": [
     {"says": "It takes an hour.", "by": {"cpu_step_us": {"min": 3600000000}, "device_step_us": {"min": 3600000000}}},
     {"says": "It is done within a minute.", "by": {"cpu_step_us": {"max": 60000000}}},
     {"says": "A GPU needs no time.", "on": "gpu", "by": {"cpu_step_us": {"max": 0}}},
     {"says": "Nobody looks at this."}],
   "expect": {"step": ["gemm", "add"], "kernels": $1}},
  {"workload": "matmul_add", "size": 24, "dtype": "fp32", "warm": true, "tag": "second", "title": "Second",
   "guess": [{"says": "It takes an hour, too.", "by": {"cpu_step_us": {"min": 3600000000}}, "follows": "matmul_add/first"}],
   "expect": {"kernels": 2}}
]}
END
}

matrix 2
run 0 collect --device host --out traces matrix.json
run 3 report --check traces/host
says out '1 predictions kept, 1 broken'
says out 'FOLLOWS matmul_add/second: cpu_step_us: as in matmul_add/first, and counts there'
run 0 report --template atlas --dump document traces/host
says out 'Guess, written on 2026-11-22' 'It takes an hour. Broke. (✗)' 'It takes an hour, too. Broke as in' \
	'For a GPU, so not tested here: A GPU needs no time.' 'Nobody looks at this. Not tested.' \
	'The trace has the expected shape: 2 of 2 tests' '= as in another case' 'because of the guess “It takes an hour.”'
grep -q '"guessed": "2026-11-22"' traces/host/run.json || wrong 'the day of the guesses is lost'
matrix 3
run 0 collect --device host --out traces matrix.json
run 3 report --check traces/host
says out '1 predictions kept, 2 broken' 'first: kernels: expected 3, saw 2'

# A chain of such cases counts once, whatever the order; what follows from itself, or in a circle, counts.
chain() { # SENTENCES: a case each, TAG follows CASE
	printf '{"guessed": "2026-11-22", "cases": ['
	comma=
	for pair in "$@"; do
		follows=${pair#*:}
		printf '%s{"workload": "matmul_add", "size": 24, "dtype": "fp32", "warm": true, "tag": "%s", "guess": [
			{"says": "It takes an hour.", "by": {"cpu_step_us": {"min": 3600000000}}%s}]}' "$comma" "${pair%%:*}" \
			"${follows:+, \"follows\": \"matmul_add/$follows\"}"
		comma=,
	done
	printf ']}\n'
}
for order in "a: b:a c:b" "c:b b:a a:" "b:a c:b a:"; do
	# shellcheck disable=SC2086 # a word each
	chain $order >chain.json
	run 0 collect --device host --out chain chain.json
	run 3 report --check chain/host
	says out '0 predictions kept, 1 broken' 'FOLLOWS matmul_add/b' 'FOLLOWS matmul_add/c'
done
chain a:a >chain.json
run 0 collect --device host --out itself chain.json
run 3 report --check itself/host
says out '0 predictions kept, 1 broken'
chain a:b b:a >chain.json
run 0 collect --device host --out circle chain.json
run 3 report --check circle/host
says out '0 predictions kept, 2 broken'

# The most surprising stands first, with its guess and what is known of the cause.
cat >ranks.json <<'END'
{"guessed": "2026-11-22", "cases": [
  {"workload": "matmul_add", "size": 24, "dtype": "fp32", "warm": true, "tag": "less", "title": "Less",
   "guess": [{"says": "It takes a second.", "by": {"cpu_step_us": {"min": 1000000}}}], "expect": {"kernels": 3}},
  {"workload": "matmul_add", "size": 512, "dtype": "fp32", "warm": true, "tag": "more", "title": "More",
   "guess": [{"says": "It takes an hour.", "by": {"cpu_step_us": {"min": 3600000000}}},
    {"says": "More work takes no longer.", "by": {"device_time_ratio": {"case": "matmul_add/less", "max": 1.001}}}]}
]}
END
run 0 collect --device host --repeat 1 --out ranks ranks.json
run 0 report --dump document ranks/host
says out 'The guess was: “It takes an hour.”' 'The cause is unknown. Next experiment: ' 'The guess was: “More work takes no longer.”' \
	'Not the shape that the program fixes: Less: Kernels per step, expected 3, saw 2'
grep -E '^point (Less|More)\.' out >lines
grep -nE 'takes an hour|takes a second' lines | cut -c1 | tr -d '\n' | grep -qx 12 || wrong "$(cat lines)"
sed -n 1p lines | grep -q 'hour' || wrong 'the larger surprise is not the first'
grep 'More work' lines | grep -qE 'Why: |Where: ' || wrong 'no cause on the device'
run 0 report --markdown - ranks/host
sed -n '/^| --- /{n;p;q;}' out | grep -q '^| More |' || wrong 'the summary is not ranked'
says out '<details><summary>' '| matmul_add | 2 | 0 | 4 | 0 |'

# A mistake is told with its case before anything runs.
refused() { # TEXT SED-EXPRESSION: the message when the matrix is edited so
	matrix 2
	sed -i "$2" matrix.json
	run 1 collect --device host --dry-run matrix.json
	says err "$1"
}
refused '"guess": "on" takes one of host, gpu; not tpu' 's/"on": "gpu"/"on": "tpu"/'
refused '"guess": a sentence needs "says"' 's/"says": "Nobody looks at this."/"says": ""/'
refused 'unknown field "tells"' 's/{"says": "Nobody/{"tells": "Nobody/'
refused '"follows" names the case "matmul_add/none", which is not in this matrix' 's|"follows": "matmul_add/first"|"follows": "matmul_add/none"|'
refused 'case 1 (matmul_add/first): "guess": "cpu_step_us" needs "min" or "max"' 's/"by": {"cpu_step_us": {"max": 60000000}}/"by": {"cpu_step_us": {}}/'

# The noise of short cases is measured: three processes, the later two with more steps, in rounds; a
# second call measures nothing, and the certainty of a ratio counts them all.
cat >matrix.json <<'END'
{"noise": {"rounds": 3, "steps": 21}, "cases": [
  {"workload": "matmul_add", "size": 24, "dtype": "fp32", "warm": true, "tag": "one"},
  {"workload": "matmul_add", "size": 24, "dtype": "fp32", "warm": true, "tag": "other",
   "expect": {"step_time_ratio": {"case": "matmul_add/one", "min": 0.001}}},
  {"workload": "matmul_add", "size": 32, "dtype": "fp32", "warm": true, "tag": "third",
   "expect": {"device_time_ratio": {"case": "matmul_add/one", "min": 0.001}}},
  {"workload": "matmul_add", "size": 1024, "dtype": "fp32", "warm": true, "tag": "long", "schedule": {"active": 1}}
]}
END
run 0 collect --device host --out noise matrix.json
says err '10 measured, 0 kept'
run 0 collect --device host --out noise matrix.json
says err '0 measured, 10 kept'
run 0 report --json noise.json noise/host
python3 - <<'END'
import json
for number, steps in (("", 3), ("repeat-2/", 21), ("repeat-3/", 21)):
    cases = json.load(open(f"noise/host/{number}run.json", encoding="utf-8"))["cases"]
    ran = {c["tag"]: c["schedule"]["active"] for c in cases if c["status"] == "done"}
    assert ran["one"] == ran["other"] == steps and ("long" in ran) == (not number), ran
for case in json.load(open("noise.json", encoding="utf-8"))["runs"][0]["cases"]:
    # Both cases of the same work stand for one another against a third, not against each other.
    steps = {"other": 42, "third": 84}.get(case["tag"])
    for verdict in case["verdicts"] if steps else []:
        sure = verdict["certainty"]
        assert sure["steps"] == 2 + 20 + 20 and sure["steps_of_case"] == steps and sure["processes"] == 3, sure
        assert sure["low"] <= verdict["value"] <= sure["high"] and "(" in verdict["observed"], verdict
END
run 0 report --template atlas --markdown - noise/host
says out '# How sure the numbers are' 'What cannot be told' 'Steps and processes are those of all cases that did the same work'
run 0 collect --device host --repeat 1 --out single matrix.json
says err '4 measured, 0 kept'
sed -i 's/"rounds": 3/"rounds": 0/' matrix.json
run 1 collect --device host --dry-run matrix.json
says err '"noise": "rounds" takes 1 to 100'
