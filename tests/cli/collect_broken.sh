# SPDX-License-Identifier: Apache-2.0
# A case that crashes, fails, computes wrongly or finds no memory costs only itself: the message is on
# stderr and in run.json, the other cases are measured, the status is 1 (0 with --keep-going).
# waits: cases that hang
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

mkdir bin lib
cp "$TRACEBOOK_BIN/collect" bin/
${CC:-gcc} -std=gnu11 -shared -fPIC -I"$TRACEBOOK_TOP" -o lib/tracebook-host.so \
	"$TRACEBOOK_TOP/tests/data/collect/broken_device.c" "$TRACEBOOK_TOP/base/err.c" -ldl
export BROKEN_REAL="$TRACEBOOK_LIB/tracebook-host.so"
TRACEBOOK_BIN=$PWD/bin

cat >matrix.json <<'END'
{"cases": [
  {"workload": "matmul_add", "size": 16},
  {"workload": "matmul_add", "size": 32, "dtype": "fp32"},
  {"workload": "matmul_add", "size": 64}
]}
END

broken() { # HOW WORDS-OF-THE-MESSAGE...
	export BROKEN="$1"
	shift
	rm -rf out-dir
	run 1 collect --device host --out out-dir matrix.json
	is out out-dir/host
	says err "$@" '2 measured, 0 kept, 1 failed' 'matmul_add/32_fp32_cold_eager'
	says out-dir/host/run.json "$@"
	python3 - <<'END'
import json
run = json.load(open("out-dir/host/run.json"))
assert [c["status"] for c in run["cases"]] == ["done", "failed", "done"], run["cases"]
assert run["cases"][1]["reason"]
json.load(open("out-dir/host/" + run["cases"][0]["trace"]))
json.load(open("out-dir/host/" + run["cases"][2]["trace"]))
END
	absent out-dir/host/matmul_add/32_fp32_cold_eager.pt.trace.json
}

broken crash 'signal 6'
broken refuse 'the queue refuses this product'
broken wrong 'differs from a plain reference' 'not timed'
broken memory 'no memory for 4096 bytes'

# What hangs, and what eats memory, is ended at the limits that the matrix names.
sed -i 's/"cases"/"limits": {"seconds": 2}, &/' matrix.json
broken hang 'not done after 2 s: ended'
sed -i 's/{"seconds": 2}/{"memory": "1G"}/' matrix.json
[ -n "${TRACEBOOK_SAN-}" ] || broken eat 'no memory: 8388608 more bytes were needed'
sed 's/1G/1 cup/' matrix.json >cup.json
run 1 collect --list cup.json
says err 'cup.json: limits: "1 cup" is no size of memory'

# What failed is tried again, what was measured is kept; --keep-going makes failures no failure.
run 0 collect --device host --out out-dir --keep-going matrix.json
says err '0 measured, 2 kept, 1 failed'
sed -i 's/"limits": {"memory": "1G"}, //' matrix.json # the shadow of a sanitized build is larger
BROKEN=none run 0 collect --device host --out out-dir matrix.json
says err '1 measured, 2 kept, 0 failed'
if grep -q '"reason"' out-dir/host/run.json; then wrong 'the reason is still there'; fi

# Without bf16 the case runs in fp32, under the name that was asked for, and says so.
export BROKEN=bf16
run 0 collect --device host --out other-type --only '16_*' matrix.json
says err 'asked bf16, ran fp32'
says other-type/host/run.json '"dtype": "fp32"' '"asked": {"size": 16, "dtype": "bf16"}' \
	'asked bf16, ran fp32'
says other-type/host/matmul_add/16_bf16_cold_eager.pt.trace.json '"float"'

# A device that does not open is not there.
export BROKEN=open
run 4 collect --device host --out other matrix.json
silent out
says err 'there is no such processor here' lib/tracebook-host.so
absent other
rm lib/tracebook-host.so
run 4 collect --out other matrix.json
says err host lib/tracebook-host.so
