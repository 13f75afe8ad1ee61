# SPDX-License-Identifier: Apache-2.0
# Many recorded programs at one time, killed at any moment: each ends as it would alone (storm.py). SEED=N: others.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo "a library with sanitizers cannot be loaded into a program without"; exit 77; }
torch_client
python3 "$TRACEBOOK_TOP/tests/data/collect/storm.py" "$TRACEBOOK_BIN/collect" "$TRACEBOOK_BIN/report" \
	"$client" "$TRACEBOOK_LIB/../tests" "${SEED:-16}"
