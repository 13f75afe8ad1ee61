# SPDX-License-Identifier: Apache-2.0
# No text of the default report lies on another or leaves its page, and none is smaller than 7 points,
# in tables 8; what was put there on purpose is found.
. "$TRACEBOOK_TOP/tests/render/functions"
boxes="$TRACEBOOK_BIN/../tests/boxes"
recorded="$TRACEBOOK_TOP/experiments/recorded"
run 0 report --dump canvas --recorded "$recorded" "$TRACEBOOK_TOP/tests/golden/host/in"
"$boxes" 7 <out >said || wrong "$(head -20 said)"
run 0 report --dump canvas "$recorded/nvidia-h200"
"$boxes" 7 <out >said || wrong "$(head -20 said)"

# Heads of tables are bold and have a rule above and below: none of them is small.
python3 - <<'END'
import re
lines = open("out", encoding="utf-8").read().split("\n")
sizes = [float(m[1]) for i, line in enumerate(lines) if lines[i - 1].startswith("line #1B1F24FF 0.90 40.00 ")
         and (m := re.match(r'text ".*" bold ([\d.]+) #', line))]
assert len(sizes) > 10 and min(sizes) >= 7.6, sizes
END

printf '%s\n' 'page 595.28 841.89 "1"' 'text "first" sans 9.00 #1B1F24FF start 100.00 100.00' \
	'text "second" bold 9.00 #1B1F24FF end 130.00 103.00' 'text "below" sans 9.00 #1B1F24FF start 100.00 111.00' \
	'text "outside" sans 9.00 #1B1F24FF start 590.00 300.00' 'text "small" mono 6.40 #1B1F24FF start 40.00 400.00' >planted
! "$boxes" 7 <planted >said || wrong 'what was planted is not found'
[ "$(wc -l <said)" = 3 ] || wrong "$(cat said)"
says said '"second" lies on "first"' '"outside" leaves the page' '"small" has 6.40 points'
