# SPDX-License-Identifier: Apache-2.0
# Each pattern of the catalogue is named where it is, and not where something is only like it.
. "$TRACEBOOK_TOP/tests/cli/functions"
made="$TRACEBOOK_TOP/tests/advise/made.py"
advice="$TRACEBOOK_TOP/templates/en/advice.json"
mkdir patterns
python3 "$made" write patterns
run 0 report --json said.json patterns
python3 "$made" check "$advice" said.json >out || wrong "patterns"
says out ' 0 wrong'

# Each row of a pattern has a trace here.
sed -n 's/.*\(PATTERN(\|\.id = \)"\([a-z-]*\)".*/\2/p' "$TRACEBOOK_TOP"/report/rules/patterns_*.c | sort >rows
sed -n 's/^    "\([a-z-]*\)": (.*/\1/p' "$made" | sort >traces
cmp rows traces || wrong "rows without a trace, or traces without a row: $(diff rows traces)"

# A setting stands in front of what saves more.
python3 - said.json <<'END' || wrong "settings first"
import json, sys
for run in json.load(open(sys.argv[1]))["runs"]:
    for case in run["cases"]:
        if case["id"].endswith("deterministic.yes.json") or case["id"].endswith("train-mode.yes.json"):
            assert case["actions"][0]["id"] in ("deterministic", "train-mode"), case["actions"]
END

# It sees an action that is not there, and one too many.
for fault in 's/"id": "unfold"/"id": "pad"/' 's/"id": "repeats"/"id": "unfold"/' 's/"name": "Convolve/"name": "Fold/'; do
	sed "$fault" said.json >faulty.json
	! python3 "$made" check "$advice" faulty.json >out || wrong "made.py does not see: $fault"
done
