#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two builds of collect, or one on two checkouts, measured in turn; then the gate and the comment.
#
#   examples/ci/compare.sh OLD/out/bin NEW/out/bin [OPTION OF collect]...
#
# RUNS: recordings a side (16). OUT: where they go (out/compare). Status: 3 when something became slower, or a
# prediction of the matrix broke.
# The comment of a pull request is OUT/comment.md, the pages are OUT/report.pdf.
set -eu
old=$1 new=$2 runs=${RUNS:-16} out=${OUT:-out/compare}
shift 2
for run in $(seq "$runs"); do
	"$old/collect" --quiet --out "$out/old/$run" "$@"
	"$new/collect" --quiet --out "$out/new/$run" "$@"
done
"$new/report" --check --baseline "$out/old" -o "$out/report.pdf" --markdown "$out/comment.md" "$out/new"
