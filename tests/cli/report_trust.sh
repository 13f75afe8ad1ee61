# SPDX-License-Identifier: Apache-2.0
# What a foreign trace's pages say about its own totals: sums against unions against windows, why the
# device was idle, where a mean misleads; and traces with next to nothing.
. "$TRACEBOOK_TOP/tests/cli/functions"

event() { # KIND NAME START DURATION CORRELATION, in us
	case $1 in
	kernel) where='"pid": 0, "tid": 7' more=', "device": 0, "stream": 7' ;;
	*) where='"pid": 7, "tid": 7' more= ;;
	esac
	printf ',\n{"ph": "X", "cat": "%s", "name": "%s", %s, "ts": %s, "dur": %s, "args": {"correlation": %s%s}}' \
		"$1" "$2" "$where" "$3" "$4" "$5" "$more"
}
trace() { # FILE, the events on stdin
	{
		echo '{"schemaVersion": 1, "traceEvents": ['
		echo '{"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}}'
		cat
		echo ']}'
	} >"$1"
}

# Five kernels, launched at once: the last begins 900 us after the one before it ended, and nothing in
# the file says why. One of them is nine times as long as the others.
{
	event cuda_runtime cudaStreamSynchronize 1 2 0
	for i in 1 2 3 4 5; do
		event cuda_runtime cudaLaunchKernel $((i * 10)) 5 $i
	done
	event kernel alike 100 10 1
	event kernel alike 110 10 2
	event kernel alike 120 90 3
	event kernel alike 210 10 4
	event kernel alike 1120 10 5
} | trace held.json
run 0 report --template atlas --dump document held.json
says out 'row held back | launched well before it began' \
	' | by something that the file does not show | 1 | 900 µs' 'held back: by something that the file does not show' \
	'row alike | 5 | 10.0 µs | 26.0 µs † | ' '† The mean is more than 25 %' \
	'row union of all device events inside it | 130 µs | the window of this report | 1.12 ms | 11.6 %' \
	'130 µs of device time belong to no operator'

# The table's rows sum to its footer, and the events to both: no page says what is always so, but every
# trace of a recorded run and of our own has it so, by the numbers themselves.
run 0 report --dump analysis held.json
says out 'reconcile: CPU rows 27000 footer 27000 roots 27000' 'device rows 130000 footer 130000 events 130000'
run 0 report --dump analysis "$TRACEBOOK_TOP/tests/golden/host/in" "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
grep -A 1 '^reconcile: ' out | awk '
	$1 == "reconcile:" { cpu++; if ($4 != $6 || $6 != $8) print "CPU", $4, $6, $8 }
	$1 == "device" { device++; if ($3 != $5 || $5 != $7) print "device", $3, $5, $7 }
	END { if (cpu < 30 || device != cpu) print "only", cpu, "and", device, "totals" }' >apart
[ ! -s apart ] || wrong "totals that do not add up: $(cat apart)"
run 0 report --template atlas --dump document held.json

# A gap that is a part of the recording has a picture of its own, which says when what ends it had been
# launched; one that is all of it has not.
! grep -q 'The longest idle gap' out || wrong 'the overview stands there twice'
{
	event cuda_runtime cudaLaunchKernel 10 5 1
	event cuda_runtime cudaLaunchKernel 20 5 2
	event kernel long 100 2000 1
	event kernel short 2400 10 2
} | trace queued.json
run 0 report --template atlas --dump document queued.json
says out 'Where to look' 'between long and short, which cudaLaunchKernel had launched 2.08 ms before the gap began.'

# Two streams at once: the sum is more than the union, and both are said with what they are shares of.
{
	event cuda_runtime cudaLaunchKernel 10 5 1
	event cuda_runtime cudaLaunchKernel 20 5 2
	event kernel one 100 40 1
	event kernel two 120 40 2 | sed 's/"tid": 7/"tid": 9/; s/"stream": 7/"stream": 9/'
} | trace overlap.json
run 0 report --template atlas --dump document overlap.json
says out 'row all kernels, summed (Σ) | 80.0 µs | the time in which any kernel ran (their union) | 60.0 µs | 133 %' \
	'their sum is 20.0 µs longer than the device was busy'

# Nothing with a duration, and a number that is none.
printf ',\n{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 5, "dur": 0, "args": {"bytes": 200, "memory bandwidth (GB/s)": inf}}' |
	trace instant.json
run 0 report --template atlas -o instant.pdf --svg svg --markdown instant.md instant.json
silent out err
says instant.md 'Nothing in this trace has a duration' 'word instead of a number'

# Of the cheatsheet the rows that apply, without what they look like on our own devices.
run 0 report --template atlas --dump document held.json
says out ' of the 25 patterns ' 'row UNEVEN-KERNEL (G3) | '
! grep -q 'row K1\|Here: \|What a kernel’s name says\|cuBLAS' out || wrong 'the cheatsheet shows more than applies'

# Copies alone: the device is there, its kernels are not.
{
	event cuda_runtime cudaMemcpyAsync 10 5 1
	event gpu_memcpy 'Memcpy HtoD (Pageable -> Device)' 20 10 1
} | trace copies.json
run 0 report --template atlas --dump document copies.json
says out 'row No event is marked as a kernel, only copies and fills | '
run 0 report --template atlas --dump document held.json
! grep -q 'marked as a kernel' out || wrong 'five kernels are none'

