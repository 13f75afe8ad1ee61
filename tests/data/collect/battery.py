# SPDX-License-Identifier: Apache-2.0
"""Does a program end as alone, whatever is recorded of it?  battery.py COLLECT DEVICE [ROUNDS [JOBS [NAME...]]]

Every program of programs.py runs alone, once with torch.profiler in it, and ROUNDS times under `collect -- `, each in a
folder of its own, JOBS at one time. Status, what they print on both streams and the files they leave must be the same
(where two runs alone print different numbers, numbers aside); what has operators must have a trace with all of them,
and with all kernels: as many as the program says, and as torch.profiler counts. A table of what was found goes to stdout;
the status says whether all is as it should be.

MODES=1: the rounds record in turn by default, by a short start and a window (with stacks), again, with memory and flops, in
a late window; MODES=window: so each time. UNTIL_S=N: what has not begun by then is left out. MORE="NAME...": programs that
are not tried by default. With PYTHONFAULTHANDLER=1 a crash says where; what Python then lists is not compared.
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import stuck

here = os.path.dirname(os.path.abspath(__file__))
sys.argv[1] = os.path.abspath(sys.argv[1])
collect, device = sys.argv[1:3]
rounds, jobs = (int(n) for n in (sys.argv[3:5] + ["1", "2"][len(sys.argv[3:5]):]))
program = os.path.join(here, "programs.py")
# Killed, or without an operator, or where no start-up file is read.
NEVER_RECORDED = ("plain", "killed", "aborts", "segfaults", "idle", "isolated")
TIMED = ("serving", "threads", "threads_and_main", "late_thread", "daemon_thread", "terminated_in_thread",
         "second_device")  # do more in more time
# Have a late window, where SECONDS is more:
SERVING, LONG_S = ("serving", "threads", "threads_and_main"), 5 if device == "cpu" else 16
TWO_WRITE = ("forks_and_returns", "torchrun")  # the trace of torch.profiler
COMPILING = ("compiled", "compiled_step", "compiled_training")  # not the same twice, but for kernels
EVERY_MODE = (("", [], {}), ("window", [], {"TRACEBOOK_START_S": "0.2"}), ("", [], {}),
              ("memory", ["--with", "shapes,memory,flops"], {}), ("late", ["--after", "1s", "--for", "2s"], {}))
MODES = [m for m in EVERY_MODE if os.environ.get("MODES", "") in ("1", m[0])][:5 if os.environ.get("MODES") else 1]
LIMIT_S = float(os.environ.get("LIMIT_S", 120))
until = time.time() + float(os.environ.get("UNTIL_S", 1e9))
ALONE, REFERENCE = 0, -1


def names():
    if sys.argv[5:]:
        return sys.argv[5:]
    listed = subprocess.run([sys.executable, "-c", "import sys; sys.argv = ['', 'x']; sys.path.insert(0, %r)\n"
                             "import programs as p\nprint(*[n for n in p.ALL if %r == 'cuda' or n not in p.CUDA_ONLY])"
                             % (here, device)], capture_output=True, text=True, check=True)
    return listed.stdout.split() + ["module", "isolated", "shell", "chained"] + os.environ.get("MORE", "").split()


def command(name):
    if name == "module":
        return [sys.executable, "-m", "programs", "training", device], {"PYTHONPATH": here}
    if name == "isolated":
        return [sys.executable, "-I", program, "training", device], {}
    if name == "shell":
        return ["sh", "-c", "exec 3>&1; \"$0\" \"$@\"; exit $?", sys.executable, program, "status", device], {}
    if name == "serving":
        return ["sh", "-c", "\"$0\" \"$@\"", sys.executable, program, "serving", device], {}
    if name == "chained":  # a sitecustomize of its own
        return [sys.executable, program, "training", device], {"PYTHONPATH": os.path.join(here, "own")}
    if name == "torchrun":
        return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", program, "ranks",
                device], {}
    return [sys.executable, program, name, device], {}


def kept(text, numbers=True):
    """Without what differs from run to run."""
    text = re.sub(r"(Fatal Python error: [^\n]*\n).*", r"\1", text, flags=re.S)
    text = "\n".join(line for line in text.splitlines() if not line.startswith(("collect: ", "TENTHS "))
                     and "allocated before the profiling started" not in line)  # PyTorch's of profile_memory
    text = re.sub(r"(?m)^EXPECT .*", lambda line: re.sub(r"\d+", "N", line[0]), text)  # compared with what is recorded
    text = re.sub(r"/tmp/[\w.-]+(/[\w.-]+)*|0x[0-9a-f]+", "N", text)
    return text if numbers else re.sub(r"\d+", "N", text)


def as_from_a_shell():
    """What is started in the background ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.setsid()


def ended_by_force(p):
    """What it said; Python says where it was."""
    os.killpg(p.pid, signal.SIGABRT)
    try:
        return p.communicate(timeout=6)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        return p.communicate()


