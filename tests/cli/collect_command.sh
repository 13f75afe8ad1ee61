# SPDX-License-Identifier: Apache-2.0
# A command runs under collect as it runs alone: streams, arguments, folder, status, signals; what is
# wrong with it costs one line.
. "$TRACEBOOK_TOP/tests/cli/functions"
collect=$TRACEBOOK_BIN/collect
TMPDIR=/tmp # open to another user
export TMPDIR

# Streams, arguments and status pass through untouched; nothing of ours is on stdout.
printf 'to be\nread\n' | "$collect" --quiet --out run -- sh -c 'cat; printf "%s|" "$0" "$@"; pwd; echo e >&2; exit 7' \
	'a b' '$HOME' '' ';ls' >out 2>err && status=0 || status=$?
[ "$status" = 7 ] || wrong "status $status"
printf 'to be\nread\na b|$HOME||;ls|%s\n' "$PWD" >wanted
cmp out wanted || wrong 'the output was touched'
[ "$(head -n 1 err)" = e ] || wrong 'stderr was touched'
says err 'nothing recorded' 'looked for PyTorch in a Python, CUDA and NVTX ranges'
lines err 2
absent run/run.json
# Nor is a report of nothing made, which is said.
run 0 collect --report nothing.pdf --out nothing -- true
says err 'no nothing.pdf: nothing is recorded that it could show'
absent nothing.pdf

# What a shell says of commands that it cannot run.
run 127 collect --out run -- no-such-command-here --help
is err 'collect: no-such-command-here: command not found'
silent out
: >plain
run 126 collect --out run -- ./plain
is err 'collect: ./plain: Permission denied'
run 0 collect --out run -- true
# A folder of PATH that may not be searched has nothing to do with it; root may search all of them.
mkdir locked free
chmod 000 locked
chmod 777 free
ordinary=
[ "$(id -u)" != 0 ] || ordinary='setpriv --reuid=65534 --regid=65534 --clear-groups'
if $ordinary test -x "$collect" 2>/dev/null; then
	status=0
	PATH=$PWD/locked:$PATH $ordinary "$collect" --out "$PWD/free" -- no-such-command-here >out 2>err || status=$?
	[ $status = 127 ] || wrong "status $status with a folder of PATH that may not be searched"
	is err 'collect: no-such-command-here: command not found'
fi
chmod 700 locked

# It ends by the signal that ended the program, which got it once.
"$collect" -q --out run -- sh -c 'kill -SEGV $$' 2>err && status=0 || status=$?
[ $status = 139 ] || wrong "status $status after SIGSEGV"
cat >trap.py <<'END'
import signal, sys, time
seen = []
signal.signal(signal.SIGTERM, lambda *_: seen.append(1))
open("ready", "w").close()
while not seen:
    time.sleep(0.01)
time.sleep(0.2)
sys.exit(40 + len(seen))
END
"$collect" -q --out run -- python3 trap.py 2>err &
pid=$!
while [ ! -e ready ]; do sleep 0.02; done
kill -TERM $pid
wait $pid && status=0 || status=$?
[ $status = 41 ] || wrong "status $status: SIGTERM came $((status - 40)) times"

# Ctrl-C of a terminal reaches the program by itself, once.
cat >terminal.py <<'END'
import os, pty, sys, time
pid, fd = pty.fork()
if not pid:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
while b"ready" not in seen:
    seen += os.read(fd, 1000)
os.write(fd, b"\x03")
try:
    while True:
        got = os.read(fd, 1000)
        if not got:
            break
        seen += got
except OSError:
    pass
