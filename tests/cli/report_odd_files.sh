# SPDX-License-Identifier: Apache-2.0
# Files of the wrong kind where a trace, a snapshot, a database, packets or a log of the compiler is asked for: links that lead nowhere
# or in a ring, devices, pipes, folders, what is too much; and logs that are damaged. Names in stacks are one frame.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" t.json
cp "$TRACEBOOK_TOP/tests/fuzz/seeds/compile_log/one.log" one.log
python3 "$TRACEBOOK_TOP/tests/cli/nsys.py" make good.sqlite
python3 "$TRACEBOOK_TOP/tests/cli/pftrace.py" write t.json good.pftrace events
gzip -dc "$TRACEBOOK_TOP/tests/data/snapshots/small_all.pickle.gz" >good.pickle
ends() { # STATUS ARGUMENT...: it ends soon, so, and with at most a line
	wanted=$1
	shift
	status=0
	timeout 60 "$TRACEBOOK_BIN/report" "$@" >out 2>err </dev/null || status=$?
	[ $status = "$wanted" ] || wrong "status $status, expected $wanted: $*"
	[ "$(wc -l <err)" -le 1 ] || wrong "more than a line: $*"
}

# One of each kind, by name and in a folder with a good one.
for kind in json pickle sqlite pftrace; do
	good=good.$kind
	[ $kind != json ] || good=t.json
	mkdir $kind $kind/folder.$kind
	ln -s loop.$kind $kind/loop.$kind
	ln -s nowhere $kind/dangling.$kind
	ln -s /dev/zero $kind/zero.$kind
	ln -s .. $kind/up
	: >$kind/empty.$kind
	head -c 100000 /dev/zero >$kind/zeros.$kind
	for file in loop dangling zero empty zeros folder; do
		ends 1 -o no.pdf $kind/$file.$kind
		says err "$file.$kind"
		absent no.pdf
	done
	mkfifo $kind/pipe.$kind
	ln -s ../$good $kind/linked.$kind
	ends 0 -o linked.pdf $kind/linked.$kind
	rm $kind/zero.$kind $kind/zeros.$kind $kind/empty.$kind
	status=0
	timeout 60 "$TRACEBOOK_BIN/report" -o folder.pdf $kind >out 2>err </dev/null || status=$?
	[ $status -le 1 ] && [ -s folder.pdf ] || wrong "$kind in a folder: status $status"
done

# A folder of logs: what is no file is passed by.
mkdir logs logs/d.log
cp one.log logs/a.log
ln -s loop.log logs/loop.log
ln -s nowhere logs/dangling.log
ln -s /dev/zero logs/zero.log
ln -s .. logs/up
mkfifo logs/pipe.log
truncate -s 60M logs/sparse.log
head -c 30000000 /dev/zero | tr '\0' 'V' >logs/line.log
ends 0 --compile-log logs --json whole.json t.json
ends 0 --compile-log one.log --json one.json t.json
cmp whole.json one.json || wrong 'what is no log changes something'
for file in loop zero dangling; do
	ends 1 --compile-log logs/$file.log --json no.json t.json
	says err "logs/$file.log"
done
name=$(printf 'logs/b\033[31m\n<script>.log')
cp one.log "$name"
ends 1 --compile-log logs --json no.json t.json
says err 'logs of two programs'
! grep -q "$(printf '\033')" err || wrong 'a name moves the terminal'
rm "$name"
for i in $(seq 400); do cp one.log logs/dedicated_log_torch_trace_rank_$i.log; done
ends 0 --compile-log logs --json many.json t.json

# Bytes of a log that are changed, cut or moved: a report, or a line.
cat >damage.py <<'END'
import pathlib, random, subprocess, sys
whole = pathlib.Path("one.log").read_bytes()
for seed in range(int(sys.argv[1])):
    rng, data = random.Random(seed), bytearray(whole)
    for _ in range(rng.choice((1, 4, 40))):
        data[rng.randrange(len(data))] = rng.choice((0, 10, 34, 92, 123, 125, 0x7f, 0xff, rng.randrange(256)))
    a, b = sorted(rng.randrange(len(data)) for _ in range(2))
    if rng.random() < .4:
        data = data[:b] if rng.random() < .5 else data[:a] + data[b:] + data[a:b]
    pathlib.Path("bad.log").write_bytes(data)
    done = subprocess.run([sys.argv[2], "--compile-log", "bad.log", "--json", "bad.json", "--html", "bad.html", "t.json"], capture_output=True, timeout=60)
    assert done.returncode in (0, 1) and (done.returncode == 0 or done.stderr.count(b"\n") == 1), (seed, done)
    for f in ("bad.json", "bad.html"):
        pathlib.Path(f).unlink(missing_ok=True)
END
python3 damage.py "$(if sweep; then echo 1500; else echo 30; fi)" "$TRACEBOOK_BIN/report" || wrong 'a damaged log'

# Names in stacks.
python3 "$TRACEBOOK_TOP/tests/cli/hostile_names.py" t.json hostile.json
ends 0 --stacks hostile.folded --json hostile.out.json hostile.json
python3 - <<'END' || wrong 'stacks of hostile names'
import json, re
lines = open("hostile.folded", encoding="utf-8").read()
assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", lines)
lines = lines.splitlines()
sums = {"host": 0, "device": 0}
for line in lines:
    stack, n = re.fullmatch(r"(.*) (\d+)", line).groups()
    sums[stack.split(";")[0]] += int(n)
assert len(lines) > 20 and all(sums.values()), sums
END
