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

# A roofline can be read: each dot has its number, which stands on no dot and no roof's name, inside the frame, at the end of its own leader.
cat >roofline.py <<'END'
import re, sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
starts = [i for i, l in enumerate(lines) if l.startswith('text "operations for each byte of its')]
assert starts, "no roofline"
found = []
for start in starts:
    end = next(i for i in range(start, len(lines)) if lines[i].startswith(('text "reached"', "page ")))
    part = lines[start:end]
    frame = [tuple(map(float, l.split()[3:])) for l in lines[start - 12:start] if l.startswith("line #8B949EFF 0.60 ")][-1]
    numbers = lambda pattern: [tuple(map(float, m.groups())) for l in part if (m := re.match(pattern, l))]
    leaders = numbers(r"line #57606AFF 0\.40 (\S+) (\S+) (\S+) (\S+)$")
    dots = [(x - 1.9, y) for x, y in numbers(r"fill #(?:005A8E|FFFFFF)FF M (\S+) (\S+) C")]
    labels = [(m[1], float(m[2]), float(m[3])) for l in part if (m := re.match(r'text "(\d+)" bold 7\.00 \S+ start (\S+) (\S+)$', l))]
    names = numbers(r"rect #FFFFFFE8 (\S+) (\S+) (\S+) (\S+)$")
    assert len(leaders) == len(dots) == len(labels) > 3 and len(names) > 1, (len(leaders), len(dots), len(labels), len(names))
    for n, (text, x, y) in enumerate(labels):
        box = (x, y - 5.1, x + 4 * len(text), y)
        inside = lambda p, by: box[0] - by < p[0] < box[2] + by and box[1] - by < p[1] < box[3] + by
        if text != str(n + 1) or not frame[0] <= box[0] <= box[2] <= frame[2]:
            found.append(f"{text} is not number {n + 1}, or leaves the frame")
        if max(abs(leaders[n][0] - dots[n][0]), abs(leaders[n][1] - dots[n][1])) > 0.1 or not inside(leaders[n][2:], 2.5):
            found.append(f"the leader of {text} does not lead from its dot to it")
        found += [f"{text} lies on dot {k + 1}" for k, dot in enumerate(dots) if inside(dot, 1)]
        found += [f"{text} lies on a roof's name" for a, b, w, h in names if box[0] < a + w and a < box[2] and box[1] < b + h and b < box[3]]
    for k, (x, y) in enumerate(dots):
        found += [f"a roof's name lies on dot {k + 1}" for a, b, w, h in names if a < x < a + w and b < y < b + h]
print("\n".join(found))
sys.exit(bool(found))
END
python3 roofline.py out >said || wrong "$(cat said)"
# A number put onto another dot, and one that leads to none, are noticed.
sed 's/^text "3" bold 7.00 \(#1B1F24FF\) start \(3[0-9.]*\) .*/text "3" bold 7.00 \1 start 337.00 444.50/' out >moved
! python3 roofline.py moved >said || wrong 'a number on a dot is not found'
says said 'lies on dot' 'the leader of 3'

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
