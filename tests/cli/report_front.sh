# SPDX-License-Identifier: Apache-2.0
# The first page of a run says its result: the title and the picture name the same size, each sentence
# has a number and a place, and the numbers are those of the table of cases. The report of a whole
# matrix is short, and both documents are small.
. "$TRACEBOOK_TOP/tests/cli/functions"
recorded="$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"

run 0 report -o report.pdf "$recorded"
run 0 report --template atlas -o atlas.pdf "$recorded"
pages() { pdfinfo "$1" | awk '/^Pages:/ { print $2 }'; }
[ "$(pages report.pdf)" -le 28 ] || wrong "$(pages report.pdf) pages"
for name in report atlas; do
	[ "$(wc -c <$name.pdf)" -le 1500000 ] || wrong "$name.pdf has $(wc -c <$name.pdf) bytes"
done
run 0 report --dump document "$recorded"
python3 - <<'END'
import re
lines = open("out", encoding="utf-8").read().split("\n")
title = re.fullmatch(r"title #summary Below about (\d+) × \1 launching is the longer part here \(.*\)", lines[0])
assert title, lines[0]
[finding] = [line for line in lines if line.startswith("text At about ") and " the two are equal" in line]
assert finding.startswith(f"text At about {title[1]} × {title[1]} the two are equal"), finding
# It quotes the sizes next to that on either side, none of which is in the bars: one thing has one number.
below, above = (int(n.replace("\u202f", "")) for n in re.findall(r"\((\d[\d\u202f]*): [^()]* on the CPU, ", finding))
assert below < int(title[1]) < above <= 4 * below, finding
drawn = re.findall(r"(\d+) × \1, warm", "\n".join(lines[:lines.index(finding)]))
assert not {str(below), str(above)} & set(drawn), (finding, drawn)
points = [line for line in lines if line.endswith("(•)")]
assert len(points) >= 4, points
[cold] = [p for p in points if p.startswith("point What only the first step pays. ")]
name, first, later, ratio = re.search(r"pays\. In “(.*)” the first step takes (.*) and a later one (.*): (.*) as long", cold).groups()
row = [line for line in lines if line.startswith(f"  row {name} | ")][0]
assert f" | {later} | " in row and f" | {ratio} | " in row, (cold, row)
# Five results, by how far each is from 1 when its noise is taken off; none of them is noise.
results = [p.removeprefix("point ") for p in points if ": " in p and " takes the " in p and p != cold]
assert len(results) == 5 and not any("noise]" in r for r in results), results
effect = []
for result in results:
    told = re.match(r"this machine: (?:a step of )?“([^”]*)” takes the (?:device|CPU) (\S+ \S+), (?:of )?“([^”]*)” (\S+ \S+): [\d.]+× \[([\d.]+)–([\d.]+)\]", result)
    assert told, result
    other, after, one, before, low, high = told.groups()
    effect.append(min(max(float(x), 1 / float(x)) for x in (low, high)))
    for name, time in (one, before), (other, after):
        assert any(line.startswith(f"  row {name} | ") and f" | {time} | " in line for line in lines), (name, time)
assert all(a >= b * 0.99 for a, b in zip(effect, effect[1:])), effect
END

# Without a sweep over the size the title is the plain one.
run 0 report --dump document "$TRACEBOOK_TOP/tests/golden/host/in"
says out 'title #summary Profiling report'

# What a pull request gets: at most 40 lines and 3 kB, the result first, no picture, no page.
run 0 report --markdown r.md "$recorded"
if [ "$(wc -l <r.md)" -gt 40 ] || [ "$(wc -c <r.md)" -gt 3000 ]; then wrong "r.md: $(wc r.md)"; fi
sed -n 1p r.md >first
says first 'launching is the longer part here'
says r.md 'What only the first step pays' 'First prediction that broke' 'make report BASE=DIR'
if grep -nE '!\[|¶|page 0' r.md; then wrong 'a picture or a page in a text without any'; fi
