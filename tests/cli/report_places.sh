# SPDX-License-Identifier: Apache-2.0
# What is read is a file: pipes only where a person named them, nothing else, and walks that end.
. "$TRACEBOOK_TOP/tests/cli/functions"
small_trace trace.json

soon() { # ARGUMENT...: report is through in ten seconds, with a message if it fails, and at most half a GB
	status=0
	([ -n "${TRACEBOOK_SAN:-}" ] || ulimit -v 2000000 2>/dev/null || :; exec timeout 10 "$TRACEBOOK_BIN/report" "$@") \
		>out 2>err </dev/null || status=$?
	case $status in
	0) ;;
	1) [ "$(wc -l <err)" = 1 ] || wrong "not one line: report $*" ;;
	*) wrong "status $status: report $*" ;;
	esac
}

# Devices, sockets and what only looks like a file, wherever a file is read.
for place in /dev/zero /dev/urandom /dev/full /proc/kmsg /dev/tty; do
	[ -e $place ] || continue
	soon --json o.json $place
	soon --json o.json --baseline $place trace.json
	soon --json o.json --expect $place trace.json
done
run 1 report --json o.json /dev/zero
says err 'is a device: not read'

# A pipe that a person names is read, also when its writer comes later.
mkfifo pipe
{ sleep 0.3 && cat trace.json >pipe; } &
run 0 report --json piped.json pipe
wait $!

# One that merely lies there is not: in a folder, as a manifest, as a table, as the trace of a case.
mkdir lies manifest
mkfifo lies/x.json manifest/run.json
cp trace.json lies
soon --json o.json lies
[ $status = 0 ] || wrong 'a pipe costs the folder'
says err 'left out of the folders: 1 that are no regular files'
soon --json o.json manifest
says err 'pipe that nobody named'
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
mkdir run/tables
for table in sweep launches bandwidth copies source; do mkfifo run/tables/$table.tsv; done
soon -o o.pdf run
[ $status = 0 ] || wrong 'a pipe among the tables costs the report'

# A manifest names what is in its folder.
named() { # NAME: the trace of the first case of a run
	rm -rf named && cp -r "$TRACEBOOK_TOP/tests/golden/host/in" named
	mkfifo named/pipe.json
	ln -s "$PWD/trace.json" named/out.json
	python3 - "$1" <<-'END'
		import json, sys
		run = json.load(open("named/run.json"))
		run["cases"][0]["trace"] = sys.argv[1]
		json.dump(run, open("named/run.json", "w"))
	END
	soon --json o.json named
	[ $status = 1 ] || wrong "status $status: $1"
}
for name in ../trace.json /dev/zero ../../../../../../../../../dev/zero "$PWD/trace.json" out.json ..; do
	named "$name"
	says err 'outside of that folder: not read'
	grep -q 'outside of that folder' o.json || wrong 'the case does not say it'
done
named pipe.json
says err 'no regular file: not read'

# Loops of links and depth: the walk ends and says what it left.
mkdir -p loop deep/1/2/3/4/5/6/7
cp trace.json loop
cp trace.json deep/1/2/3/4/5/6/7
cp trace.json deep/1
for i in 1 2 3 4 5 6 7 8; do ln -s . loop/l$i; done
soon --json o.json loop
[ $status = 0 ] || wrong 'a loop costs the folder'
says err 'left out of the folders: 8 linked folders'
soon --json o.json deep
says err '1 folders that lie too deep'
grep -q 'deep/1/trace.json' o.json || wrong 'the trace that lies high enough is not there'
! grep -q '6/7/trace.json' o.json || wrong 'a trace that lies too deep'
ln -s la lb && ln -s lb la
soon --json o.json la
says err 'cannot read la'

# Of more files that are called like traces than a report can be about, the first are read.
mkdir many
python3 - <<'END'
text = open("trace.json").read()
for i in range(2003):
    with open(f"many/{i:04d}.json", "w") as f:
        f.write(text if i in (0, 1999, 2000) else "{}")
END
status=0
timeout 60 "$TRACEBOOK_BIN/report" --json many.json many >out 2>err </dev/null || status=$?
says err 'left out of the folders: 3 behind the first 2000 that are called like traces'
says many.json 'many/0000.json' 'many/1999.json'
! grep -q 'many/2000.json' many.json || wrong 'the 2001st was read'

# A whole disk is no folder of traces: that is said soon, and nothing of it is read. (Making it takes seven seconds.)
sweep || exit 0
python3 - <<'END'
import os
for k in range(51):
    os.makedirs(f"disk/home/{k}")
    for i in range(2000):
        os.mknod(f"disk/home/{k}/{i}.dat")
END
mkdir disk/a && cp trace.json disk/a
soon --json disk.json disk
[ $status = 1 ] || wrong "status $status: a whole disk"
is err 'report: disk holds more than 100000 files and folders: name the folder below it that holds the traces'
absent disk.json
run 1 report --json disk.json --baseline disk trace.json
says err 'disk holds more than'
run 0 report --json disk.json disk/a disk/home/1 trace.json
rm -r disk
