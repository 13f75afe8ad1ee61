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
says err 'collect: the program gets KINETO_' hers
run 0 collect -q --out command -- sh -c 'echo hers >&2'
says err hers
! grep -q 'the program gets' err || wrong 'it talks'
