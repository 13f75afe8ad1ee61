#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nsys.py make FILE [old|two|plain] | check REPORT FILE | damage REPORT FILE N

Databases as `nsys export --type sqlite` writes them, with the columns of NVIDIA's schema, and what plain SQL says of
them held against what report says.
"""
import collections
import pathlib
import random
import re
import sqlite3
import subprocess
import sys

SPAN = "start INTEGER NOT NULL, end INTEGER"
DEVICE = SPAN + (", deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL,"
                 " correlationId INTEGER, globalPid INTEGER")
HOST = SPAN + ", eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER"
NEW = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "ThreadNames": "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "TARGET_INFO_GPU": "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, totalMemory INTEGER, smCount INTEGER,"
                       " maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER,"
                       " computeMajor INTEGER, computeMinor INTEGER",
    "TARGET_INFO_CUDA_DEVICE": "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT, numMultiprocessors INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": HOST,
    "CUPTI_ACTIVITY_KIND_KERNEL": DEVICE + ", demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,"
        " registersPerThread INTEGER NOT NULL, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER,"
        " blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": DEVICE + ", bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": DEVICE + ", value INTEGER, bytes INTEGER NOT NULL, memKind INTEGER",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": DEVICE + ", syncType INTEGER NOT NULL, eventId INTEGER",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": DEVICE + ", graphId INTEGER NOT NULL, graphExecId INTEGER",
    "CUPTI_ACTIVITY_KIND_OVERHEAD": SPAN + ", globalTid INTEGER, correlationId INTEGER, nameId INTEGER, overheadType INTEGER",
    "TARGET_INFO_GPU_METRICS": "typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT NOT NULL, metricId INTEGER NOT NULL,"
        " metricName TEXT NOT NULL",
    "GPU_METRICS": "timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL",
    "NVTX_EVENTS": SPAN + ", eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER, text TEXT,"
        " globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER",
}
# What schemas of other versions lack, and what nobody needs.
OLD_LACKS = re.compile(r", (greenContextId|graphNodeId|mangledName|domainId|textId|srcKind|dstKind|memKind|deviceId) INTEGER( NOT NULL)?")
PUSHED, STARTED, MARK, DOMAIN = 59, 60, 34, 75
PID, TID, OTHER = 4711, 4712, 4811


class Made:
    """A run of 12 steps: a product, something element by element, a copy, a wait; plain: without PyTorch, on a GPU
    that no table knows."""

    def __init__(self, path, old):
        pathlib.Path(path).unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.strings, self.columns, self.correlation, self.plain = {}, {}, 0, False
        for table, columns in NEW.items():
            if old and table in ("TARGET_INFO_CUDA_DEVICE", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_OVERHEAD", "GPU_METRICS"):
                continue
            columns = OLD_LACKS.sub("", columns) if old else columns
            self.columns[table] = re.findall(r"(\w+) (?:INTEGER|TEXT)", columns)
            self.db.execute(f"CREATE TABLE {table} ({columns})")

    def add(self, table, **row):
        names = [name for name in row if name in self.columns.get(table, ())]
        if names:
            self.db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
                            [row[name] for name in names])

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = 1000 + 3 * len(self.strings)
            self.db.execute("INSERT INTO StringIds VALUES (?, ?)", (self.strings[text], text))
        return self.strings[text]

    def call(self, at, name, dur, pid=PID):
        self.correlation += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=at, end=at + dur, globalTid=pid << 24 | pid + 1,
                 correlationId=self.correlation, nameId=self.string(name))
        return self.correlation

    def work(self, table, at, dur, pid=PID, device=0, **row):
        self.add("CUPTI_ACTIVITY_KIND_" + table, start=at, end=at + dur, deviceId=device, contextId=1, globalPid=pid << 24,
                 **{"streamId": 7, "correlationId": self.correlation, **row})

    def kernel(self, at, dur, name, **row):
        self.work("KERNEL", at, dur, demangledName=self.string(name), shortName=self.string("short"), registersPerThread=40, gridX=264,
                  gridY=2, gridZ=1, blockX=128, blockY=1, blockZ=1, staticSharedMemory=1024, dynamicSharedMemory=2048, **row)

    def range(self, at, end, text, by_id=False, kind=PUSHED, domain=0, pid=PID):
        named = {"textId": self.string(text)} if by_id and "textId" in self.columns["NVTX_EVENTS"] else {"text": text}
        self.add("NVTX_EVENTS", start=at, end=end, eventType=kind, globalTid=pid << 24 | pid + 1, domainId=domain, **named)

    def step(self, at, pid=PID, device=0):
        self.range(at, at + 900_000, "step", by_id=True, pid=pid)
        if not self.plain:
            self.range(at + 1000, at + 40_000, "aten::mm, seq = 3, op_id = 7, sizes = [[64, 128], [128, 32]]", pid=pid)
        self.call(at + 5000, "cudaLaunchKernel_v7000", 6000, pid)
        self.kernel(at + 20_000, 300_000, "void cutlass::Kernel2<sm80_xmma_gemm_bf16>(Params)", pid=pid, device=device)
        self.range(at + 45_000, at + 60_000, "ncclAllReduce", domain=3, pid=pid)
        self.call(at + 50_000, "cuLaunchKernelEx", 6000, pid)
        self.kernel(at + 330_000, 50_000,
                    "add(float *, int)" if self.plain else "void at::native::vectorized_elementwise_kernel<4, Add>(int)", pid=pid, device=device)
        self.call(at + 70_000, "cudaMemcpyAsync_v3020", 9000, pid)
        self.work("MEMCPY", at + 400_000, 200_000, pid, device, bytes=1 << 22, copyKind=1, srcKind=0, dstKind=2)
        self.call(at + 80_000, "cudaMemsetAsync_v3020", 9000, pid)
        self.work("MEMSET", at + 610_000, 5_000, pid, device, bytes=4096, value=0, memKind=2)
        self.call(at + 90_000, "cudaGraphLaunch_v10000", 9000, pid)
        self.work("GRAPH_TRACE", at + 620_000, 50_000, pid, device, graphId=5)
        self.call(at + 100_000, "cudaStreamSynchronize_v3020", 700_000, pid)
        self.work("SYNCHRONIZATION", at + 100_500, 699_000, pid, device, syncType=3)


def make(path, kind=""):
    made = Made(path, kind == "old")
    made.plain = kind == "plain"
    made.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=1_700_000_000_000_000_000, utcTime="2023/11/14-22:13:20")
    for gpu in range(2):
        made.add("TARGET_INFO_GPU", vmId=0, id=gpu, name="GPU nobody knows" if made.plain else "NVIDIA H200", totalMemory=150 << 30, smCount=132, maxShmemPerSm=233472,
                 maxRegistersPerSm=65536, threadsPerWarp=32, maxWarpsPerSm=64, computeMajor=9, computeMinor=0)
    users = [(PID, 0)] + ([(OTHER, 0)] if kind == "two" else [])
    for pid, device in users:
        # The second process sees GPU 1 alone, as its device 0.
        made.add("TARGET_INFO_CUDA_DEVICE", gpuId=int(pid == OTHER), cudaId=0, pid=pid)
        made.add("PROCESSES", globalPid=pid << 24, pid=pid, name="python3")
        made.add("ThreadNames", nameId=made.string("main of " + str(pid)), globalTid=pid << 24 | pid + 1)
        made.correlation = 100
        for step in range(12):
            made.step(10_000_000 + step * 1_000_000, pid, device)
    made.add("NVTX_EVENTS", start=0, eventType=DOMAIN, text="NCCL", globalTid=PID << 24 | TID, domainId=3)
    made.range(10_500_000, None, "a mark", kind=MARK)
    made.range(9_000_000, 22_000_000, "training", kind=STARTED)
    made.range(21_999_000, None, "open at the end")
    for metric, name in enumerate(("SMs Active [Throughput %]", "GPC Clock Frequency [MHz]")):
        made.add("TARGET_INFO_GPU_METRICS", typeId=7 << 8, sourceId=1, typeName="GA100", metricId=metric, metricName=name)
        for i in range(200):
            made.add("GPU_METRICS", timestamp=10_000_000 + i * 60_000, typeId=7 << 8, metricId=metric, value=(i * 37 % 100, 1980 - i % 9)[metric])
    made.add("CUPTI_ACTIVITY_KIND_OVERHEAD", start=9_100_000, end=9_200_000, globalTid=PID << 24 | TID,
             nameId=made.string("Buffer flush"), overheadType=1)
    made.db.commit()


ROW = re.compile(r"(\d+) \d+ \+(\d+) t\d+ d\d+ ([a-z ]+) \[(\w*)\] (.*)")
SAME = {"runtime": "calls", "driver": "calls", "op": "ranges", "annotation": "ranges"}


def dump(report, path):
    done = subprocess.run([report, "--dump", "trace", path], capture_output=True, check=True, timeout=60)
    return done.stdout.decode()


def check(report, path):
    """Numbers and sums of each kind, and the joins of launches, by SQL and by report."""
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {name for name, in db.execute("SELECT name FROM sqlite_master")}

    def ask(table, where="1"):
        if table not in tables:
            return 0, 0
        return db.execute(f'SELECT count(*), coalesce(sum("end" - start), 0) FROM {table} WHERE {where}').fetchone()

    cupti = "CUPTI_ACTIVITY_KIND_"
    want = {"calls": ask(cupti + "RUNTIME"), "memcpy": ask(cupti + "MEMCPY"), "memset": ask(cupti + "MEMSET"),
            "device sync": ask(cupti + "SYNCHRONIZATION"), "overhead": ask(cupti + "OVERHEAD"),
            "kernel": tuple(map(sum, zip(ask(cupti + "KERNEL"), ask(cupti + "GRAPH_TRACE")))),
            "counter": (db.execute("SELECT count(*) FROM GPU_METRICS").fetchone()[0] if "GPU_METRICS" in tables else 0, 0),
            "ranges": ask("NVTX_EVENTS", '"end" IS NOT NULL AND eventType IN (59, 60)')}
    joined = sum(db.execute(f"SELECT count(*) FROM {cupti}{kind} AS work WHERE EXISTS (SELECT 1 FROM {cupti}RUNTIME AS call WHERE"
                            " call.correlationId = work.correlationId AND call.globalTid >> 24 = work.globalPid >> 24)").fetchone()[0]
                 for kind in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE") if cupti + kind in tables)
    got, launched = collections.defaultdict(lambda: [0, 0]), 0
    for row in filter(None, map(ROW.match, dump(report, path).splitlines())):
        if row[5].startswith("open at the end"):
            continue
        kind = SAME.get(row[3], row[3])
        got[kind][0] += 1
        got[kind][1] += int(row[2])
        launched += kind in ("kernel", "memcpy", "memset") and " launch " in row[5]
    for kind, both in want.items():
        assert list(both) == got[kind], f"{path}: {kind}: {both} by SQL, {got[kind]} by report"
    assert joined == launched, f"{path}: {joined} launches by SQL, {launched} by report"
    assert want["kernel"][0] > 0


def damage(report, path, n):
    """Bytes that are changed, cut or moved: one line and status 1, or a report, and never a crash."""
    whole, seen = pathlib.Path(path).read_bytes(), collections.Counter()
    bad = pathlib.Path("bad.sqlite")
    for seed in range(int(n)):
        rng, data = random.Random(seed), bytearray(whole)
        for _ in range(rng.choice((1, 1, 4, 40, 400))):
            at = rng.randrange(len(data)) if rng.random() < 0.6 else rng.randrange(len(data)) & ~4095 | rng.randrange(12)
            data[min(at, len(data) - 1)] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
        if rng.random() < 0.3:
            del data[rng.randrange(1, len(data)):]
        elif rng.random() < 0.3:
            a, b = (4096 * rng.randrange(len(data) // 4096) for _ in range(2))
            data[a:a + 4096] = data[b:b + 4096]
        bad.write_bytes(data)
        done = subprocess.run([report, "--dump", "trace", str(bad)], capture_output=True, timeout=60, check=False)
        said = done.stderr.decode(errors="replace")
        assert done.returncode in (0, 1), f"seed {seed}: status {done.returncode}: {said[-2000:]}"
        assert done.returncode == 0 or said.count("\n") == 1 and "bad.sqlite: " in said, f"seed {seed}: {said}"
        seen[done.returncode] += 1
    print(dict(seen))


if __name__ == "__main__":
    {"make": make, "check": check, "damage": damage}[sys.argv[1]](*sys.argv[2:])
