# SPDX-License-Identifier: Apache-2.0
# Sums, shares, ratios, rates, counts and pages that the PDFs print are true of the other numbers on their pages.
. "$TRACEBOOK_TOP/tests/render/functions"
python3 "$here/arithmetic.py" "$TRACEBOOK_BIN/report" "$TRACEBOOK_TOP"
