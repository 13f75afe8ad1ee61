# SPDX-License-Identifier: Apache-2.0
# Traces that are cut, damaged, missing or no traces: each costs its own page only. What can be mended
# is mended and said; what cannot is named, with status 1, and every other page is there.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
eager=run/matmul_add/64_bf16_cold_eager.json
cp $eager whole.json
run 0 report --template atlas -o whole.pdf --markdown whole.md run
# Every part of the report, without its verdict.
headings() {
	"$TRACEBOOK_BIN/report" --template atlas --dump document run 2>err | sed -n '/^heading/s/ ([^()]*)$//; /^heading/p'
}
headings >whole.headings
# Without that case there is nothing to compare, no addition whose bytes could be counted, too little to
# answer questions by, and nothing that it answers itself; all else stays.
sed '/#questions/,/#cheatsheet/{/#cheatsheet/!d}; /#compare-eager_compiled/d; /What adding a matrix/d
	/_cold_eager/,/_cold_compile/{/Questions that this case/d; /#question-/d}' \
	whole.headings >rest.headings
[ "$(wc -l <rest.headings)" -ge 15 ] || wrong 'hardly anything would be left'

# Cut in half: the first half is read, and its page says that it is not all.
head -c "$(($(wc -c <whole.json) / 2))" whole.json >$eager
run 0 report --template atlas -o cut.pdf --markdown cut.md run
silent out
lines err 1
says err "$eager is not whole"
says cut.md 'is not whole'  'Trace health' 'cut off' 'Small product, compiled'
qpdf --check cut.pdf >check 2>&1 || wrong "$(cat check)"
run 0 report --dump trace run
says out cut_event

# Every cut, every single damaged byte: never a crash, and the other case is always there.
size=$(wc -c <whole.json)
step=$((size / ${TRACEBOOK_SAN:+4}${TRACEBOOK_SAN:-12}))
at=1
while [ $at -lt "$size" ]; do
	for damage in cut byte; do
		head -c $at whole.json >$eager
		if [ $damage = byte ]; then
			printf '\001' >>$eager
			tail -c +$((at + 2)) whole.json >>$eager
		fi
		status=0
		"$TRACEBOOK_BIN/report" --template atlas --markdown damaged.md run >out 2>err || status=$?
		[ $status -le 1 ] || wrong "status $status after a $damage at byte $at"
		[ $status = 0 ] || says err "$eager"
		says damaged.md 'compiled region'
	done
	at=$((at + step))
done

# No trace at all, in every way: status 1, the first is named, the rest stands.
hopeless() { # WORDS-OF-THE-MESSAGE
	rm -f hopeless.pdf
	run 1 report --template atlas -o hopeless.pdf --svg svg --markdown hopeless.md run
	silent out
	lines err 1
	says err '1 trace could not be read' "$1"
	says hopeless.md "$1" 'could not be read' 'call graph' "$eager"
	headings >hopeless.headings
	diff rest.headings hopeless.headings >difference || wrong "other parts: $(cat difference)"
	ls svg | grep -q cold_compile || wrong 'no figure of the other case'
	rm -r svg
}
echo 'Dear reader, this is a letter.' >$eager
hopeless "$eager: no trace: text, not JSON"
printf '\211PNG\r\n\032\n' >$eager
hopeless "$eager"
: >$eager
hopeless "$eager"
rm $eager
hopeless "$eager: No such file or directory"
mkdir $eager
hopeless "$eager"
rmdir $eager

# What a run was measured against is gone: its own report is there, and a check is none.
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" alone
sed -i '1s/{/{"against": {"programs": "x", "rounds": ["before-1\/host"]},/' alone/run.json
run 0 report -o against.pdf --markdown against.md alone
lines err 1
says err 'report: warning: alone/run.json was measured against other programs' 'none of those rounds is there'
says against.md host
run 1 report --check alone
says err 'none of those rounds is there'

# The same by their own paths: good ones are shown, the bad one is named; alone it is all there is.
echo letter >letter.json
run 1 report -o two.pdf letter.json whole.json
says err letter.json
pdftotext two.pdf text
says text whole.json letter.json 'aten::mm'
run 1 report -o alone.pdf letter.json
absent alone.pdf

# An empty list of events is a trace like any other.
run 0 report -o empty.pdf "$TRACEBOOK_TOP/tests/golden/empty/in/empty.json"
qpdf --check empty.pdf >check 2>&1 || wrong "$(cat check)"

# A dump leaves out what it cannot read, and says so.
run 1 report --dump analysis letter.json whole.json
says err letter.json
says out 'aten::mm'
