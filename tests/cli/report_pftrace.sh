# SPDX-License-Identifier: Apache-2.0
# Perfetto's packets: what PyTorch and Kineto write of a trace is row for row what they write as JSON; clocks, resets, tracks,
# counters, what is compressed; a verdict as for any trace; other programs' traces; damage ends in a report or in one line.
. "$TRACEBOOK_TOP/tests/cli/functions"
pftrace() { python3 "$TRACEBOOK_TOP/tests/cli/pftrace.py" "$@" || wrong "pftrace.py $*"; }
golden=$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json

for form in events first kineto live stages; do
	pftrace write "$golden" $form.pftrace $form
	pftrace check "$TRACEBOOK_BIN/report" "$golden" $form.pftrace $form
	pftrace count "$TRACEBOOK_BIN/report" $form.pftrace >/dev/null
done
# Packed by gzip, whatever its name, and packet by packet.
pftrace write "$golden" packed.pftrace.gz stages
mv packed.pftrace.gz packed.pftrace
pftrace check "$TRACEBOOK_BIN/report" "$golden" packed.pftrace stages
pftrace write "$golden" live.deflated.pftrace live
pftrace check "$TRACEBOOK_BIN/report" "$golden" live.deflated.pftrace live
pftrace count "$TRACEBOOK_BIN/report" live.deflated.pftrace >/dev/null

# The same report as of JSON, but for the name and the bytes of the file, and what the format does not say of the device.
python3 - "$golden" <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
del trace["deviceProperties"]
trace["traceEvents"] = [e for e in trace["traceEvents"] if e["ph"] in "XM"]
json.dump(trace, open("plain.json", "w"))
END
mkdir json packets # under one name: what a file is, its bytes say
mv plain.json json
cp events.pftrace packets/plain.json
for kind in json packets; do
	(cd $kind && "$TRACEBOOK_BIN/report" --markdown ../$kind.md plain.json) || wrong "no report of $kind"
done

diff json.md packets.md >difference || { head -20 difference; wrong 'another report than of JSON'; }
run 0 report -o one.pdf stages.pftrace
silent err
run 0 report -o pair.pdf --baseline "$golden" stages.pftrace
mkdir folder && cp stages.pftrace packed.pftrace folder
run 0 report -o folder.pdf folder
run 0 report --dump trace stages.pftrace
says out 'GPU 0 | stream 7' 'regs 96 shared 49152' 'bytes 65536' 'corr 2 ' 'launch '
run 2 report --cut cut.json --step 0 stages.pftrace
says err 'what it reads of JSON'

# Counters with their units, tracks below processes, instants, older forms; a stage that draws.
python3 - "$TRACEBOOK_TOP/tests/cli" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from pftrace import BEGIN, COUNTER, END, INSTANT, CLEARED, NEEDS, Trace, annotation, field, message, varint
t = Trace()
t.describe(1, process=(4000, "browser"))
t.describe(2, 1, thread=(4000, 4001, "main"))
t.describe(3, 1, "requests")
t.describe(4, 1, "Memory", counter=message((3, 3), (4, 1024)))
t.describe(5, 1, "Work", counter=message((6, "jobs"), (5, 1)))
t.packet((13, CLEARED), (12, message((1, message((1, 1), (2, "net"))), (2, message((1, 1), (2, "interned name"))),
         (3, message((1, 7), (2, "url"))), (29, message((1, 9), (2, "of a table"))))))
def event(at, kind, track, *fields, sequence=1):
    t.packet((8, at), (13, NEEDS), (11, message((9, kind), (11, track), *fields)), sequence=sequence)
