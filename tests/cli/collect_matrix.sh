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

# A matrix through a pipe, as anything that a person names; a device is none.
echo '{"cases": [{"workload": "matmul_add", "size": 32}]}' >m.json
run 0 collect --list m.json
mv out listed
for way in - pipe; do
	if [ $way = pipe ]; then mkfifo pipe && { cat m.json >pipe & }; fi
	"$TRACEBOOK_BIN/collect" --list $way <m.json >out 2>err || wrong "$way: status $?"
	cmp -s out listed || wrong "another list: $way"
done
# shellcheck disable=SC2002 # a pipe is what is tried
cat m.json | "$TRACEBOOK_BIN/collect" --list - >out 2>err || wrong "a pipe as stdin: status $?"
cmp -s out listed || wrong 'another list'
for device in /dev/zero /dev/null; do
	run 1 collect --list $device
	is err "collect: $device is a device: not read"
done

# Four times as many cases take no more than some eight times as long.
python3 - "$TRACEBOOK_BIN/collect" <<'END' >out 2>err || wrong 'too slow for its cases'
import json, os, resource, subprocess, sys
def seconds(n):
    with open("large.json", "w") as f:
        json.dump({"cases": [{"workload": "matmul_add", "size": 32, "tag": f"t{i}"} for i in range(n)],
                   "comparisons": [{"id": f"c{i}", "cases": ["matmul_add/t0", f"matmul_add/t{i + 1}"]} for i in range(n // 2)]}, f)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.argv[1], "--list", "large.json"], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
san = 4 if os.environ.get("TRACEBOOK_SAN") else 1
small, large = (min(seconds(n // san) for _ in range(3)) for n in (10000, 40000))
assert large <= 8 * small + 0.3 * san, (small, large)
END
