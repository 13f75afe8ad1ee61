#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions that a reader asks about traces of anybody's, and the words of the PDF that answer them.

foreign_questions.py REPORT TRACES: the text of each trace's PDF must hold the words, whose numbers
plain Python takes from the raw events. Each wrong answer is a line; the last line counts.
"""
import collections
import gzip
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
COMPUTE_NOT = re.compile(r"^(nccl|Memcpy)")


def digits(number):
    """Three of them, and no zero behind the unit's own three."""
    text = f"{number:.3g}"
    if "e" in text or number >= 100:
        return f"{number:.0f}"
    return f"{number:.{2 if number < 10 else 1}f}"


def time(us):
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1)):
        if us >= size * 0.99950 or unit == "µs":
            return f"{digits(us / size)} {unit}"


def size(number):
    for unit, one in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= one:
            return f"{digits(number / one)} {unit}"
    return f"{number:.0f} B"


def share(x):
    return "100 %" if x >= 0.9995 else f"{100 * x:.1f} %"


def many(n):
    return str(n) if n < 10000 else f"{n // 1000} {n % 1000:03}"


def union(spans):
    total, end = 0, float("-inf")
    for start, stop in sorted(spans):
        total += max(0, stop - max(start, end))
        end = max(end, stop)
    return total


def span(e):
    return e["ts"], e["ts"] + e["dur"]


class Trace:
    def __init__(self, path):
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8", errors="replace") as f:
            whole = json.load(f)
        self.events = whole["traceEvents"]
        self.properties = whole.get("deviceProperties", [])
        self.x = [e for e in self.events if e.get("ph") == "X" and e.get("cat") != "Trace"]
        self.device = sorted((e for e in self.x if e.get("cat") in DEVICE), key=lambda e: e["ts"])
        self.kernels = [e for e in self.device if e["cat"] == "kernel"]
        self.calls = [e for e in self.x if e.get("cat") in ("cuda_runtime", "cuda_driver")]
        self.launch = {}
        for e in sorted(self.calls, key=lambda e: e["ts"], reverse=True):
            self.launch[e["args"].get("correlation")] = e
        self.steps = sorted((e for e in self.x if e["name"].startswith("ProfilerStep")
                             and e["cat"] == "user_annotation"), key=lambda e: e["ts"])

    def launch_of(self, e):
        return self.launch.get(e["args"].get("correlation"))

    def of_name(self, name):
        return [e for e in self.x if e["name"] == name]

    def window(self):
        """From the first launch, or the first step, to the last end of a step or of its work."""
        starts = [e["ts"] for e in self.steps] or [e["ts"] for e in map(self.launch_of, self.device) if e]
        return min(starts), max(span(e)[1] for e in self.steps + self.device)

    def idle(self):
        start, end = self.window()
        work = [(max(a, start), min(b, end)) for a, b in map(span, self.device) if b > start]
        return end - start - union(work), end - start

    def largest(self):
        """The kernel name with most time, of one kind of device work."""
        total = collections.Counter()
        for e in self.device:
            total[e["name"]] += e["dur"]
        name, most = total.most_common(1)[0]
        return name, most / sum(total.values())

    def self_time(self, name):
        """Of all operators of a name: the outermost ones' time, and it less that of their children."""
        total = own = 0
        ops = sorted((e for e in self.x if e["cat"] == "cpu_op"), key=lambda e: (e["ts"], -e["dur"]))
        open_ones = []
        for e in ops:
            while open_ones and span(open_ones[-1])[1] <= e["ts"]:
                open_ones.pop()
            if open_ones and open_ones[-1]["name"] == name:
                own -= e["dur"]
            if e["name"] == name:
                own += e["dur"]
                total += e["dur"] if all(o["name"] != name for o in open_ones) else 0
            open_ones.append(e)
        return total, own


# ---- what the answers need ----

def launcher(t):
    by = collections.Counter(c["tid"] for c in map(t.launch_of, t.device) if c)
    thread, n = by.most_common(1)[0]
    if n == len(t.device):
        return [f"All work of the device is launched by thread {thread}"]
    return [f"Of the {many(len(t.device))} kernels, copies and fills, {many(n)} are launched by thread {thread}"]


