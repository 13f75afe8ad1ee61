# SPDX-License-Identifier: Apache-2.0
# What nvcc makes of our kernels: one wide streaming access a thread and array, no shared memory, no
# barrier, nothing spilled; and the looping square is the lecture's: 8 loads, 8 products, 8 stores a
# thread of 128 for 1024 lanes. Attention alone has tiles in shared memory, and multiplies on the tensor
# cores: 32 queries a warp by 64 keys, and as much back; on Hopper a warpgroup has 64 queries.
. "$TRACEBOOK_TOP/tests/cli/functions"

nvcc=${CUDA:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || { echo "no nvcc: the kernels' PTX is not read"; exit 77; }
# nvcc reads neither blanks nor quotes in paths.
ln -s "$TRACEBOOK_TOP" top
TMPDIR=/tmp "$nvcc" -O3 -Itop -arch=sm_90a -ptx -o kernels.ptx top/experiments/cuda/kernels.cu
TMPDIR=/tmp "$nvcc" -O3 -Itop -arch=sm_90a -Xptxas -v -cubin -o kernels.cubin top/experiments/cuda/kernels.cu 2>resources
python3 - <<'END'
import re

def count(body, opcode):
    return len(re.findall(r"^\s*(?:@\S+\s+)?" + opcode, body, re.M))

kernels = dict(re.findall(r"\.entry (\w+)\((.*?)\n\}\n", open("kernels.ptx").read(), re.S))
loop = kernels["tracebook_square_row_loop"]
assert [count(loop, o) for o in (r"ld\.global", r"mul\.f32", r"st\.global")] == [8, 8, 8]
wide = {"add": 2, "mul": 2, "gelu_tanh": 1, "square": 1}
for name, loads in wide.items():
    for dtype in ("bf16", "fp32"):
        body = kernels[f"tracebook_{name}_{dtype}"]
        assert count(body, r"ld\.global\.cs\.v4\.u32") == loads, name
        assert count(body, r"st\.global\.cs\.v4\.[uf]32") == 1, name
attention = kernels.pop("tracebook_attention_bf16")
assert count(attention, r"mma\.sync\.aligned\.m16n8k16") == 2 * (32 * 64 * 64) // (16 * 8 * 16)
assert count(attention, r"ldmatrix") and not count(attention, r"(ld|st)\.local")
hopper = kernels.pop("tracebook_attention_wgmma_bf16")
products = (64 * 64 * 64) // (64 * 64 * 16)  # the last tile's sums stand behind the loop once more
assert count(hopper, r"wgmma\.mma_async\.sync\.aligned\.m64n64k16") == 3 * products, count(hopper, "wgmma")
assert not count(hopper, r"mma\.sync") and not count(hopper, r"(ld|st)\.local")
for name, body in kernels.items():
    assert not count(body, r"(ld|st)\.shared") and not count(body, r"bar\."), name
powers = count(kernels["tracebook_square_powf"], r"\w")
assert powers > 3 * count(kernels["tracebook_square_naive"], r"\w"), "the power is no power"

resources = open("resources").read()
spilled = re.findall(r"(\d+) bytes spill (?:stores|loads)", resources)
assert spilled and set(spilled) == {"0"}, spilled
registers = sorted(int(n) for n in re.findall(r"Used (\d+) registers", resources))
assert len(registers) == len(kernels) + 2 and registers[-3] <= 64, registers
assert registers[-2] * 256 * 2 <= 65536, "two blocks of Hopper's attention share a multiprocessor"
assert registers[-1] * 128 * 2 <= 65536, "two blocks of attention share a multiprocessor"
END