def run(name, folder, k):
    words, more = command(name)
    os.makedirs(folder)
    if k > 0:
        _, options, added = MODES[(k - 1) % len(MODES)]
        words, more = [collect, *options, "--out", folder + ".out", "--", *words], dict(more, **added)
    if k == REFERENCE:
        more = dict(more, REFERENCE=folder + ".reference")
    began = time.time()
    p = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         preexec_fn=as_from_a_shell,
                         env=dict(os.environ, TORCHINDUCTOR_COMPILE_THREADS="1", OMP_NUM_THREADS="1", **more))
    try:
        out, err = p.communicate(timeout=LIMIT_S)
        status = p.returncode
    except subprocess.TimeoutExpired:
        status, told = "too long", stuck.tell(p.pid)
        out, err = ended_by_force(p)
        err += told
    files = {os.path.relpath(f, folder): open(f, "rb").read() for f in glob.glob(folder + "/**", recursive=True)
             if os.path.isfile(f) and not f.endswith(".pyc")}
    return {"status": status, "out": kept(out), "err": kept(err), "files": files, "seconds": time.time() - began,
            "said": [line for line in err.splitlines() if line.startswith("collect: ")], "raw": out, "error": err}


def counted(path):
    """Operators by name and kernels of a trace; None: it is not whole."""
    found = collections.Counter()
    try:
        with open(path) as f:
            t = json.load(f)
    except ValueError as e:
        with open(path, "rb") as f:
            text = f.read()
        at = getattr(e, "pos", getattr(e, "start", 0))
        print(f"BROKEN {os.path.basename(os.path.dirname(path))}/{os.path.basename(path)}: {e}; "
              f"{text.decode(errors='backslashreplace')[max(at - 150, 0):at + 150]!r}", flush=True)
        return None
    for e in t["traceEvents"] if isinstance(t, dict) else t:
        if e.get("cat") in ("cpu_op", "Operator", "kernel", None) and e.get("ph") == "X":
            found[e["name"] if e.get("cat") != "kernel" else "kernel"] += 1
    return found


def of_a_window(raw, path):
    """Share of the products of its threads that stand in the trace, of those in each tenth of a second that it has wholly
    (but for one of each thread at both ends, which may have been counted in the next tenth)."""
    told = [json.loads(line[7:]) for line in raw.splitlines() if line.startswith("TENTHS ")]
    with open(path) as f:
        t = json.load(f)
    if not told or "baseTimeNanoseconds" not in t:  # an old form
        return None
    ends = [(t["baseTimeNanoseconds"] / 1e3 + e["ts"] + e["dur"]) / 1e5 for e in t["traceEvents"] if e.get("name") == "aten::mm"]
    if not ends:
        return None
    whole = range(int(min(ends)) + 1, int(max(ends)))
    wanted = sum(told[0].get(str(tenth), 0) for tenth in whole)
    found = sum(int(at) in whole for at in ends)
    return None if not wanted else 1 if abs(found - wanted) <= 8 else found / wanted