def idle(t):
    idle_us, all_us = t.idle()
    return [f"worked for {time(idle_us)} of {time(all_us)} ({share(idle_us / all_us)})"]


def late(t):
    """Idle time whose next launch began only after the device had run out of work."""
    ran_out, total, gaps = float("inf"), 0, 0
    for e in t.device:
        call = t.launch_of(e)
        if e["ts"] > ran_out and call and call["ts"] > ran_out:
            total += e["ts"] - ran_out
            gaps += 1
        ran_out = max(span(e)[1], ran_out if ran_out != float("inf") else 0)
    return ["launch-bound", f"host late the next launch began only after the device had run out of work, {gaps} {time(total)}"]


def steps(t):
    return [f"Step {s['name'].split('#')[1]} {time(s['dur'])}" for s in t.steps]


def memory(t):
    changes = [e["args"] for e in t.events if e.get("name") == "[memory]" and e["args"].get("Device Type") == 1]
    of = t.properties[0]["totalGlobalMem"]
    return [f"peaks at {size(max(a['Total Allocated'] for a in changes))} of its {size(of)}"]


def hotspot(t):
    name, part = t.largest()
    calls = sum(e["name"] == name for e in t.device)
    return [re.sub(r"\W.*", "", re.sub(r"^void ", "", name))[:12], f"{many(calls)} ", share(part)]


def queue(t):
    """How far ahead the launches of the largest kernel run."""
    name, _ = t.largest()
    delays = [e["ts"] - span(c)[1] for e in t.device if e["name"] == name and (c := t.launch_of(e))]
    return [time(statistics.median(delays))]


def unlinked(t):
    return [f"{many(sum(not t.launch_of(e) for e in t.device))} device events have no launch"]


def last_wait(t):
    call = max((e for e in t.calls if "DeviceSynchronize" in e["name"]), key=lambda e: e["ts"])
    start, end = span(call)
    busy = union([(max(a, start), min(b, end)) for a, b in map(span, t.device) if b > start and a < end])
    said = f"the device worked for {share(busy / (end - start))} of it" if busy else "the device was idle meanwhile"
    return [f"The last {call['name']} took {time(call['dur'])}; {said}"]


def step_windows(t):
    """A step begins when the device is through with the one before, and ends where the next begins."""
    begins, done = [], float("-inf")
    for step in t.steps:
        begins.append(max(step["ts"], done))
        work = [span(e)[1] for e in t.device if (c := t.launch_of(e)) and step["ts"] <= c["ts"] < span(step)[1]]
        done = max(work + [done])
    return list(zip(begins, begins[1:] + [max(done, span(t.steps[-1])[1])]))


