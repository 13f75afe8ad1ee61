#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One parallel program on several nodes, every rank recorded in the same window; then the nodes' runs are
# made one, and their clocks are compared by the collectives that the ranks share.
#
#   sbatch --nodes=2 --gres=gpu:8 examples/slurm/nodes.sh torchrun --nnodes=2 --nproc-per-node=8 \
#       --rdzv-backend=c10d --rdzv-endpoint="$(hostname):29500" train.py
#
#SBATCH --job-name=recorded
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --output=recorded-%j.log
set -eu
collect=${TRACEBOOK:-out/bin}/collect
out=${OUT:-out/traces/$SLURM_JOB_ID}
# every node knows its own number; the program's words are passed on as they are
srun sh -c 'collect=$1 out=$2; shift 2; exec "$collect" --after "${AFTER:-60s}" --for "${FOR:-1s}" \
	--out "$out/node-$SLURM_NODEID" -- "$@"' sh "$collect" "$out" "$@"
set -- "$out"/node-*
if [ $# -gt 1 ]; then "$collect" --merge "$@" --out "$out/all"; fi
