# SPDX-License-Identifier: Apache-2.0
# Programs with PyTorch in them are recorded from outside: everything that libkineto says and does,
# and much that it never would (tests/data/collect/kineto_client.c).
. "$TRACEBOOK_TOP/tests/cli/functions"
kineto_client
TMPDIR=/tmp
export TMPDIR

# recorded FOLDER COLLECT-OPTION... -- CLIENT-OPTION...
recorded() {
	folder=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # the options are words of their own
	run 0 collect $options --out "$folder" -- "$client" "$@"
	silent out
	python3 -m json.tool "$folder/run.json" >/dev/null
	says "$folder/run.json" '"trace": "kineto_client'
}

# Once it is steady: two probes that agree, then the window, with shapes.
recorded steady -- --context
says err 'steady after 2 probes' 'is recorded; the program runs on'
says steady/kineto_client.pt.trace.json 'Input Dims'
run 0 report --dump document steady
says out "caption Recorded from $client --context · "
if grep -q 'The file does not name' out; then wrong 'run.json names it'; fi
"$TRACEBOOK_BIN/report" --table steady/kineto_client.pt.trace.json | grep -q aten::mm ||
	wrong 'no table of the trace'
recorded cold -- --cold 3
says err 'steady after 5 probes'
recorded never -- --cold 99
says err 'not steady after 6 probes' "; traces go to $PWD/never"
says never/run.json 'did not agree'
run 0 report --dump document never
says out 'kineto_client (not steady: 6 probes'

# What is awaited counts down in the title of a terminal, which is given back; nowhere else, never when quiet.
cat >terminal.py <<'END'
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
END
TERM=xterm python3 terminal.py "$TRACEBOOK_BIN/collect" --after 3s --for 100ms --out title -- \
	"$client" --every 0.5 --pause 4 >typescript 2>&1 </dev/null
says typescript ']2;collect: its window begins in 3 s' ']2;collect: its window begins in 2 s'
tail -n 3 typescript | grep -aq '\[23;2t' || wrong 'the title is not given back'
TERM=xterm python3 terminal.py "$TRACEBOOK_BIN/collect" -q --after 0s --out title -- "$client" >typescript 2>&1 </dev/null
TERM=dumb python3 terminal.py "$TRACEBOOK_BIN/collect" --after 0s --out title -- "$client" >>typescript 2>&1 </dev/null
cat err >>typescript
if grep -aq ']2;' typescript; then wrong 'a title where none is wanted'; fi

