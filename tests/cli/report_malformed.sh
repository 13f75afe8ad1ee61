# SPDX-License-Identifier: Apache-2.0
# Every malformed case through report, by the rules of sweep.py; the large ones with TRACEBOOK_SWEEP=all
# (make check).
. "$TRACEBOOK_TOP/tests/cli/functions"
maker="$TRACEBOOK_SHARED/tools/mkbad.py"
if [ ! -f "$maker" ]; then
	echo "no malformed cases here: $maker is missing"
	exit 77
fi
python3 "$maker" bad >made
[ "${TRACEBOOK_SWEEP:-}" != all ] || set -- --all
python3 "$TRACEBOOK_TOP/tests/cli/sweep.py" ${TRACEBOOK_SAN:+--seconds 60} "$@" "$TRACEBOOK_BIN/report" bad
rm -r bad
