# SPDX-License-Identifier: Apache-2.0
"""Parts of outside.py: several contexts and nodes, and ranges of Python."""
import glob
import json
import os
import sys

from recording import binaries, collect, finish, here, load, only, python, recorded, run, target


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
    """Two nodes that are one machine, a rank each, put together."""
    if int(run(sys.executable, "-c", "import torch; print(torch.cuda.device_count())")[1]) < 2:
        print("        two nodes: left out, there is one GPU")
        return
    jobs = []
    for node in range(2):
        launch = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--node-rank", str(node),
                  "--nproc-per-node", "1", "--master-addr", "127.0.0.1", "--master-port", "29611",
                  python()[1], "ddp", "--seconds", "13"]
        jobs.append(recorded(f"node-{node}", ["--after", "15s", "--for", "500ms"], launch,
                             {"CUDA_VISIBLE_DEVICES": str(node)}))
    finish(jobs, 60)
    target("two nodes: end as alone", all(j.status == 0 for j in jobs), str([j.status for j in jobs]))
    _, _, said, _ = run(f"{binaries}/collect", "--merge", "node-0", "node-1", "--out", "nodes")
    both = load("nodes/run.json")["cases"] if os.path.exists("nodes/run.json") else []
    target("two nodes: one run", len(both) == 2, f"{len(both)} cases; {said.strip()[-200:]}")


PARTS = (contexts, ranges, nodes)
