# SPDX-License-Identifier: Apache-2.0
"""Does a program end as it would alone, whatever is recorded of it, and when? Parts of outside.py.

Many programs run at one time here, so nothing is timed. PyTorch's profiler comes into a running process
by another thread; what can go wrong with that: a CUDA graph that was captured before it came, or while
it came; the end of the program while it records; a signal at any time. Each is tried several times. Beside
it stands the same without tracebook-inject.so, which lets the end of Python wait for the profiler: what it
saves from is told, and judges nothing.
"""
import glob
import json
import os
import signal
import socket
import struct
import sys
import tempfile
import time

from recording import (Job, binaries, collect, count, device_work, finish, here, load, only, python, recorded, run,
                       target, traces)

LOUD = {"TORCHINDUCTOR_COMPILE_THREADS": "2"}
BARE = dict(LOUD, CUDA_INJECTION64_PATH="")  # set, so it is left alone: without our library


def verdict(name, jobs, wanted=0, written=False):
    """All ended like that; written: and what was begun of a trace is there with kernels in it, unless it is said
    that the program did nothing any more when its window came."""
    ends = [j.status for j in jobs]
    seen = [len(device_work(only(j.name), ("kernel",))) for j in jobs if "--out" in j.words]
    said = f"statuses {ends}, kernels recorded {seen}"
    if "without our library" in name:
        print(f"        {name}: {said}")
    else:
        target(name, all(e == wanted for e in ends), said)
    if written:
        lost = [j.name for j in jobs if "is being recorded" in j.said() and not count(only(j.name), "kernel")
                and "no process ran an operator in its window" not in j.said()]
        target(f"{name}; what was begun is written", not lost, f"begun, and no kernel in a trace: {lost}")
    for j in jobs:
        if "--out" in j.words:
            print("        " + j.name + ": " + "; ".join(
                line[9:120] for line in j.said().splitlines() if line.startswith("collect: "))[:400])


def compiled_again():
    """Recorded and alone; the compiler's cache is warm, as in a second run."""
    command = python("compiled", "--seconds", 16)
    groups = {"recorded": [recorded(f"again-{i}", [], command, LOUD) for i in range(5)],
              "alone": [Job(f"alone-{i}", command, LOUD) for i in range(3)],
              "recorded without our library": [recorded(f"bare-{i}", [], command, BARE) for i in range(3)]}
    finish([j for jobs in groups.values() for j in jobs], 75)
    for name, jobs in groups.items():
        verdict(f"compiled, {name}: ends as alone", jobs, written=name == "recorded")


def graphs():
    """Captured before the profiler comes (once), or at that very time (again and again)."""
    groups = {}
    for kind, options in (("graph_once", ["--after", "10s", "--for", "300ms"]),
                          ("graph_again", ["--after", "10s", "--for", "1s"]),
                          ("graph_strict", ["--after", "10s", "--for", "1s"])):
        command = python(kind, "--seconds", 11)
        groups[f"{kind}, recorded"] = [recorded(f"{kind}-{i}", options, command, LOUD) for i in range(2)]
        groups[f"{kind}, without our library"] = [recorded(f"{kind}-bare-{i}", options, command, BARE)
                                                  for i in range(2)]
        groups[f"{kind}, alone"] = [Job(f"{kind}-alone", command, LOUD)]
    finish([j for jobs in groups.values() for j in jobs], 50)
    for name, jobs in groups.items():
        verdict(f"{name}: ends as alone", jobs)


def ends_in_window():
    """The end of the program sweeps over warm-up, window and writing."""
    jobs = [recorded(f"early-{i}", ["--after", "15s", "--for", "1s"],
                     python("train", "--seconds", 2 + 0.5 * i), LOUD) for i in range(12)]
    bare = [recorded(f"early-bare-{i}", ["--after", "15s", "--for", "1s"],
                     python("train", "--seconds", 4 + i), BARE) for i in range(4)]
    steps, bare_steps = ([recorded(f"{name}-{i}", ["--after", 20, "--steps", 1000],
                                   python("train", "--seconds", 4 + 3 * i), environment) for i in range(2)]
                         for name, environment in (("steps", LOUD), ("steps-bare", BARE)))
    finish(jobs + bare + steps + bare_steps, 75)
    verdict("train, ends while it is recorded: status as alone", jobs, written=True)
    verdict("train, ends before the steps that are wished: status as alone", steps)
    verdict("train, ends before the steps that are wished, without our library", bare_steps)
    print("        seconds of those by steps:", [round(j.took, 1) for j in steps + bare_steps])
    verdict("train, ends while it is recorded, without our library", bare)


