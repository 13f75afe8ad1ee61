# SPDX-License-Identifier: Apache-2.0
# What was measured is kept while specification, programs and files are the same; everything else is
# measured again. --only leaves the other entries of run.json alone.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

cat >matrix.json <<'END'
{"cases": [
  {"workload": "matmul_add", "size": 64, "title": "sixty-four"},
  {"workload": "matmul_add", "size": 32},
  {"workload": "linear", "batch": 8, "in_dim": 16, "out_dim": 32, "mode": "compile", "warm": true}
]}
END
again() { # EXPECTED-SUMMARY ARGUMENT...
	summary=$1
	shift
	run 0 collect --device host --out traces "$@"
	is out traces/host
	says err "$summary"
}

again '1 measured, 0 kept, 0 failed' --only 'linear/*' matrix.json
says traces/host/run.json '"status": "not run"' '"status": "done"'
again '1 measured, 0 kept' --only 64_bf16_cold_eager matrix.json
again '1 measured, 2 kept' matrix.json

# Nothing to do: not even run.json is written anew.
cp -p traces/host/run.json before.json
sleep 1.1
again '0 measured, 3 kept' matrix.json
cmp before.json traces/host/run.json
[ ! traces/host/run.json -nt before.json ] || wrong 'run.json was written again'

# New words: run.json says them, nothing is measured.
sed 's/sixty-four/three score and four/' matrix.json >words.json
again '0 measured, 3 kept' words.json
says traces/host/run.json 'three score and four'

# A lost file, a new schedule.
rm traces/host/matmul_add/64_bf16_cold_eager.txt
again '1 measured, 2 kept' matrix.json
sed 's/"size": 32/"size": 32, "schedule": {"active": 2}/' matrix.json >schedule.json
again '1 measured, 2 kept' schedule.json
[ "$(grep -c '"ph": "X", "cat": "user_annotation", "name": "ProfilerStep' \
	traces/host/matmul_add/32_bf16_cold_eager.pt.trace.json)" = 2 ] || wrong 'not two steps'

# A changed case that is not selected is no longer said to be done.
again '0 measured, 1 kept' --only 64_bf16_cold_eager matrix.json
says traces/host/run.json 'changed since it was measured'

# A run.json that cannot be read: said, and measured again.
echo '{"cases": ' >traces/host/run.json
again '3 measured, 0 kept' matrix.json
says err 'measured again'
python3 -m json.tool traces/host/run.json >/dev/null
