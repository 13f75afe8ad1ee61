# SPDX-License-Identifier: Apache-2.0
# Every command of the README runs as it stands there: those of the programs in a folder with what they name, and the
# lines of PyTorch on a stand-in with PyTorch's own signatures. Those of make are in readme_make.sh.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'it runs what is built without sanitizers'; exit 77; }
needs_host
mkdir -p out traces bin
ln -s "$TRACEBOOK_BIN" out/bin
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" traces/trace.json
gzip -c traces/trace.json >trace.json.gz
cp trace.json.gz somebody.pt.trace.json.gz
cp -R traces old
cp -R traces new
ln -s "$TRACEBOOK_BIN" build.old
ln -s "$TRACEBOOK_TOP/experiments/recorded" DIR
echo 'print("trained")' >train.py
cp train.py serve.py
# What starts several processes elsewhere starts one here.
printf '#!/bin/sh\nshift 2\nexec python3 "$@"\n' >bin/torchrun
chmod +x bin/torchrun
PATH=$PWD/bin:$PATH

python3 - "$TRACEBOOK_TOP/README.md" <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
lines = [l for block in re.findall(r"```sh\n(.*?)```", text, re.S) for l in block.splitlines() if l.strip()]
known = [l for l in lines if l.startswith(("out/bin/", "make "))]
assert lines == known, set(lines) - set(known)
programs = [l for l in lines if l.startswith("out/bin/")]
assert len(programs) > 12, programs
open("programs", "w", encoding="utf-8").write("\n".join(programs) + "\n")
inline = re.findall(r"`([a-z]+ [^`]*\| out/bin/[^`]*)`", text)
assert inline
open("programs", "a", encoding="utf-8").write("\n".join(inline) + "\n")
[python] = re.findall(r"```python\n(.*?)```", text, re.S)
open("lines.py", "w", encoding="utf-8").write(python)
END

# Traces that a line names as given.
grep -o '[a-z_.-]*\.json\.gz' programs | sort -u | while read -r name; do
	[ -e "$name" ] || cp trace.json.gz "$name"
done
while read -r command; do
	status=0
	(eval "$command") >out.txt 2>err </dev/null || status=$?
	case $status:$command in
	0:*) ;;
	3:*--check*) ;;
	4:*'--device cuda'*) ;;
	*) wrong "status $status: $command" ;;
	esac
done <programs
for file in trace.pdf today.json result.json report.pdf out/traces/host/run.json; do
	[ -s "$file" ] || wrong "no $file"
done
# --report says a file, but nothing was there to record.
absent out.pdf

mkdir torch
: >torch/__init__.py
cat >torch/profiler.py <<'END'
"""torch.profiler's names with the signatures of PyTorch 2, and the schedule as it is documented."""
import os
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    return lambda step: step < (wait + warmup + active) * max(repeat, 1) and step % (wait + warmup + active) >= wait + warmup
def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    def ready(p):
        os.makedirs(dir_name, exist_ok=True)
        open(os.path.join(dir_name, "worker.1.pt.trace.json"), "w").write(str(p.recorded))
    return ready
class profile:
    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False):
        self.when, self.ready, self.n, self.recorded = schedule, on_trace_ready, 0, 0
    def __enter__(self):
        return self
    def step(self):
        self.recorded += self.when(self.n)
        self.n += 1
    def __exit__(self, *_):
        self.ready(self)
END
rm -rf traces
python3 - <<'END'
exec(open("lines.py", encoding="utf-8").read(), {"batches": range(20), "train_step": lambda batch: None})
END
[ "$(cat traces/*.pt.trace.json)" = 5 ] || wrong 'not the five steps that were to be recorded'