# By time and by steps, with this and without that; a request by steps is repeated until it is heard.
recorded time --after 0s --for 100ms --with none -- --twice
if grep -q probe err; then wrong 'probes, though the time was given'; fi
if grep -q 'Input Dims' time/*.json; then wrong 'shapes, though they were not wanted'; fi
recorded steps --steps 3 --after 2 --with stacks,flops -- --steps-after 4
says err 'PyTorch 2.11 was seen to write neither'
[ "$(grep -c Optimizer.step steps/kineto_client.pt.trace.json)" = 3 ] || wrong 'not three steps'
says steps/run.json '"with": "stacks, flops"' 'weigh on the numbers'

# Slow to read, twice asked, hostile, profiling itself.
recorded slow --after 0s -- --deaf 2 --every 0.3
recorded twice -- --twice
recorded hostile -- --hostile
says err 'messages on the socket were none of PyTorch'
recorded own -- --own 4
says err 'profiles itself'

# Ranks: one trace each, which say their rank, by a common window; who does nothing has none.
recorded ranks --after 0s -- --children 3
[ "$(ls ranks | tr '\n' ' ')" = "kineto_client.rank0.pt.trace.json kineto_client.rank1.pt.trace.json \
kineto_client.rank2.pt.trace.json run.json " ] || wrong "$(ls ranks)"
says ranks/kineto_client.rank2.pt.trace.json '"distributedInfo": {"rank": 2, "world_size": 3}'
run 0 report --json ranks.json -o ranks.pdf ranks

# What a rank has started has its rank in its environment, but is not the rank.
run 0 collect -q --after 0s --out twins -- env RANK=1 WORLD_SIZE=2 sh -c '"$0"; "$0"' "$client"
[ "$(ls twins | wc -l)" = 3 ] || wrong "$(ls twins)"
[ "$(cat twins/*.trace.json | grep -c '"distributedInfo": {"rank": 1')" = 1 ] || wrong 'two of one rank'

# A run takes the place of the one before.
recorded ranks -- --context
[ "$(ls ranks | wc -l)" = 2 ] || wrong "left of the run before: $(ls ranks)"

# By mpirun too, where there is one.
if command -v mpirun >/dev/null; then
	run 0 collect -q --after 0s --out mpi -- mpirun --allow-run-as-root --oversubscribe -n 2 "$client"
	[ "$(ls mpi/*.rank?.pt.trace.json | wc -l)" = 2 ] || wrong "$(ls mpi)"
fi

# A PyTorch that does not ask (older than 2.0, or built without Kineto) is named.
mkdir -p torch/lib
cp "$(find /usr/lib /lib -name 'libz.so.1*' | head -n 1)" torch/lib/libtorch_cpu.so
echo "__version__ = '1.13.1'" >torch/version.py
run 0 collect --out silent -- python3 -c 'import ctypes, time; ctypes.CDLL("torch/lib/libtorch_cpu.so"); time.sleep(2.5)'
says err 'nothing recorded: PyTorch 1.13.1 is there but did not ask'

# One that crashes of stacks is not asked for them, where the version stands beside its Python module too.
mkdir -p dist
mv torch/version.py dist/
cp torch/lib/libtorch_cpu.so dist/_C.cpython-313.so
cp torch/lib/libtorch_cpu.so .
for version in 2.6.0+debian 2.11.0; do
	echo "__version__ = '$version'" >dist/version.py
	run 0 collect --out stacks --after 0s --with shapes,stacks -- \
		env LD_PRELOAD="./libtorch_cpu.so:./dist/_C.cpython-313.so" "$client"
	says err "PyTorch $version asks for work"
	case $version in
	2.6*) says err 'stacks are left out' && says stacks/run.json '"with": "shapes"' ;;
	*) says stacks/run.json '"with": "shapes, stacks"' ;;
	esac
done

# The report in the same command; a status is the program's all the same.
run 5 collect --report report.pdf --out reported -- "$client" --status 5
says err 'report.pdf'
[ -s report.pdf ] || wrong 'no report'

# It ends too early: before anything, in its window, while writing, after probes alone.
run 0 collect --out early -- "$client" --seconds 0.3 --no-steps --idle
says err 'nothing recorded' 'before its window'
run 0 collect --out early --after 9 --steps 2 -- "$client" --seconds 0.3 --no-steps
says err 'nothing recorded' 'before its window'
absent early/run.json
run 0 collect --out early --after 0s -- "$client" --seconds 0.5 --lose 9
says err 'nothing recorded' 'while it was being recorded'
run 137 collect --out early --after 0s -- "$client" --cut 9
says err 'nothing recorded' 'while it was being recorded'
run 134 collect -q --out early --after 0s -- "$client" --cut 6
says err 'collect: the program was ended by signal 6 (Aborted) while PyTorch'"'s"' profiler recorded in it: one that exits meanwhile may crash; an earlier --after, or a shorter --for, is over before'
for signal in 2 9 15; do
	run $((128 + signal)) collect -q --out last --after 0s -- "$client" --last $signal
	says last/kineto_client.pt.trace.json 'Input Dims'
done
run 0 collect --out probes -- "$client" --seconds 1 --cold 99 --every 0.3
says err 'the last probe'
says probes/run.json 'the last probe'

# Nothing ran in its window, or the program crashed while it was written: the last probe stands for it.
recorded stops -- --stops
says err 'nothing ran in its window: this is the last probe'
says stops/kineto_client.pt.trace.json 'aten::mm'
recorded ruined -- --ruin
says err 'the file is destroyed: the program crashed while it was written' 'this is the last probe'
says ruined/kineto_client.pt.trace.json 'aten::mm'
run 0 collect -q --out ruined --after 0s -- "$client" --ruin
says ruined/kineto_client.pt.trace.json 'aten::mm'
is err "collect: the trace of process $(grep -o 'process [0-9]*' err | cut -d ' ' -f 2) is lost: the file is \
destroyed: the program crashed while it was written
collect: $PWD/ruined/run.json is that of the earlier recording"
rm -r ruined
run 0 collect -q --out ruined --after 0s -- "$client" --ruin
absent ruined/kineto_client.pt.trace.json ruined/run.json
lines err 1

# Who never got that far does not speak for who did.
run 0 collect --out idle --after 0s -- sh -c '"$0" --idle & "$0" --own 99 --seconds 1; wait' "$client"
says err 'nothing recorded: no process ran an operator in its window'

# A full disk costs the trace and one line, not the program.
if mkdir small && mount -t tmpfs -o size=1m none small 2>/dev/null; then
	run 3 collect -q --out small/run -- "$client" --big 4 --status 3
	umount small
	says err 'is lost'
	lines err 1
fi

# Nothing of it is left: no folder, no socket, no file.
left=$(find "$TMPDIR" -maxdepth 1 -name 'tracebook-??????' -newer steady/run.json -user "$(id -un)" -empty)
[ -z "$left" ] || wrong "left behind: $left"
