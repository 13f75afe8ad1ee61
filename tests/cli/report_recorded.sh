# SPDX-License-Identifier: Apache-2.0
# report --recorded: runs of other machines in parts of their own, that no count of this run holds;
# what is no run is refused.
. "$TRACEBOOK_TOP/tests/cli/functions"

golden=$TRACEBOOK_TOP/tests/golden/host/in
cp -r "$golden" run
mkdir -p recorded/z recorded/nothing
sed 's/"CPU": "[^"]*"/"Device": "A GPU of tests"/; s/2026-11-20/2026-10-01/
	s/"device": "host"/"device": "cuda"/; s/Small product/Recorded product/' \
	run/run.json >recorded/z/run.json
cp -r run/matmul_add recorded/z/
gzip recorded/z/matmul_add/*.json
echo nothing >recorded/README

label='recorded on A GPU of tests at 2026-10-01, not measured here'
run 0 report --template atlas -o plain.pdf --svg plain --markdown plain.md run
run 0 report --template atlas -o both.pdf --svg both --png png --markdown both.md --recorded recorded run
qpdf --check both.pdf >check 2>&1 || wrong "$(cat check)"

# Pages: those of the run say nothing new, all behind them say where they come from, at both ends.
pages=$(pdfinfo both.pdf | awk '/^Pages:/ { print $2 }')
recorded=0
for page in $(seq "$pages"); do
	pdftotext -layout -f "$page" -l "$page" both.pdf text
	said=$(grep -c "$label" text || true)
	if [ "$said" -ge 2 ]; then
		recorded=$((recorded + 1))
	else
		[ "$said$recorded" = 00 ] || wrong "page $page says $said times that it is recorded, $recorded pages before it are"
	fi
done
if [ $recorded -le 2 ] || [ $recorded -ge "$pages" ]; then wrong "$recorded of $pages pages are recorded"; fi

# Nothing in this run's numbers.
run 0 report --template atlas --dump document run
mv out plain.txt
run 0 report --template atlas --dump document --recorded recorded run
sed '/^page$/,$d' out | grep -v 'A GPU of tests' >own.txt
diff plain.txt own.txt >difference || wrong "the run itself changed: $(cat difference)"
says out '#recorded-summary' 'Recorded product' '#recorded-matmul_add-64_bf16_cold_eager'

# An answer names what a recorded run shows: its page where that is the same, its own answer where not.
says out 'On the A GPU of tests too: Recorded product page'
[ "$(grep -c 'On the A GPU of tests' out)" = "$(sed '/^page$/,$d' out | grep -c 'On the A GPU of tests')" ]
mkdir other
sed 's/Recorded product/Even product/' recorded/z/run.json >other/run.json
mkdir other/matmul_add
python3 - recorded/z/matmul_add/64_bf16_cold_eager.json.gz other/matmul_add/64_bf16_cold_eager.json <<'END'
import gzip, json, sys
trace = json.load(gzip.open(sys.argv[1], "rt", encoding="utf-8"))
trace["traceEvents"] = [e for e in trace["traceEvents"] # no first-call work: nothing names the cause
    if e.get("cat") != "cpu_op" or e["name"].startswith("aten::")]
json.dump(trace, open(sys.argv[2], "w", encoding="utf-8"))
END
run 0 report --template atlas --dump document --recorded other run
grep -q 'On the A GPU of tests (Even product page ¶): In ' out || wrong 'another answer is not told in full'
run 0 report --json plain.json run
run 0 report --json both.json -o again.pdf --recorded recorded run
cmp plain.json both.json

# Figures of both, none over another.
[ "$(ls both | wc -l)" -gt "$(ls plain | wc -l)" ] || wrong 'no figures of the part'
for file in $(ls plain); do
	cmp "plain/$file" "both/$file"
done
[ "$(ls both | sort | uniq -d | wc -l)" = 0 ]
[ "$(ls both | grep -c '^recorded-')" = "$(($(ls both | wc -l) - $(ls plain | wc -l)))" ] ||
	wrong "$(ls both)"
[ "$(ls png | wc -l)" = "$(ls both | wc -l)" ]

# Markdown: what was there, then a short part.
grep -v 'A GPU of tests' both.md | sed '/^<a id="recorded-/,$d' | grep . >own.md
sed 's,(plain/,(both/,' plain.md | grep . | grep -v ' held, broke, undecided · ' | grep -vx '<!-- tracebook -->' | diff - own.md >difference || wrong "the summary changed: $(cat difference)"
says both.md "$label" 'Recorded product'
[ "$(grep -c "$label" both.md)" = 1 ]
grep -q '^## A recorded run: A GPU of tests' both.md || wrong 'no second part in the summary'

# The same bytes again, and several runs, the one with the most cases first, of as many in the order of their names.
run 0 report --template atlas -o again.pdf --recorded recorded/z run
cmp both.pdf again.pdf
cp -r recorded/z recorded/a
sed -i 's/A GPU of tests/Another/' recorded/a/run.json
run 0 report --template atlas -o two.pdf --svg two --recorded recorded run
qpdf --check two.pdf >check 2>&1 || wrong "$(cat check)"
pdftotext two.pdf text
[ "$(grep -m 1 -o 'A recorded run: .*' text)" = 'A recorded run: Another, 3 cases' ] || wrong 'not by name'
says text 'A recorded run: A GPU of tests'
ls two | grep -q '^recorded-2-' || wrong 'the second run has no figures'
python3 - <<'END'
import json
run = json.load(open("recorded/a/run.json", encoding="utf-8"))
run["cases"].pop()
json.dump(run, open("recorded/a/run.json", "w", encoding="utf-8"))
END
run 0 report --template atlas --dump document --recorded recorded run
grep -m 1 -o 'A recorded run: .*' out | grep -q '^A recorded run: A GPU of tests, 3 cases ' || wrong 'not the largest first'

# Ranges around device work are no share of it, nor is anything more than the whole.
run 0 report --template atlas --dump document --recorded "$TRACEBOOK_TOP/experiments/recorded" run
grep -q '^  row ProfilerStep\* | – | .* µs | – | .* µs' out || wrong 'no row of a range'
! grep -E '^  row .* \| (10[1-9]|1[1-9][0-9]|[2-9][0-9][0-9]|[0-9]{4,}) % \|' out ||
	wrong 'more than the whole'
says out 'the step nearest to its median or, if that step waited' 'the first step, since not all start warm'
run 0 report --template atlas --dump canvas --recorded "$TRACEBOOK_TOP/experiments/recorded" run
says out 'the CPU is done after' 'the device waits for'

# A case beside itself differs less than its own steps do; beside one five times as slow it does not.
# Of more cases all pairs are named whose medians differ no more than the steps of one of the two, and whose steps differ most.
beside() { # NAME=FACTOR,FACTOR,FACTOR ...: a run of cases; each of the three steps takes that many times as long
	rm -rf pair
	mkdir pair
	python3 - "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200" "$@" <<'END'
import bisect, gzip, json, sys
source, *asked = sys.argv[1:]
run = json.load(open(f"{source}/run.json", encoding="utf-8"))
case = next(c for c in run["cases"] if c["id"] == "matmul_add/64_bf16_warm_eager")
trace = json.load(gzip.open(f"{source}/{case['trace']}.gz", "rt", encoding="utf-8"))
events = trace["traceEvents"]
steps = sorted({e["ts"] for e in events if e.get("name", "").startswith("ProfilerStep") and e.get("cat") == "user_annotation"})
begin = [min(e["ts"] for e in events if "ts" in e)] + steps[1:]
run["cases"] = []
for name, factors in (a.split("=") for a in asked):
    times = [float(f) for f in factors.split(",")]
    assert len(begin) == len(times), begin
    at = [begin[0]]
    for k in range(1, len(times)):
        at.append(at[-1] + (begin[k] - begin[k - 1]) * times[k - 1])

    def moved(ts):
        k = max(bisect.bisect_right(begin, ts) - 1, 0)
        return at[k] + (ts - begin[k]) * times[k]

    run["cases"].append({**case, "id": f"matmul_add/{name}", "tag": name, "title": name, "trace": f"{name}.json", "expect": {},
                         "shape": {"size": 64 + len(run["cases"])}}) # other work: the same would tell how far processes are apart
    new = [{**e, **({"ts": moved(e["ts"])} if "ts" in e else {}),
            **({"dur": moved(e["ts"] + e["dur"]) - moved(e["ts"])} if "dur" in e else {})} for e in events]
    json.dump({**trace, "traceEvents": new}, open(f"pair/{name}.json", "w", encoding="utf-8"))
run["comparisons"] = [{**run["comparisons"][0], "cases": [c["id"] for c in run["cases"]]}]
json.dump(run, open("pair/run.json", "w", encoding="utf-8"))
END
	run 0 report --template atlas --dump document pair
}
beside one=1,1,1 other=1,1,1
says out 'The steps of “one” differ by up to'
beside one=1,1,1 other=5,5,5
! grep -q '” differ by up to' out || wrong 'five times as slow is called spread'
beside one=1,1,1 wide=1.3,0.7,1.7 far=5,5,5 wider=1.4,0.6,1.8
says out '%, of “wider”), widths are not evidence of a change: counted from the top, 1 and 2; 1 and 4; 2 and 4.'

# A GPU needs no other's; sheets have no parts.
sed 's/"device": "host"/"device": "any", "is_gpu": true/' run/run.json >run.new
mv run.new run/run.json
run 0 report --template atlas --dump document --recorded recorded run
says out 'left out'
if grep -q 'not measured here' out; then wrong 'recorded runs beside a GPU'; fi
# A run that does not say it is one of a GPU when its device is not its CPU, whatever that is called;
# one that says it is none is believed.
sed 's/"device": "host"/"device": "any"/; s/"CPU"/"Device": "A GPU of tests", "CPU"/' "$golden/run.json" >run/run.json
run 0 report --template atlas --dump document --recorded recorded run
! grep -q 'not measured here' out || wrong 'recorded runs beside a GPU of an older run'
sed -i 's/"device": "any"/"device": "cuda", "is_gpu": false/' run/run.json
run 0 report --template atlas --dump document --recorded recorded run
says out 'not measured here'
cp "$golden/run.json" run/
run 2 report --template cheatsheet --dump document --recorded recorded run
says err '--recorded has no effect with --template cheatsheet'

# What tests/gpu/run leaves becomes such a folder.
mkdir -p evidence/traces evidence/tables
cp -r "$golden" evidence/traces/cuda
printf 'what\tGB_per_s\ncopy\t5\n' >evidence/tables/bandwidth.tsv
echo other >evidence/tables/steps.tsv
for part in traces tables; do
	(cd evidence && tar czf "$part.tar.gz" "$part" && rm -r "$part")
done
for kept in kept again; do
	sh "$TRACEBOOK_TOP/tests/gpu/keep" evidence a-gpu $kept >said
	says said KiB
done
diff -r kept again
[ "$(find kept -type f | sort | tr '\n' ' ')" = "kept/a-gpu/matmul_add/64_bf16_cold_compile.json.gz \
kept/a-gpu/matmul_add/64_bf16_cold_eager.json.gz kept/a-gpu/run.json kept/a-gpu/tables/bandwidth.tsv " ] ||
	wrong "$(find kept -type f)"
run 0 report --template atlas --dump document --recorded kept run
says out '#recorded-tables' 'row copy'
rm evidence/tables.tar.gz # of chosen stages there may be none
sh "$TRACEBOOK_TOP/tests/gpu/keep" evidence a-gpu bare >said
[ -e bare/a-gpu/run.json ] && [ ! -e bare/a-gpu/tables ] || wrong "$(find bare)"

# What is no run.
run 1 report -o no.pdf --recorded nowhere run
says err '--recorded' nowhere
run 1 report -o no.pdf --recorded recorded/nothing run
says err 'recorded/nothing holds no run'
echo '{' >recorded/a/run.json
run 1 report -o no.pdf --recorded recorded run
says err recorded/a/run.json
absent no.pdf
