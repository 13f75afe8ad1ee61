#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first lecture's sweep with its three providers: squares of 4096 rows of fp32 by width, by PyTorch's own kernel, by
what torch.compile makes of it, and by a Triton kernel that gives each row to one block, padded to the next power of two; a
fourth is that kernel with a block of fixed size that loops. Writes a table of GB/s (read and written): `providers.py >FILE`."""
import sys

import torch
import triton
import triton.language as tl

ROWS = 4096
WIDTHS = (256, 1024, 2048, 4096, 6272, 8192, 10000, 12544)
QUANTILES = [0.2, 0.5, 0.8]


@triton.jit
def square_row(out, x, width, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * width
    lanes = tl.arange(0, block)
    value = tl.load(x + at + lanes, mask=lanes < width)
    tl.store(out + at + lanes, value * value, mask=lanes < width)


@triton.jit
def square_row_loop(out, x, width, block: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * width
    for first in range(0, width, block):
        lanes = first + tl.arange(0, block)
        value = tl.load(x + at + lanes, mask=lanes < width)
        tl.store(out + at + lanes, value * value, mask=lanes < width)


def triton_row(x, out):
    block = triton.next_power_of_2(x.shape[1])
    warps = 4 if block < 2048 else 8 if block < 4096 else 16
    square_row[(x.shape[0],)](out, x, x.shape[1], block, num_warps=warps)


def triton_loop(x, out):
    square_row_loop[(x.shape[0],)](out, x, x.shape[1], 1024)


def main():
    compiled = torch.compile(torch.square, dynamic=False)
    providers = {"PyTorch": lambda x, out: torch.square(x), "torch.compile": lambda x, out: compiled(x),
                 "Triton, a row a block": triton_row, "Triton, blocks of 1024": triton_loop}
    print("width\tprovider\tp20_us\tp50_us\tp80_us\tGB_per_s")
    for width in WIDTHS:
        torch.compiler.reset()
        x = torch.rand(ROWS, width, device="cuda")
        out = torch.empty_like(x)
        for name, run in providers.items():
            made = run(x, out)
            made = out if made is None else made
            assert torch.equal(made, x * x), name
            low, mid, high = triton.testing.do_bench(lambda: run(x, out), warmup=10, rep=40, quantiles=QUANTILES)
            print(f"{width}\t{name}\t{low * 1e3:.3f}\t{mid * 1e3:.3f}\t{high * 1e3:.3f}\t"
                  f"{2 * x.numel() * 4 / mid / 1e6:.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
