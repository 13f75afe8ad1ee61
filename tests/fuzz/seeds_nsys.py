# SPDX-License-Identifier: Apache-2.0
"""What the two fuzzers of databases of Nsight Systems begin with; seeds.py writes them."""
import os
import pathlib
import sqlite3
import struct
import tempfile

# tests/fuzz/fuzz_nsys_rows.c has the same tables.
CUPTI, WORK, CALL = "CUPTI_ACTIVITY_KIND_", "start,end,deviceId,contextId,streamId,correlationId,globalPid", "start,end,globalTid,correlationId,nameId"
NSYS = {"StringIds": "id INTEGER PRIMARY KEY,value", "ThreadNames": "nameId,globalTid", "PROCESSES": "globalPid,pid,name",
        "TARGET_INFO_SESSION_START_TIME": "utcEpochNs",
        "TARGET_INFO_GPU": "id,name,totalMemory,smCount,maxShmemPerSm,maxRegistersPerSm,threadsPerWarp,maxWarpsPerSm,computeMajor,computeMinor",
        "TARGET_INFO_CUDA_DEVICE": "gpuId,cudaId,pid", CUPTI + "RUNTIME": CALL,
        CUPTI + "KERNEL": WORK + ",demangledName,shortName,mangledName,registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,"
                                 "staticSharedMemory,dynamicSharedMemory,graphNodeId",
        CUPTI + "MEMCPY": WORK + ",bytes,copyKind,srcKind,dstKind", CUPTI + "MEMSET": WORK + ",bytes,memKind",
        CUPTI + "SYNCHRONIZATION": WORK + ",syncType", CUPTI + "GRAPH_TRACE": WORK + ",graphId", CUPTI + "OVERHEAD": CALL,
        "NVTX_EVENTS": "start,end,eventType,text,globalTid,textId,domainId", "TARGET_INFO_GPU_METRICS": "typeId,metricId,metricName",
        "GPU_METRICS": "timestamp,typeId,metricId,value"}
GLOBAL = 5 << 24


def tables_of_runs():
    """A few rows of each table, and those of pairs that belong together."""
    texts = [(1, "cudaLaunchKernel_v7000"), (2, "void gemm(int)"), (3, "step"), (4, "aten::mm, seq = 3, op_id = 7, sizes = [[6, 1], [1, 3]]"),
             (5, "cudaMemcpyAsync"), (6, "")]
    work = lambda at, n, *more: (at, at + 50, 0, 1, 7, n, GLOBAL, *more)
    made = {"StringIds": texts, "ThreadNames": [(3, GLOBAL | 6)], "PROCESSES": [(GLOBAL, 5, "python3")],
            "TARGET_INFO_SESSION_START_TIME": [(1 << 60,)],
            "TARGET_INFO_GPU": [(0, "NVIDIA H200", 1 << 37, 132, 233472, 65536, 32, 64, 9, 0), (1, None, -1, 0, 0, 0, 0, 0, 0, 0)],
            "TARGET_INFO_CUDA_DEVICE": [(1, 0, 5)],
            CUPTI + "RUNTIME": [(100 * i, 100 * i + 20, GLOBAL | 6, i, 1 + i % 5) for i in range(1, 7)],
            CUPTI + "KERNEL": [work(110, 1, 2, 3, None, 40, 264, 2, 1, 128, 1, 1, 1024, 2048, None), work(1 << 62, 9, 99, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)],
            CUPTI + "MEMCPY": [work(210, 2, 1 << 22, 1, 0, 2)], CUPTI + "MEMSET": [work(310, 3, 4096, 2)],
            CUPTI + "SYNCHRONIZATION": [work(410, 4, 3)], CUPTI + "GRAPH_TRACE": [work(510, 5, 8)],
            CUPTI + "OVERHEAD": [(1, 9, GLOBAL | 6, 0, 6)],
            "NVTX_EVENTS": [(0, None, 75, "NCCL", GLOBAL, None, 3), (90, 900, 59, None, GLOBAL | 6, 3, 0), (95, 300, 59, texts[3][1], GLOBAL | 6, None, 0),
                            (120, 150, 60, "all", GLOBAL | 6, None, 3), (130, None, 34, "mark", GLOBAL, None, 0), (140, None, 59, None, GLOBAL, None, 0)],
            "TARGET_INFO_GPU_METRICS": [(7 << 8, 1, "SMs Active [Throughput %]")],
            "GPU_METRICS": [(100 * i, 7 << 8, 1, i) for i in range(4)]}
    yield made
    for name, of in made.items():
        yield {"StringIds": texts[:3], name: of}
        yield {name: of[:1]}
    yield {k: made[k][:2] for k in (CUPTI + "RUNTIME", CUPTI + "KERNEL", "StringIds")}
    yield {CUPTI + "KERNEL": [(i, i + j) + (j,) * 18 for i in (0, 1 << 61, -(1 << 62)) for j in (0, 1, -1)]}
    yield {CUPTI + "RUNTIME": [("a", 2.5, b"x", None, "1"), (2.5, "9", 1, 1, 1)], "NVTX_EVENTS": [(1, 2, 59, b"\0\xff", "t", 1.5, None)]}


def packed_value(v):
    if v is None:
        return b"\0"
    if isinstance(v, float):
        return b"\x0f" + struct.pack("<d", v)
    if isinstance(v, (str, bytes)):
        data = v.encode() if isinstance(v, str) else v
        return (bytes([len(data) << 3 | 6]) if len(data) < 31 else bytes([0xfe, len(data)])) + data
    if 0 <= v < 32:
        return bytes([v << 3 | 1])
    kind, n = next((k, n) for k, n in ((2, 1), (3, 2), (4, 4), (5, 8)) if n == 8 or 0 <= v < 1 << 8 * n)
    return bytes([kind]) + (v % (1 << 64)).to_bytes(8, "little")[:n]


def rows():
    names = list(NSYS)
    for tables in tables_of_runs():
        for without in (255, 1, 4):
            yield b"".join(bytes([names.index(name)]) + (bytes([without]) if not i else b"") +
                           b"".join(packed_value(v) for c, v in enumerate(row) if c != without)
                           for name, of in tables.items() for i, row in enumerate(of))


def files():
    """The same as files of SQLite, with their zeros packed."""
    for tables in tables_of_runs():
        handle, path = tempfile.mkstemp(".sqlite")
        os.close(handle)
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size = 512")
        for name, of in tables.items():
            db.execute(f"CREATE TABLE {name} ({NSYS[name].replace('end', chr(34) + 'end' + chr(34))})")
            db.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(of[0]))})", of)
        db.commit()
        db.close()
        data, packed, at = pathlib.Path(path).read_bytes(), bytearray(), 16
        os.unlink(path)
        while at < len(data):
            packed.append(data[at])
            at += 1
            if data[at - 1] == 0:
                n = next((i for i in range(at, len(data)) if data[i]), len(data)) - at
                page = -at % 512
                packed.append(128 if n >= page and n > 0 else min(n, 127))
                at += page if packed[-1] == 128 else packed[-1]
        yield bytes(packed)
