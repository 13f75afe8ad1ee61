# SPDX-License-Identifier: Apache-2.0
# --expect: predictions for traces of somebody's own, on the page and in the exit status; mistakes in
# the file are told with file, place and the nearest name.
. "$TRACEBOOK_TOP/tests/cli/functions"
small_trace train.json

cat >good.json <<'END'
{
  "tracebook_expectations": 1,
  "traces": [
    {"trace": "train*.json", "title": "My training", "question": "How many kernels is a step?",
      "guess": "One.", "expect": {"kernels": 1, "launches": 1, "syncs": 0, "copies": 0}}
  ]
}
END
run 0 report --expect good.json --check train.json
silent err
is out '4 predictions kept, 0 broken'
run 0 report --expect good.json --markdown good.md train.json
says good.md 'How many kernels is a step?' 'One.' 'Kernels per step' '✓ kept'

# Broken: the place, the event, what to look at; in the summary and on its page.
sed 's/"kernels": 1/"kernels": 2, "step": ["gemm", "copy"]/' good.json >broken.json
run 3 report --expect broken.json --check -o broken.pdf --markdown broken.md train.json
silent err
says out 'BROKEN train.json: kernels: expected 2, saw 1' '  step 1' \
	'row 7, "gemm_of_step_1": starts 135.000 us into the trace, takes 42.000 us' \
	'BROKEN train.json: step: expected gemm, copy, saw ' '  step 1, place ' \
	'3 predictions kept, 2 broken'
qpdf --check broken.pdf >check 2>&1 || wrong "$(cat check)"
says broken.md 'Predictions that broke' 'saw **1** (step 1)' \
	'Look first at `gemm_of_step_1`' '✗ broken' 'the operator around the launch shows what asked'
run 0 report --expect broken.json --markdown again.md train.json
cmp broken.md again.md || wrong 'the same input gave another report'

# A single trace needs no list; one without steps may be taken as a whole.
echo '{"expect": {"kernels": 1}}' >single.json
run 0 report --expect single.json --check train.json
is out '1 predictions kept, 0 broken'
sed 's/ProfilerStep#/step /' train.json >stepless.json
run 0 report --expect single.json --check stepless.json
is out '0 predictions kept, 0 broken, 1 not judged'
echo '{"whole": true, "expect": {"kernels": 3}}' >whole.json
run 3 report --expect whole.json --check stepless.json
says out 'kernels: expected 3, saw 2'

# A name that no trace has is told and breaks nothing, unless none fits.
sed 's/\[$/[{"trace": "other.json", "expect": {}},/' good.json >two.json
run 0 report --expect two.json --check train.json
says out 'UNSEEN other.json: no trace of that name was read' '4 predictions kept, 0 broken'
sed 's/train\*/serve*/' good.json >none.json
run 1 report --expect none.json --check train.json
lines err 1
says err none.json 'serve*.json' train.json

# Our runs: the file counts instead of run.json.
cat >run.json <<'END'
{"traces": [{"trace": "matmul_add/64_bf16_cold_compile", "expect": {"step": ["copy", "gemm"]}}]}
END
run 3 report --check "$TRACEBOOK_TOP/tests/golden/host/in"
run 0 report --expect run.json --check "$TRACEBOOK_TOP/tests/golden/host/in"

# Mistakes.
refused() { # TEXT WORD...
	echo "$1" >wrong.json
	shift
	run 1 report --expect wrong.json --check -o r.pdf train.json
	lines err 1
	silent out
	says err wrong.json "$@"
	absent r.pdf
}
refused '{"expect": {"kernel": 2}}' 'unknown field "kernel"' 'did you mean "kernels"'
refused '{"traces": [{"trace": "train.json", "expects": {}}]}' 'trace 1 (train.json)' '"expect"'
refused '{"traces": [{"trace": "train.json", "expect": {"must_fire": ["T77"]}}]}' \
	'trace 1 (train.json)' '"T77"' 'known are OVERHEAD-BOUND'
refused '{"expect": {"device_busy": {"max": 40}}}' '"max"' 'share'
refused '{"expect": {"same_gemm_as": "x"}}' '"x"' 'not read'
refused '{"tracebook_expectations": 7, "expect": {}}' '7'
refused '{"expect":' 'not JSON'
run 1 report --expect nowhere.json --check train.json
says err nowhere.json
