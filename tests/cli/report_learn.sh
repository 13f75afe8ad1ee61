# SPDX-License-Identifier: Apache-2.0
# --learn: what the traces show becomes a file of expectations that the same traces keep, and others
# break.
. "$TRACEBOOK_TOP/tests/cli/functions"
golden="$TRACEBOOK_TOP/tests/golden"

# round_trip PATH...: learn, then check.
round_trip() {
	rm -f learnt.json
	run 0 report --learn learnt.json "$@"
	silent out err
	python3 -m json.tool learnt.json >/dev/null || wrong 'no JSON'
	run 0 report --expect learnt.json --check "$@"
	says out ' 0 broken'
	! grep -q -e UNSEEN -e '^0 predictions' out || wrong 'not everything was learnt'
}

# Our run: one of its predictions is broken, what it shows is not.
run 3 report --check "$golden/host/in"
round_trip "$golden/host/in"
absent report.pdf
says learnt.json '"trace": "matmul_add/64_bf16_cold_compile.json"' '"step": ["copy", "gemm"]' \
	'"widened"' '"first_step": "wider"'
run 0 report --learn again.json "$golden/host/in"
cmp learnt.json again.json || wrong 'the same traces taught something else'

# The eager trace in place of the compiled one: other kernels.
cp -r "$golden/host/in" run
cp run/matmul_add/64_bf16_cold_eager.json run/matmul_add/64_bf16_cold_compile.json
run 3 report --expect learnt.json --check run
says out 'BROKEN matmul_add/64_bf16_cold_compile: step: expected copy, gemm, saw gemm, add' \
	'place 1: expected copy, saw gemm' 'BROKEN matmul_add/64_bf16_cold_compile: kernel_names'

# Foreign ones: with steps, as a whole, without a device.
small_trace small.json
round_trip small.json
sed 's/gemm_of_step_1/another_of_step_1/' small.json >new.json && mv new.json small.json
run 3 report --expect learnt.json --check small.json
says out 'kernel_names: expected gemm_of_step_1, saw another_of_step_1'
round_trip "$golden/kineto/in/trace.json"
round_trip "$golden/chrome/in/build.json"
says learnt.json '"whole": true'
# Of a trace that is not whole nothing is learnt.
run 0 report --learn learnt.json "$golden/cut/in"
says err 'b_cut.json is not whole'
says learnt.json a_whole.json
! grep -q b_cut learnt.json || wrong 'learnt of what is not whole'
run 1 report --learn none.json "$golden/cut/in/b_cut.json"
absent none.json

# A file that cannot be written, traces that cannot be read.
mkdir folder
run 1 report --learn folder "$golden/kineto/in/trace.json"
says err folder
echo '{"traceEvents": 3}' >bad.json
run 1 report --learn none.json bad.json
absent none.json

# Traces of the field.
traces="$TRACEBOOK_SHARED/traces"
if [ -d "$traces" ]; then
	for name in kineto/h100_transformer_tutorial_step1.json kineto/hta_cpu_only_full.json.gz \
		kineto/hta_triton_example.json.gz kineto/mi210_gpu_only.json.gz; do
		round_trip "$traces/$name"
	done
	# The same program on another rank ran other kernels.
	cp "$traces/kineto/hta_sampled_rank0.json.gz" rank.json.gz
	round_trip rank.json.gz
	cp -f "$traces/kineto/hta_sampled_rank1.json.gz" rank.json.gz
	run 3 report --expect learnt.json --check rank.json.gz
	says out 'kernels: expected 573, saw 548' 'kernel_names' \
		'expected permute_indices_weights, saw unrolled_elementwise'
else
	echo 'the public traces are not here'
fi