event(1_000_000, BEGIN, 2, (10, 1), (3, 1), (4, message((1, 7), (17, 9))))
event(1_200_000, BEGIN, 3, (23, "request A"), (22, "net"), (47, 5))
event(1_300_000, BEGIN, 2, (23, "inner"), (4, annotation("tree", {"a": [1, 2.5, True, "x\n\"", {}], "b": []})))
event(1_300_000, END, 2)
event(1_500_000, END, 2)
event(1_600_000, INSTANT, 2, (23, "a point"))
event(1_700_000, END, 3)
event(1_800_000, COUNTER, 4, (30, 3))
event(1_810_000, COUNTER, 5, (44, 2.5))
event(1_820_000, COUNTER, 5, (44, 2.5))
# Lost packets: what refers to their names is left out until the next reset.
t.packet((42, 1), (8, 1_900_000), (13, NEEDS), (11, message((9, BEGIN), (11, 2), (10, 1))))
t.packet((13, CLEARED), (8, 1_950_000), (11, message((9, BEGIN), (11, 2), (23, "after the loss"))))
event(1_960_000, END, 2)
# Of the older form: a thread's own descriptor, differences, an event that is complete, one with an id.
t.packet((44, message((1, 4000), (2, 4002), (6, 2000))), sequence=2)
t.packet((11, message((1, 5), (23, "old"), (6, message((2, ord("X")), (3, 7))))), sequence=2)
for phase, us in (("b", 5), ("e", 9)):
    t.packet((11, message((1, us), (22, "async"), (23, "with id"), (6, message((2, ord(phase)), (11, 77))))), sequence=2)
# A counter of a GPU whose descriptor stands beside it, and a stage that draws.
t.packet((8, 2_100_000), (52, message((1, message((1, message((1, 3), (2, "Bandwidth"), (7, 10), (8, 22))))), (2, message((1, 3), (2, 12))), (3, 1))))
t.packet((8, 2_110_000), (53, message((1, 1), (2, 5000), (11, 1), (17, "draw"))))
open("made.pftrace", "wb").write(t.bytes())
open("cut.pftrace", "wb").write(t.bytes()[:-40])
whole = t.bytes()
open("system.pftrace", "wb").write(field(1, message((8, 5), (1, b"\x08\x01"))) * 3)
open("endless.pftrace", "wb").write(whole + b"\x0a" + varint(1 << 60) + b"x")
import zlib
open("bomb.pftrace", "wb").write(field(1, message((50, zlib.compress(bytes(60 << 20))))) * 12 + whole)
END
run 0 report --dump trace made.pftrace
says out '0 0 +500000 t1 d0 other [net] interned name' '+0 t1 d1 other [] inner in 0' '+500000 t3 d0 other [net] request A' \
	'instant [] a point' 'counter [] Memory (B)  = 3072' 'counter [] Work (jobs)  = 5' 'after the loss' '+7000 t2 d0 other [] old' \
	'+9000 t4 d0 other [async] with id' 'counter [] Bandwidth (GB/s)  = 12' '+5000 t6 d0 kernel [kernel] draw' 'browser |  | main' \
	'device 1 | GPU 1 | stream 0' 'repair 1 x state'
run 0 report -o made.pdf made.pftrace
run 0 report --dump trace cut.pftrace
says out 'repair 1 x cut'
run 0 report -o cut.pdf cut.pftrace
says err 'cut off or damaged at byte'
for file in endless bomb; do
	timeout 60 "$TRACEBOOK_BIN/report" --dump trace $file.pftrace >out 2>err || [ $? = 1 ] || wrong "$file: status $?"
done
run 1 report system.pftrace
is err 'report: system.pftrace: no trace: a Perfetto trace of 3 packets without an event of a program; what the system records (ftrace, heaps, samples) is not read'
"$TRACEBOOK_BIN/report" --dump trace - <stages.pftrace | grep -q aten::linear || wrong 'not read as what stdin is'
# shellcheck disable=SC2002 # a pipe is meant
cat stages.pftrace | "$TRACEBOOK_BIN/report" --dump trace - | grep -q aten::linear || wrong 'not read from a pipe'
for file in stages live; do
	pftrace damage "$TRACEBOOK_BIN/report" $file.pftrace 60 >/dev/null
done

