#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""seeds.py FOLDER: makes what the fuzzers begin with, FOLDER/<area>/<number>, the same every time.

Small inputs, each for another part of a reader; beside them the fuzzers read the folders that their
sources name. `make cover` says which lines of the readers both reach together.
"""
import gzip
import itertools
import json
import pathlib
import pickle
import re
import struct
import sys
import zlib

import seeds_nsys

top = pathlib.Path(__file__).resolve().parents[2]
out = pathlib.Path(sys.argv[1])


def event(**members):
    """One event, as PyTorch writes it, with the members in their order."""
    return json.dumps(members)


def span(name, ts, dur, cat="cpu_op", pid=1, tid=1, **args):
    return event(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=args)


def kernel(name, ts, dur, correlation, stream=7, **args):
    return span(name, ts, dur, "kernel", 0, stream, correlation=correlation, stream=stream, device=0,
                context=1, **{"registers per thread": 32, "shared memory": 1024, "blocks per SM": 1.5,
                              "warps per SM": 6.25, "grid": [12, 1, 1], "block": [128, 1, 1],
                              "est. achieved occupancy %": 40}, **args)


def step(i, at, op="aten::mm", gemm="sm80_xmma_gemm_bf16"):
    """A step of one operator, its launch, its kernel, a copy and a wait."""
    c = 10 * i + 1
    return [
        span(f"ProfilerStep#{i}", at, 100, "user_annotation"),
        span(op, at + 5, 40, **{"External id": i + 1, "Input Dims": [[64, 64], [64, 64]],
                                "Input type": ["c10::BFloat16", "c10::BFloat16"],
                                "Input Strides": [[64, 1], [64, 1]], "Concrete Inputs": ["", ""]}),
        span("cudaLaunchKernel", at + 10, 8, "cuda_runtime", correlation=c, **{"External id": i + 1}),
        kernel(gemm, at + 20, 30, c),
        span("cudaMemcpyAsync", at + 50, 5, "cuda_runtime", correlation=c + 1),
        span("Memcpy HtoD (Pageable -> Device)", at + 55, 9, "gpu_memcpy", 0, 7, correlation=c + 1, stream=7,
             device=0, bytes=4096, **{"memory bandwidth (GB/s)": 1.25}),
        span("cudaMemsetAsync", at + 60, 2, "cuda_runtime", correlation=c + 2),
        span("Memset (Device)", at + 66, 3, "gpu_memset", 0, 7, correlation=c + 2, stream=7, bytes=16),
        span("cudaDeviceSynchronize", at + 70, 20, "cuda_runtime", correlation=c + 3),
    ]


def trace(events, **members):
    head = json.dumps(members)[1:-1]
    return "{" + head + (", " if head else "") + '"traceEvents": [\n' + ",\n".join(events) + "\n]}"


DEVICES = {"deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150000000000, "computeMajor": 9,
                                 "computeMinor": 0, "numSms": 132, "maxThreadsPerBlock": 1024,
                                 "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536,
                                 "regsPerMultiprocessor": 65536, "warpSize": 32,
                                 "sharedMemPerBlock": 49152, "sharedMemPerMultiprocessor": 233472,
                                 "sharedMemPerBlockOptin": 232448}]}
RANK = {"distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2}}
LABELS = [
    event(ph="M", name="process_name", pid=1, tid=0, ts=0, args={"name": "python"}),
    event(ph="M", name="process_labels", pid=0, tid=0, ts=0, args={"labels": "GPU 0"}),
    event(ph="M", name="process_sort_index", pid=1, tid=0, ts=0, args={"sort_index": 5000}),
    event(ph="M", name="thread_name", pid=1, tid=1, ts=0, args={"name": "thread 1 (python)"}),
    event(ph="M", name="thread_sort_index", pid=0, tid=7, ts=0, args={"sort_index": 7}),
]
STEPS = list(itertools.chain.from_iterable(step(i, 1000 + 150 * i) for i in range(3)))
OTHERS = [
    event(ph="B", cat="cpu_op", name="a", pid=1, tid=1, ts=1), event(ph="B", name="b", pid=1, tid=1, ts=2),
    event(ph="E", pid=1, tid=1, ts=3), event(ph="E", name="a", pid=1, tid=1, ts=4), event(ph="E", pid=1, tid=1, ts=5),
    event(ph="b", cat="c", id="0x1", name="async", pid=1, ts=1, scope="s"),
    event(ph="n", cat="c", id="0x1", name="async", pid=1, ts=2, scope="s"),
    event(ph="e", cat="c", id="0x1", name="async", pid=1, ts=3, scope="s"),
    event(ph="S", cat="c", id=2, name="old", pid=1, tid=1, ts=1), event(ph="F", cat="c", id=2, name="old", pid=1, tid=1, ts=9),
    event(ph="b", cat="c", id2={"local": "0x3"}, name="open", pid=1, ts=4),
    event(ph="s", id=1, cat="ac2g", name="ac2g", pid=1, tid=1, ts=5), event(ph="f", id=1, bp="e", cat="ac2g", name="ac2g", pid=0, tid=7, ts=6),
    event(ph="i", name="[memory]", s="t", pid=1, tid=1, ts=7, args={"Total Allocated": 12, "Bytes": -5}),
    event(ph="C", name="GPU 0 Utilization", pid=0, ts=8, args={"x": "y", "u": 12.5}),
    event(ph="C", name="n", pid=0, ts=9, args={}), event(ph="P", name="sample", ts=9), event(ph="I", name="mark", ts=2, pid="p", tid="t"),
    span("mtia", 3, 2, "mtia_ccp_events"), span("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", 4, 5, "kernel", 0, 20, stream=20, **{"Collective name": "allreduce", "In msg nelems": 12, "Group size": 2, "dtype": "BFloat16"}),
    span("_ZN2at6native4copyEv.kd", 1, 1, "kernel", 0, 3, stream=3), span("cudaGraphLaunch", 1, 1, "cuda_runtime", correlation=77),
    span("in a graph", 2, 1, "kernel", 0, 7, correlation=77, stream=7, **{"graph node id": 5}),
    span("hipLaunchKernel", 3, 1, "cuda_driver", correlation=78), span("x", 4, 1, "gpu_user_annotation", 0, 7),
    span("python", 1, 90, "python_function", **{"Python id": 1, "Python parent id": None}), span("o", 1, 2, "overhead"), span("w", 1, 2, "cuda_sync", 0, 7, stream=7),
]
NUMBERS = ["0", "-0", "1", "-1", "1.5", "1e3", "1E-3", "1e999", "-1e999", "0.0000001", "12345678", "1234567890123456",
           "123456789012345678901234567890", "4611686018427387904", "18446744073709551615", "1700000000000000.123",
           "1700000000000000.1234567", "007", "+5", ".5", "5.", "NaN", "Infinity", "-Infinity", "true", "null", '"12"',
           '"0x1f"', "1_000", "0x10", "1e", "--1", "1.2.3", "[1]", "{}", '""']
TEXTS = ['"a"', '""', r'"\""', r'"\\"', r'"\n\t\r\b\f\/"', r'"A\ud83d\ude00"', r'"\ud83d"', r'"\ud83dA"', r'"\ude00"', r'"\u00"', r'"\x"',
         r'"C:\new\table"', '"\x01"', '"é漢😀"', '"' + "a" * 70 + '"', '"' + "ab" * 200 + '"', '"' + r"\"" * 40 + '"']


def numbers():
    for n in NUMBERS:
        yield f'{{"ph":"X","name":"n","ts":{n},"dur":{n},"pid":{n},"tid":{n},"id":{n},"args":{{"correlation":{n},"stream":{n},"device":{n},"bytes":{n},"blocks per SM":{n},"grid":[{n},{n},{n}],"block":{n}}}}}'


def texts():
    for t in TEXTS:
        yield f'{{"ph":"X","cat":{t},"name":{t},"ts":1,"dur":2,"pid":{t},"tid":{t},"id":{t},"args":{{"Input Dims":[{t},[1,2]],"kind":{t},"name":{t}}}}}'


def damaged(text):
    middle = len(text) // 2
    brace = text.index("{", middle)
    yield text[:middle]
    yield text[middle:]
    yield "\0" * 40 + text[40:]
    yield text[:brace] + text[brace + 1:]
    yield text.replace("},\n{", "}\n{", 1)
    yield text.replace("},\n{", "},,\n{", 1)
    yield text.replace("},\n{", "},\n/* a remark */ {", 1)
    yield text.replace("},\n{", "},\n/x {", 1)
    yield text.replace("},\n{", "}],\n{", 1)
    yield text.replace("},\n{", "},\n[{", 1)
    yield text.replace("},\n{", "},\n1, \"a\", null, ], [1, [2]], {\"no\": \"phase\"},\n{", 1)
    yield text.replace('"aten::mm"', '"aten::{"device": "cpu"}(12)"', 1)
    yield text.replace('"aten::mm"', 'aten::mm', 1)
    yield text.replace('"ts": ', '"ts" ', 1)
    yield text.replace('"dur": ', '"dur": nan, "x": ', 2)
    yield text.replace("[64, 64]", "[64, 64", 1)
    yield text + "\n" + text
    yield text + "\0\0\0"
    yield text + " garbage " + text[text.index("{", 30):]
    yield text.replace('"traceEvents": [', '"traceEvents": 7, "traceEvents": [')
    yield text.replace('"traceEvents": [', '"traceEvents": ')
    yield text.replace('"traceEvents": [', '"traceEvents": [], "traceEvents": [')
    yield text.replace('"traceEvents": [', '"traceEvents": garbage [')
    yield text[:-1] + ', garbage, "more": {"a": [1, "}"]}, "last": "\\"" }'
    yield text[:-2] + ', {"ph": "X", "name": "cut'
    yield "﻿" + text.replace("\n", "\r\n")


def lines(events):
    return "\n".join(events)


def read():
    whole = trace(LABELS + STEPS, baseTimeNanoseconds=1700000000000000000, displayTimeUnit="ms", **DEVICES, **RANK)
    small = trace(STEPS[:4])
    yield from (whole, small, trace(STEPS + OTHERS, schemaVersion=1), trace([]), "[" + ",".join(STEPS[:4]) + "]", lines(STEPS[:4]))
    yield from damaged(small)
    yield from damaged(trace(STEPS[:9] + OTHERS))
    yield trace(list(numbers()))
    yield trace(list(texts()))
    yield trace(OTHERS)
    yield trace([event(ph="i", name="[memory]", s="t", pid=1, tid=1, ts=i, args={"Bytes": 8}) for i in range(9)])
    yield trace(STEPS, baseTimeNanoseconds=5) + trace(STEPS, baseTimeNanoseconds=7000)
    yield trace([span("early", 1, 2), span("late", 1e15, 2), span("back", 5, -3), span("none", 6, None), event(ph="X", name="no time", dur=1)])
    yield trace([span(f"n{i}", 10 * i, 5, tid=i % 40, pid=i % 3) for i in range(300)])
    yield trace([span(f"n{i % 7}", 1000 - 10 * i, 5 + i) for i in range(90)])
    yield trace([event(ph="BE"[i // 40], name=f"d{i % 40}", pid=1, tid=1, ts=i) for i in range(80)])
    yield trace([event(ph="be"[i % 2], cat="c", name="x", id=i // 2, pid=1, ts=i) for i in range(60)])
    yield trace([span("k", i, 1, "kernel", 0, 7, correlation=i % 5, stream=7) for i in range(30)] + [span("cudaLaunchKernel", i, 1, "cuda_runtime", correlation=i % 5) for i in range(30)])
    yield from ("", " ", "\n\n", "null", "7", '"text"', "plain text", "[1, 2, 3]", "[", "{", '{"a"', '{"a": 1}', '{"traceEvents"', '{"traceEvents": [', '{"traceEvents": [{',
                '{"$schema": "x"}', '{"threads": []}', '{"nodes": [1]}', '{"cells": []}', '{"libs": []}', "[{}]", '[{"a": 1}, {"b": 2}]', '{"a": {"b": [1, {"c": "d\\"e"}]}}')
    for magic in (b"version https://git-lfs.github.com/spec/v1\n", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh9", b"SQLite format 3\0", b"\xff\xfe{\0", b"\xfe\xff\0{",
                  b"\x7fELF", b"%PDF-1.7", b"\x89PNG", b"\x80\x04", b"<html>", b"\0" * 257 + b"ustar", b"\n\x0a\x07proto", b"\x01\x02", b"\x1f\x8b"):
        yield magic
    yield gzip.compress(whole.encode(), mtime=0)
    yield gzip.compress(whole.encode(), mtime=0)[:-300]
    yield gzip.compress(small.encode(), mtime=0) + gzip.compress(b"\n" + small.encode(), mtime=0)
    yield gzip.compress(gzip.compress(small.encode(), mtime=0), mtime=0)
    yield whole.replace("aten::mm", "aten::\xff mm").encode("latin-1")


def events():
    for line in itertools.chain(LABELS, STEPS, OTHERS, numbers(), texts()):
        yield line[1:]
        yield line.replace(": ", ":").replace(", ", ",")[1:]
        yield line.replace(", ", ",\n    ")[1:] + ", "
    for text in damaged(trace(STEPS[:2])):
        yield text[text.find("{", 10) + 1:][:700]
    yield '"ph":"X","ts":1,"name":"a "quoted" name","args":{"b":"c "d" e","f":["g "h"","i"]}},{"ph":"X"}'


def member(data, level=6, strategy=zlib.Z_DEFAULT_STRATEGY, flags=0, extra=b"", crc=None, size=None):
    c = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    body = c.compress(data) + c.flush()
    return (b"\x1f\x8b\x08" + bytes([flags]) + b"\0" * 6 + extra + body +
            struct.pack("<II", zlib.crc32(data) if crc is None else crc, len(data) if size is None else size))


def gzips():
    text = trace(STEPS[:3]).encode()
    for level, strategy in ((0, 0), (1, 0), (6, 0), (9, 0), (6, zlib.Z_HUFFMAN_ONLY), (6, zlib.Z_RLE), (6, zlib.Z_FIXED)):
        yield member(text[:300], level, strategy)
    yield member(b"")
    yield member(b"a" * 100000)
    one = member(text[:120])
    yield one + one
    yield one + b"\0" * 9
    yield one + b"\x1f"
    yield one + b"\x1f\x8b\x08"
    yield member(text[:99], crc=1) + one
    yield member(text[:99], size=1) + one
    yield member(text[:99], crc=1)[:-4]
    yield member(text[:50], flags=4, extra=b"\x03\0abc")
    yield member(text[:50], flags=8 | 16, extra=b"name\0a remark\0")
    yield member(text[:50], flags=2, extra=b"\0\0")
    yield member(text[:50], flags=4, extra=b"\xff\xff")
    yield member(text[:50], flags=0x20)
    yield b"\x1f\x8b\x09" + one[3:]
    for n in (0, 1, 3, 9, 11, 40, len(one) - 1):
        yield one[:n]
    # Cut inside a code that ISA-L looks up together with the one before.
    yield bytes.fromhex("1f8b080000000000000044cc310a80300c40d1dd53485c1deaeaee2eb8080e12346241d39246975e"
                        "de66727bf0e16750c18d86975813f4f57265886701ccd0d6b0a19a9f44b2221f8b735008045400")
    for at in (12, 20, 40, 60):
        yield one[:at] + bytes([one[at] ^ 0x55]) + one[at + 1:]


EXPECT = {"step": ["gemm", "add"], "kernels": 2, "syncs": 1, "copies": 1, "regime": "overhead-bound", "must_fire": ["C1", {"id": "K5", "case": "matmul_add/b"}],
          "must_not_fire": ["UTIL-LOW"], "first_step_us": {"min": 1, "max": 2}, "step_us": {"max": 1e6}, "step_time_ratio": {"case": "matmul_add/b", "min": 0.1}}


def expectations():
    one = {"title": "t", "question": "q", "guess": "g", "expect": EXPECT}
    yield one
    yield {"expect": {"kernels": 1}, "whole": True}
    yield {"tracebook_expectations": 1, "about": "x", "thresholds": {"T1.ratio": 5, "UTIL-LOW.busy": "60%", "T4.each": "20us"},
           "traces": [{"trace": "*.json", **one}, {"trace": "in/trace.json", "expect": {"kernels": 3}}, {"trace": "b_cut.json", "whole": True, "expect": {"step": ["any"]}}]}
    for key, value in EXPECT.items():
        yield {"expect": {key: value}}
        for wrong in (None, -1, "x", [], {}, [1], {"min": 2, "max": 1}, {"case": 5}, True, 1e300):
            yield {"expect": {key: wrong}}
    for wrong in ({}, [], 5, {"traces": 1}, {"tracebook_expectations": 2, "traces": []}, {"tracebook_expectations": 1, "traces": [{}]}, {"tracebook_expectations": 1, "traces": [{"trace": 1}]},
                  {"expcet": {}}, {"expect": {"kernls": 1}}, {"thresholds": {"X": 1}}, {"thresholds": {"T1.ratio": "x"}}, {"thresholds": 1}, {"expect": {"must_fire": ["NO-SUCH"]}}):
        yield wrong


def manifests():
    cases = [{"id": "a/x", "experiment": "a", "tag": "x", "title": "64 × 64", "question": "q [a](#b)", "guess": "g", "untested": "u", "mode": "eager",
              "status": "done", "trace": "a.json", "scaled": "asked size 64, ran 32", "expect": EXPECT,
              "counters": {"metrics": ["dram__bytes.sum", "x"], "kernels": [[1, 2], [3]], "reason": ""}},
             {"id": "b", "status": "done", "trace": "b/b.json"}, {"id": "c", "status": "failed", "reason": "no memory"}, {"id": "d", "status": "done", "trace": "../x.json"},
             {"id": "e", "status": "done", "trace": "/dev/zero"}, {"id": "a/x", "status": "done", "trace": "nope.json"}, {"id": "g", "status": "done", "trace": "b"}, {"id": "h", "status": "done"}, {}, 7]
    environment = {"CPU": "x", "Device": "NVIDIA H200", "cores": 2}
    yield {"tracebook_run": 1, "device": "cuda", "is_gpu": True, "created": "2026-01-01T00:00:00Z", "environment": environment, "cases": cases,
           "comparisons": [{"id": "c", "title": "t", "question": "q", "cases": ["a/x", "b"]}]}
    round = {**cases[0], "made_from": "f00d"}
    yield {"device": "host", "cases": [round, {**cases[1], "made_from": ""}, 5], "repeats": ["r", "r/../r", "../r", 7, "none"], "against": {"rounds": ["r", "none", "../r"]},
           "comparisons": [{"title": "t", "cases": ["a/x", "none", 5]}, {"id": "c"}, 5]}
    yield {"program": True, "cases": [round], "repeats": ["r"], "against": {"rounds": ["none"]}}
    yield {"device": "host", "environment": {}, "cases": cases[:2], "schedule": {"wait": 1, "warmup": 1, "active": 3}}
    yield {"command": ["python3", "train.py"], "device": "", "cases": [{"id": "rank 0", "status": "done", "trace": "a.json"}, {"id": "rank 1", "status": "done", "trace": "b/b.json"}]}
    yield from ({}, [], {"cases": {}}, {"cases": []}, {"cases": [{"id": 5, "status": 5, "trace": 5}]})
    for i, asked in enumerate(({}, {"size": 4096}, {"size": 4096, "batch": 8}, {"size": 64}, {"dtype": "bf16"}, {"size": "x", "dtype": 5}, 7)):
        yield {"cases": [{"id": f"é{i}", "status": "done", "trace": "a.json", "title": f"{i}: 4096 × 4096, 8 of 4096 in bf16", "scaled": "it was slow",
                          "workload": "matmul_add", "dtype": "fp32", "shape": {"size": 64, "batch": 4}, "asked": asked,
                          "kernel_work": [{"class": "gemm", "flop": 8, "with": "add", "epilogue": "addend"}, {"class": "any", "read_bytes": 4}, {"class": "x"}, 5]}]}


def matrices():
    base = {"workload": "matmul_add", "size": 64}
    yield {"about": "x", "schedule": {"wait": 1, "warmup": 1, "active": 3, "repeat": 1}, "cases": [
        {**base, "tag": "a", "title": "t", "question": "q", "guess": "g", "untested": "u", "mode": "eager", "dtype": "bf16", "warm": True, "schedule": {"active": 2}, "expect": EXPECT},
        {**base, "tag": "b"}, {"workload": "geglu_mlp", "batch": 2, "seq": 8, "dim": 16, "hidden": 32, "mode": "compile", "then_batch": 3},
        {"workload": "linear", "batch": 4, "in_dim": 8, "out_dim": 8, "mode": "fused"}, {"workload": "square", "batch": 4, "dim": 8}],
        "comparisons": [{"id": "c", "title": "t", "question": "q", "cases": ["matmul_add/a", "matmul_add/b"]}]}
    for wrong in ({"workload": "nope"}, {"size": -1}, {"size": 1e12}, {"size": 1.5}, {"mode": "x"}, {"dtype": "fp8"}, {"warm": 1}, {"tag": "../x"}, {"tag": ""}, {"schedule": {"active": 0}},
                  {"schedule": {"repeat": 5, "x": 1}}, {"expect": {"case": 1}}, {"mode": "graph"}, {"mode": "fused"}, {"dtype": "fp32"}, {"experiment": "e/f"}, {"experiment": "e"}, {"sise": 1}, {"title": 5}):
        yield {"cases": [{**base, **wrong}]}
    for wrong in ({}, [], {"cases": {}}, {"cases": [5]}, {"cases": [{}]}, {"cases": [base, base]}, {"cases": [base], "x": 1}, {"cases": [base], "comparisons": 1}, {"cases": [base], "comparisons": [{}]},
                  {"cases": [base], "comparisons": [{"id": "c", "cases": ["x"]}]}, {"cases": [base], "schedule": 5}, {"about": 5, "cases": [base]}):
        yield wrong


def tables():
    heads = {"bandwidth": "what\tkernel\tp20_us\tp50_us\tp80_us\tGB_per_s", "sweep": "kernel\twidth\tGB_per_s\tevent_p50_us\tp50_us",
             "copies": "bytes\tdirection\tmemory\tGB_per_s\tcpu_us", "launches": "what\tunrecorded_us\trecorded_us\tgpu_p50_us",
             "crossover": "size\tsteps\tcpu_p20_us\tcpu_p50_us\tcpu_p80_us\tdevice_p20_us\tdevice_p50_us\tdevice_p80_us"}
    rows = {"bandwidth": ["copy\t\t1\t2\t3\t4180.5", "add\tk\t1\t2\t3\tx", "\t"], "sweep": ["k\t1\t10\t5\t4", "k\t2\t20\t5\t4", "l\t1\tnan\t\t"],
            "copies": ["1024\tHtoD\tpageable\t1\t2", "1024\tHtoD\tpinned\t2\t2", "1024\tDtoH\tpinned\t3\t2", "4096\tDtoH\tpageable\t3\t2"],
            "launches": ["empty\t1\t2\t3", "long\t1e9\t-2\t1e-9"], "crossover": ["64\t100\t1\t2\t3\t1\t1\t1", "4096\t100\t1\t2\t3\t10\t20\t30", "x\t1"]}
    for i, name in enumerate(("bandwidth", "sweep", "copies", "launches", "crossover")):
        text = heads[name] + "\n" + "\n".join(rows[name]) + "\n"
        yield text + "\n" * ((i - len(text.encode())) % 5)  # the length says which table it is
    yield from ("", "\n", "a", "a\n", "a\tb\n1\n\n2\t3\t4\n", "a\n" * 50, "\t" * 40 + "\n1\n", heads["sweep"] + "\n" + "k\t1e308\t1e308\t\t\n" * 9)


def marked():
    yield from ("plain words", "**bold** and `code` and [a link](#place) ¶", "[page ¶](#place), [x](https://a.example/)", r"\* \[not\] \`a\` \\", "[", "[]", "[](", "[]()", "[a](b", "**", "`**`", "[`a` **b**](#c)",
                "{v}", "{=v}", "{x}", "{", "}", "{}", "a" * 200, "word " * 90, "é漢字 ياقة 😀 ​", "\x1b[31mred\x07", "\u202eright", "\x80\xff\xc2", "a\nb\n\nc", "***", "a ** b", "[[[[[[", "](](](", "~~_x_~~ <b>", "\u2028\u2066")


def reports():
    def some(n, gemm="sm80_xmma_gemm_bf16", **members):
        return trace(list(itertools.chain.from_iterable(step(i, 1000 + 150 * i, gemm=gemm) for i in range(n))), **members)
    one, other = some(3, **DEVICES), some(3, "ampere_sgemm_128x64_tn")
    yield from (one, other, trace(OTHERS), trace(STEPS + OTHERS, **DEVICES, **RANK))
    yield one[500:]
    for sign in "\f\v":
        yield one + sign + other
        yield other + sign + one
        yield one + sign + one
        yield trace(LABELS + STEPS, **{"distributedInfo": {"rank": 0, "world_size": 2}}) + sign + trace(LABELS + STEPS, **RANK)
        yield one + sign + trace([span("aten::add", 5, 6)])
        yield one + sign + "no trace"
    yield trace([span(f"op{i}", 10 * i, 9) for i in range(20)])
    yield trace(STEPS[:9], baseTimeNanoseconds=2**63 - 1)


def short(event):
    """The same event in fewer bytes, so that more of them fit."""
    e = json.loads(event)
    for needless in ("registers per thread", "shared memory", "warps per SM", "Input Strides", "Concrete Inputs", "context"):
        e.get("args", {}).pop(needless, None)
    return json.dumps(e, separators=(",", ":"))


def full(events, **members):
    """A trace of 1 to 4 kB: whole steps of all that a page can be about."""
    return trace([short(e) for e in events], **members)[:4096]


def collective(i, at):
    c = 900 + i
    return [span("nccl:all_reduce", at, 12, "user_annotation", tid=2, **{"External id": c}),
            span("cudaLaunchKernel", at + 2, 3, "cuda_runtime", tid=2, correlation=c, **{"External id": c}),
            span("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", at + 6, 60, "kernel", 0, 20, correlation=c, stream=20, device=0,
                 **{"Collective name": "allreduce", "In msg nelems": 4096, "Group size": 2, "dtype": "BFloat16"})]


def others(i, at):
    c = 700 + i
    return [span("cudaGraphLaunch", at + 92, 2, "cuda_runtime", correlation=c),
            span("triton_poi_fused_add_0", at + 94, 3, "kernel", 0, 7, correlation=c, stream=7, device=0, **{"graph node id": 5}),
            event(ph="i", name="[memory]", s="t", pid=1, tid=1, ts=at + 6, args={"Total Allocated": 4096 * i, "Bytes": 4096 if i % 2 else -4096, "Device Type": 1, "Device Id": 0}),
            event(ph="s", id=c, cat="ac2g", name="ac2g", pid=1, tid=1, ts=at + 92), event(ph="f", id=c, bp="e", cat="ac2g", name="ac2g", pid=0, tid=7, ts=at + 94),
            span("aten::_to_copy", at + 30, 4), span("Optimizer.step#SGD.step", at + 80, 15, "user_annotation"),
            span("nn.Module: Linear_0", at + 4, 44, "python_function", **{"Python id": i + 1, "Python parent id": None})]


def full_traces():
    def some(n, *kinds, at=1000, apart=150):
        return list(itertools.chain.from_iterable(kind(i, at + apart * i) for i in range(n) for kind in kinds))
    yield full(some(3, step), **DEVICES)
    yield full(some(2, step, collective), **RANK)
    yield full(some(2, step, others))
    yield full(some(1, step, collective, others), **RANK)
    yield full(some(8, lambda i, at: step(i, at)[:4]))
    yield full(some(9, lambda i, at: step(i, at)[2:4], apart=25))
    yield full(LABELS + some(2, step) + OTHERS[:9])
    yield full(some(4, collective, apart=90), **RANK)
    yield full(some(3, lambda i, at: step(i, at, "aten::conv2d" if i else "aten::addmm", "void cudnn::fprop")))
    yield full(some(3, lambda i, at: [e for e in step(i, at) if '"kernel"' not in e]))


def beheaded():
    """What a program leaves that died while it wrote the beginning."""
    for text in full_traces():
        for at in (1, 30, 200, 700):
            yield text[at:]
        yield "\0" * 512 + text[512:]
        yield text[:40] + "\0" * 300 + text[340:]


def long_traces():
    yield from full_traces()
    yield from beheaded()


def long_reports():
    whole = list(full_traces())
    yield from whole
    for one, other in itertools.combinations([t for t in whole if len(t) < 2100], 2):
        yield one + "\f" + other
        yield one + "\v" + other
    for text in whole:
        yield text[:2000] + "\v" + text[:1900]
        yield text[100:]
    yield from itertools.islice(beheaded(), 0, None, 5)


def packets():
    """What a step is in each form of Perfetto's packets."""
    sys.path.insert(0, str(top / "tests/cli"))
    import pftrace
    source = out / "step.json"
    events = STEPS + [e for e in OTHERS if '"ts"' in e and '"X"' in e] + [
        event(ph="C", name="Power (W)", pid="GPU 0 Counters", ts=1010, args={"": 412.5})]
    source.write_text(trace([e for e in events if '"cat"' in e or '"C"' in e], **DEVICES), encoding="utf-8")
    for form in ("events", "first", "kineto", "live", "stages"):
        made = pftrace.Writer(source, form)
        made.write(str(out / "step.pftrace"))
        whole = (out / "step.pftrace").read_bytes()
        yield whole
        yield whole[:1500]
        yield b"".join(made.packets[::7])
        made.write(str(out / "step.deflated.pftrace"))
        yield (out / "step.deflated.pftrace").read_bytes()


