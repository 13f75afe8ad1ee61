# SPDX-License-Identifier: Apache-2.0
# Every command of the README and of docs/ runs as it stands there: those of the programs in a folder with what they name,
# and the lines of PyTorch on a stand-in with PyTorch's own signatures. What stands inside a sentence has options that there
# are. The commands of make are in docs_make.sh.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'it runs what is built without sanitizers'; exit 77; }
needs_host
mkdir -p here/out here/traces bin
ln -s "$TRACEBOOK_BIN" here/out/bin
PATH=$PWD/bin:$PATH
cd here
# With the range and the rank that a line names.
mkdir ranks
python3 - "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" <<'END'
import json, sys
trace = json.load(open(sys.argv[1], encoding="utf-8"))
[step] = [e for e in trace["traceEvents"] if e["name"] == "ProfilerStep#1"]
trace["traceEvents"] += [dict(step, name="forward", ts=step["ts"] + i, dur=1) for i in range(4)]
json.dump(trace, open("traces/trace.json", "w", encoding="utf-8"))
for rank in 4, 5:
    json.dump(dict(trace, distributedInfo={"backend": "nccl", "rank": rank, "world_size": 8}), open(f"ranks/{rank}.json", "w", encoding="utf-8"))
END
gzip -c traces/trace.json >trace.json.gz
cp trace.json.gz somebody.pt.trace.json.gz
cp -R traces old
cp -R traces new
ln -s "$TRACEBOOK_BIN" build.old
ln -s "$TRACEBOOK_TOP/experiments/recorded" DIR
echo 'print("trained")' >train.py
cp train.py serve.py
gzip -dc "$TRACEBOOK_TOP/tests/data/snapshots/train_python.pickle.gz" >snapshot.pickle
mkdir log
cp "$TRACEBOOK_TOP/tests/fuzz/seeds/compile_log/one.log" log/
# What starts several processes elsewhere starts one here.
printf '#!/bin/sh\nshift 2\nexec python3 "$@"\n' >../bin/torchrun
chmod +x ../bin/torchrun
git init -q -b main . && git add train.py && git -c user.name=a -c user.email=a@b commit -qm one && git switch -qc mine
for program in collect report; do
	"$TRACEBOOK_BIN/$program" --describe
done >table

# What is recorded first is read later.
python3 - "$TRACEBOOK_TOP"/README.md "$TRACEBOOK_TOP"/docs/record.md "$TRACEBOOK_TOP"/docs/*.md <<'END'
import re, shlex, sys
text = "\n".join(open(p, encoding="utf-8").read() for p in dict.fromkeys(sys.argv[1:]))
lines = [l for block in re.findall(r"```sh\n(.*?)```", text, re.S) for l in block.splitlines() if l.strip()]
known = [l for l in lines if l.startswith(("out/bin/tracebook ", "git ", "make "))]
assert lines == known, set(lines) - set(known)
programs = [l for l in dict.fromkeys(" ".join(l.split()) for l in lines) if not l.startswith("make ")]
assert len(programs) > 20, programs
piped = re.findall(r"`([a-z]+ [^`]*\| out/bin/[^`]*)`", text)
assert piped
with open("programs", "w", encoding="utf-8") as f:
    f.write("\n".join(programs + piped) + "\n")

# Inside a sentence: an option that the program does not have is one that was renamed.
options = {"collect": set(), "report": set()}
for row in open("table", encoding="utf-8"):
    cell = row.rstrip("\n").split("\t")
    if cell[1] == "option":
        options[cell[0]].update({"--" + cell[2], "-" + cell[3]})
every, seen = options["collect"] | options["report"], 0
for said in re.findall(r"`((?:(?:out/bin/)?tracebook |collect |report |--)[^`\n]*)`", text):
    words = shlex.split(said.replace("…", ""))
    words = words[:words.index("--")] if "--" in words else words
    program = next((w for w in words[:2] if w in options), None)
    for word in words:
        word = word.split("=")[0]
        if word.startswith("-") and word != "-" and word != "--help":
            assert word in (options[program] if program else every), f"no option {word}: {said}"
            seen += 1
assert seen > 40, seen
for name, python in zip(("lines.py", "told.py"), re.findall(r"```python\n(.*?)```", text, re.S), strict=True):
    open(name, "w", encoding="utf-8").write(python)
END

# Traces that a line names as given; what --cut writes is none.
sed 's/--cut [^ ]*//' programs | grep -o '[a-z_.-]*\.json\.gz' | sort -u | while read -r name; do
	[ -e "$name" ] || cp trace.json.gz "$name"
done
while read -r command; do
	status=0
	(eval "$command") >out.txt 2>err </dev/null || status=$?
	case $status:$command in
	0:*) ;;
	3:*--check*) ;;
	4:*'--device cuda'*) ;;
	1:*--against\ ../before*) says err 'nothing was recorded' ;; # train.py has nothing to record (collect_turns)
	*) wrong "status $status: $command" ;;
	esac
done <programs
for file in trace.pdf today.json result.json report.pdf out/traces/host/run.json; do
	[ -s "$file" ] || wrong "no $file"
done
# --report says a file, but nothing was there to record.
absent out.pdf

mkdir torch
echo 'from . import cuda' >torch/__init__.py
echo 'def synchronize(device=None): pass' >torch/cuda.py
cat >torch/profiler.py <<'END'
"""torch.profiler's names with the signatures of PyTorch 2, and the schedule as it is documented."""
import os
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    return lambda step: step < (wait + warmup + active) * max(repeat, 1) and step % (wait + warmup + active) >= wait + warmup
def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    def ready(p):
        os.makedirs(dir_name, exist_ok=True)
        open(os.path.join(dir_name, "worker.1.pt.trace.json"), "w").write(" ".join([str(p.recorded), *p.told]))
    return ready
class profile:
    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False):
        self.when, self.ready, self.n, self.recorded, self.told = schedule, on_trace_ready, 0, 0, []
    def __enter__(self):
        return self
    def step(self):
        self.recorded += self.when(self.n)
        self.n += 1
    def add_metadata(self, key, value):
        assert not self.recorded and 0 < int(value) < 10 ** 9
        self.told.append(key)
    def __exit__(self, *_):
        self.ready(self)
END
rm -rf traces
python3 - <<'END'
exec(open("lines.py", encoding="utf-8").read(), {"batches": range(20), "train_step": lambda batch: None})
END
[ "$(cat traces/*.pt.trace.json)" = 5 ] || wrong 'not the five steps that were to be recorded'
rm -rf traces
python3 - <<'END'
import time, torch
exec(open("lines.py", encoding="utf-8").read().split("with", 1)[0] + open("told.py", encoding="utf-8").read(),
     {"batches": range(40), "train_step": lambda batch: None, "time": time, "torch": torch})
END
[ "$(cat traces/*.pt.trace.json)" = '5 unrecorded_step_ns' ] || wrong 'the step that nobody records is not told'
