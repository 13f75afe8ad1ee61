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
grep -n -m 1 'heading 2 All traces' out >tables || wrong 'no table'
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
