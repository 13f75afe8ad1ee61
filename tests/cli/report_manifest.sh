# SPDX-License-Identifier: Apache-2.0
# run.json: what is no manifest is refused in one line; one that is wrong in part never costs more
# than the part. Then everything in it is replaced by something else, one thing at a time, in make check twice.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
cp run/run.json whole.json

refused() { # CONTENT WORDS-OF-THE-MESSAGE
	printf '%s' "$1" >run/run.json
	run 1 report -o refused.pdf run
	lines err 1
	says err run/run.json "$2"
	absent refused.pdf
}
refused '' run.json
refused '{"cases": [' 'run.json'
refused '[1, 2]' '"cases"'
refused '{"tracebook": 1}' '"cases"'
refused '{"cases": 7}' '"cases"'
head -c 1500 whole.json >run/run.json
run 1 report -o refused.pdf run
says err run/run.json
absent refused.pdf

# No case at all.
echo '{"cases": []}' >run/run.json
run 1 report -o refused.pdf run
says err run 'no traces'

# Pages have a bound, which is said; tables and JSON have all.
python3 - <<'END'
import json
run = json.load(open("whole.json"))
first, run["comparisons"] = run["cases"][0], []
run["cases"] = [first] + [{**first, "id": f"m/c{i}", "experiment": "m", "tag": f"c{i}", "status": "failed", "reason": "none", "trace": None, "table": None}
                          for i in range(1002)]
json.dump(run, open("run/run.json", "w"))
END
run 0 report --json many.json run
run 0 report --template atlas --dump document run
says out '3 more cases have no page: the first 1000 have'
[ "$(grep -c '"id": "m/c' many.json)" = 1002 ] || wrong 'cases that are not in --json'

# Two runs: what is wrong with one costs nothing of the other.
mkdir -p two/b
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" two/a
echo '{"cases": ' >two/b/run.json
run 1 report --template atlas -o two.pdf --markdown two.md two
lines err 1
says err two/b/run.json
says two.md 'call graph' 'two/b/run.json'
cp -r two/a two/c
rm -r two/b
run 0 report --template atlas -o two.pdf --svg two.svg --markdown two.md two
[ "$(grep -c 'What is gained?' two.md)" = 2 ] || wrong 'not both comparisons'
[ "$(ls two.svg | wc -l)" = "$(grep -c '^!\[' two.md)" ] || wrong 'figures under one name'

# A case that is done, but names no trace.
sed 's/"trace": "[^"]*eager.json",//' whole.json >run/run.json
run 1 report --template atlas --markdown nameless.md run
says err run/run.json 'names no trace'
says nameless.md 'names no trace' 'call graph'

# A trace beside the manifest, and a name with markup, quotes and angle brackets.
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" run/beside.json
cat >run/run.json <<'END'
{"created": "no date", "cases": [
{"id": "a", "title": "**bold** `code` [x](#y) <b> & \"q\" | ¶ \\", "status": "done",
 "trace": "beside.json", "expect": {"moon": 1, "kernels": "three"}},
{"id": "a", "title": "", "status": "done", "trace": "beside.json"},
{"status": "failed"}], "comparisons": [{"id": "<&>", "cases": ["a", "a", "nobody"]}, {}]}
END
run 0 report --template atlas -o odd.pdf --svg svg --png png --markdown odd.md run
xmllint --noout svg/*.svg
qpdf --check odd.pdf >check 2>&1 || wrong "$(cat check)"
pdftotext odd.pdf text
# shellcheck disable=SC1003 # the last sign is a backslash
says text '**bold** `code` [x] (#y) <b> & "q" | ¶ \'
run 0 report --check run

# One value after the other becomes something else.
python3 - "$TRACEBOOK_BIN/report" <<'END'
import json, os, subprocess, sys

whole = json.load(open("whole.json", encoding="utf-8"))
others = [None, -1, 1e308, "", "\u0000x", "é" * 300, [], [[]], {}, {"case": 3}, True]
sweep = os.environ.get("TRACEBOOK_SWEEP") == "all"


def places(value, path=()):
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield path + (key,)
            yield from places(part, path + (key,))


runs, wrong = 0, []
for n, path in enumerate(places(whole)):
    for other in (others[n % len(others)], others[(n * 7 + 3) % len(others)])[:2 if sweep else 1]:
        changed = json.loads(json.dumps(whole))
        at = changed
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = other
        with open("run/run.json", "w", encoding="utf-8") as f:
            json.dump(changed, f)
        done = subprocess.run([sys.argv[1], "--check", "--markdown", "m.md", "run"],
                              capture_output=True, text=True, errors="replace")
        runs += 1
        if done.returncode not in (0, 1, 3) or (done.returncode == 1) != bool(done.stderr):
            wrong.append(f"{path} = {other!r}: status {done.returncode} {done.stderr[-2000:]}")
print(f"{runs} runs")
print("\n".join(wrong[:5]))
sys.exit(1 if wrong or runs < 100 else 0)
END

# What ran before the recording is not called a cold start, however wide its first step is.
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" before
run 0 report --template atlas --dump document before
says out 'Cold start: where the '
sed -i 's/"warm": false/"warm": true/' before/run.json
run 0 report --template atlas --dump document before
says out 'of the first recorded step went' 'not why'
! grep -q 'Cold start: where' out || wrong 'a case that was warm is called cold'
