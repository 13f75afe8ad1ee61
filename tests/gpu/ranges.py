# SPDX-License-Identifier: Apache-2.0
"""Ranges of NVTX around copies on four streams, from Python without PyTorch: `ranges.py LIBCUDART LIBNVTX`."""
import ctypes
import sys

cuda, nvtx = (ctypes.CDLL(path) for path in sys.argv[1:3])
BYTES, STREAMS, STEPS = 1 << 20, 4, 50
DEVICE_TO_DEVICE = 3


def ok(status):
    assert status == 0, status


a, b = ctypes.c_void_p(), ctypes.c_void_p()
ok(cuda.cudaMalloc(ctypes.byref(a), ctypes.c_size_t(BYTES)))
ok(cuda.cudaMalloc(ctypes.byref(b), ctypes.c_size_t(BYTES)))
streams = [ctypes.c_void_p() for _ in range(STREAMS)]
for stream in streams:
    ok(cuda.cudaStreamCreate(ctypes.byref(stream)))
for _ in range(STEPS):
    nvtx.nvtxRangePushA(b"copy of Python")
    for stream in streams:
        ok(cuda.cudaMemcpyAsync(b, a, ctypes.c_size_t(BYTES), DEVICE_TO_DEVICE, stream))
    ok(cuda.cudaDeviceSynchronize())
    nvtx.nvtxRangePop()