def start_killed(folder):
    jobs = []
    for i in range(8):
        number = signal.SIGKILL if i % 2 else signal.SIGTERM
        jobs.append(recorded(f"killed-{i}", ["--after", "12s", "--for", "500ms"],
                             python("train", "--seconds", 40, "--kill", 1.1 * i, "--signal", int(number)),
                             dict(LOUD, TMPDIR=folder), expected=128 + number))
    return jobs


def tell_killed(jobs, folder):
    """By SIGKILL and SIGTERM, of the program itself, at any time; nothing of ours is left behind."""
    ends = {j.name: (j.status, j.expected) for j in jobs}
    whole = [j.name for j in jobs if "is recorded; the program runs on" in j.said()]
    target("train, killed at any time: the signal is the status", all(a == b for a, b in ends.values()), str(ends))
    target("train, killed after its window: the trace is there", all(device_work(only(n)) for n in whole) and whole,
           f"{len(whole)} of {len(jobs)} had recorded it, of these with a trace "
           f"{sum(bool(traces(n)) for n in whole)}")
    left = [f for f in os.listdir(folder) if f.startswith("tracebook")]
    target("killed: nothing is left in TMPDIR", not left, str(left))
    for j in jobs:
        print(f"        {j.name}: " + "; ".join(j.said().splitlines()[-3:])[:300])


def killed():
    """From outside, as soon as the window is recorded."""
    j = recorded("killed", ["--after", "13s", "--for", "300ms"], python("train", "--seconds", 60))
    until = time.time() + 40  # a first unit takes 10 s
    while "is recorded; the program runs on" not in j.said() and time.time() < until:
        time.sleep(0.05)
    pids = [line.split(" process ")[1].split()[0] for line in j.said().splitlines() if "is recorded" in line]
    for pid in pids:
        os.kill(int(pid), signal.SIGKILL)
    j.wait(time.time() + 20)
    t = only("killed")
    target("train, SIGKILL right after its window: status and trace", j.status == 137 and len(device_work(t)) > 0,
           f"status {j.status}, {len(device_work(t))} rows, {j.said()[-300:]!r}")


def start_wishes():
    train = python("train", "--seconds", 12)
    jobs = {name: recorded(f"with-{name}", ["--after", "15s", "--for", "300ms", "--with", words], train, LOUD)
            for name, words in (("none", "none"), ("stacks", "shapes,stacks"), ("memory", "shapes,memory,flops"))}
    jobs["own"] = recorded("own", ["--after", "19s", "--for", "300ms"],
                           python("train", "--seconds", 16, "--own", os.path.abspath("own.json")), LOUD)
    return jobs


def listen(folder, seconds):
    """What a process with a profiler of its own asks for, answered with nothing: (time, type) of each request."""
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/kineto.conf", "w") as f:
        f.write("ENABLE_IPC_FABRIC=true\nON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n")
    daemon = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    daemon.bind(f"{folder}/dynolog")
    daemon.settimeout(0.2)
    job = Job("asks", python("train", "--seconds", 8, "--own", f"{folder}/own.json"),
              dict(LOUD, KINETO_USE_DAEMON="1", KINETO_IPC_SOCKET_DIR=folder, KINETO_CONFIG=f"{folder}/kineto.conf"))
    asked, until = [], time.time() + seconds
    while job.process.poll() is None and time.time() < until:
        try:
            datagram, sender = daemon.recvfrom(4096)
        except socket.timeout:
            continue
        daemon.sendto(struct.pack("<Q32s", 0, datagram[8:40]), sender)
        kind = datagram[8:40].rstrip(b"\0").decode()
        asked.append((round(time.time(), 1), kind, struct.unpack_from("<i", datagram, 40)[0]))
    return job, asked


def asks():
    job, asked = listen(tempfile.mkdtemp(prefix="tracebook-"), 40)
    job.wait(time.time() + 1)
    print(f"        {job.printed().strip()}; status {job.status}; asked {asked}")
    target("a profiler of its own: it is seen in what the process asks for", any(not kind & 2 for _, _, kind in asked),
           f"{len(asked)} requests")


def wishes():
    """--with, a program with a profiler of its own, programs that are killed: all at one time."""
    folder = os.path.abspath("private")
    os.makedirs(folder, exist_ok=True)
    jobs, kills = start_wishes(), start_killed(folder)
    asks()
    finish([*jobs.values(), *kills], 60)
    tell_wishes(jobs)
    tell_killed(kills, folder)


