# SPDX-License-Identifier: Apache-2.0
"""Does a program end as alone, whatever is recorded of it?  battery.py COLLECT DEVICE [ROUNDS [JOBS [NAME...]]]

Every program of programs.py runs alone, and ROUNDS times under `collect -- `, each in a folder of its own, JOBS at one
time. Status, what they print on both streams (numbers aside) and the files they leave must be the same; what has
operators must have a trace with all of them. A table of what was found goes to stdout; the status says whether all is
as it should be.
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.argv[1] = os.path.abspath(sys.argv[1])
collect, device = sys.argv[1:3]
rounds, jobs = (int(n) for n in (sys.argv[3:5] + ["1", "2"][len(sys.argv[3:5]):]))
program = os.path.join(here, "programs.py")
# Killed, or without an operator, or where no start-up file is read.
NEVER_RECORDED = ("plain", "killed", "aborts", "segfaults", "idle", "isolated")
LIMIT_S = float(os.environ.get("LIMIT_S", 120))


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
    if name == "chained":  # a sitecustomize of its own
        return [sys.executable, program, "training", device], {"PYTHONPATH": os.path.join(here, "own")}
    if name == "torchrun":
        return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", program, "ranks",
                device], {}
    return [sys.executable, program, name, device], {}


def plain(text):
    """Without what differs from run to run."""
    kept = [line for line in text.splitlines() if not line.startswith("collect: ")]
    return re.sub(r"/tmp/tmp\w+|0x[0-9a-f]+|\d+", "N", "\n".join(kept))


def run(name, folder, recorded):
    words, more = command(name)
    os.makedirs(folder)
    if recorded:
        words = [collect, "--out", folder + ".out", "--", *words]
    began = time.time()
    p = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=dict(os.environ, TORCHINDUCTOR_COMPILE_THREADS="1", OMP_NUM_THREADS="1", **more))
    try:
        out, err = p.communicate(timeout=LIMIT_S)
        status = p.returncode
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        status = "too long"
    files = {os.path.relpath(f, folder): open(f, "rb").read() for f in glob.glob(folder + "/**", recursive=True)
             if os.path.isfile(f) and not f.endswith(".pyc")}
    return {"status": status, "out": plain(out), "err": plain(err), "files": files, "seconds": time.time() - began,
            "said": [line for line in err.splitlines() if line.startswith("collect: ")], "raw": out, "error": err}


def events(folder):
    found, whole = collections.Counter(), True
    traces = glob.glob(folder + "/*.trace.json")
    for path in traces:
        try:
            with open(path) as f:
                t = json.load(f)
        except ValueError:
            whole = False
            continue
        for e in t["traceEvents"] if isinstance(t, dict) else t:
            if e.get("cat") in ("cpu_op", "Operator", "kernel", None) and e.get("ph") == "X":
                found[e["name"] if e.get("cat") != "kernel" else "kernel"] += 1
    return len(traces), found, whole


def recorded_share(r, folder):
    """(number of traces, share of what the program says of its operators, or None, whole)"""
    n, found, whole = events(folder + ".out")
    wanted = [json.loads(line[7:]) for line in r["raw"].splitlines() if line.startswith("EXPECT ")]
    share = min((min(found[k] / v, 1) for w in wanted for k, v in w.items()), default=None)
    return n, share, whole, found["kernel"]


def one(name, top, k):
    r = run(name, f"{top}/{name}-{k}", k > 0)
    if k:
        r["n"], r["share"], r["whole"], r["kernels"] = recorded_share(r, f"{top}/{name}-{k}")
        shutil.rmtree(f"{top}/{name}-{k}.out", ignore_errors=True)
    return r


def main():
    top, bad, total, told = tempfile.mkdtemp(prefix="battery-"), [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        got = {name: [pool.submit(one, name, top, k) for k in range(rounds + 1)] for name in names()}
        print(f"{'program':22} {'alone':>6} {'s':>5} {'same':>7} {'traces':>7} {'share':>6} {'kernels':>8} {'s':>5}  first words")
        for name, futures in got.items():
            alone, *runs = [f.result() for f in futures]
            total += len(runs)
            same = []
            for r in runs:
                differs = [w for w in ("status", "out", "err", "files") if r[w] != alone[w]]
                same.append(not differs)
                if differs:
                    bad.append(f"{name}: {differs}: alone {alone['status']}, recorded {r['status']}; alone {[alone[w] for w in differs]}, recorded "
                               f"{[r[w] for w in differs]} {r['said']}"[:1500])
                if not r["whole"]:
                    bad.append(f"{name}: a trace is not whole")
                threads = name in ("threads", "underscore_in_thread") and any("operators of its main thread only" in line for line in r["said"])
                if not r["n"] and name not in NEVER_RECORDED and not threads:
                    bad.append(f"{name}: nothing recorded: {r['said']}")
                whole = not any("its start" in line for line in r["said"])  # a slow machine: it was longer than that
                if whole and r["share"] is not None and r["share"] < 0.99 and name not in NEVER_RECORDED:
                    bad.append(f"{name}: {r['share']:.3f} of its operators: {r['said']}")
            for b in bad[told:]:
                print("WRONG", b, flush=True)
            told = len(bad)
            shares = [r["share"] for r in runs if r["share"] is not None]
            print(f"{name:22} {alone['status']!s:>6} {alone['seconds']:5.1f} {sum(same):3}/{len(same):<3} "
                  f"{min(r['n'] for r in runs):3}-{max(r['n'] for r in runs):<3} {min(shares, default=float('nan')):6.3f} "
                  f"{min(r['kernels'] for r in runs):8} {max(r['seconds'] for r in runs):5.1f}  "
                  f"{(runs[0]['said'] or [''])[-1][9:90]}", flush=True)
    shutil.rmtree(top, ignore_errors=True)
    print(f"{total} recorded runs, {len(bad)} not as they should be")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
