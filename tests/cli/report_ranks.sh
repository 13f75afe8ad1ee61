# SPDX-License-Identifier: Apache-2.0
# A folder of rank files: one table, whoever is missing is named, and nobody is blamed for a tie.
. "$TRACEBOOK_TOP/tests/cli/functions"

# Four ranks; in each of six steps a product of 100 us, of SLOW us on rank 2, and the wait for the others.
make_ranks() { # FOLDER SLOW
	mkdir -p "$1"
	python3 - "$1" "$2" <<'END'
import json, sys
folder, slow = sys.argv[1], int(sys.argv[2])
for rank in range(4):
    events, c = [], 0
    for step in range(6):
        t, work = 1000 + 300 * step, slow if rank == 2 else 100
        events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{step}", pid=1, tid=1, ts=t, dur=300))
        for name, at, begin, dur in (("gemm", 5, 20, work), ("ncclDevKernel_AllReduce", 10, 20 + work, 230 - work)):
            c += 1
            events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=t + at, dur=5,
                               args=dict(correlation=c)))
            events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=t + begin, dur=dur,
                               args=dict(correlation=c, device=0, stream=7)))
    with open(f"{folder}/r{rank}.json", "w") as f:
        json.dump(dict(traceEvents=events, distributedInfo=dict(rank=rank, world_size=4)), f)
END
}

make_ranks four 180
run 0 report --dump document four
says out 'heading 2 #ranks' 'row rank 3; 6 steps' 'Rank 2 is the straggler: it waited least in communication in 6 of 6 steps'
! grep -q 'Not in this table' out || wrong 'somebody is missing'

# Its title says who waits for whom and how long: the others' wait less its own; what keeps the late rank and what to do
# about it stand on that page, ranks by their numbers, and those that wait for it have that as their verdict.
says out 'title #summary 3 ranks wait 80.0 µs a step for rank 2' 'What keeps rank 2:' 'What to do first, on rank 2: ' \
	'What limits them: waiting for rank 2 3 of 4, compute-bound 1 of 4.' 'row rank 0 | waiting for rank 2 |' 'row rank 2 | compute-bound |'
[ "$(grep -c '^heading . .* rank [0-3] · r[0-3].json' out)" = 4 ] || wrong 'ranks without their numbers'
[ "$(grep -c 'Nearly all of it is waiting for rank 2 ' out)" = 3 ] || wrong 'not each says what it waits for'

# A file that lost its end does not say its rank; another is no trace; a third one ran nothing.
make_ranks broken 180
head -c 3000 four/r3.json >broken/r3.json
echo garbage >broken/r4.json
sed 's/"kernel"/"cpu_op"/g; s/"rank": 1/"rank": 5/' four/r1.json >broken/r5.json
run 1 report -o broken.pdf --markdown broken.md broken
says err '1 trace could not be read; the first: broken/r4.json: no trace: text, not JSON'
run 1 report --dump document broken
says out 'heading 2 #ranks' 'row rank 1; 6 steps' 'Rank 2 is the straggler' \
	'Not in this table: r3.json (not whole), r4.json (could not be read), r5.json (no device work).'

make_ranks even 100
run 0 report --dump document even
says out 'No straggler: all ranks took equally long in each of 6 steps.'