# Counters of a GPU, as JSON and as packets: the same table, and below its lanes the four that change most, with unit and
# scale; one that stays as it is, one of another device, and a handful of samples are no curve.
python3 - "$golden" <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
work = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
begin, end = min(e["ts"] for e in work), max(e["ts"] + e["dur"] for e in work)
def samples(name, n, value, pid="GPU 0 Counters"):
    trace["traceEvents"] += [{"ph": "C", "name": name, "pid": pid, "ts": round(begin + (end - begin) * i / n), "args": {"": float(value(i))}} for i in range(n)]
samples("Power (mW)", 80, lambda i: 200_000 + 3500 * (i % 30)) # drawn in W
samples("SM Active (%)", 80, lambda i: i * 37 % 98)
samples("SM Clock (MHz)", 80, lambda i: 1980 - i % 2)
samples("DRAM BW (%)", 80, lambda i: i % 17)
samples("HBM Read (%)", 80, lambda i: i % 5)
samples("Fan Speed (%)", 80, lambda i: 30)
samples("Few (%)", 7, lambda i: i)
samples("Elsewhere (%)", 80, lambda i: i, "GPU 5 Counters")
json.dump(trace, open("counters.json", "w"))
END
pftrace write counters.json counters.pftrace stages
pftrace check "$TRACEBOOK_BIN/report" counters.json counters.pftrace stages
for file in counters.json counters.pftrace; do
	run 0 report -o counters.pdf --json table.json $file
	python3 - table.json <<'END' || wrong "$file: another table"
import json
rows = json.load(open("table.json"))["runs"][0]["cases"][0]["tables"]["counters"]["rows"]
found = {name: (process, n, low, high) for process, name, n, low, mean, high in rows if low <= mean <= high}
assert found["Power (mW)"] == ("GPU 0 Counters", 80, 200_000, 301_500), rows
assert found["Elsewhere (%)"][0] == "GPU 5 Counters" and len(rows) == 8, rows
END
	pdftotext -layout counters.pdf out
	says out 'Power' '200 – 302 W' 'SM Active' '0 – 97 %' 'DRAM BW' 'HBM Read'
	! grep -E 'SM Clock|Fan Speed|Few|Elsewhere' out || wrong "$file: a curve too many"
done

# What takes more memory than it may is read up to there, whatever it is made of: events, sequences, names.
python3 - "$TRACEBOOK_TOP/tests/cli" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from pftrace import BEGIN, END, CLEARED, Trace, message
def write(path, fill):
    t = Trace()
    t.describe(1, thread=(1, 1, "main"))
    t.packet((13, CLEARED), (8, 1000), (11, message((9, BEGIN), (11, 1), (23, "first"))))
    t.packet((8, 2000), (11, message((9, END), (11, 1))))
    for i in range(140_000):
        fill(t, i)
    open(path, "wb").write(t.bytes())
write("sequences.pftrace", lambda t, i: t.packet((8, i), sequence=i + 2))
write("names.pftrace", lambda t, i: t.packet((12, message((2, message((1, i + 1), (2, f"name {i}" * 8)))))))
write("tracks.pftrace", lambda t, i: t.describe(i + 2, 1, f"track {i}"))
END
for file in sequences names tracks; do
	run 0 report --memory 16M --dump trace $file.pftrace
	says out 'first' 'x memory, first at'
done

# The place of what is wrong with a text is its packet's, and in the file.
python3 - "$TRACEBOOK_TOP/tests/cli" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from pftrace import BEGIN, END, CLEARED, Trace, message
t = Trace()
t.describe(1, thread=(1, 1, "main"))
t.packet((13, CLEARED), (8, 1000), (11, message((9, BEGIN), (11, 1), (23, "first"))))
begin = len(t.bytes())
t.packet((8, 1500), (11, message((9, BEGIN), (11, 1), (23, "sec\x01ond"))))
t.packet((8, 2000), (11, message((9, END), (11, 1))))
t.packet((8, 3000), (11, message((9, END), (11, 1))))
open("control.pftrace", "wb").write(t.bytes())
open("place", "w").write(str(begin))
END
run 0 report --dump trace control.pftrace
says out "x control, first at $(cat place):"
