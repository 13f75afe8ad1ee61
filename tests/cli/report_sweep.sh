# SPDX-License-Identifier: Apache-2.0
# Every public trace through report: each ends in a report that keeps to its limits, or in one line that
# says why not. TRACEBOOK_SWEEP=all (make check) takes every file, else the small ones are enough. sweep.py
# holds the rules.
. "$TRACEBOOK_TOP/tests/cli/functions"
traces="$TRACEBOOK_SHARED/traces"
if [ ! -f "$traces/MANIFEST.tsv" ]; then
	echo "no real traces here: $traces/MANIFEST.tsv is missing"
	exit 77
fi
[ "${TRACEBOOK_SWEEP:-}" != all ] || set -- --all
python3 "$TRACEBOOK_TOP/tests/cli/sweep.py" ${TRACEBOOK_SAN:+--seconds 60} "$@" \
	"$TRACEBOOK_BIN/report" "$traces"