# A folder begins with its verdict: what limits how many, who is late, what to do first in most; its title says what was read.
run 0 report --dump document four
grep -n -m 1 'What limits them' out >limits || wrong 'no verdict'
grep -n -m 1 'straggler' out >late || wrong 'nobody is late'
grep -n -m 1 'heading 2 #all-cases All traces' out >tables || wrong 'no table'
for pair in 'limits late' 'late tables'; do
	[ "$(cut -d: -f1 "${pair% *}")" -lt "$(cut -d: -f1 "${pair#* }")" ] || wrong 'the tables stand before the verdict'
done
[ "$(grep -c 'is the straggler' out)" = 1 ] || wrong 'said twice'
run 0 report -o four.pdf four
pdfinfo four.pdf | grep -q '^Title: *r0.json and 3 more$' || wrong "$(pdfinfo four.pdf)"
run 0 report -o one.pdf four/r0.json
pdfinfo one.pdf | grep -q '^Title: *r0.json$' || wrong "$(pdfinfo one.pdf)"

# However long the table is, no page ends with the name of a rank and its machine: what that is about stands beneath.
mkdir many
for rank in 0 1 2 3 4 5 6 7 8 9 10 11; do
	sed "s/\"rank\": 1/\"rank\": $rank/; s/\"world_size\": 4/\"world_size\": 14/" four/r1.json >"many/r$rank.json"
	[ $rank -ge 9 ] || continue
	run 0 report -o many.pdf many
	pdftotext -layout many.pdf text
	python3 - <<'END' || wrong "a name is alone at the end of a page, of $((rank + 1)) ranks"
pages = open("text").read().split("\f")
assert len(pages) > 2
for page in pages[:-1]:
    lines = [line for line in page.split("\n") if line.strip()]
    assert "The file does not name" not in lines[-2], lines[-4:]
END
done

# Many ranks: those that differ stand in the table, nodes by the names of the files, and for each collective of each group who
# comes last to it, how often and by how much. Of a step: a product, an all-reduce of all, an all-gather of the eight on a node.
python3 - <<'END'
import json, os
os.mkdir("forty")
for rank in range(40):
    node, events, c = rank // 8, [], 0
    group = f"tp{node}"
    def call(name, at, begin, dur, t, **told):
        global c
        c += 1
        if told:
            events.append(dict(ph="X", cat="cpu_op", name="record_param_comms", pid=1, tid=1, ts=t + at - 1, dur=7, args={**told, "External id": c}))
        events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=t + at, dur=5, args=dict(correlation=c)))
        events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=t + begin, dur=dur, args=dict(correlation=c, device=0, stream=7)))
    for step in range(6):
        t = 1000 + 1000 * step
        events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{step}", pid=1, tid=1, ts=t, dur=1000))
        work = 400 if rank == 13 else 300 if node == 2 else 200
        call("gemm", 5, 20, work, t)
        # Rank 13 comes last to the all-reduce; to the all-gather of a node its third rank, in every other step.
        call("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", 15, 20 + work, 500 - work, t, **{"Collective name": "allreduce", "dtype": "BFloat16",
             "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 40, "Process Group Name": "0"})
        call("ncclDevKernel_AllGather_RING_LL(x)", 25, 600, 20 if rank % 8 == 3 and step % 2 else 90, t, **{"Collective name": "allgather",
             "dtype": "BFloat16", "In msg nelems": 10, "Out msg nelems": 80, "Group size": 8, "Process Group Name": group})
        call("ncclDevKernel_SendRecv(x)", 35, 700, 50 + 2 * rank, t, **{"Collective name": "send", "dtype": "BFloat16",
             "In msg nelems": 10, "Out msg nelems": 10, "Group size": 2, "Process Group Name": "pp"})
        call("ncclDevKernel_SendRecv(x)", 45, 850, 50, t)  # an all-to-all, for all that is told
    info = dict(rank=rank, world_size=40)
    json.dump(dict(traceEvents=events, distributedInfo=info), open(f"forty/host{node}_{4000 + rank}.17000{rank:02d}.pt.trace.json", "w"))
END
run 0 report --json forty.json forty
run 0 report --dump document forty
says out 'Of 40 ranks the ' 'row rank 13; 6 steps' 'row median of all' 'By node:' 'row host2 | 8 |' 'row host0 | 8 |' \
	'row allreduce BFloat16 | 0 | 40 | 6 | rank 13: 6 of 6 |' 'row allgather BFloat16 | tp2 | 8 | 6 | rank 19: 3 of 3 | 70.0 µs | 210 µs' \
	'row allgather BFloat16 | tp0 | 8 | 6 | rank 3: 3 of 3 |' 'Pipeline:' '(rank 39)' '(rank 0)'
! grep -q 'row rank 30; 6 steps' out || wrong 'all ranks stand in the table'
python3 "$TRACEBOOK_TOP/tests/cli/schema.py" "$TRACEBOOK_TOP/docs/report.schema.json" forty.json >out || wrong 'another form'
python3 - <<'END' || wrong 'collectives are not those of the page'
import json
all_of = {(m["collective"], m["group"]): m for m in json.load(open("forty.json"))["runs"][0]["collectives"]}
assert len(all_of) == 6, all_of
told = all_of["allreduce BFloat16", "0"]
assert (told["ranks"], told["times"], told["late_rank"], told["late_times"]) == (40, 6, 13, 6), told
for node in range(5):
    told = all_of["allgather BFloat16", f"tp{node}"]
    assert told == dict(collective="allgather BFloat16", group=f"tp{node}", ranks=8, times=6, clear_times=3, late_rank=8 * node + 3, late_times=3,
                        late_by_ns=70000, wait_ns=210000), told
END
# What is wrong with many files is said once, with how many there are; of a few each is named.
mkdir torn lost
for file in forty/*.json; do
	head -c $(($(wc -c <"$file") * 9 / 10)) "$file" >"torn/${file#*/}"
	echo none >"lost/${file#*/}"
done
run 0 report -o torn.pdf --markdown torn.md torn
lines err 4
says err '37 more traces are like these'
says torn.md '**40 of 40 traces are not whole**, host0'
[ "$(grep -c 'is not part of any number' torn.md)" = 1 ] || wrong 'each of many says that it is not whole'
cp forty/host0_400[01].* lost
run 1 report -o lost.pdf --markdown lost.md lost
lines err 1
says lost.md '26 more traces did not run or could not be read'
pdftotext -layout lost.pdf out
says out '2 traces read' '26 more traces'
cp torn/host0_4000.* torn/host0_4001.* many
run 0 report --markdown few.md many
lines err 2
[ "$(grep -c '^\*\*host0_.* is not whole' few.md)" = 2 ] || wrong 'one of two is not named'
# Who differs has a page of his own, in front of the others, and the table lists those that have one.
run 0 report --dump document forty
sed -n 's/^heading 2 #trace-[^ ]* \(rank [0-9]*\).*/\1/p' out >pages
[ "$(head -n 1 pages)" = 'rank 13' ] || wrong "the first page is of $(head -n 1 pages)"
lines pages 16
python3 - <<'END' || wrong 'the table of ranks is another'
import json
for case in json.load(open("forty.json"))["runs"][0]["cases"]:
    row = dict(zip(case["tables"]["ranks"]["columns"], case["tables"]["ranks"]["rows"][0]))
    assert row["node"] == f"host{row['rank'] // 8}" and row["bubble_ns"] == 6000 * (50 + 2 * row["rank"]), row
END
# Without a name of its group nobody knows who is in an all-gather of eight.
mkdir nameless
for file in forty/*; do
	sed 's/, "Process Group Name": "[^"]*"//g' "$file" >"nameless/${file#*/}"
