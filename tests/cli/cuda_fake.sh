# SPDX-License-Identifier: Apache-2.0
# The cuda device end to end on a GPU that is none: every workload and mode is right and its trace is
# what PyTorch's profiler would write.
. "$TRACEBOOK_TOP/tests/cli/functions"

fake=$TRACEBOOK_LIB/../tests/fake
[ -e "$fake/tracebook-cuda.so" ] || { echo "no CUDA toolkit: the cuda device is not built"; exit 77; }
mkdir bin lib
cp "$TRACEBOOK_BIN/collect" bin/
cp "$fake"/*.so lib/
TRACEBOOK_BIN=$PWD/bin
gpu=$PWD/lib/libcuda_fake.so
export TRACEBOOK_CUDA_DRIVER="$gpu" TRACEBOOK_CUPTI="$gpu" TRACEBOOK_CUBLASLT="$gpu"
export TRACEBOOK_NVRTC="$gpu" TRACEBOOK_NVML="$gpu" TRACEBOOK_CACHE="$PWD/cache"

cat >matrix.json <<'END'
{"cases": [
  {"workload": "matmul_add", "size": 64, "schedule": {"wait": 0, "warmup": 0, "active": 3}},
  {"workload": "matmul_add", "size": 64, "mode": "compile", "warm": true},
  {"workload": "matmul_add", "size": 64, "mode": "fused"},
  {"workload": "matmul_add", "size": 64, "mode": "graph", "warm": true, "schedule": {"repeat": 2}},
  {"workload": "matmul_add", "size": 32, "dtype": "fp32"},
  {"workload": "addmm", "size": 64},
  {"workload": "bmm_add", "batch": 8, "size": 16},
  {"workload": "linear", "batch": 64, "in_dim": 32, "out_dim": 64},
  {"workload": "linear", "batch": 64, "in_dim": 32, "out_dim": 64, "mode": "compile"},
  {"workload": "geglu_mlp", "batch": 2, "seq": 8, "dim": 32, "hidden": 64},
  {"workload": "geglu_mlp", "batch": 2, "seq": 8, "dim": 32, "hidden": 64, "mode": "compile"},
  {"workload": "geglu_mlp", "batch": 2, "seq": 8, "dim": 32, "hidden": 64, "mode": "handwritten"},
  {"workload": "geglu_mlp", "batch": 2, "seq": 8, "dim": 32, "hidden": 64, "mode": "compile",
   "tag": "then", "then_batch": 3, "schedule": {"active": 4}},
  {"workload": "square", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "1"},
  {"workload": "square", "batch": 7, "dim": 100, "mode": "compile", "tag": "2"},
  {"workload": "square_mul", "batch": 7, "dim": 100, "tag": "3"},
  {"workload": "square_naive", "mode": "handwritten", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "4"},
  {"workload": "square_powf", "mode": "handwritten", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "5"},
  {"workload": "square_tile", "mode": "handwritten", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "6"},
  {"workload": "square_row", "mode": "handwritten", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "7"},
  {"workload": "square_row_loop", "mode": "handwritten", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "8"},
  {"workload": "matmul_add", "size": 64, "mode": "autotune"},
  {"workload": "attention", "batch": 2, "seq": 70, "dim": 64},
  {"workload": "attention", "batch": 2, "seq": 70, "dim": 64, "mode": "fused"},
  {"workload": "causal_attention", "batch": 2, "seq": 70, "dim": 64},
  {"workload": "causal_attention_in_place", "batch": 2, "seq": 70, "dim": 64, "dtype": "fp32"},
  {"workload": "causal_attention", "batch": 2, "seq": 70, "dim": 40, "mode": "fused"}
]}
END
run 0 collect --device cuda --out traces matrix.json
says traces/cuda/run.json '"device": "cuda"' '"is_gpu": true' 'fake GPU (tests)' 'CUPTI 130001' 'NVIDIA driver' \
	'"cache_bytes": 62914560'
python3 "$TRACEBOOK_TOP/tests/gpu/check_trace.py" \
	$(find traces -name '*.json' ! -name run.json) >out || wrong "the traces are not right"
lines out 27

python3 - <<'END'
import json

def kernels(case, steps=3):
    """Names of the GPU's work in the first step."""
    events = json.load(open(f"traces/cuda/{case}.pt.trace.json"))["traceEvents"]
    work = sorted((e for e in events if e.get("cat") in ("kernel", "gpu_memcpy")),
                  key=lambda e: e["ts"])
    assert len(work) % steps == 0, (case, len(work))
    return [e["name"] for e in work[:len(work) // steps]]

gemm, add = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_NNT", "tracebook_add_bf16"
copy, sum_ = "Memcpy DtoD (Device -> Device)", "nvjet_sm90_tst_256x128_64x4_1x2_h_badd_NNT"
weight = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_TNT"
assert kernels("matmul_add/64_bf16_cold_eager") == [gemm, add]
assert kernels("matmul_add/64_bf16_warm_compile") == [copy, sum_]
assert kernels("matmul_add/64_bf16_cold_fused") == [sum_]
# of three kernels the fake's second is the one that a trial may find; the trials are not steps
tuned = kernels("matmul_add/64_bf16_cold_autotune")
assert tuned[0] == copy and tuned[1].endswith("badd_NNT") and len(tuned) == 2
for n, name in enumerate(["square_fp32", "square_bf16", "mul_bf16", "square_naive", "square_powf",
                          "square_tile", "square_row", "square_row_loop"], 1):
    folder = {1: "square", 2: "square", 3: "square_mul"}.get(n, name)
    assert kernels(f"{folder}/{n}") == ["tracebook_" + name], kernels(f"{folder}/{n}")
assert kernels("attention/2_70_64_eager") == [weight, "tracebook_softmax_bf16", gemm]
assert kernels("attention/2_70_64_fused") == ["tracebook_attention_wgmma_bf16"]
assert kernels("causal_attention/2_70_40_fused") == ["tracebook_attention_bf16"] # no row for a warpgroup
written = [weight, "tracebook_mul_scalar_bf16", copy, "tracebook_mask_bf16", "tracebook_softmax_bf16", gemm]
assert kernels("causal_attention/2_70_64_eager") == written
in_place = [n.replace("bf16", "fp32") for n in written if n != copy]
assert [n for n in kernels("causal_attention_in_place/2_70_64_eager") if "tracebook" in n] == in_place[1:4]
assert kernels("addmm/64_bf16_cold_eager") == [copy, sum_]
assert kernels("linear/64_32_64_eager") == ["nvjet_sm90_tst_256x128_64x4_1x2_h_bz_bias_TNT"]
assert kernels("linear/64_32_64_compile") == kernels("linear/64_32_64_eager")
assert kernels("geglu_mlp/2_8_32_64_eager") == \
    [weight, weight, "tracebook_gelu_tanh_bf16", "tracebook_mul_bf16", weight]
assert kernels("geglu_mlp/2_8_32_64_compile") == \
    [weight, weight, "tracebook_fused_gelu_tanh_mul_1024", weight]
assert kernels("geglu_mlp/2_8_32_64_handwritten") == \
    [weight, weight, "tracebook_geglu_tanh_generic_bf16", weight]

# a replayed graph: one launch a step, nodes with the graph's number, in both cycles
events = json.load(open("traces/cuda/matmul_add/64_bf16_warm_graph.pt.trace.json"))["traceEvents"]
launches = [e for e in events if e.get("cat") == "cuda_runtime" and "Launch" in e["name"]]
assert [e["name"] for e in launches] == ["cudaGraphLaunch"] * 6
assert all(e["args"]["graph id"] for e in events if e.get("cat") == "kernel")

# the cold start names what it pays once
events = json.load(open("traces/cuda/matmul_add/64_bf16_cold_eager.pt.trace.json"))["traceEvents"]
setup = [e["name"] for e in events if e.get("args", {}).get("kind") == "setup"]
for name in ("open cuBLASLt", "cuBLASLt handle", "cuBLASLt workspace", "choose GEMM kernel"):
    assert name in setup, setup
# clocks beside the steps
assert {e["name"] for e in events if e["ph"] == "C"} >= {"SM clock (MHz)", "temperature (C)"}
END

# A new shape is compiled once, and a second process takes it from the cache.
[ "$(ls cache/cuda | wc -l)" = 4 ] || wrong "$(ls cache/cuda)"
rm -r traces
run 0 collect --device cuda --only 'geglu_mlp/2_8_32_64_compile' --out traces matrix.json
if grep -q 'compile (NVRTC)' traces/cuda/geglu_mlp/2_8_32_64_compile.pt.trace.json; then
	wrong 'compiled again'
fi

# Counters: a run of its own after all is timed, kept beside the case, counted once; a graph has no
# kernels to run again one by one. Refused, they cost nothing but themselves.
cp -r traces counted
run 0 collect --device cuda --counters --only '64_bf16_*' --only '*8_32_64_compile' --out counted matrix.json
says err 'measured, '
counted=$(cat counted/cuda/run.json)
run 0 collect --device cuda --counters --only '64_bf16_*' --only '*8_32_64_compile' --out counted matrix.json
[ "$counted" = "$(cat counted/cuda/run.json)" ] || wrong 'counted again'
run 0 collect --device cuda --deep --only '64_bf16_warm_compile' --out counted matrix.json
FAKE_CUDA=nocounters run 0 collect --device cuda --deep --only '64_bf16_*' --out refused matrix.json
says err 'counters are for root here' 'no counters in this run' '0 failed'
python3 - <<'END'
import json

cases = {c["id"]: c for c in json.load(open("counted/cuda/run.json"))["cases"]}
eager = cases["matmul_add/64_bf16_cold_eager"]["counters"]
assert eager["metrics"][0] == "gpu__time_duration.sum" and eager["passes"] == 1, eager
assert len(eager["metrics"]) == len(eager["step"]) == 9 and not eager["deep"], eager
assert eager["step"][:3] == [10, 20, 30], eager
assert [k[0] for k in eager["kernels"]] == [10, 11], eager
deep = cases["matmul_add/64_bf16_warm_compile"]["counters"]
assert deep["deep"] and deep["passes"] == 3 and len(deep["step"]) == 10, deep
assert len(deep["kernels"]) == 1, deep
assert cases["matmul_add/64_bf16_warm_graph"]["counters"]["kernels"] == []
assert len(cases["geglu_mlp/2_8_32_64_compile"]["counters"]["kernels"]) == 4
assert "counters" not in cases["square/1"]

cases = json.load(open("refused/cuda/run.json"))["cases"]
tried = [c for c in cases if "counters" in c]
assert len(tried) == 2 and all("root" in c["counters"]["reason"] for c in tried), tried
assert sum(c["status"] == "done" for c in cases) > 4
END

# What is larger than the GPU's own memory is said before anything runs, whatever the machine has.
sed 's/"matmul_add", "size": 32, "dtype": "fp32"/"matmul_add", "size": 300000/' matrix.json >huge.json
run 1 collect --device cuda --only 300000_bf16_cold_eager --out huge huge.json
says err 'GiB of memory are on the device: choose smaller sizes'

# Failures keep their case to themselves, and their words.
FAKE_CUDA=launch run 1 collect --device cuda --only '*eager' --out failed matrix.json
says err 'tracebook_add_bf16: CUDA says'
FAKE_CUDA=nodevice run 4 collect --device cuda --out failed matrix.json
says err 'there is no GPU'
FAKE_CUDA=cupti run 0 collect --device cuda --only '64_bf16_cold_fused' --out unseen matrix.json
says unseen/cuda/run.json 'another profiler or debugger has CUPTI: CUPTI for somebody'
