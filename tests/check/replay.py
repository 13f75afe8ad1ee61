# SPDX-License-Identifier: Apache-2.0
"""Is the replay right? Made programs, and what they would take if they were changed, by a simulation that shares nothing with it.

    replay.py REPORT [SEED...]

A program launches kernels on two streams, with pauses, and waits now and then; a launch takes LATENCY to reach the device, a
stream BEHIND to turn to the next kernel, and a wait ends TAIL behind the last kernel. Its trace is run again by the report as it
is, with kernels of half their length, and without waits. All three have to be what the simulation says, to the nanosecond."""

import json
import random
import re
import subprocess
import sys

LATENCY, BEHIND, TAIL, CALL = 6000, 1000, 3000, 4000


def program(seed):
    r = random.Random(seed)
    scale = r.choice([5, 20, 60])  # of kernels against pauses of 30 us at most: the host limits, both do, or the device
    return [("wait",) if i and r.random() < 0.04 else
            ("launch", r.randrange(2), r.randrange(1, 1 + scale) * 1000) for i in range(300)], [r.randrange(1, 30) * 1000 for _ in range(300)]


def simulate(steps, pauses, half=False, waits=True):
    """Rows as (name, thread or stream, start, end, correlation), and when all has ended."""
    now, free, rows = 0, [None, None], []
    for i, (step, pause) in enumerate(zip(steps, pauses)):
        now += pause
        if step[0] == "wait":
            ended = max((f for f in free if f is not None), default=0)
            end = max(now + TAIL, ended + TAIL) if waits and ended > now else now + TAIL
            rows.append(("cudaDeviceSynchronize", "host", now, end, 0))
            now = end
            continue
        _, stream, ns = step
        start = now + LATENCY if free[stream] is None else max(now + LATENCY, free[stream] + BEHIND)
        end = start + (ns // 2 if half else ns)
        rows += [("cudaLaunchKernel", "host", now, now + CALL, i + 1), (f"kernel_{i}", stream, start, end, i + 1)]
        free[stream], now = end, now + CALL
    return rows, max(row[3] for row in rows) - min(row[2] for row in rows)


def write(rows, path):
    events = [{"ph": "X", "name": name, "cat": "cuda_runtime" if on == "host" else "kernel", "pid": 1 if on == "host" else 0,
               "tid": 1 if on == "host" else 7 + on, "ts": start / 1000, "dur": (end - start) / 1000,
               "args": {"correlation": correlation, **({} if on == "host" else {"stream": 7 + on, "device": 0})}}
              for name, on, start, end, correlation in rows]
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"traceEvents": events}, f)


def main(report, *seeds):
    wrong = 0
    for seed in map(int, seeds or range(12)):
        steps, pauses = program(seed)
        rows, took = simulate(steps, pauses)
        write(rows, "made.json")
        done = subprocess.run([report, "--dump", "analysis", "made.json"], check=True, capture_output=True, text=True).stdout
        recorded, again = map(int, re.search(r"recorded (\d+) ns, again (\d+)", done).groups())
        no_waits, half = map(int, re.search(r"no waits (-?\d+), events of half their length (-?\d+)", done).groups())
        mine = took - simulate(steps, pauses, waits=False)[1], took - simulate(steps, pauses, half=True)[1]
        print(f"seed {seed}: {took} ns, without waits {mine[0]} less, with half kernels {mine[1]} less")
        for what, one, other in (("as it is", took, recorded), ("again", took, again), ("no waits", mine[0], no_waits), ("half", mine[1], half)):
            if one != other:
                print(f"  {what}: the report says {other}, the simulation {one}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
