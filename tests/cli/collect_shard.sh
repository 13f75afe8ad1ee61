# SPDX-License-Identifier: Apache-2.0
# A matrix in shards, and runs that become one: all cases, none twice, and what does not fit is told.
. "$TRACEBOOK_TOP/tests/cli/functions"
TMPDIR=/tmp
export TMPDIR
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_PROCID SLURM_STEP_NUM_TASKS

cat >matrix.json <<'END'
{"cases": [{"workload": "square", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "one"},
           {"workload": "square", "batch": 9, "dim": 100, "dtype": "fp32", "tag": "two"},
           {"workload": "square", "batch": 11, "dim": 100, "dtype": "fp32", "tag": "three"}],
 "comparisons": [{"id": "both", "cases": ["square/one", "square/two"]}]}
END
for word in 0/2 3/2 1/0 1 /2 1/ 1/2x -1/2 x; do
	run 2 collect --list "--shard=$word" matrix.json
	says err "not \"$word\""
done
run 2 collect --list --shard auto matrix.json
says err 'no task of it'
run 2 collect --list --only nosuch matrix.json
says err 'no case of matrix.json matches'
run 0 collect --list --shard 1/2 matrix.json
says out square/one square/three
lines out 2
SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=4 SLURM_ARRAY_TASK_COUNT=3 \
	run 0 collect --list --shard auto matrix.json
is out "$("$TRACEBOOK_BIN/collect" --list --shard 2/3 matrix.json)"
SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3 run 0 collect --list --shard auto matrix.json
is out "$("$TRACEBOOK_BIN/collect" --list --shard 3/3 matrix.json)"

needs_host
for k in 1 2; do
	run 0 collect --device host --shard $k/2 --out shared matrix.json
	is out "shared/shard-$k-of-2/host"
done
run 0 collect --merge shared --out all
is out all
says err '2 runs are one, with 3 cases'
[ "$(ls all/square/*.json | wc -l)" = 3 ] || wrong "$(ls all/square)"
run 0 report --json all.json -o all.pdf all
[ "$(grep -c '"status":[[:space:]]*"done"' all/run.json)" = 3 ] || wrong 'not all cases are done'

# What does not fit, and what would be lost.
run 1 collect --merge shared --out all
says err 'all holds a run already'
run 1 collect --merge shared/shard-1-of-2 shared/shard-1-of-2 --out twice
says err 'square/one is done in' 'two of the same'
run 2 collect --merge
says err 'folders of the runs'
run 1 collect --merge shared/shard-1-of-2 --out none
says err 'only one run'
run 1 collect --merge matrix.json shared --out none
cp -R shared other
for what in 's/"hash": "[^"]*"/"hash": "0"/:the matrix' 's/"CPU": "[^"]*"/"CPU": "another"/:CPU' \
	's/"device": "host"/"device": "cuda"/:device'; do
	cp shared/shard-2-of-2/host/run.json other/shard-2-of-2/host/run.json
	sed -i "${what%:*}" other/shard-2-of-2/host/run.json
	run 1 collect --merge other --out none
	says err 'do not fit' "${what##*:} is"
done
[ ! -e none/run.json ] || wrong 'runs were merged that do not fit'

# Ranks of two nodes.
torch_client
for node in 0 1; do
	export RANK=$node WORLD_SIZE=2
	run 0 collect -q --after 0s --out nodes/$node -- "$client"
	unset RANK WORLD_SIZE
	python3 - nodes/$node/*.pt.trace.json $node <<'END'
import json, sys
path, node = sys.argv[1], int(sys.argv[2])
t = json.load(open(path))
first = min(e["ts"] for e in t["traceEvents"])
for e in t["traceEvents"]:
    e["ts"] -= first
for i in range(node, 9):
    end = 1000 * i + 37 * i * i % 911 + 2000 * node
    t["traceEvents"].append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0,
                             "tid": 7, "ts": end - 50 - 20 * node, "dur": 50 + 20 * node})
    for k in range(4):  # calls on the host return when they like
        t["traceEvents"].append({"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1,
                                 "tid": 1, "ts": end - 700 + 113 * k * (1 + node), "dur": 10})
with open(path, "w") as f:
    f.write('{"baseTimeNanoseconds": 0,\n"distributedInfo": {"rank": %d},\n"traceEvents": [\n' % node)
    f.write(",\n".join(json.dumps(e) for e in t["traceEvents"]) + "\n]}\n")
END
done
run 0 collect --merge nodes/0 nodes/1 --out program
# Its ranks stand side by side, and what ran is told.
run 0 report --dump document program
says out 'The ranks side by side' 'rank 0' 'client, rank 1'
run 0 report --template atlas --dump document program
says out "$client"
run 0 report --json program.json -o program.pdf program
