#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two builds, measured in turn; then the gate, the pages and the comment.
#
#   examples/ci/compare.sh OLD/out/bin NEW/out/bin [OPTION OF collect]...
#
# ROUNDS: of both builds (24). OUT: where all of it goes (out/compare): comment.md for the pull request, report.pdf.
# Status: 3 when something became slower, or a prediction of the matrix broke.
#
# Who has traces of a program of their own needs the last line alone: report --check --baseline BEFORE ... AFTER.
set -eu
old=$1 new=$2 rounds=${ROUNDS:-24} out=${OUT:-out/compare}
shift 2
run=$("$new/collect" --quiet --repeat "$rounds" --against "$old" --out "$out" "$@")
"$new/report" --check -o "$out/report.pdf" --markdown "$out/comment.md" "$run"
