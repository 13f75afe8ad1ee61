# SPDX-License-Identifier: Apache-2.0
# Where there is no NVIDIA driver, cuda says so at once and auto takes the host.
. "$TRACEBOOK_TOP/tests/cli/functions"

[ -e "$TRACEBOOK_LIB/tracebook-cuda.so" ] || { echo "no CUDA toolkit: the cuda device is not built"; exit 77; }
cat >matrix.json <<'END'
{"cases": [{"workload": "matmul_add", "size": 16}]}
END
# a machine with a driver must not be found to have one
export TRACEBOOK_CUDA_DRIVER="$PWD/no_such_library.so"
if python3 -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2>/dev/null; then
	echo "this machine has an NVIDIA driver"
	exit 77
fi
start=$(date +%s%N)
run 4 collect --device cuda --out traces matrix.json
end=$(date +%s%N)
silent out
says err 'no NVIDIA driver: libcuda.so.1 is missing' "on the loader's path" TRACEBOOK_CUDA_DRIVER
absent traces
[ $((end - start)) -lt 1000000000 ] || wrong "it took $(((end - start) / 1000000)) ms to find that out"

run 0 collect --out traces matrix.json
grep -q '^collect: no NVIDIA driver: libcuda.so.1 is missing; the host does it$' err || wrong 'not short'
run 0 collect -v --out again matrix.json
says err 'no NVIDIA driver' "on the loader's path" TRACEBOOK_CUDA_DRIVER
run 2 collect --repeat abc matrix.json
is err 'collect: --repeat takes a number from 1 to 1000, not "abc"'
[ -e traces/host/run.json ] || wrong 'auto did not take the host'
absent traces/cuda

# What needs no device does not look for one.
run 0 collect --list matrix.json
silent err

# A kernel that only a GPU has is refused elsewhere, and not replaced by another.
cat >matrix.json <<'END'
{"cases": [{"workload": "square_powf", "mode": "handwritten", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "1"},
           {"workload": "square", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "2"}]}
END
run 1 collect --device host --out squares matrix.json
says err "square_powf: its kernel is the cuda device's, and this is host" '1 measured, 0 kept, 1 failed'
