# SPDX-License-Identifier: Apache-2.0
# --quiet: nothing on stderr but what went wrong; --verbose: what is done; neither has a part in any output.
. "$TRACEBOOK_TOP/tests/cli/functions"
small_trace trace.json
for flag in --quiet --verbose; do
	run 0 report $flag -o "a$flag.pdf" --json "a$flag.json" trace.json
	silent out
done
says err 'report: read trace.json: ' ' 8 events, 2 steps' 'report: wrote a--verbose.pdf, ' '1 trace read and analysed in '
[ "$(sed -n 's/^report: wrote a--verbose.pdf, \([0-9]*\) bytes$/\1/p' err)" = "$(wc -c <a--verbose.pdf)" ] || wrong 'not its size'
cmp a--quiet.pdf a--verbose.pdf
cmp a--quiet.json a--verbose.json
run 0 report -o plain.pdf trace.json
silent err
cmp plain.pdf a--quiet.pdf

# A warning is no failure: --quiet leaves it out, an error never.
run 0 report --check trace.json
says err warning
run 0 report -q --check trace.json
silent err
run 1 report -q none.json
says err none.json
run 2 report -q -v trace.json
says err '--quiet and --verbose'
run 2 report --quiet=yes trace.json
says err '--quiet takes no value'

# They go with everything that is done, and stand on either side of the command.
run 0 report --table -v trace.json
says err 'read trace.json'
run 0 tracebook -v trace.json
says err 'wrote report.pdf'
run 0 tracebook --verbose report --table trace.json
says err 'read trace.json'
run 0 tracebook -q report --check trace.json
silent err
run 2 tracebook -q
matrix=$TRACEBOOK_TOP/experiments/matrix.json
run 0 collect --list --verbose --only '64_bf16_cold*' "$matrix"
says err 'matrix.json: ' ' 3 of them wanted'
run 2 tracebook -q collect -v
says err 'collect: --quiet and --verbose'

needs_host
run 0 tracebook -v collect --device host --only '64_bf16_cold_eager' --repeat 1 --out there "$matrix"
says err 'collect: device host: ' 'differs from a plain reference by ' \
	'wrote there/host/matmul_add/64_bf16_cold_eager.pt.trace.json, '
run 0 tracebook -q collect --device host --only '64_bf16_cold_eager' --repeat 1 --out there "$matrix"
silent err
run 0 tracebook collect -v --device host --only '64_bf16_cold_eager' --repeat 1 --out there "$matrix"
says err '64_bf16_cold_eager: kept'
# A program's own words are not ours to leave out.
run 0 collect -v --out command -- sh -c 'echo hers >&2'
says err 'collect: the program gets TRACEBOOK_INJECT' hers
run 0 collect -q --out command -- sh -c 'echo hers >&2'
says err hers
! grep -q 'the program gets' err || wrong 'it talks'

# A person at a terminal hears what was written, and what limits a lone trace; with --quiet, and where a file or a
# program listens, nothing is said.
cat >terminal.py <<'END'
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
try:
    while part := os.read(fd, 4096):
        said += part
except OSError:
    pass
sys.stdout.write(said.decode().replace("\r", ""))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
rm -f said.*
python3 terminal.py "$TRACEBOOK_BIN/report" --json said.json -o said.pdf --svg said.d trace.json >out 2>err || wrong "status $?"
says out 'report: said.pdf: ' ' pages, ' '-bound (' 'report: said.json' 'report: said.d'
lines out 3
python3 terminal.py "$TRACEBOOK_BIN/report" --quiet -o said.pdf trace.json >out 2>err || wrong "status $?"
silent out
run 0 report -o said.pdf trace.json
silent out err
# Whoever calls tracebook hears of tracebook.
python3 terminal.py "$TRACEBOOK_BIN/tracebook" report -o said.pdf trace.json >out 2>err || wrong "status $?"
says out 'tracebook report: said.pdf: '
run 1 tracebook report none.json
says err 'tracebook report: cannot read none.json'
run 1 tracebook collect none.json
says err 'tracebook collect: cannot read none.json'
run 0 tracebook report --check trace.json
says err 'tracebook report: warning: '
# Documents and messages name what is there after an installation.
if grep -nE '`(report|collect) (--|RUN|PATH)' "$TRACEBOOK_TOP"/templates/en/*.json; then wrong 'a command that is not there'; fi
