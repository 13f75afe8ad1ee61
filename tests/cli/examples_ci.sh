# SPDX-License-Identifier: Apache-2.0
# What is for build servers: the script and the step of GitHub's file that measures, run for real; all other commands of
# both files are shell, and they name files that are there.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'it runs what is built without sanitizers'; exit 77; }
needs_host
# What the matrix predicts of a GPU may break on this machine: nothing else may.
passes() { # STATUS OUTPUT
	[ "$1" = 0 ] || { [ "$1" = 3 ] && grep -q '^BROKEN' "$2"; } || wrong "$1: $(cat "$2" err)"
	! grep -q '^SLOWER' "$2" || wrong "$(cat "$2")"
}
ci=$TRACEBOOK_TOP/examples/ci
ROUNDS=2 OUT=ci "$ci/compare.sh" "$TRACEBOOK_BIN" "$TRACEBOOK_BIN" --device host \
	--only 'matmul_add/64_bf16_warm_eager' >said 2>err || status=$?
says said 'INCONCLUSIVE matmul_add/64_bf16_warm_eager' '1 compared'
says ci/comment.md '### Inconclusive'
[ "$(wc -l <ci/comment.md)" -le 40 ] || wrong "$(cat ci/comment.md)"
[ "$(wc -c <ci/comment.md)" -le 3000 ] || wrong "$(cat ci/comment.md)"
[ -s ci/report.pdf ] || wrong 'no pages'

PATH=$TRACEBOOK_PATH # with Python's packages
python3 -c 'import yaml' 2>/dev/null || exit 0 # the files are read where there is a reader of YAML
mkdir -p old new/examples new/out steps
ln -s "$TRACEBOOK_BIN/.." old/out
ln -s "$TRACEBOOK_BIN" new/out/bin
ln -s "$ci" new/examples/ci
python3 - "$ci" <<'END'
import re, sys, yaml
files = {name: yaml.safe_load(open(f"{sys.argv[1]}/{name}.yml", encoding="utf-8")) for name in ("github", "gitlab")}
flow = files["github"]
assert flow["on"] == "pull_request" and flow["permissions"] == {"contents": "read", "pull-requests": "write"}
steps = flow["jobs"]["compare"]["steps"]
for step in steps:
    assert ("run" in step) != ("uses" in step), step
    assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "a/b@v1")), step
    # What a stranger's pull request says reaches a shell by the environment only.
    assert "${{" not in step.get("run", ""), step
ids = {s["id"] for s in steps if "id" in s}
assert set(re.findall(r"steps\.(\w+)\.", str(steps))) <= ids
job = files["gitlab"]["performance"]
scripts = {"github-%d" % i: s["run"] for i, s in enumerate(steps) if "run" in s}
scripts["gitlab"] = "\n".join(job["before_script"] + job["script"])
for name, text in scripts.items():
    with open(f"steps/{name}", "w", encoding="utf-8") as f:
        f.write(text)
with open("steps/measure", "w", encoding="utf-8") as f:
    f.write(next(s["run"] for s in steps if s.get("id") == "compare").replace("'square/256x*'", "'square/256x64'"))
assert "out/compare/report.pdf" in job["artifacts"]["paths"]
END
for step in steps/*; do
	sh -n "$step" || wrong "$step is no shell"
done
GITHUB_STEP_SUMMARY=$PWD/summary GITHUB_OUTPUT=$PWD/output ROUNDS=2 bash -e steps/measure >said 2>err || wrong "$(cat said err)"
status=$(sed -n 's/^status=//p' output)
passes "$status" said
cmp summary out/compare/comment.md
[ -s out/compare/report.pdf ] || wrong 'no pages'
