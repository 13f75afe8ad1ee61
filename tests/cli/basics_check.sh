# SPDX-License-Identifier: Apache-2.0
# From a matrix of one small case to a verdict: measured, written, read, judged. --check exits 3 when
# a prediction was broken, and only --check does.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

matrix() { # KERNELS: a case that expects so many kernels a step
	cat >matrix.json <<END
{
  "schedule": {"wait": 0, "warmup": 1, "active": 3},
  "cases": [
    {"experiment": "small", "tag": "64", "title": "Small", "question": "How many kernels?",
     "guess": "$1.", "workload": "matmul_add", "dtype": "fp32", "warm": true, "size": 64,
     "expect": {"kernels": $1}}
  ]
}
END
}

matrix 2
run 0 collect --device host --out kept matrix.json
[ "$(cat out)" = kept/host ] || wrong 'stdout is not the folder of the run'
if [ ! -s kept/host/small/64.pt.trace.json ] || [ ! -s kept/host/run.json ]; then wrong 'no trace'; fi
says kept/host/small/64.txt 'Self CPU %' 'ProfilerStep*'
python3 -m json.tool kept/host/small/64.pt.trace.json >/dev/null
run 0 report --check kept/host
run 0 report --template atlas --check -o kept.pdf kept/host
pdftotext kept.pdf text
says text 'Small' 'How many kernels?'

matrix 5
run 0 collect --device host --out broken matrix.json
run 3 report --check broken/host
says out kernels 5 2
run 0 report --template atlas -o broken.pdf broken/host
run 3 report --check -o broken.pdf broken/host
[ -s broken.pdf ] || wrong 'a broken prediction cost the report'

# The table that report counts from the trace is the one that collect wrote from its spans.
run 0 report --table kept/host/small/64.pt.trace.json
diff kept/host/small/64.txt out
