# SPDX-License-Identifier: Apache-2.0
# The advice against programs that were timed before and after one remedy, and every trace's own words.
. "$TRACEBOOK_TOP/tests/cli/functions"
pairs="$TRACEBOOK_SHARED/traces/h200/pairs"
check="$TRACEBOOK_TOP/tests/advise/pairs.py"
if [ ! -d "$pairs" ]; then
	echo "no pairs in $TRACEBOOK_SHARED"
	exit 77
fi
python3 "$check" "$TRACEBOOK_BIN/report" "$pairs" >out || wrong "the advice does not hold"
says out ' kept'

# It sees a promise that is too large, an action that is not named, and one that is still there after.
for fault in 's/\("gain_ns": [0-9]*\)/\19/' 's/"id": "attention"/"id": "fusion"/' 's/"id": "flash"/"id": "attention"/'; do
	cat >faulty <<END
#!/bin/sh
"$TRACEBOOK_BIN/report" "\$@" | sed '$fault; s/"leave": \[/"unused": 0, "leave": [/'
END
	chmod +x faulty
	case $fault in *flash*)
		# What is left alone after the remedy, taken for an action.
		sed -i 's/; s."leave".*$/; s|"actions": \\[\\]|"actions": [{"id": "attention", "gain_ns": 1}]|'"'"'/' faulty
		;;
	esac
	! python3 "$check" ./faulty "$pairs" >out || wrong "pairs.py does not see: $fault"
done

# No place of a sentence stays open, whatever the trace.
for trace in "$pairs"/*.gz "$TRACEBOOK_SHARED"/traces/h200/programs/*.trace.json.gz "$TRACEBOOK_SHARED"/traces/kineto/*; do
	[ "$(stat -c %s "$trace")" -lt 1000000 ] || continue
	run 0 report --json result.json "$trace"
	python3 - result.json <<'END' || wrong "$trace"
import json
import sys

for run in json.load(open(sys.argv[1], encoding="utf-8"))["runs"]:
    for case in run["cases"]:
        gains = [a["gain_ns"] for a in case.get("actions", [])]
        assert gains == sorted(gains, reverse=True) and all(0 < g <= case["window"]["ns"] for g in gains), gains
        for said in case.get("actions", []) + case.get("leave", []):
            for words in (said["sentence"], said.get("switch", "-")):
                assert words and "{" not in words and "n/a" not in words and "inf" not in words.split(), words
            assert all(e["row"] >= 0 and e["name"] for e in said["events"])
END
done