# Host only: no empty columns for a device that is not there.
{
	event user_annotation 'ProfilerStep#3' 0 100 0
	event cpu_op 'aten::add' 10 50 0
} | trace host.json
run 0 report --template atlas --dump document host.json
says out 'One step: CPU 100 µs. No event is marked as work of a device.' \
	'head Name | Self CPU % | Self CPU | CPU total % | CPU total | CPU avg | # of calls' \
	'row aten::add | 50.0 % | 50.0 µs | 50.0 % | 50.0 µs | 50.0 µs | 1' 'None of the 25 patterns' \
	'row CPU time per step | ' 'row CPU total | '
# Of the numbers only those that it has; nothing about files that nobody wrote, or predictions.
! grep -q 'row Device busy |\|row GFLOP/s |\|row Prediction\|heading 2 Files\|The kernels: names' out ||
	wrong 'it defines what it does not show'

# Several: their health in one table, what is wrong first; nothing about predictions that nobody made.
head -c 900 held.json >cut.json
run 0 report --template atlas --dump document held.json cut.json host.json
says out '  traces read: 3' 'heading 2 #all-cases All traces' \
	'head Found | Traces | Count | Time | What that means' 'row Damage that was repaired | 1 | 1 |' \
	'row No event is marked as an operator | 2 |' 'row No event is marked as work of a device | '
! grep -q 'no prediction\|predictions kept\|stamped 0' out || wrong 'it speaks of predictions, or of lost times'

# Every run of the kernels is to be seen; of very many one dot in each place, so that the picture stays small.
run 0 report --template atlas --dump document held.json
says out 'figure trace-1-held-json-runs'
{
	seq 3000 | awk '{ printf ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"often\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": %.3f, \"args\": {\"device\": 0, \"stream\": 7}}", $1 * 10, 1 + $1 % 7 }'
} | trace often.json
run 0 report --template atlas --svg often --markdown often.md often.json
says often.md 'one of 3000 runs' 'runs of equal length share a dot'
[ "$(find often -name '*-samples.svg' -size -500k | wc -l)" = 1 ] || wrong "too many dots: $(ls -l often)"

# Rows of one name have the size of their launch, and titles that would be cut to the same letters go on
# where they part.
long=a_library_with_a_very_long_prefix_
{
	for i in 1 2 3 4; do
		event kernel grid_kernel $((i * 100)) $((10 + i / 3)) $i |
			sed "s/\"args\": {/&\"grid\": [$((i / 3 + 1)), 7, 1], \"block\": [64, 1, 1], /"
		event kernel ${long}tile$((i / 3)) $((i * 100 + 50)) 5 $((i + 10))
	done
} | trace alike.json
run 0 report --template atlas --dump document alike.json
says out 'head Kernel | Grid, block | Calls |' 'row grid_kernel | 1×7, 64 | 2 |' 'row grid_kernel | 2×7, 64 | 2 |' \
	"row ${long}tile0 | – | 2 |"
run 0 report --template atlas --dump canvas alike.json
says out 'text "grid 1×7, 64"' 'text "grid 2×7, 64"' 'text "a_library_…tile0"'

# Tables that hold a part only say so, and what is left out is summed.
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
	event cpu_op op$i $((i * 1000)) 900 0
	event cuda_runtime cudaLaunchKernel $((i * 1000 + 890)) 5 $i
	event kernel kernel$i $((i * 1000 + 900)) 10 $i
done | trace many.json
run 0 report --template atlas --dump document many.json
says out 'The 12 largest of 13 distinct kernels, copies and fills, by name.' 'row host late |' \
	'row all others | 2 | 1.98 ms'

# A name of 5,160 letters, two hundred threads, spans a hundred deep: still pages that can be read.
name=$(printf '%05160d' 0 | tr 0 n)
{
	event cuda_runtime cudaLaunchKernel 10 5 1
	event kernel "$name" 100 40 1
	for thread in $(seq 200); do
		event cpu_op busy $((thread * 3)) 20 0 | sed "s/\"tid\": 7/\"tid\": $((1000 + thread))/"
	done
	for depth in $(seq 100); do
		event cpu_op "deep$depth" $((1000 + depth)) $((400 - 2 * depth)) 0
	done
} | trace wild.json
run 0 report --template atlas -o wild.pdf --svg svg --markdown wild.md wild.json
silent out err
says wild.md 'events drawn'
[ "$(pdfinfo wild.pdf | sed -n 's/^Pages: *//p')" -le 30 ] || wrong 'more than 30 pages'
[ "$(find svg -size +1500k | wc -l)" = 0 ] || wrong "an SVG is too large: $(ls -l svg)"
pdftotext -layout wild.pdf text
grep -Eq 'not shown: [0-9]+ more threads? or streams? with [0-9]+ events? in this window' text || wrong 'no count of the folded rows'

# Spans 5,000 deep: what lies beyond the levels that are counted is not drawn all in one row.
seq 5000 | awk '{ printf ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"deep%d\", \"pid\": 7, \"tid\": 7, \"ts\": %.1f, \"dur\": %d}", $1, $1 / 2, 10000 - $1 }' |
	trace deep.json
run 0 report --template atlas --svg deep --markdown deep.md deep.json
says deep.md 'in rows that are left out'
[ "$(find deep -name '*.svg' -size +100k | wc -l)" = 0 ] || wrong "an SVG is too large: $(ls -l deep)"
