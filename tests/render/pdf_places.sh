# SPDX-License-Identifier: Apache-2.0
# Ids of cases that are called like the report's own places: every section by its name, and what
# headings and figures inside the sections are called. The PDF is written and all links are right.
. "$TRACEBOOK_TOP/tests/render/functions"

# The names of all sections, from the program itself.
cp -R "$TRACEBOOK_TOP/templates" templates
echo '{"sections": ["no such"]}' >templates/names.json
small_trace one.json
TRACEBOOK_TEMPLATES=templates run 1 report --template names one.json
names=$(sed 's/.*known are://' err)
[ "$(echo "$names" | wc -w)" -ge 14 ] || wrong "few sections: $names"

mkdir run foreign
cp one.json run
# shellcheck disable=SC2086 # the names are words of their own
python3 - one.json run foreign $names <<'END'
import json, sys
source, run, foreign, *names = sys.argv[1:]
ids = names + ["definitions", "overview-1", "overview-widths", "tables-1", "tables-2", "question-1",
               "questions-1", "compare-a", "recorded-summary", "recorded-2-baseline", "trace-1-one-json"]
cases = [dict(id=i, experiment="e", tag=i, title=f"Case of {i}", question=f"Is {i} taken?", mode="eager",
              status="done", trace="one.json", expect=dict(kernels=1)) for i in ids]
comparisons = [dict(id=i, title=f"Both of {i}", cases=[ids[0], ids[1]]) for i in ("a", "baseline")]
with open(f"{run}/run.json", "w") as f:
    json.dump(dict(tracebook=1, device="host", created="2026-11-20T10:34:01Z", environment={"CPU": "A CPU"},
                   cases=cases, comparisons=comparisons), f)
trace = json.load(open(source))
for rank in range(2):
    trace["distributedInfo"] = dict(rank=rank, world_size=2)
    with open(f"{foreign}/rank{rank}.json", "w") as f:
        json.dump(trace, f)
END

look() { # SECTION-THAT-MUST-STAND ARGUMENT...
	section=$1
	shift
	run 0 report --template atlas -o r.pdf "$@"
	run 0 report --template atlas --dump canvas "$@"
	mv out canvas
	run 0 report --template atlas --dump document "$@"
	mv out document
	says document "$section"
	qpdf --check r.pdf >check 2>&1 || wrong "$(cat check)"
	qpdf --json=2 --json-stream-data=none r.pdf objects.json
	pdftotext -bbox r.pdf words.html
	python3 "$here/links.py" document objects.json words.html
	# A link that is called like a case leads to the heading of that case.
	python3 - <<'END'
import re, sys
document, canvas = (open(name, encoding="utf-8").read() for name in ("document", "canvas"))
heading = dict(re.findall(r"^heading \d #(\S+) (.*)$", document, re.M))
links = re.findall(r'^text "(Case of [^"]*)" .*\nlink "([^"]*)"', canvas, re.M)
wrong = [(label, place) for label, place in links if not (heading.get(place, "") + " ").startswith(label + " ")]
if wrong or len(links) < 25:
    sys.exit(f"{len(links)} links to cases; wrong: {wrong}")
END
}
look '#baseline ' --baseline run --recorded run run
look '#ranks ' run foreign run
run 0 report --template handout -o handout.pdf run