done
run 0 report --dump document nameless
says out 'row allreduce BFloat16 | – | 40 | 6 | rank 13: 6 of 6 |' 'Left out: 1 collective of fewer than all ranks'
! grep -q 'row allgather' out || wrong 'a group that nobody named'
run 0 report -o forty.pdf forty

# Where the file says what collectives send, the action says at what rate.
python3 - <<'END'
import json
events = []
for step in range(4):
    t, c = 1000 + 20000 * step, 10 * step
    events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{step}", pid=1, tid=1, ts=t, dur=20000))
    events.append(dict(ph="X", cat="cpu_op", name="record_param_comms", pid=1, tid=1, ts=t + 20, dur=30, args={
        "Collective name": "allreduce", "In msg nelems": 25000000, "Out msg nelems": 25000000, "Group size": 2, "dtype": "Float"}))
    for k, (name, stream, begin, dur) in enumerate((("gemm", 7, 100, 9000), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, 9200, 10000))):
        events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=t + 5 + 20 * k, dur=5,
                           args=dict(correlation=c + k + 1)))
        events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=stream, ts=t + begin, dur=dur,
                           args=dict(correlation=c + k + 1, device=0, stream=stream)))
    events.append(dict(ph="X", cat="cuda_runtime", name="cudaDeviceSynchronize", pid=1, tid=1, ts=t + 60, dur=19150, args=dict(correlation=c + 9)))
with open("sent.json", "w") as f:
    json.dump(dict(traceEvents=events, distributedInfo=dict(backend="nccl", rank=0, world_size=2)), f)
END
run 0 report --dump document sent.json
says out '1 collective sends 100 MB in 10.0 ms (10.0 GB/s); 10.0 ms of it, 50.0 % of the time, is not hidden by computing.'
