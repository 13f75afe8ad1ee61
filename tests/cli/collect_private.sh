# SPDX-License-Identifier: Apache-2.0
# What a recording opens to others: one folder of ours alone, gone whatever ends the program; no network, and no
# shell that reads the command.
. "$TRACEBOOK_TOP/tests/cli/functions"
torch_client
TMPDIR=/tmp
TMPDIR=$(mktemp -d "$TMPDIR/tbXXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

cat >look.py <<'END'
import os, signal, stat, sys
folder = os.environ["TRACEBOOK_INJECT"].split()[0]
print(oct(stat.S_IMODE(os.stat(folder).st_mode)), os.stat(folder).st_uid == os.getuid(), flush=True)
if len(sys.argv) > 1:
    open(folder + "/start.1.json", "w").close()
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))
END
for how in :0 SIGINT:130 SIGTERM:143 SIGKILL:137 SIGSEGV:139; do
	umask 000
	run "${how#*:}" collect -q --out run -- python3 look.py ${how%:*}
	umask 022
	says out '0o700 True'
	[ -z "$(ls "$TMPDIR")" ] || wrong "left after $how: $(ls "$TMPDIR")"
done

# Ctrl-C of a terminal reaches both; the folder is gone all the same.
cat >terminal.py <<'END'
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
while b"0o700" not in seen:
    seen += os.read(fd, 1000)
os.write(fd, b"\x03")
try:
    while os.read(fd, 1000):
        pass
except OSError:
    pass
os.waitpid(pid, 0)
END
python3 terminal.py "$TRACEBOOK_BIN/collect" -q --out run -- sh -c 'python3 look.py; sleep 20'
[ -z "$(ls "$TMPDIR")" ] || wrong "left after Ctrl-C: $(ls "$TMPDIR")"

# A name that somebody has put there first is not followed: mkdtemp takes another. Links in it are not either.
ln -s /etc/passwd "$TMPDIR/tracebook-aaaaaa"
run 0 collect -q --out run -- sh -c 'ln -s /etc/passwd "${TRACEBOOK_INJECT%% *}/ring.1.0"; exec "$0"' "$client"
[ "$(ls "$TMPDIR")" = tracebook-aaaaaa ] || wrong "left: $(ls "$TMPDIR")"
grep -q root run/*.trace.json && wrong 'a link was followed'
rm "$TMPDIR/tracebook-aaaaaa"
# Nor does it wait for a pipe that lies in the place of a record.
run 0 collect -q --out run -- sh -c 'mkfifo "${TRACEBOOK_INJECT%% *}/ring.2" "${TRACEBOOK_INJECT%% *}/ring.1.0"'
[ -z "$(ls "$TMPDIR")" ] || wrong "left beside a pipe: $(ls "$TMPDIR")"

# A user who has no watch of a folder left (128 for all programs on many machines) records all the same.
limit='echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"'
if unshare -Ur sh -c "$limit" sh true 2>/dev/null; then
	"$TRACEBOOK_BIN/collect" --out watched -- ./client.py --count 5 --children 2 2>watched.err
	status=0
	unshare -Ur sh -c "$limit" sh "$TRACEBOOK_BIN/collect" --out unwatched -- ./client.py --count 5 --children 2 --status 3 2>err || status=$?
	[ $status = 3 ] || wrong "status $status without a watch: $(cat err)"
	says err 'has imported PyTorch; traces go to'
	[ "$(ls watched | wc -l)" = "$(ls unwatched | wc -l)" ] || wrong "with and without a watch: $(ls watched unwatched)"
	[ -z "$(ls "$TMPDIR")" ] || wrong "left without a watch: $(ls "$TMPDIR")"
fi

command -v strace >/dev/null || { echo "no strace: sockets and programs are not looked at"; exit 0; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo "not under strace with sanitizers"; exit 0; }
strace -f -qq -s 300 -e trace=socket,execve,execveat -o calls "$TRACEBOOK_BIN/collect" -q --out run -- \
	./client.py --status 0 '--every' 0.1 2>err
if grep -E 'socket\(' calls; then wrong 'a socket'; fi
# the first is collect, then the program, with its own words
if grep -E 'execve.*/(sh|bash|dash)"' calls; then wrong 'a shell was called'; fi
grep -qF 'execve("./client.py", ["./client.py", "--status", "0"' calls || wrong 'the words of the command'
