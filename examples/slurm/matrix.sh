#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The default matrix as a job array: each task runs its share, the last lines tell how they become one.
#
#   sbatch examples/slurm/matrix.sh                    # TRACEBOOK: the folder of the programs (out/bin)
#   sbatch --array=1-8 examples/slurm/matrix.sh --device cuda
#
#SBATCH --job-name=tracebook
#SBATCH --array=1-4
#SBATCH --ntasks=1
#SBATCH --output=tracebook-%A-%a.log
set -eu
collect=${TRACEBOOK:-out/bin}/collect
out=${OUT:-out/traces/$SLURM_ARRAY_JOB_ID}
"$collect" --shard auto --out "$out" "$@"
echo "when all tasks are done: $collect --merge $out/shard-* --out $out/all, then report $out/all"