def block(address, size, *frames, state="active_allocated", **more):
    return {"address": address, "size": size, "requested_size": size - 12, "state": state,
            "frames": [{"filename": f, "line": i, "name": n} for i, (f, n) in enumerate(frames)], **more}


def change(action, addr, size, us, *frames):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": us,
            "frames": [{"filename": f, "line": 7, "name": n} for f, n in frames]}


def snapshots():
    """Memory snapshots; the two bytes in front, which say that it is a pickle, are the fuzzer's."""
    a, b = ("a.py", "f"), ("/x/site-packages/torch/b.py", "g")
    node, op = ("??", "torch::autograd::generated::MmBackward0::apply(x)"), ("", "at::_ops::mm::call(x)")
    segment = {"device": 0, "address": 512, "total_size": 4096, "active_size": 512, "is_expandable": True,
               "blocks": [block(512, 512, a, b), block(1024, 1024, state="inactive")]}
    trace = [change("alloc", 512, 500, 1, b, a), change("segment_alloc", 4096, 2048, 2), change("alloc", 1024, 9, 2, op, node),
             change("free_requested", 1024, 9, 3), change("free_completed", 1024, 9, 4), change("free", 2048, 5, 5),
             change("segment_unmap", 4096, 1024, 6), {"action": "oom", "size": 1 << 40, "device_free": 3, "time_us": 7}]
    old = {**segment, "blocks": [{"size": 512, "state": "active_allocated", "history": [{"real_size": 9, "frames": []}]}]}
    whole = [{"segments": [segment], "device_traces": [trace], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "x:1"}},
             {"segments": [segment, {**segment, "device": 2}], "device_traces": [trace[:2], [], trace[2:]]},
             {"segments": [], "device_traces": [[change("alloc", 8, 8, 1)]]}, [segment], [old], {"segments": [old]},
             {"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 2}]]},
             {"segments": (1, (2, 3), (4, 5, 6), 7.5, None, True, False, -1, 70000, 1 << 40, "é" * 300)}]
    for protocol in (2, 4, 5):
        for one in whole:
            data = pickle.dumps(one, protocol)[2:]
            yield data
            yield data[: len(data) // 2]
    yield pickle.dumps(Exception("x"), 4)[2:]
    for real in sorted((top / "tests/data/snapshots").glob("*.gz")):
        yield gzip.decompress(real.read_bytes())[2:]


def parts():
    """What is asked for, then a trace."""
    whole = trace(STEPS + LABELS + OTHERS, **DEVICES)
    for asked in ("1000ns\t40us", "\t1.2ms", "150us", "\t\t0", "\t\t1-2", "\t\t\taten::mm", "\t\t\tProfilerStep#1/0", "\t\t\tx/3", "\t\t\t\t1",
                  "1us\t2s\t\t\t1", "\t\t-1", "5us\t1us"):
        yield asked + "\n" + whole
        yield asked + "\n" + trace(STEPS[:5])
        for text in ("[" + span("aten::mm", 1, 9) + "," + span("cudaLaunchKernel", 2, 3, "cuda_runtime", correlation=1) + "," +
                     span("k", 9, 1, "kernel", 0, 7, correlation=1) + "]",
                     trace([event(ph="B", name="a", pid=1, tid=1, ts=1), event(ph="E", pid=1, tid=1, ts=9)]),
                     trace([event(ph="s", id=1, cat="ac2g", name="f", pid=1, tid=1, ts=1), span("a", 1, 2), span("b", 3, 2),
                            event(ph="f", id=1, bp="e", cat="ac2g", name="f", pid=1, tid=1, ts=3)])):
            yield asked + "\n" + text
    for asked in ("\t\t\t\t1", "1us\t\t\t\t1", "\t\t\t\t2"):
        yield asked + "\n" + trace(STEPS[:5], **RANK)
    ranks = [span("a", i, 2, pid=i) for i in range(3)] + [event(ph="M", name="process_name", pid=i, args={"name": f"rank {i}"}) for i in range(3)]
    yield "\t\t\t\t1\n" + trace(ranks)
    for text in itertools.islice(damaged(whole), 5):
        yield "1us\t1s\n" + text


def pages():
    """Lines that are texts of blocks, by their first byte, and traces."""
    texts = ["a <b> & \"c\" 'd'", "**bold** `code` [here](#q) [there](https://x.y/?a=1&b=2) [no](javascript:alert(1))", "\x01\x7f\u202e\u2028é漢😀",
             "</script><script>alert(1)</script>", "<!-- ]]> --><svg onload=x>", "&lt;&#60;\\*", "q", "q\" onclick=\"x", "¶ page ¶"]
    for i, text in enumerate(texts):
        yield "\n".join(chr(64 + k) + text for k in range(11))
        yield "\n".join(chr(64 + k) + texts[(i + k) % len(texts)] for k in range(11)) + "x" * i
        yield chr(97 + i) + text
        yield "a\f" + trace([span(text, 1, 2), span(text, 3, 9, "kernel", 0, 7, stream=7)])
    yield "A\xff\xfe\nB\xf0\x9f".encode("latin-1")
    yield "a\f" + trace(STEPS[:9] + LABELS)
    yield "a\f" + trace(OTHERS)
    for n in ("0", "-1", "1e300", "9007199254740993", "0.0001"):
        yield "a\f" + f'[{{"ph":"X","name":"n","ts":{n},"dur":{n},"pid":1,"tid":{n}}},{{"ph":"X","name":"m","ts":1,"dur":2,"pid":1,"tid":1}}]'


AREAS = {"part": parts, "nsys": seeds_nsys.files, "nsys_rows": seeds_nsys.rows, "html": pages, "snapshot": snapshots, "pftrace": packets, "read.long": long_traces, "report.long": long_reports, "read": read, "event": events, "gzip": gzips, "expect": expectations, "manifest": manifests, "matrix": matrices,
         "tables": tables, "texts": marked, "report": reports}

# The words that readers know, from their own sources, for libFuzzer's dictionary.
ROOMS = ("base", "collect", "report/parse", "report/read", "report/run", "report/name", "report/section", "report/judge")
words = set()
for room in ROOMS:
    for source in (top / room).glob("*.c"):
        words.update(re.findall(r'"([A-Za-z_][A-Za-z0-9_ .-]{1,24})"', source.read_text(encoding="utf-8")))
out.mkdir(parents=True, exist_ok=True)
(out / "words.dict").write_text("".join(f'"{w}"\n"\\"{w}\\":"\n' for w in sorted(words)))

for area, make in AREAS.items():
    folder = out / area
    folder.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(make()):
        if not isinstance(seed, (str, bytes)):
            seed = json.dumps(seed, ensure_ascii=False)
        data = seed if isinstance(seed, bytes) else seed.encode("utf-8", "surrogatepass")
        path = folder / f"{i:03d}"
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
