# SPDX-License-Identifier: Apache-2.0
# report reads its inputs and writes its outputs: no network, no other program, nothing written elsewhere.
. "$TRACEBOOK_TOP/tests/cli/functions"
command -v strace >/dev/null 2>&1 || { echo 'no strace'; exit 77; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'sanitizers trace themselves'; exit 77; }
strace -o probe true 2>/dev/null || { echo 'strace may not trace here'; exit 77; }
small_trace trace.json
python3 "$TRACEBOOK_TOP/tests/cli/nsys.py" make made.sqlite
mkdir out.d
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
strace -f -o calls -e trace=%network,execve,execveat,vfork,fork,openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat \
	"$TRACEBOOK_BIN/report" -o out.d/r.pdf --svg out.d/svg --png out.d/png --markdown out.d/r.md --json out.d/r.json \
	--learn out.d/learnt --table run trace.json made.sqlite >out 2>err || wrong "status $?"
[ -s out.d/r.pdf ] || wrong 'no report'
! grep 'made\.sqlite-' calls || wrong 'looked for what stands beside a database'
python3 - <<'END'
import re, sys

programs = 0
for line in open("calls"):
    call = re.match(r"\d+\s+(\w+)\((.*)", line)
    if not call:
        continue
    name, rest = call.groups()
    programs += name == "execve"
    if name in ("socket", "connect", "bind", "sendto", "execveat", "vfork", "fork") or programs > 1:
        sys.exit(f"not a thing for a reader: {line}")
    writes = name not in ("openat", "open", "execve") or re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", rest)
    paths = re.findall(r'"([^"]*)"', rest)
    if writes and name != "execve" and not all(p.startswith("out.d") for p in paths):
        sys.exit(f"written elsewhere: {line}")
if programs != 1:
    sys.exit("strace saw nothing")
END
# An output that lies nowhere near, one through a link, one in place.
mkdir far
ln -s ../far/target out.d/link
: >far/target
run 0 report --json out.d/link trace.json
if ! [ -h out.d/link ] || ! grep -q '^{' far/target; then wrong 'not written through the link'; fi
run 0 report --json new/deep/o.json --svg other/svg trace.json
[ -s new/deep/o.json ] || wrong 'not written into new folders'
run 0 report --json /dev/null trace.json
(cd far && "$TRACEBOOK_BIN/report" ../trace.json) || wrong 'no report without an option'
[ -s far/report.pdf ] || wrong 'not where one is expected'
