# SPDX-License-Identifier: Apache-2.0
# No room, no right, no memory: one message, what was there stays. The full disk is played by a limit
# on the size of files.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

cat >matrix.json <<'END'
{"cases": [{"workload": "matmul_add", "size": 64}, {"workload": "matmul_add", "size": 32}]}
END

# The folder of results cannot be made.
echo earlier >file
run 1 collect --device host --out file/traces matrix.json
silent out
says err file/traces
[ "$(cat file)" = earlier ] || wrong 'the earlier file was changed'
mkdir -p blocked/host/run.json
run 1 collect --device host --out blocked matrix.json
says err blocked/host/run.json

# A pipe where run.json belongs, that nobody reads, gives way to it.
mkdir -p piped/host
mkfifo piped/host/run.json
timeout 60 "$TRACEBOOK_BIN/collect" --device host --only 'matmul_add/32*' --out piped matrix.json >out 2>err ||
	wrong "status $? with a pipe for run.json"
[ -f piped/host/run.json ] || wrong 'run.json is still a pipe'

# Room for run.json (some 2 kB), not for a trace (some 10 kB): the cases fail, each with its reason.
limited() { # 512-BYTE-BLOCKS STATUS ARGUMENT...
	blocks=$1
	wanted=$2
	shift 2
	status=0
	(
		trap '' XFSZ
		ulimit -f "$blocks"
		exec "$TRACEBOOK_BIN/collect" --device host --out traces "$@"
	) >out 2>err || status=$?
	[ $status = "$wanted" ] || wrong "status $status, expected $wanted"
}
limited 16 1 matrix.json
says err '0 measured, 0 kept, 2 failed' 'cannot write' 'is the disk full?'
says traces/host/run.json 'is the disk full?' '"status": "failed"'
absent traces/host/matmul_add/64_bf16_cold_eager.pt.trace.json

# Nor for run.json: the run ends at once, and the earlier files are whole.
run 0 collect --device host --out traces matrix.json
cp -r traces kept
sed 's/"size": 32/"size": 48/' matrix.json >other.json
limited 1 1 other.json
says err run.json 'is the disk full?'
diff -r kept traces

# Larger than memory: said at once, and the other case is measured.
sed 's/"size": 32/"size": 300000/' matrix.json >huge.json
run 1 collect --device host --out traces huge.json
says err 'GiB' 'choose smaller sizes' '0 measured, 1 kept, 1 failed'
run 0 collect --device host --out traces --keep-going huge.json
run 0 collect --device host --out traces --dry-run huge.json
says out 'fail  matmul_add/300000_bf16_cold_eager' 'keep  matmul_add/64_bf16_cold_eager'

# With all streams closed no file of ours takes the place of one: what is said is not in it.
status=0
"$TRACEBOOK_BIN/collect" --device host --out closed matrix.json <&- >&- 2>&- || status=$?
[ $status = 1 ] || wrong "status $status with closed streams" # the folder cannot be said
[ "$(grep -c '"status": "done"' closed/host/run.json)" = 2 ] || wrong 'not all is measured'
python3 -c 'import json; json.load(open("closed/host/run.json"))'
