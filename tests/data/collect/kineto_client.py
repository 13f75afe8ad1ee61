#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that asks for work as libkineto does, and no more than that: `kineto_client.py [OPTION]...`.

Sockets, messages, sizes, waiting and file names are libkineto's (a temporary name that is renamed at
the end, the process id before ".json"); what it "records" is made up at once, whatever time was asked
for, so that tests are quick. Options:

  --seconds S     runs so long at most (default 20), and ends when its window is written
  --every S       asks so often (default 0.1)
  --cold N        the first N recordings show a program that has not settled
  --idle          nothing ever happens in it
  --no-steps      no optimizer step: requests by steps are dropped
  --steps-after N the first N requests by steps are dropped
  --own N         its own profiler is at work during the first N requests
  --twice         sends each request twice
  --deaf N        does not wait for the first N answers, and finds each when it asks next
  --lose N        begins the first N windows and never ends them
  --cut SIGNAL    is ended by it in the middle of writing its window
  --context       registers itself first
  --hostile       sends all sorts of wrong datagrams first
  --status N      ends with this status
  --children N    starts N of itself, with RANK and WORLD_SIZE set, and waits for them
  --last SIGNAL   is ended by it once its window is written
  --big MB        a window of that size
  --pause S       waits so long before it writes its window
"""
import argparse
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
import uuid

EVENTS, ACTIVITIES = 1, 2


def message(kind, content):
    return struct.pack("=Q32s", len(content), kind) + content


def ancestors():
    pids, pid = [], os.getpid()
    while pid > 1 and len(pids) < 11:
        pids.append(pid)
        with open(f"/proc/{pid}/stat") as f:
            pid = int(f.read().rsplit(")", 1)[1].split()[1])
    return pids


class Client:
    def __init__(self, o):
        self.o = o
        self.folder = os.environ["KINETO_IPC_SOCKET_DIR"]
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.name = f"{self.folder}/dynoconfigclient{uuid.uuid4()}"
        self.socket.bind(self.name)
        self.job = int(os.environ.get("SLURM_JOB_ID", 0))
        self.made, self.done, self.lost, self.by_steps, self.asked = 0, False, 0, 0, 0
        self.missed = False  # an answer that came too late is found in place of the next one

    def send(self, datagram):
        for _ in range(50):  # as sync_send(): a full queue is tried again
            try:
                self.socket.sendto(datagram, socket.MSG_DONTWAIT, self.folder + "/dynolog")
                return
            except BlockingIOError:
                time.sleep(0.01)

    def receive(self, kind, seconds=0.09):
        """The content of the answer, None when none came in time."""
        if not select.select([self.socket], [], [], seconds)[0]:
            self.missed = True
            return None
        datagram, sender = self.socket.recvfrom(65536)
        assert sender == self.folder + "/dynolog", sender
        size, got = struct.unpack("=Q32s", datagram[:40])
        assert got.rstrip(b"\0") == kind and size == len(datagram) - 40, datagram
        return datagram[40:]

    def register(self):
        self.send(message(b"ctxt", struct.pack("=iiq", 0, os.getpid(), self.job)))
        content = self.receive(b"ctxt", 1)
        assert content is not None and struct.unpack("=i", content)[0] >= 1, content

    def ask(self):
        self.asked += 1
        busy = self.asked <= self.o.own
        pids = ancestors()
        request = message(b"req", struct.pack(f"=iiq{len(pids)}i", EVENTS | (0 if busy else ACTIVITIES),
                                              len(pids), self.job, *pids))
        self.sent_s = time.monotonic()
        for _ in range(2 if self.o.twice else 1):
            self.send(request)
        if self.asked <= self.o.deaf:
            return
        for _ in range(2 if self.o.twice else 1):
            text = self.receive(b"req")
            if busy:
                assert text in (None, b""), text
            if text:
                self.obey(dict(line.split("=", 1) for line in text.decode().splitlines()))

    def obey(self, config):
        path = config["ACTIVITIES_LOG_FILE"]
        allowed = os.environ["KINETO_ONDEMAND_TRACE_DIR"].rstrip("/") + "/"
        assert path.startswith(allowed) and ".." not in path and path.endswith(".json"), path
        if "ACTIVITIES_ITERATIONS" in config:
            assert config["ACTIVITIES_DURATION_MSECS"] == "0", config
            self.by_steps += 1
            if self.o.no_steps or self.by_steps <= self.o.steps_after:
                return
        else:
            start_s = int(config["PROFILE_START_TIME"]) / 1000 - time.time()
            if start_s < 2 + int(config["ACTIVITIES_WARMUP_PERIOD_SECS"]):
                assert self.o.deaf or self.missed or time.monotonic() - self.sent_s > 0.1, start_s
                return  # too late to warm up: libkineto drops it
        probe = os.path.basename(path).startswith("probe")
        time.sleep(0 if probe else self.o.pause)
        path = path.replace(".json", f"_{os.getpid()}.json")
        if not probe and self.lost < self.o.lose:
            self.lost += 1
            open(path + ".tmp", "w").close()
            return
        self.write(path, config, probe)
        self.done = self.done or not probe

    def write(self, path, config, probe):
        self.made += 1
        cold = self.made <= self.o.cold
        steps = int(config.get("ACTIVITIES_ITERATIONS", 8))
        with open(path + ".tmp", "w") as f:
            f.write('\n  {\n    "schemaVersion": 1,\n    "deviceProperties": [],\n  "displayTimeUnit": '
                    '"ms",\n  "baseTimeNanoseconds": 0,\n  "traceEvents": [')
            self.write_events(f, steps, 1000 * self.made if cold else 100, config)
            if self.o.cut and not probe:
                f.flush()
                os.kill(os.getpid(), self.o.cut)
            if not probe:
                f.write((" " * 1023 + "\n") * 1024 * self.o.big)
            f.write('\n  {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", '
                    f'"ts": 1.0}}\n  ],\n  "traceName": "{path}"\n}}')
        os.rename(path + ".tmp", path)

    def write_events(self, f, steps, step_us, config):
        pid = os.getpid()
        for i in range(0 if self.o.idle else steps):
            at = i * step_us
            args = {"Input Dims": [[4, 4]]} if config["PROFILE_REPORT_INPUT_SHAPES"] == "true" else {}
            for event in ({"cat": "cpu_op", "name": "aten::mm", "ts": at, "dur": 20, "args": args},
                          {"cat": "cpu_op", "name": "aten::add", "ts": at + 30, "dur": 10},
                          {"cat": "user_annotation", "name": "Optimizer.step#SGD.step", "ts": at + 50,
                           "dur": 5}):
                f.write("\n  " + json.dumps({"ph": "X", "pid": pid, "tid": pid, **event}) + ",")

    def run(self):
        end = time.monotonic() + self.o.seconds
        if self.o.context:
            self.register()
        if self.o.hostile:
            self.attack()
        while not self.done and time.monotonic() < end:
            self.ask()
            time.sleep(self.o.every)
        if self.done and self.o.last:
            os.kill(os.getpid(), self.o.last)
        os.unlink(self.name)

    def attack(self):
        pid = os.getpid()
        good = struct.pack("=iiqi", 3, 1, 0, pid)
        for datagram in (
                b"", b"\0", b"\xff" * 39, b"\xff" * 40, b"\xff" * 60000,
                message(b"req", b""), message(b"req", good[:-1]), message(b"req", good + b"\0"),
                message(b"ctxt", good + b"1234567"), message(b"none", good), message(b"r" * 32, good),
                message(b"req", struct.pack("=iiq", 3, 0, 0)),  # no process at all
                message(b"req", struct.pack("=iiqi", 3, -1, 0, pid)),
                message(b"req", struct.pack("=iiqi", 3, 2**31 - 1, 0, pid)),
                message(b"req", struct.pack("=iiqi", 3, 1, 0, -pid)),
                message(b"req", struct.pack("=iiqi", 64, 1, 0, pid)),
                message(b"req", struct.pack("=iiq65i", 3, 65, 0, *[pid] * 65)),
                struct.pack("=Q32s", 2**64 - 40, b"req") + good,  # wraps round
                struct.pack("=Q32s", len(good) + 40, b"req") + good,
                struct.pack("=Q32s", 0, b"req") + good):
            self.send(datagram)
        self.socket.sendmsg([message(b"none", b"")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                                       struct.pack("=i", 0))], 0,
                            self.folder + "/dynolog")
        assert self.receive(b"req") is None
        for folder in ("/", self.folder + "/../"):  # files that are nobody's
            del folder
        for name in ("main1.p999999.json", "probe1.json", "main.p1.json", "mainx.p1_1.json",
                     f"main99999999999999999999.p{2**40}.json", f"main1.p{pid}.txt"):
            open(f"{self.folder}/{name}", "w").close()
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)  # nowhere to answer to
        sender.sendto(message(b"req", good), self.folder + "/dynolog")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=20)
    p.add_argument("--every", type=float, default=0.1)
    p.add_argument("--pause", type=float, default=0)
    for name in ("idle", "no-steps", "twice", "context", "hostile"):
        p.add_argument("--" + name, action="store_true")
    for name in ("cold", "steps-after", "own", "deaf", "lose", "status", "children", "big", "cut", "last"):
        p.add_argument("--" + name, type=int, default=0)
    o = p.parse_args()
    if o.children:
        words = [w for i, w in enumerate(sys.argv) if "--children" not in (w, sys.argv[i - 1])]
        started = [subprocess.Popen([sys.executable, *words],
                                    env=dict(os.environ, RANK=str(i), WORLD_SIZE=str(o.children)))
                   for i in range(o.children)]
        return max(child.wait() for child in started)
    Client(o).run()
    return o.status


if __name__ == "__main__":
    sys.exit(main())