def one(name, top, k):
    """A run and what it left; None: there was no time for it."""
    if time.time() > until and k >= REFERENCE:  # what is run again decides
        return None
    folder = f"{top}/{name}.{k}"
    r = run(name, folder, k)
    if k == REFERENCE:
        found = counted(folder + ".reference") if os.path.exists(folder + ".reference") and name not in TWO_WRITE else None
        r = {"counts": found or {}}
        if os.path.exists(folder + ".reference"):
            os.remove(folder + ".reference")
    if k > 0:
        files = glob.glob(folder + ".out/*.trace.json")
        traces = [counted(f) for f in files]
        r["whole"], r["traces"] = None not in traces, [t for t in traces if t is not None]
        wanted = [json.loads(line[7:]) for line in r["raw"].splitlines() if line.startswith("EXPECT ")]
        every = sum(r["traces"], collections.Counter())
        r["share"] = min((min(every[k] / v, 1) for w in wanted for k, v in w.items()), default=None)
        r["kernels"], r["mode"] = every["kernel"], MODES[(k - 1) % len(MODES)][0]
        if r["mode"] == "late":  # some are over by then
            r["share"] = of_a_window(r["raw"], files[0]) if files and r["whole"] else None
        shutil.rmtree(folder + ".out", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    return r


def beside(reference, traces, kernels_only):
    """Share of what torch.profiler counted, in the trace that has most of it (the others are of its children)."""
    def share(found):
        names = [n for n in reference if n == "kernel" or not kernels_only]
        total = sum(reference[n] for n in names if n != "kernel")
        operators = sum(min(found[n], reference[n]) for n in names if n != "kernel") / total if total else 1
        return min(operators, min(found["kernel"] / reference["kernel"], 1) if reference.get("kernel") else 1)
    return max(map(share, traces), default=None) if reference else None


def otherwise(r, alone, again):
    """What ended in another way than alone; `again` runs alone two times more."""
    differs = [w for w in ("status", "out", "err", "files") if r[w] != alone[w]]
    if not differs or r["status"] != alone["status"]:
        return differs
    others = [o for o in again() if o]
    varies = lambda w: any(o[w] != alone[w] for o in others)
    same = lambda w: any(r[w] == o[w] for o in others) or (
        w != "files" and any(kept(r[w], False) == kept(o[w], False) for o in (alone, *others)))
    return [w for w in differs if not (varies(w) and same(w))]


def faults(name, r, reference):
    """What the recording lacks."""
    if not r["whole"]:
        yield "a trace is not whole"
    if name in NEVER_RECORDED:
        return
    main_only = any("operators of its main thread only" in line for line in r["said"]) or r["mode"] == "memory"
    if r["mode"] == "late":
        if not main_only and name in SERVING and not r["traces"] and float(os.environ.get("SECONDS", 0)) > LONG_S:
            yield f"no window: {r['said']}"
        elif not main_only and r["share"] is not None and abs(r["share"] - 1) > 0.01:
            yield f"{r['share']:.3f} of what is in its window is recorded: {r['said']}"
        return
    cut = r["mode"] == "window" or any(w in line for w in ("its start", "a window", "its window") for line in r["said"])  # longer
    if not r["traces"] and not main_only and not cut:
        yield f"nothing recorded: {r['said']}"
    if cut or (main_only and name in TIMED):
        r["share"] = None  # not to be had
    else:
        r["beside"] = None if name in TIMED or r["mode"] == "memory" else beside(reference, r["traces"], name in COMPILING)
        for what, share in ("it tells of", r["share"]), ("torch.profiler saw", r["beside"]):
            if share is not None and share < 0.99:
                yield f"{share:.3f} of what {what} is recorded: {r['said']}"


class Table:
    def __init__(self, top, submit):
        self.top, self.submit, self.bad, self.runs, self.same, self.row = top, submit, [], 0, 0, {}
        self.again = {}

    def rerun(self, name):
        if name not in self.again:
            self.again[name] = [self.submit(name, i) for i in (-2, -3)]
        return [f.result() for f in self.again[name]]

    def take(self, name, k, r, alone, reference):
        differs = otherwise(r, alone, lambda: self.rerun(name))
        self.runs += 1
        self.same += not differs
        row = self.row.setdefault(name, [])
        row.append(r)
        r["same"] = not differs
        found = [f"{differs}: alone {alone['status']}, recorded {r['status']}; alone {[alone[w] for w in differs]}, "
                 f"recorded {[r[w] for w in differs]} {r['said']}"] if differs else []
        for text in found + list(faults(name, r, reference)):
            self.bad.append(text)
            print(f"WRONG {name}, round {k} {r['mode']}: {text}"[:1500], flush=True)
        if differs:
            print(r["error"][-60000 if r["status"] == "too long" else -6000:], flush=True)

    def show(self, alone):
        print(f"{'program':22} {'alone':>6} {'s':>5} {'same':>7} {'traces':>7} {'share':>6} {'of ref':>6} {'kernels':>8} {'s':>5}  "
              "last words")
        for name, runs in self.row.items():
            low = lambda key: min((r[key] for r in runs if r.get(key) is not None), default=float("nan"))
            print(f"{name:22} {alone[name]['status']!s:>6} {alone[name]['seconds']:5.1f} "
                  f"{sum(r['same'] for r in runs):3}/{len(runs):<3} {min(len(r['traces']) for r in runs):3}-"
                  f"{max(len(r['traces']) for r in runs):<3} {low('share'):6.3f} {low('beside'):6.3f} {low('kernels'):8} "
                  f"{max(r['seconds'] for r in runs):5.1f}  {(runs[0]['said'] or [''])[-1].split('/')[-1][:70]}")
        print(f"{self.runs} recorded runs, {self.runs - self.same} ended otherwise than alone; "
              f"{len(self.bad)} not as they should be", flush=True)


def main():
    top, found = tempfile.mkdtemp(prefix="battery-"), names()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        submit = lambda name, k: pool.submit(one, name, top, k)
        plan = {(name, k): submit(name, k) for k in (ALONE, REFERENCE, *range(1, rounds + 1)) for name in found}
        table = Table(top, submit)
        alone = {name: plan[name, ALONE].result() for name in found}
        references = {name: (plan[name, REFERENCE].result() or {"counts": {}})["counts"] for name in found}
        for k in range(1, rounds + 1):
            for name in found:
                r = plan[name, k].result()
                if r and alone[name]:
                    table.take(name, k, r, alone[name], references[name])
            print(f"round {k}: {table.runs} recorded runs so far, {table.runs - table.same} ended otherwise than alone, "
                  f"{len(table.bad)} not as they should be", flush=True)
        table.show(alone)
    shutil.rmtree(top, ignore_errors=True)
    return bool(table.bad)


if __name__ == "__main__":
    sys.exit(main())
