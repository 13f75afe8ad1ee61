# SPDX-License-Identifier: Apache-2.0
# What limits the operator that a device is busiest with: by its shapes and what the chip can do, or all chips that the file allows.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - "$TRACEBOOK_BIN/report" "$TRACEBOOK_TOP/templates/en/text.json" <<'END' || wrong "what is said of a limit"
import json, re, subprocess, sys

words = json.load(open(sys.argv[2]))
bf16, fp32 = "c10::BFloat16", "float"
gemm = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_32x6_nn_align8>(P)"
tensile = "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN_GSU2_ISA942_IU1"


def pattern(key):
    """A template as what it can become."""
    parts = re.split(r"\{[^}]*\}", words[key])
    return ".*?".join(re.escape(part) for part in parts)


def report(us, op, dims, types, kernel, chip=None, grid=(2000, 1, 1), concrete=None, beside=0, times=3, pause=0):
    """The markdown and the JSON of some calls of one operator, each followed by so long of another, or of nothing."""
    events = []
    for i in range(times):
        at = i * (us + beside + pause + 20)
        inputs = {"Input Dims": dims, "Input type": types, **({"Concrete Inputs": concrete} if concrete else {})}
        for k, (name, args, code, took) in enumerate((
                (op, inputs, kernel, us), ("other::op", {"Input Dims": [[4]], "Input type": [fp32]}, "other_kernel", beside))):
            if took:
                events += [
                    dict(ph="X", cat="cpu_op", name=name, pid=1, tid=1, ts=at + 9 * k, dur=8, args=args),
                    dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=at + 9 * k + 1, dur=4,
                         args=dict(correlation=2 * i + k + 1)),
                    dict(ph="X", cat="kernel", name=code, pid=0, tid=7, ts=at + 18 + k * us, dur=took,
                         args=dict(correlation=2 * i + k + 1, device=0, stream=7, grid=grid, block=[256, 1, 1]))]
    trace = {"traceEvents": events, **({"deviceProperties": [{"id": 0, "name": chip}]} if chip else {})}
    json.dump(trace, open("t.json", "w"))
    told = subprocess.run([sys.argv[1], "--markdown", "-", "t.json"], check=True, capture_output=True).stdout.decode()
    case = subprocess.run([sys.argv[1], "--json", "-", "t.json"], check=True, capture_output=True).stdout
    return told.replace("\u2009", " "), json.loads(case)["runs"][0]["cases"][0]


def says(told, *keys):
    limits = [key for key in words if re.match(r"limit\.(arithmetic|memory|held|chip|values|rate|neither|below)", key)]
    for key in limits:
        if any(other.startswith("limit.rate") and len(other) != len(key) and key.startswith("limit.rate") for other in keys):
            continue  # one fits the others, too
        assert bool(re.search(pattern(key), told)) == (key in keys), (key, keys, told)


# As large as it is, its arithmetic takes 139 µs of the data sheet: 69.5 % of 200.
told, case = report(200, "aten::mm", [[4096, 4096], [4096, 4096]], [bf16, bf16], gemm, "NVIDIA H200")
says(told, "limit.arithmetic", "limit.rate.share")
assert "69.5 %" in told and "687 TFLOP/s" in told and case["largest"] == "compute-bound", told
# A vector by a matrix: each weight is read for one multiplication.
told, case = report(40, "aten::mm", [[1, 8192], [8192, 8192]], [bf16, bf16], gemm, "NVIDIA H200")
says(told, "limit.memory", "limit.rate.share")
assert "69.9 %" in told and case["largest"] == "memory-bound", told
# Far below: too few blocks, odd rows, too short, or nobody knows.
big = ("aten::mm", [[4096, 4096], [4096, 4096]], [bf16, bf16], gemm, "NVIDIA H200")
told, case = report(2000, *big, grid=(8, 1, 1))
says(told, "limit.held", "limit.rate.share")
assert "8 blocks" in told and "132 SMs" in told and case["largest"] == "compute-bound", told
told, _ = report(2000, "aten::mm", [[4096, 4097], [4097, 4096]], [bf16, bf16], gemm, "NVIDIA H200")
says(told, "limit.arithmetic.best", "limit.rate.share", "limit.neither", "limit.below.odd")
assert "4104 can" in told, told
told, case = report(15, "aten::mm", [[512, 512], [512, 512]], [bf16, bf16], gemm, "NVIDIA H200", pause=-18)
says(told, "limit.memory.best", "limit.rate.share", "limit.neither", "limit.below.short")
assert case["largest"] == "compute-bound", told
told, _ = report(2000, *big)
says(told, "limit.arithmetic.best", "limit.rate.share", "limit.neither", "limit.below.unknown")

# A file without its chip: what the kernel's instruction set allows, and tiles of the result where no grid is recorded.
told, _ = report(1089, "aten::mm", [[256, 131072], [131072, 512]], [bf16, bf16], tensile, grid=(0, 0, 0))
says(told, "limit.held", "limit.rate.most")
assert "8 blocks" in told and "228 SMs" in told, told
told, _ = report(372, "aten::mm", [[4096, 4096], [4096, 4096]], [bf16, bf16], tensile, grid=(0, 0, 0))
says(told, "limit.arithmetic.best", "limit.rate.most", "limit.neither", "limit.below.unknown")
assert " 3 known" in told, told
# Chips that disagree are named, each on its side: a transposed convolution is counted by its input.
told, _ = report(900, "aten::convolution", [[4, 512, 8, 8], [512, 256, 4, 4]], [fp32, fp32], "some_kernel",
                 concrete=["", "", "", "(2,2)", "(1,1)", "(1,1)", "True", "(0,0)", "1"])
says(told, "limit.chip")
assert "1.07 GFLOP" in told and "9.96 MB" in told and re.search("arithmetic on .*A100.*; the memory on .*L4", told), told
# Experts: how many are read depends on the tokens; few tokens leave the memory, whichever they ask.
moe = "vllm::rocm_aiter_fused_moe"
told, _ = report(2000, moe, [[512, 7168], [16, 28672, 7168], [16, 7168, 14336], [512, 2]], [bf16] * 3 + [fp32],
                 "aiter_fused_moe_kernel_bf16")
says(told, "limit.values")
assert "1.25 GB" in told and "9.88 GB" in told, told
told, _ = report(280, moe, [[16, 4096], [64, 22016, 4096], [64, 4096, 11008], [16, 2]], [bf16] * 3 + [fp32],
                 "aiter_fused_moe_kernel_bf16")
says(told, "limit.memory.best", "limit.rate")

# Nothing of what nobody knows: a chip that is not in the table, a smaller part of the time; no rate that no chip reaches.
says(report(200, *big[:4], "Chip 9")[0])
says(report(200, *big, beside=800)[0])
told, _ = report(20, *big)
says(told, "limit.arithmetic.best")
# Nor where the host limits: so long it launches nothing.
told, case = report(200, *big, pause=800)
says(told)
assert case["largest"] not in ("compute-bound", "memory-bound"), case["largest"]

# Attention that is fused and far below what it could do is not praised; near it, it is.
flash = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(P)"
attention = ("aten::_flash_attention_forward", [[8, 1024, 16, 64]] * 3, [bf16] * 3, flash, "NVIDIA A100-SXM4-80GB")
for us, left in ((160, ["flash"]), (800, [])):
    told, case = report(us, *attention)
    assert [leave["id"] for leave in case["leave"]] == left, (us, told)
END
