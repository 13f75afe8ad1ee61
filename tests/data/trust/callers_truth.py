# SPDX-License-Identifier: Apache-2.0
"""Host and device time by module and by function of Python, backward passes joined to their forward by autograd's
numbers: the tables of `report --json` against plain Python over the raw events.

usage: callers_truth.py REPORT TRACE...

Shares no code with the project. Prints a line for each number that is another and ends with "N numbers of M traces,
K wrong"; a trace without functions of Python has none.
"""
import collections
import gzip
import json
import subprocess
import sys

HOST = {"cpu_op", "Operator", "user_annotation", "python_function", "cuda_runtime", "Runtime", "cuda_driver"}
CALLS = {"cuda_runtime", "Runtime", "cuda_driver"}
DEVICE = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
WHOLE = {"cpu_ns": 0, "backward_cpu_ns": 1, "device_ns": 2, "backward_device_ns": 3, "events": 4}


def ns(text):
    whole, _, part = str(text).partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


class Row:
    def __init__(self, e, order):
        self.name, self.cat, self.args = e["name"], e["cat"], e.get("args") or {}
        self.start, self.order = ns(e["ts"]), order
        self.end = self.start + ns(e.get("dur", 0))
        self.lane, self.up, self.own, self.forward = (str(e["pid"]), str(e["tid"])), None, 0, None


def rows_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as f:
        data = json.load(f, parse_float=str, strict=False)
    events = data["traceEvents"] if isinstance(data, dict) else data
    rows = [Row(e, i) for i, e in enumerate(events) if e.get("ph") == "X" and e.get("cat") in HOST | DEVICE]
    return sorted(rows, key=lambda r: (r.start, -r.end, r.order))


def nest(rows):
    """What is around each row, and its own time: of the rows that are open what began last has it."""
    stacks, done = collections.defaultdict(list), {}

    def until(lane, now):
        stack = stacks[lane]
        while stack and done[lane] < now:
            to = min(now, stack[-1].end)
            if to > done[lane]:
                stack[-1].own += to - done[lane]
                done[lane] = to
            if stack[-1].end <= now:
                stack.pop()
        done[lane] = max(done[lane], now)

    for r in rows:
        done.setdefault(r.lane, r.start)
        until(r.lane, r.start)
        stack = stacks[r.lane]
        r.up = next((s for s in reversed(stack) if s.end >= r.end), None)
        stack.append(r)
    for lane in stacks:
        until(lane, max(r.end for r in rows))


def join(rows):
    """Of a backward operator: the last operator with its number before it, on the thread that has most of them."""
    forward, backward = collections.defaultdict(list), []
    for i, r in enumerate(rows):
        r.index, number = i, r.args.get("Sequence number")
        if r.cat in ("cpu_op", "Operator") and isinstance(number, int) and number >= 0:
            thread = r.args.get("Fwd thread id", 0)
            if thread > 0:
                backward.append((r, thread, number))
            else:
                forward[r.lane[0], number].append(r)
    votes = collections.defaultdict(collections.Counter)
    for r, thread, number in backward:
        lanes = {f.lane for f in forward[r.lane[0], number] if f.index < r.index}
        if len(lanes) == 1:
            votes[thread][lanes.pop()] += 1
    for r, thread, number in backward:
        lane = votes[thread].most_common(1)[0][0] if votes[thread] else None
        fit = [f for f in forward[r.lane[0], number] if f.index < r.index and lane in (None, f.lane)]
        r.forward = fit[-1] if fit else None


def add_up(rows, is_frame):
    """(path of names) -> [calls, host, backward host, device, backward device, events], of each path alone."""
    sums = collections.defaultdict(lambda: [0] * 6)
    launches = {}
    sums[()]
    for r in rows:
        if r.cat in DEVICE:
            continue
        r.path, r.backward, r.of = (r.up.path, r.up.backward, r.up.of) if r.up else ((), False, None)
        if r.forward and r.forward is not r.of:
            r.path, r.backward, r.of = r.forward.path, True, r.forward
        if is_frame(r):
            r.path += (r.name,)
            sums[r.path][0] += 1
        sums[r.path][1] += r.own
        sums[r.path][2] += r.own if r.backward else 0
        if r.cat in CALLS and r.args.get("correlation"):
            launches.setdefault(r.args["correlation"], r)
    for r in rows:
        if r.cat in DEVICE:
            call = launches.get(r.args.get("correlation"))
            of = sums[call.path if call else ()]
            of[3] += r.end - r.start
            of[4] += r.end - r.start if call and call.backward else 0
            of[5] += 1
    return sums


class Check:
    def __init__(self, trace):
        self.trace, self.n, self.wrong = trace, 0, 0

    def same(self, what, ours, wanted):
        self.n += 1
        if ours != wanted:
            self.wrong += 1
            print(f"{self.trace}: {what} is {ours}, plain Python {wanted}")

    def row(self, what, row, calls, own, whole):
        if calls is not None:
            self.same(f"{what} calls", row["calls"], calls)
        self.same(f"{what} self_cpu_ns", row["self_cpu_ns"], own[0])
        self.same(f"{what} self_device_ns", row["self_device_ns"], own[2])
        for column, i in WHOLE.items():
            self.same(f"{what} {column}", row[column], whole[i])


def table(case, name):
    t = case["tables"].get(name)
    return [dict(zip(t["columns"], r)) for r in t["rows"]] if t else []


def check_modules(c, case, rows):
    sums = add_up(rows, lambda r: r.cat == "python_function" and r.name.startswith("nn.Module: "))
    whole = collections.defaultdict(lambda: [0] * 5)
    for path, x in sums.items():
        for depth in range(len(path) + 1):
            whole[path[:depth]] = [a + b for a, b in zip(whole[path[:depth]], x[1:])]
    ours, path_of = table(case, "modules"), {}
    c.same("modules", len(ours), len(sums) if len(sums) > 1 else 0)
    for r in ours:
        path_of[r["node"]] = path = () if r["parent"] is None else path_of[r["parent"]] + (r["module"],)
        c.row(" / ".join(path), r, sums[path][0], sums[path][1:], whole[path])


def check_functions(c, case, rows):
    sums = add_up(rows, lambda r: r.cat == "python_function" and not r.name.startswith("nn.Module: "))
    names = collections.defaultdict(lambda: [0, [0] * 5, [0] * 5])
    for path, x in sums.items():
        mine = names[path[-1] if path else ""]
        mine[0] += x[0]
        mine[1] = [a + b for a, b in zip(mine[1], x[1:])]
        for name in set(path) | {""}:
            names[name][2] = [a + b for a, b in zip(names[name][2], x[1:])]
    ours = table(case, "functions")
    c.same("functions", len(ours), len(names) if len(names) > 1 else 0)
    for r in ours:
        c.row(r["function"], r, *names[r["function"]])


def check(report, trace):
    c = Check(trace)
    text = subprocess.run([report, "-q", "--json", "-", trace], check=True, stdout=subprocess.PIPE).stdout
    case = json.loads(text)["runs"][0]["cases"][0]
    rows = rows_of(trace)
    if any(r.cat == "python_function" for r in rows):
        nest([r for r in rows if r.cat in HOST])
        join(rows)
        check_modules(c, case, rows)
        check_functions(c, case, rows)
    return c


def main():
    checks = [check(sys.argv[1], trace) for trace in sys.argv[2:]]
    wrong = sum(c.wrong for c in checks)
    print(f"{sum(c.n for c in checks)} numbers of {len(checks)} traces, {wrong} wrong")
    sys.exit(wrong > 0)


main()