def tell_wishes(jobs):
    verdict("--with and a profiler of its own: ends as alone", list(jobs.values()))
    events = {n: only(j.name)["traceEvents"] for n, j in jobs.items()}
    shapes = {n: sum("Input Dims" in e.get("args", {}) for e in t) for n, t in events.items()}
    target("--with none, shapes", not shapes["none"] and shapes["stacks"] and shapes["memory"], str(shapes))
    stacks = {n: sum(e.get("cat") == "python_function" for e in t) for n, t in events.items()}
    target("--with stacks", stacks["stacks"] > 0 and not stacks["memory"], str(stacks))
    memory = {n: sum(e.get("name") == "[memory]" for e in t) for n, t in events.items()}
    print("        memory, which PyTorch 2.11 does not write when asked from outside:", memory)
    print("        flops, likewise:", {n: sum("flops" in k.lower() for e in t for k in e.get("args", {})) for n, t in events.items()})
    own = load("own.json") if os.path.exists("own.json") else {"traceEvents": []}
    target("a profiler of its own: both traces are there, and it is said",
           len(device_work(own)) > 0 and len(device_work(only("own"))) > 0
           and "profiles itself" in jobs["own"].said(),
           f"{len(device_work(own))} rows in its own, {len(device_work(only('own')))} in ours")


def libraries(pattern):
    found = [f for p in sys.path for f in sorted(glob.glob(f"{p}/nvidia/*/lib/{pattern}"))]
    return found + sorted(glob.glob(f"/usr/local/cuda*/lib64/{pattern}"))


def ranges():
    """NVTX from Python without PyTorch, beside copies by the CUDA runtime."""
    runtime = libraries("libcudart.so.1*")
    nvtx = libraries("libnvtx3interop.so*") + libraries("libnvToolsExt.so*")
    if not runtime or not nvtx:
        print(f"        NVTX from Python: left out, no library (cudart {runtime[:1]}, NVTX {nvtx[:1]})")
        return
    collect("ranges", [], [sys.executable, os.path.join(here, "ranges.py"), runtime[0], nvtx[0]])
    t = only("ranges")
    names = [e["name"] for e in t["traceEvents"] if e.get("cat") == "user_annotation"]
    copies = [e for e in t["traceEvents"] if e.get("cat") == "gpu_memcpy"]
    streams = {e["args"].get("stream") for e in copies}
    target("NVTX from Python on a GPU", names.count("copy of Python") == 50 and len(copies) == 200 and len(streams) == 4,
           f"{names.count('copy of Python')} of 50 ranges, {len(copies)} of 200 copies on {len(streams)} of 4 streams")


def contexts():
    """Streams, contexts and, where there are several, devices of one process."""
    _, out, _, _ = collect("contexts", [], [f"{binaries}/plain", "contexts"])
    told = json.loads(out or "{}")
    kernels = [e for e in only("contexts")["traceEvents"] if e.get("cat") == "kernel"]
    seen = {k: len({e["args"].get(k) for e in kernels}) for k in ("context", "device")}
    seen["streams"] = len({(e["args"].get("context"), e["args"].get("stream")) for e in kernels})
    seen["kernels"] = len(kernels)
    target("several streams, contexts, devices: everything is there", told and all(seen[k] == told.get(k) for k in seen),
           f"{seen} of {told}")


def nodes():
    """Two nodes that are one machine, a rank each, put together: the same clock, so no offset."""
    if int(run(sys.executable, "-c", "import torch; print(torch.cuda.device_count())")[1]) < 2:
        print("        clocks of nodes by NCCL: left out, there is one GPU")
        return
    jobs = []
    for node in range(2):
        launch = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--node-rank", str(node),
                  "--nproc-per-node", "1", "--master-addr", "127.0.0.1", "--master-port", "29611",
                  python()[1], "ddp", "--seconds", "13"]
        jobs.append(recorded(f"node-{node}", ["--after", "15s", "--for", "500ms"], launch,
                             {"CUDA_VISIBLE_DEVICES": str(node)}))
    finish(jobs, 60)
    verdict("two nodes: end as alone", jobs)
    _, _, said, _ = run(f"{binaries}/collect", "--merge", "node-0", "node-1", "--out", "nodes")
    both = load("nodes/run.json")["cases"] if os.path.exists("nodes/run.json") else []
    offsets = [c["clock_offset_ns"] for c in both if "clock_offset_ns" in c]
    target("two nodes: the clocks' offset by NCCL", len(both) == 2 and len(offsets) == 1 and abs(offsets[0]) < 100000,
           f"{offsets} ns of one clock against itself; {said.strip()[-200:]}")


PARTS = (killed, contexts, ranges, graphs, ends_in_window, wishes, compiled_again, nodes)
