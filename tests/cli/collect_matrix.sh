# SPDX-License-Identifier: Apache-2.0
# A matrix with a mistake in it is refused before anything runs: file, case and field are named.
. "$TRACEBOOK_TOP/tests/cli/functions"

refused() { # MATRIX WORDS-OF-THE-MESSAGE...
	printf '%s\n' "$1" >wrong.json
	shift
	run 1 collect --device host --out traces wrong.json
	silent out
	lines err 1
	says err wrong.json "$@"
	absent traces
}
good='{"workload": "matmul_add", "size": 64}'

refused "{\"cases\": [$good, {\"workload\": \"matmul_add\", \"sizes\": 64}]}" \
	'case 2 (matmul_add)' '"sizes"' 'did you mean "size"'
refused '{"cases": [{"workload": "matmul_sub", "size": 64}]}' \
	'case 1' 'unknown workload "matmul_sub"' matmul_add linear
refused "{\"cases\": [$good, $good]}" 'case 2' 'already a case' '"tag"'
refused '{"cases": [{"workload": "matmul_add", "size": -4}]}' 'case 1' '"size"' 'at least 1'
refused '{"cases": [{"workload": "linear", "batch": 4, "in_dim": 4}]}' 'case 1' '"out_dim"'
refused '{"cases": [{"workload": "matmul_add", "size": 64, "in_dim": 3}]}' 'case 1' '"in_dim"'
refused "{\"cases\": [$good], \"comparisons\": [{\"id\": \"x\", \"cases\": [\"a/b\", \"c/d\"]}]}" \
	'comparison 1 (x)' '"a/b"'
refused '{"cases": [{"workload": "matmul_add", "size": 64, "expect": {"regime": "fast"}}]}' \
	'case 1' '"regime"' compute-bound
refused '{"cases": [{"workload": "matmul_add", "size": 64, "schedule": {"active": 0}}]}' \
	'case 1' '"active" is 0'
refused '{"cases": []}' 'nothing to run'

# The default matrix is right, and its README names every field that it uses.
run 0 collect --list "$TRACEBOOK_TOP/experiments/matrix.json"
python3 - <<'END'
import json, os
top = os.environ["TRACEBOOK_TOP"] + "/experiments/"
matrix = json.load(open(top + "matrix.json"))
about = open(top + "README.md").read()
fields = set(matrix)
for part in matrix["cases"] + matrix["comparisons"]:
    fields |= set(part) | set(part.get("expect", {})) | set(part.get("schedule", {}))
missing = [f for f in sorted(fields) if f"`{f}`" not in about]
assert not missing, missing
# A case of a user's own needs none of them.
told = [c for c in matrix["cases"] if c.get("guess") and c.get("question") and c.get("title")]
assert len(told) > 30, len(told)
END
