# SPDX-License-Identifier: Apache-2.0
# The gate: what it fails for is set, it says how many samples would decide, and several pairs can fail it, too.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 - <<'END'
from steps import trace
for name in "one", "two", "three":
    trace(f"was/{name}.json", steps=3)
    trace(f"now/{name}.json", steps=3, host=60 if name == "one" else 0)
trace("a.json")
trace("above.json", host=9)
trace("noisy.json", host=[0, 300, 0, 300, 0, 300, 0, 0])
trace("noisier.json", host=[300, 0, 300, 0, 300, 0, 300, 300])
END

# Three pairs of three steps each: a quarter more of the host is found among them.
run 3 report --check --baseline was now
says out 'SLOWER now/one.json: step 1.2' '3 compared: 1 slower'
run 0 report --check --baseline was was

# The threshold: 4 % count as a change when they are asked to.
run 0 report --check --baseline a.json above.json
says out 'SAME above.json: step 1.04x'
run 3 report --check --fail-on slower=3% --baseline a.json above.json
says out 'SLOWER above.json: step 1.04x'
run 3 report --check --fail-on slower=0.03 --baseline a.json above.json
run 0 report --check --fail-on slower=30% --baseline was now
run 0 report --fail-on slower=3% --check --markdown m.md --baseline above.json a.json
says m.md '3.0 %'

# What is inconclusive has a status of its own when it is asked for, and says what would decide.
run 0 report --check --baseline noisy.json noisier.json
says out 'INCONCLUSIVE noisier.json'
grep -Eq 'About [0-9]+ steps a side would decide it' out || wrong 'not said how many steps'
run 5 report --check --fail-on inconclusive --json j.json --baseline noisy.json noisier.json
python3 -c 'import json; n = json.load(open("j.json"))["comparison"]["needs"]; assert 7 < n <= 1000, n' || wrong 'needs'
run 0 report --check --fail-on inconclusive --baseline a.json a.json
run 3 report --check --fail-on inconclusive --baseline was now
run 0 report -o p.pdf --baseline noisy.json noisier.json
pdftotext -layout p.pdf text
tr -s ' \n' '  ' <text | grep -Eq 'About [0-9]+ steps a side would decide it' || wrong 'the page does not say how many'

# Cases of a matrix with one recording a side are decided by rounds, whatever their steps.
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
sed -i '/"ProfilerStep#/s/"dur": \([0-9]*\)/"dur": \1.01/; s/\.01\.[0-9]*/.01/' run/*/*.json
run 3 report --check --markdown m.md --baseline "$TRACEBOOK_TOP/tests/golden/host/in" run # by its own predictions
says out '2 compared: 0 slower, 0 faster, 0 same, 2 inconclusive' 'About 9 rounds of both in turn would decide it'
says m.md 'One recording per side does not show' 'About 9 rounds of both in turn would decide it'

# A budget, with nothing to compare with: of the median step.
run 0 report --check --fail-on step=300us a.json
run 3 report --check --fail-on step=200us a.json
says out 'OVER a.json: a step takes 240.700 us, and may take 200.000 us'
run 3 report --check --fail-on step=0.2ms --fail-on slower=9% --baseline a.json above.json

for rule in slower slower= slower=0 slower=200% step=fast step=0 step=20 equal inconclusive=1; do
	run 2 report --check --fail-on "$rule" --baseline a.json above.json
	says err '--fail-on takes slower=SHARE'
done
run 2 report --fail-on inconclusive -o p.pdf a.json

# Where the comment is what is written to stdout, nothing stands before it.
run 3 report --check --markdown - --baseline was now
says err 'SLOWER now/one.json: step 1.2' '3 compared: 1 slower'
! grep -q SLOWER out || wrong 'the verdict stands in the document'

# The comment names what was compared, and two programs are called so.
run 0 report --markdown m.md --baseline a.json above.json
says m.md '`a.json` → `above.json`'
python3 - <<'END'
import json
from steps import trace
trace("other.json", device="AMD Instinct MI300X")
with open("other.json", encoding="utf-8") as f:
    t = json.load(f)
del t["cuda_driver_version"]
t["hip_driver_version"] = 70253211
for e in t["traceEvents"]:
    if e["cat"] == "kernel":
        e["name"] = "Cijk_" + e["name"]
        e["args"]["grid"] = [4, 1, 1]
    elif e["cat"] == "cpu_op":
        e["name"] = "hip::" + e["name"]
with open("other.json", "w", encoding="utf-8") as f:
    json.dump(t, f)
END
run 0 report --check --markdown m.md --baseline a.json other.json
says out 'no kernel in common'
says m.md 'no kernel in common'
[ "$(grep -c 70253211 out)" = 1 ] || wrong 'the driver is told twice'
says out '70253211, before: 13000'

# Of two runs of our own the builds are named.
sed -i 's/0123456789abcdef0123456789abcdef01234567/fedcba9876543210fedcba9876543210fedcba98/' run/run.json
run 0 report --markdown m.md --baseline "$TRACEBOOK_TOP/tests/golden/host/in" run
says m.md 'tracebook commit 0123456789abcdef0123456789abcdef01234567 → fedcba9876543210fedcba9876543210fedcba98'
