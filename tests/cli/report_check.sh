# SPDX-License-Identifier: Apache-2.0
# --check: 3 when a prediction was broken, 0 when all held or none was made, 1 when a trace could not be
# read; the report is written all the same.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
edit() { # SED-SCRIPT
	sed "$1" run/run.json >new.json
	mv new.json run/run.json
}
run 3 report --check run
silent err
says out 'BROKEN matmul_add/64_bf16_cold_compile: kernels: expected 2, saw 1' ' broken'
absent report.pdf
run 3 report --template atlas --check -o broken.pdf --markdown broken.md run
qpdf --check broken.pdf >check 2>&1 || wrong "$(cat check)"
says broken.md 'saw **1**'

# The same without what was broken.
edit 's/"max": 0.5/"max": 2/'
python3 - <<'END'
import json
with open("run/run.json", encoding="utf-8") as f:
    run = json.load(f)
run["cases"][1]["expect"]["kernels"] = 1
with open("run/run.json", "w", encoding="utf-8") as f:
    json.dump(run, f)
END
run 0 report --check run
says out ' 0 broken'
run 0 report --check "$TRACEBOOK_TOP/tests/golden/kineto/in"
says out '0 predictions kept, 0 broken'

# A trace that cannot be read is told first: 1, not 3.
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" half
rm half/matmul_add/64_bf16_cold_eager.json
run 1 report --check -o half.pdf half
says out BROKEN
says err 64_bf16_cold_eager.json
[ -s half.pdf ] || wrong 'no report'

# Every broken one on a line of its own, as many as are counted.
run 3 report --check "$TRACEBOOK_TOP/tests/golden/host/in"
[ "$(grep -c '^BROKEN ' out)" = "$(sed -n 's/.* kept, \([0-9]*\) broken.*/\1/p' out)" ] ||
	wrong 'lines and count differ'
