# SPDX-License-Identifier: Apache-2.0
# alone: it measures while it is interrupted
# An interrupted run loses the case in hand only, and the same command goes on from there.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

cat >matrix.json <<'END'
{"cases": [
  {"workload": "matmul_add", "size": 64},
  {"workload": "matmul_add", "size": 512, "tag": "long", "dtype": "fp32",
   "schedule": {"wait": 0, "warmup": 0, "active": 2500}},
  {"workload": "matmul_add", "size": 32}
]}
END

# Starts collect and waits until the second case runs.
start() {
	"$TRACEBOOK_BIN/collect" --device host --out traces matrix.json >out 2>err &
	collect=$!
	for try in $(seq 200); do
		if grep -q '"status": "done"' traces/host/run.json 2>/dev/null; then return; fi
		sleep 0.05
	done
	wrong 'the first case was not measured'
}

start
kill -TERM $collect
status=0
wait $collect || status=$?
[ $status = 1 ] || wrong "status $status after SIGTERM"
says err 'interrupted during matmul_add/long' '1 measured'
says traces/host/run.json '"status": "not run"'
absent traces/host/matmul_add/long.pt.trace.json traces/host/matmul_add/long.txt
cp traces/host/matmul_add/64_bf16_cold_eager.pt.trace.json before.json

# A second collect in the same folder is refused while one is at work.
rm -rf traces
start
run 1 collect --device host --out traces matrix.json
says err 'another collect is at work'
kill -KILL $collect
wait $collect 2>/dev/null || true

# Killed outright: run.json is whole, and the run goes on.
python3 -m json.tool traces/host/run.json >/dev/null
sed 's/2500/3/' matrix.json >short.json
run 0 collect --device host --out traces short.json
says err '2 measured, 1 kept, 0 failed'
absent traces/host/matmul_add/none
if ls traces/host/*/*.part traces/host/*.part 2>/dev/null; then wrong 'half a file was left'; fi

# Only what lies in the run's own folder is swept, whatever that is called.
mkdir -p ab/host 'a*/host'
touch ab/host/run.json.1.part 'a*/host/run.json.1.part'
run 0 collect -q --device host --out 'a*' short.json
[ -e ab/host/run.json.1.part ] || wrong "another run's file was removed"
absent 'a*/host/run.json.1.part'
