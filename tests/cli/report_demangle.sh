# SPDX-License-Identifier: Apache-2.0
# Mangled names of C++: pages show them as they were written, data keep them as the file has them.
. "$TRACEBOOK_TOP/tests/cli/functions"

raw=_ZN5aiter8quant_opIfLi64EEEvPT_i
{
	echo '{"schemaVersion": 1, "traceEvents": ['
	for i in 1 2 3; do
		echo '{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 7, "tid": 7, "ts": '$i'00, "dur": 5, "args": {"correlation": '$i'}},'
		echo '{"ph": "X", "cat": "kernel", "name": "'$raw.kd'", "pid": 0, "tid": 7, "ts": '$i'20, "dur": 10, "args": {"device": 0, "stream": 7, "correlation": '$i'}},'
	done
	echo '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 90, "dur": 300}'
	echo ']}'
} >amd.json
run 0 report --dump document amd.json
says out 'row aten::mm · quant_op | 3 | '
! grep -q "$raw" out || wrong 'a page shows the mangled name'
run 0 report --template atlas --dump document amd.json
says out 'aiter::quant_op<float, 64>(float*, int)'
! grep -q "$raw" out || wrong 'a page shows the mangled name'
run 0 report -o amd.pdf --svg svg --markdown amd.md amd.json
silent out err
says amd.md 'aiter::quant_op'
! grep -q _ZN amd.md || wrong 'the summary shows the mangled name'
grep -q quant_op svg/* || wrong 'no figure names the kernel'
! grep -q _ZN svg/* || wrong 'a figure shows the mangled name'
for data in '--dump trace' '--dump analysis' --table; do
	# shellcheck disable=SC2086
	run 0 report $data amd.json
	says out "$raw.kd"
done
run 0 report --json amd.out amd.json
says amd.out "$raw.kd"
run 0 report --learn learned.json amd.json
says learned.json "$raw.kd"
run 0 report --expect learned.json --check amd.json
