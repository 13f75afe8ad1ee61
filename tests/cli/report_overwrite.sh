# SPDX-License-Identifier: Apache-2.0
# An output never destroys an input, nor a file that is none of ours: status 2, and nothing at all is written.
# shellcheck disable=SC2094,SC2086 # an output into its own input is what is tried; options of two words
. "$TRACEBOOK_TOP/tests/cli/functions"
small_trace a.json
small_trace b.json
before=$(cksum <a.json)

# kept MESSAGE ARGUMENT...: refused, both traces are as they were, and there is nothing new.
kept() {
	message=$1
	shift
	ls -A >listed.before
	run 2 report "$@"
	says err "$message"
	for trace in a.json b.json; do
		[ "$(cksum <$trace)" = "$before" ] || wrong "$trace was changed: report $*"
	done
	ls -A >listed
	touch listed.before
	cmp -s listed.before listed || wrong "something was written: report $*"
}
touch listed out err

for option in --json --markdown --learn -o --stacks --html --brief '--from=0s --cut'; do
	# shellcheck disable=SC2086 # words
	kept 'would overwrite a.json, which is read' $option a.json a.json
	kept a.json $option a.json b.json
	kept 'which is read' $option ./a.json a.json
done
cp a.json notes
for option in --json --markdown --learn -o; do
	kept 'would overwrite notes, which holds something else' $option notes b.json
done
rm notes

# The same file by other names, as a baseline, as expectations, as stdin, as what stdout goes to.
ln a.json hard.json
ln -s a.json soft.json
mkdir d
for name in hard.json soft.json d/../a.json; do
	kept 'which is read' --json $name a.json
	kept 'which is read' --json a.json $name
done
kept 'which is read' --json a.json --baseline a.json b.json
printf '{\n  "tracebook_expectations": 1, "traces": []}\n' >e.json
cp e.json e.before
kept 'which is read' --expect e.json --learn e.json b.json
cmp -s e.json e.before || wrong 'the expectations were changed'
status=0
"$TRACEBOOK_BIN/report" --json a.json - <a.json >out 2>err || status=$?
[ $status = 2 ] || wrong "stdin: status $status"
for what in --table '--json -' '--dump trace'; do
	status=0
	"$TRACEBOOK_BIN/report" $what a.json >>a.json 2>err || status=$?
	[ $status = 2 ] || wrong "$what into its own input: status $status"
	says err 'would overwrite a.json'
done
[ "$(cksum <a.json)" = "$before" ] || wrong 'the trace was changed'
rm hard.json soft.json e.json e.before

# Files of a user: of a run, of the words, of a table, whatever its name; those of folders before any is written.
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
cp "$TRACEBOOK_TOP/templates/en/text.json" words.json
cp "$TRACEBOOK_TOP/README.md" README.md
printf 'step,loss\n1,2\n' >d/steps.csv
echo '%PDF-1.4 a thesis' >thesis.pdf
for path in run/run.json words.json; do
	kept "would overwrite $path" --json $path b.json
	kept "would overwrite $path" --learn $path run
done
kept 'would overwrite README.md' --markdown README.md b.json
kept 'would overwrite thesis.pdf' -o thesis.pdf b.json
kept 'would overwrite d/steps.csv' --csv d --json new.json -o new.pdf --learn new.learnt b.json
cp thesis.pdf report.pdf
kept 'would overwrite report.pdf' b.json
rm report.pdf
[ "$(ls -A d)" = steps.csv ] || wrong 'other tables were written'

# Two outputs of one name, and a name of another format.
kept 'would both write x' --json x --markdown x b.json
kept 'would both write' --json new/x --markdown ./new//x b.json
kept 'would both write' --svg new --json new b.json
kept 'asks for .html' -o page.html b.json
kept 'asks for .svg' -o page.svg b.json
kept 'asks for .JSON' --markdown page.JSON b.json

# A file in a folder that nobody named is not written through a link, nor into a pipe.
run 0 report --svg figures --png figures --csv figures b.json
ls figures >names
mkdir planted
echo precious >treasure
for name in $(cat names); do
	ln -s ../treasure "planted/$name"
done
run 0 report --svg planted --png planted --csv planted b.json
[ "$(cat treasure)" = precious ] || wrong 'written through a link'
for name in $(cat names); do
	[ ! -h "planted/$name" ] || wrong "$name is still a link"
	cmp -s "planted/$name" "figures/$name" || wrong "$name differs"
done
first=$(head -n 1 names)
rm "planted/$first"
mkfifo "planted/$first"
run 0 report --svg planted --png planted --csv planted b.json
[ -f "planted/$first" ] || wrong 'a pipe stayed in the place of a file'

# What is ours, empty, or no file is written as before; twice, so that each kind knows its own.
mkdir o
touch o/r.json o/r.pdf o/r.md o/l.json
for round in 1 2 3; do
	run 0 report -o o/r.pdf --svg o --png o --markdown o/r.md --json o/r.json --csv o --learn o/l.json b.json
done
for template in atlas handout; do
	run 0 report --template $template -o o/r.pdf --markdown o/r.md "$TRACEBOOK_TOP/tests/golden/host/in"
done
run 0 report --baseline a.json -o o/r.pdf --markdown o/r.md --json o/r.json b.json
run 0 report -o /dev/null --json /dev/null --markdown /dev/null b.json
