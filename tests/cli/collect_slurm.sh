# SPDX-License-Identifier: Apache-2.0
# alone: it starts the daemons of a cluster
# The scripts of examples/slurm in a real Slurm: munge, slurmctld and two nodes that are this machine, in a
# folder of the test, on ports of their own.
. "$TRACEBOOK_TOP/tests/cli/functions"
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch srun squeue; do
	command -v $program >/dev/null || { echo "no Slurm here: apt-get install slurm-wlm"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "the daemons of Slurm want to be root"; exit 77; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo "the same programs are tried without sanitizers"; exit 77; }

here=$(mktemp -d /var/tmp/tracebook-slurm-XXXXXX)
started=
finish() {
	for pid in $started; do kill "$pid" 2>/dev/null || true; done
	for pid in $started; do
		for try in $(seq 50); do
			if kill -0 "$pid" 2>/dev/null; then sleep 0.1; fi
		done
	done
	rm -rf "$here"
}
trap finish EXIT
mkdir "$here/state" "$here/spool-one" "$here/spool-two"
chmod 755 "$here"
dd if=/dev/urandom of="$here/key" bs=1024 count=1 2>/dev/null
chmod 400 "$here/key"
munged --foreground --force --key-file="$here/key" --socket="$here/munge" --pid-file="$here/munge.pid" \
	--log-file="$here/munge.log" --seed-file="$here/seed" 2>munged.err &
started="$started $!"
port=$((20000 + $$ % 20000))
name=$(hostname -s)
cat >"$here/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$name(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$here/munge
CryptoType=crypto/munge
SlurmctldPort=$port
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool-%n
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=one NodeHostname=$name NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 State=UNKNOWN
NodeName=two NodeHostname=$name NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 State=UNKNOWN
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$here/slurm.conf"
slurmctld -D >slurmctld.log 2>&1 &
started="$started $!"
for node in one two; do
	slurmd -D -N $node >slurmd-$node.log 2>&1 &
	started="$started $!"
done
for try in $(seq 200); do
	if [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c idle)" = 2 ]; then break; fi
	sleep 0.1
done
[ "$(sinfo -h -N -o %T 2>/dev/null | grep -c idle)" = 2 ] || {
	cat munged.err slurmctld.log slurmd-*.log | grep -i error | head -n 20
	echo "Slurm does not start on this machine"
	exit 77
}

done_jobs() {
	for try in $(seq 600); do
		if [ -z "$(squeue -h 2>/dev/null)" ]; then return; fi
		sleep 0.1
	done
	squeue
	wrong 'a job does not end'
}

cat >matrix.json <<'END'
{"cases": [{"workload": "square", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "one"},
           {"workload": "square", "batch": 9, "dim": 100, "dtype": "fp32", "tag": "two"},
           {"workload": "square", "batch": 11, "dim": 100, "dtype": "fp32", "tag": "three"}]}
END
export TRACEBOOK="$TRACEBOOK_BIN" OUT="$PWD/shared" TMPDIR=/tmp

# A matrix by a job array, one folder for all.
sbatch --array=1-2 "$TRACEBOOK_TOP/examples/slurm/matrix.sh" --device host matrix.json >submitted
done_jobs
[ "$(ls shared)" = "$(printf 'shard-1-of-2\nshard-2-of-2')" ] || { cat tracebook-*.log; wrong "$(ls shared)"; }
run 0 collect --merge shared/shard-1-of-2 shared/shard-2-of-2 --out all
says err 'with 3 cases'
run 0 report -o all.pdf all

# The same by the processes of one step.
srun --ntasks=2 --overcommit "$TRACEBOOK_BIN/collect" --device host --shard auto --out step matrix.json >out 2>err
run 0 collect --merge step --out step-all
says err 'with 3 cases'

# A program of somebody's: an array, and the ranks of a step, whose runs become one.
torch_client
OUT=$PWD/array sbatch --array=3-4 "$TRACEBOOK_TOP/examples/slurm/program.sh" "$client" >submitted
done_jobs
for task in 3 4; do
	[ -s array/task-$task/client.pt.trace.json ] || { cat recorded-*.log; wrong "$(ls -R array)"; }
	says array/task-$task/run.json '"SLURM_ARRAY_TASK_ID": "'$task
done
AFTER=0s OUT=$PWD/nodes sbatch --nodes=2 "$TRACEBOOK_TOP/examples/slurm/nodes.sh" \
	sh -c 'i=$((2 * SLURM_NODEID)); for r in $i $((i + 1)); do RANK=$r WORLD_SIZE=4 "$0" & done; wait' "$client" >submitted
done_jobs
[ "$(cat nodes/node-[01]/*.trace.json | grep -c '"distributedInfo": {"rank": [0-3], "world_size": 4}')" = 4 ] ||
	{ cat recorded-*.log; wrong "$(ls -R nodes)"; }
says nodes/all/run.json 'sh/rank3'
run 0 report --dump document nodes/all
says out 'sh, rank 0' 'sh, rank 3'
