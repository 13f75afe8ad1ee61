#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of yours as a job array, each task recorded: PROGRAM gets the number of its task as the last
# argument (a seed, a learning rate from a list ...).
#
#   sbatch --array=1-8 --gres=gpu:1 examples/slurm/program.sh python3 train.py --seed
#
#SBATCH --job-name=recorded
#SBATCH --array=1-2
#SBATCH --ntasks=1
#SBATCH --output=recorded-%A-%a.log
set -eu
collect=${TRACEBOOK:-out/bin}/collect
out=${OUT:-out/traces/$SLURM_ARRAY_JOB_ID}
exec "$collect" --out "$out/task-$SLURM_ARRAY_TASK_ID" -- "$@" "$SLURM_ARRAY_TASK_ID"
