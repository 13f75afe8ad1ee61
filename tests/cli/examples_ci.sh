# SPDX-License-Identifier: Apache-2.0
# The script for a build server: the same programs on both sides pass, and leave a comment and pages.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'it runs what is built without sanitizers'; exit 77; }
[ -e "$TRACEBOOK_LIB/tracebook-host.so" ] || { echo 'no host device'; exit 77; }
RUNS=2 OUT=ci sh "$TRACEBOOK_TOP/examples/ci/compare.sh" "$TRACEBOOK_BIN" "$TRACEBOOK_BIN" --device host \
	--only 'matmul_add/64_bf16_warm_eager' >out 2>err || status=$?
# What the matrix predicts of a GPU may break on this machine: nothing else may.
[ "${status-0}" = 0 ] || { [ "$status" = 3 ] && grep -q '^BROKEN' out; } || wrong "$(cat out err)"
! grep -q '^SLOWER' out || wrong "$(cat out)"
says out 'INCONCLUSIVE matmul_add/64_bf16_warm_eager' '1 compared'
says ci/comment.md '### Inconclusive'
if [ "$(wc -l <ci/comment.md)" -gt 40 ] || [ "$(wc -c <ci/comment.md)" -gt 3000 ]; then wrong "$(cat ci/comment.md)"; fi
[ -s ci/report.pdf ] || wrong 'no pages'
