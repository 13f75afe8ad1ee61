# SPDX-License-Identifier: Apache-2.0
# A trace that is cut off says so first, on stderr and below the title, and is not judged: files hold the host's events
# first, so that a cut takes the device's work, and a compute-bound program would look launch-bound.
. "$TRACEBOOK_TOP/tests/cli/functions"
# Four steps in which the device is busy all the time; the host's events, then the device's, as PyTorch writes them.
python3 - <<'END'
import json
host, device = [], []
for step in range(4):
    at = 10000 * step
    host.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 7, "tid": 7, "ts": at, "dur": 9990})
    for i in range(20):
        n = 20 * step + i + 1
        host.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": at + 40 * i, "dur": 30, "args": {"External id": n}})
        host.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": at + 40 * i + 5, "dur": 10,
                     "args": {"correlation": n, "External id": n}})
        device.append({"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "pid": 0, "tid": 7, "ts": at + 50 + 490 * i, "dur": 489,
                       "args": {"correlation": n, "stream": 7, "device": 0, "grid": [4, 1, 1], "block": [128, 1, 1]}})
lines = ",\n".join(map(json.dumps, host + device))
with open("made.json", "w", encoding="utf-8") as f:
    f.write('{"schemaVersion": 1, "traceEvents": [\n' + lines + '\n], "traceName": "made.json"}')
with open("array.json", "w", encoding="utf-8") as f:
    f.write("[\n" + lines + ",\n")
END
cat >campaign.py <<'END'
import json, pathlib, subprocess, sys

report, *paths = sys.argv[1:]
tried = 0


def run(*words):
    return subprocess.run([report, *map(str, words)], capture_output=True, text=True, check=False)


def case_of(path, *words):
    done = run("--json", "j.json", *words, path)
    assert done.returncode == 0, (path, done.stderr)
    with open("j.json", encoding="utf-8") as f:
        return json.load(f)["runs"][0]["cases"][0], done.stderr


def hold(path, share, whole):
    name = f"cut-{share}{''.join(path.suffixes[-2:])}"
    data = path.read_bytes()
    pathlib.Path(name).write_bytes(data[:int(len(data) * share)])
    where = f"{path.name} at {share}"
    case, said = case_of(name, "-o", "p.pdf", "--markdown", "m.md")
    assert f"{name} is not whole" in said, (where, said)
    assert case["headline"] == "none" and case["window"]["lacks"] in ("rest", "device"), (where, case["headline"], whole)
    assert not case["actions"] and not case["leave"], where
    assert case["numbers"]["regime"] == "none", where
    assert not [f for f in case["findings"] if f["state"] == "fired"], where
    text = subprocess.run(["pdftotext", "-l", "1", "-layout", "p.pdf", "-"], capture_output=True, text=True, check=True).stdout
    lines = [line for line in text.splitlines() if line.strip()]
    assert "is not whole" in lines[2], (where, lines[:4])  # below the title and its note
    note = pathlib.Path("m.md").read_text(encoding="utf-8")
    assert "is not whole" in note and "**–** device busy in it" in note, (where, note)
    for word in ("-bound", "Limited by"):
        assert word not in text and word not in note, (where, word)
    for words in (["--check"], ["--check", "--baseline", path], ["--baseline", path]):
        done = run(*words, "--json", "j.json", name)
        assert done.returncode == 1 and "not whole" in done.stderr, (where, words, done)
    assert run("--baseline", name, "--json", "j.json", path).returncode == 1, where


for path in map(pathlib.Path, paths):
    whole, said = case_of(path)
    assert whole["headline"] != "none" and "whole" not in said, path
    for share in (0.5, 0.7, 0.85, 0.95):
        hold(path, share, whole["headline"])
        tried += 1
print(tried, "cuts")
END
set -- made.json
traces=$TRACEBOOK_SHARED/traces
for trace in h200/programs/gpt2_train_eager.pt.trace h200/programs/resnet18_amp_loader.pt.trace h200/pairs/pad_vocab.before.pt.trace \
	h200/pairs/sdpa.before.pt.trace kineto/h100_qwen1.5_0.5b_chat kineto/mi300x_bert_small; do
	[ ! -f "$traces/$trace.json.gz" ] || set -- "$@" "$traces/$trace.json.gz"
done
python3 campaign.py "$TRACEBOOK_BIN/report" "$@" >out 2>err || wrong 'a cut is not told, or judged'
says out "$(($# * 4)) cuts"

# Cut off behind its events nothing is missing: its verdict stands. So it does where a list that began without an object
# has no closing bracket, which it may do without.
head -c "$(($(wc -c <made.json) - 12))" made.json >behind.json
for whole in behind.json array.json; do
	run 0 report --json - $whole
	silent err
	says out '"headline": "compute-bound"'
done

# One of two is cut: the other is compared, and the gate says that it could not judge all.
mkdir old new
cp made.json old/a.json
cp made.json old/b.json
cp made.json new/a.json
head -c 20000 made.json >new/b.json
run 0 report --json j.json --baseline old new
says err 'b.json is not whole'
says j.json '"a.json"'
run 1 report --check --baseline old new
says err '1 trace is not whole and was not judged'
# Predictions of what is not whole are neither kept nor broken.
run 0 report --learn learnt.json made.json
sed 's/made.json/b.json/' learnt.json >expect.json
run 1 report --expect expect.json --check new/b.json
says out '0 predictions kept, 0 broken' 'not judged'