def exposed(t, pattern):
    """The time of a kind of work in the median step, but for the first, that no computing hides."""
    windows = sorted(step_windows(t)[1:], key=lambda w: w[1] - w[0])
    start, end = windows[(len(windows) - 1) // 2]
    cut = [(max(a, start), min(b, end), e["name"]) for e in t.device for a, b in [span(e)] if b > start and a < end]
    both = union([(a, b) for a, b, name in cut if re.match(pattern, name) or not COMPUTE_NOT.match(name)])
    return both - union([(a, b) for a, b, name in cut if not COMPUTE_NOT.match(name)])


def calls_of(*names):
    def counted(t):
        return [f"{n} was called {len(t.of_name(n))} times" for n in names]
    return counted


def allocating(t):
    took, gave = len(t.of_name("cudaMalloc")), len(t.of_name("cudaFree"))
    return [f"{took} calls allocate memory from the driver and {gave} calls free it"]


def longest_gap(t):
    ends = [(span(a)[1], b["ts"]) for a, b in zip(t.device, t.device[1:])]
    at, until = max(ends, key=lambda e: e[1] - e[0])
    around = max((c for c in t.calls if c["ts"] < until and span(c)[1] > at),
                 key=lambda c: min(span(c)[1], until) - max(c["ts"], at))
    return [f"{time(until - at)} host late {around['name']}"]


def children(name):
    def told(t):
        total, own = t.self_time(name)
        return [f"{name} took {time(total)} in {len(t.of_name(name))} outermost calls, but only {time(own)} of it is self time"]
    return told


def row(name):
    def told(t):
        total, own = t.self_time(name)
        return [f"{name} {share(own / sum(e['dur'] for e in top_level(t)))} {time(own)}", time(total)]
    return told


def top_level(t):
    end, top = float("-inf"), []
    for e in sorted((e for e in t.x if e["cat"] == "cpu_op"), key=lambda e: (e["ts"], -e["dur"])):
        if e["ts"] >= end:
            top.append(e)
            end = span(e)[1]
    return top


def words(*told):
    return lambda t: list(told)


TRAINED = "kineto/h100_transformer_tutorial_step1.json"
CHAT = "kineto/h100_qwen1.5_0.5b_chat.json.gz"
RANK = ("ranks/torchrec_a2a_4/ip-172-31-16-248.us-east-2.compute.internal_21147."
        "1698955063520869240.pt.trace.json")
COPIES = "h200/programs/streams_copies.pt.trace.json.gz"
COMPILED = "kineto/mi300x_torch_compile_triton.json.gz"
CPU = "kineto/dtu_cpu.json"
OTHER = "other_gpu/tf_timeline_kittibox.json.gz"
STALLED = "kineto/hta_alexnet_cuda_sync.json.gz"

QUESTIONS = [
    (TRAINED, "What limits this program, and why is the device idle?", late),
    (TRAINED, "How much of the time is the device idle?", idle),
    (TRAINED, "Which lane is the thread that launches?", launcher),
    (TRAINED, "Which step is still warming up?", steps),
    (TRAINED, "Is the memory near its roof?", memory),
    (TRAINED, "Which kernel costs most, and which share?", hotspot),
    (TRAINED, "Does the wait at the end hide work?", last_wait),
    (CHAT, "Is the device the limit?", lambda t: ["memory-bound"] + idle(t)),
    (CHAT, "Which thread launches, and what is not in the file?", lambda t: launcher(t) + unlinked(t)),
    (CHAT, "How far do the launches run ahead?", queue),
    (CHAT, "How often is a kernel launched?", calls_of("cudaLaunchKernel")),
    (RANK, "Is the communication hidden?", lambda t: ["communication-bound", time(exposed(t, "nccl"))]),
    (RANK, "What does the step do that it need not?", allocating),
    (COPIES, "Is the copy hidden?", lambda t: ["copy-bound", f"take {time(exposed(t, 'Memcpy'))}"]),
    (COPIES, "What waits for the device in each step?", words("aten::item reads a number from the device once")),
    (COMPILED, "Is there anything to gain from launching?",
     lambda t: idle(t) + ["proves the need for none of the remedies"]),
    (COMPILED, "Which kernel costs most, and which share?", lambda t: [share(t.largest()[1])]),
    (CPU, "Which operator takes the time itself?", row("aten::mkldnn_convolution")),
    (CPU, "Which only passes it on?", lambda t: ["The file has no work of a device"] + children("aten::conv2d")(t)),
    (OTHER, "What can this file not tell?",
     lambda t: ["neither work of a device nor operators", f"{many(len(t.x))} events"]),
    (STALLED, "Where is the longest gap, and what was the CPU in?", longest_gap),
]


def pdf_text(report, trace, folder):
    pdf = str(pathlib.Path(folder, "report.pdf"))
    subprocess.run([report, "-q", "-o", pdf, str(trace)], check=True)
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True).stdout
    return re.sub(r"[\s\u2007\u202f\u00a0]+", " ", text)


def main(report, traces):
    wrong, texts, read = 0, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, question, answer in QUESTIONS:
            path = pathlib.Path(traces, name)
            if name not in texts:
                texts[name], read[name] = pdf_text(report, path, folder), Trace(path)
            for told in answer(read[name]):
                if told not in texts[name]:
                    print(f"{name}: {question} Not there: {told}")
                    wrong += 1
    print(f"{len(QUESTIONS)} questions on {len(texts)} traces, {wrong} wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