_, status = os.waitpid(pid, 0)
sys.stdout.write(seen.decode())
sys.exit(os.WTERMSIG(status) + 128 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
END
cat >interrupted.py <<'END'
import signal, sys, time
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
print("ready", flush=True)
end = time.time() + 0.5
while time.time() < end:
    time.sleep(0.05)
sys.exit(30 + len(seen))
END
python3 terminal.py "$collect" -q --out run -- python3 interrupted.py >out 2>&1 && status=0 || status=$?
[ $status = 31 ] || wrong "status $status: Ctrl-C came $((status - 30)) times"
python3 terminal.py "$collect" -q --out run -- sh -c 'echo ready; sleep 5' >out 2>&1 && status=0 || status=$?
[ $status = 130 ] || wrong "status $status after Ctrl-C"

# Wrong usage.
refused() { # WORDS COLLECT-ARGUMENT...
	message=$1
	shift
	run 2 collect "$@"
	silent out
	lines err 1
	says err "$message"
}
refused 'no command behind --' --
refused 'not "soon"' --after soon -- true
refused 'not "-1s"' --after=-1s -- true
refused 'not "0"' --after 0 -- true
refused 'such as 500ms' --for 5 -- true
refused 'from 1ms to 1h' --for 2h -- true
refused 'give one of them' --for 1s --steps 3 -- true
refused 'counts steps' --after 5 --for 1s -- true
refused '1 to 1000000' --steps 0 -- true
refused 'not "colours"' --with shapes,colours -- true
refused 'not ""' --with shapes, -- true
refused 'about a matrix' --device host -- true
refused 'about a program' --after 1s
refused 'not both' matrix.json -- true
refused 'collect python3 p.py' p.py
refused 'collect python3 p.py' -- p.py
refused 'collect python3 ./p.py' --after 1s ./p.py
refused 'one matrix at a time' a.json b.json

# The command as it stands: no "--" is needed, and what looks like options behind it is its own.
for words in '--out run sh -c' '-o run -q -- sh -c' '--for=1s --out=run sh -c'; do
	# shellcheck disable=SC2086 # words
	run 7 collect $words 'echo "$@"; exit 7' x --out y -- z.json
	says out '--out y -- z.json'
done

# A folder that cannot be used is told before the program starts.
TMPDIR=/proc/none run 1 collect --out run -- touch ran
lines err 1
says err 'cannot make a folder'
: >file
run 1 collect --out file -- touch ran
lines err 1
mkdir -p other
echo '{"tracebook": 1, "matrix": {}, "cases": []}' >other/run.json
run 1 collect --out other -- touch ran
says err 'other holds a run of something else' --out
[ ! -e ran ] || wrong 'the program ran'

# make report CMD=...: the text of the command is in no line that a shell reads.
make -n -C "$TRACEBOOK_TOP" READY=1 report CMD='touch ran; touch $(HOME) `ran`' >recipe 2>/dev/null
says recipe 'collect --out $new/run -- $CMD'
if grep -q 'touch ran' recipe; then wrong 'a shell gets the text of the command'; fi

# One recording a folder at a time: the second is refused before its program starts, the first goes on.
"$collect" -q --out same -- sh -c ': >first; while [ ! -e go ]; do sleep 0.02; done' 2>err.first &
pid=$!
while [ ! -e first ]; do sleep 0.02; done
run 1 collect --out same -- touch second
is err "collect: another collect is at work in $PWD/same; wait for it, or choose another --out"
absent second
: >go
wait $pid || wrong 'the first recording was disturbed'
run 0 collect -q --out same -- touch second

# What a collect that was killed has left in TMPDIR goes with the next one; what one is at work in, or was made a moment ago, or
# is somebody else's, stays.
mkdir temporary
TMPDIR=$PWD/temporary
case $TMPDIR in *[[:blank:]:]*) TMPDIR=$(env -u TMPDIR mktemp -d -t sweep.XXXXXX) ;; esac
old() { touch -d '1 hour ago' "$TMPDIR/$1"; }
"$collect" -q --out killed -- sh -c 'echo $$ >program; exec sleep 60' 2>err &
pid=$!
while [ ! -s program ]; do sleep 0.02; done
left=$(basename "$TMPDIR"/tracebook-*)
"$collect" -q --out busy -- sh -c ': >busy.now; while [ ! -e stop ]; do sleep 0.02; done' 2>err &
busy=$!
while [ ! -e busy.now ]; do sleep 0.02; done
taken=$(ls "$TMPDIR" | grep -v "$left")
kill -KILL $pid
wait $pid 2>err || :
kill "$(cat program)"
mkdir -m 700 "$TMPDIR/tracebook-youngx" "$TMPDIR/tracebook-longname"
mkdir -m 755 "$TMPDIR/tracebook-public"
mkdir precious
: >precious/file
ln -s "$PWD/precious" "$TMPDIR/tracebook-linked"
: >"$TMPDIR/$left/ring.1.0"
for name in "$left" "$taken" tracebook-longname tracebook-public; do old "$name"; done
run 0 collect -q --out next -- true
absent "$TMPDIR/$left"
for name in "$taken" tracebook-youngx tracebook-longname tracebook-public tracebook-linked; do
	[ -e "$TMPDIR/$name" ] || wrong "$name is gone"
done
[ -e precious/file ] || wrong 'a link was followed'
: >stop
wait $busy || wrong 'the recording at work was disturbed'
rm -r "$TMPDIR"
