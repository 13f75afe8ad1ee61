# SPDX-License-Identifier: Apache-2.0
# What collect says before it measures: the list, the plan, and why it will not.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host
matrix=$TRACEBOOK_TOP/experiments/matrix.json

# --list: the cases on stdout, the default matrix when none is named.
run 0 collect --list "$matrix"
says out 64_bf16_cold_eager 4096_bf16_warm_compile
cp out listed
(cd "$TRACEBOOK_TOP" && exec "$TRACEBOOK_BIN/collect" --list) >default
cmp listed default

# --only picks by name, as often as it is given; what picks nothing is told.
run 0 collect --list --only '*64_bf16_cold_eager' "$matrix"
says out 64_bf16_cold_eager
if grep -q 4096_bf16_warm_compile out; then wrong '--only did not pick'; fi
run 0 collect --list --only '*64_bf16_cold_eager' --only '*4096_bf16_warm_compile' "$matrix"
says out 64_bf16_cold_eager 4096_bf16_warm_compile
run 2 collect --dry-run --only 'no*such*case' --device host "$matrix"
says err 'no*such*case'

# --dry-run plans and writes nothing.
run 0 collect --dry-run --device host --out traces "$matrix"
absent traces

# A field nobody knows is named, with the case it stands in.
sed 's/"workload"/"wrokload"/' "$matrix" >typo.json
run 1 collect --dry-run --device host typo.json
says err typo.json wrokload workload

# A device that is not there.
if [ ! -e "$TRACEBOOK_LIB/tracebook-cuda.so" ]; then
	run 4 collect --device cuda --only '*64_bf16_cold_eager' --out traces "$matrix"
	silent out
	says err cuda
	absent traces
fi
