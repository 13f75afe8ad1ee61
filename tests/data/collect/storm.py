#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many recorded programs at one time: `storm.py COLLECT REPORT CLIENT TESTS [SEED]`.

They fork, start others, exit in their window, are killed at any moment. Each must end as it would alone,
what was recorded must be whole or said to be cut, and nothing may be left in TMPDIR.
"""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

collect, report, client, tests = sys.argv[1:5]
seed = int(sys.argv[5]) if len(sys.argv) > 5 else 16
dice = random.Random(seed)
private = tempfile.mkdtemp(prefix="storm", dir="/tmp")
environment = dict(os.environ, TMPDIR=private)
ranges, copies, gpu = tests + "/inject/ranges", tests + "/fake/copies", tests + "/fake/libcuda_fake.so"
torch = [client, "--seconds", "1"]
PROGRAMS = {  # and how each ends alone
    "plain": (torch, 0), "stops": (torch + ["--status", "3"], 3), "threads": (torch + ["--threads", "3"], 0),
    "killed": (torch + ["--kill", "9"], 137), "ranks": (torch + ["--children", "2"], 0), "own": (torch + ["--own"], 0),
    "forks": (torch + ["--fork", "3"], 0), "junk": (torch + ["--mess", "junk"], 0),
    "shell": (["sh", "-c", '"$@" & "$@" & wait; exit 3', "sh", *torch], 3),
    "early": (torch + ["--idle"], 0)}
if os.path.exists(ranges):
    PROGRAMS.update(fork=([ranges, "fork"], 3), exit=([ranges, "_exit"], 3), abort=([ranges, "abort"], 134))
if os.path.exists(copies):
    environment.update(TRACEBOOK_CUDA_DRIVER=gpu, TRACEBOOK_CUPTI=gpu)
    PROGRAMS.update(copies=([copies, "exit", "200"], 4), gone=([copies, "_exit", "50"], 4), kill=([copies, "kill"], 137))
wrong = []


class Job:
    def __init__(self, i):
        self.i, self.name, self.number = i, dice.choice(sorted(PROGRAMS)), None
        words, self.status = PROGRAMS[self.name]
        options = dice.choice([["--after", "0s"], [], ["--after", "0s", "--for", "100ms"], ["--steps", "2"]])
        if i % 3 == 0:
            self.number = dice.choice([signal.SIGTERM, signal.SIGKILL])
        self.at = time.time() + dice.uniform(0.05, 2.5)
        with open(f"{i}.err", "w") as log:
            self.started = subprocess.Popen([collect, *options, "--out", f"run{i}", "--", *words],
                                            stderr=log, stdout=log, env=environment)

    def kill(self):
        """The program itself, not who stands for it."""
        time.sleep(max(self.at - time.time(), 0))
        with open(f"/proc/{self.started.pid}/task/{self.started.pid}/children") as f:
            for pid in f.read().split()[:1]:
                os.kill(int(pid), self.number)

    def judge(self):
        got = self.started.wait(240)
        got = got if got >= 0 else 128 - got
        if got != self.status and not (self.number and got == 128 + self.number):
            self.fail(f"status {got}, alone {self.status}, killed by {self.number}")
        if not os.path.exists(f"run{self.i}/run.json"):
            return
        with open(f"run{self.i}/run.json") as f:
            cut = "the file is cut" in f.read()
        for path in glob.glob(f"run{self.i}/*.json"):
            with open(path) as f:
                try:
                    json.load(f)
                except ValueError as e:
                    if not cut:
                        self.fail(f"{path}: {e}")
        done = subprocess.run([report, "--dump", "trace", f"run{self.i}"], capture_output=True, text=True)
        if done.returncode:
            self.fail(f"report: {done.returncode} {done.stderr}")

    def fail(self, why):
        with open(f"{self.i}.err") as f:
            wrong.append(f"{self.i} ({self.name}): {why}\n{f.read()}")


jobs = [Job(i) for i in range(36)]
for j in sorted((j for j in jobs if j.number), key=lambda j: j.at):
    try:
        j.kill()
    except (OSError, IndexError):
        pass  # it was over before
for j in jobs:
    j.judge()
left = [f for f in os.listdir(private) if f.startswith("tracebook")]
shutil.rmtree(private)
recorded = len(glob.glob("run*/run.json"))
print(f"seed {seed}: {recorded} of {len(jobs)} recorded, {sum(bool(j.number) for j in jobs)} to be killed")
if left:
    wrong.append(f"left behind: {left}")
if recorded < 6:
    wrong.append("too few were recorded to tell anything")
sys.exit("\n".join(wrong) if wrong else 0)
