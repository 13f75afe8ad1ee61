# SPDX-License-Identifier: Apache-2.0
# --help of both programs: on stdout, with every option of the contract, and nothing else happens.
. "$TRACEBOOK_TOP/tests/cli/functions"

run 0 collect --help
silent err
says out 'usage: collect' --device 'auto|host|cuda' --only --list --dry-run --out --keep-going --help
cp out long
run 0 collect -h
cmp out long
# It wins over what stands before it and needs no device.
run 0 collect --device cuda --help
cmp out long

run 0 report --help
silent err
says out 'usage: report' -o --svg --png --markdown --template --lang --dump --table \
	--check --set --help 'trace|analysis|document|canvas'
cp out long
run 0 report -h
cmp out long

# Both say what their exit status means, and no line is too wide for a terminal of 110 columns.
for program in collect report; do
	run 0 $program --help
	says out 'xit status'
	if grep -nE '.{111}' out; then wrong 'a line of the help is too wide'; fi
done
[ "$(ls)" = "$(printf 'err\nlong\nout')" ] || wrong "files were written: $(ls)"
