# SPDX-License-Identifier: Apache-2.0
# One run, two documents: the report tells its story, the atlas holds all of it. What one says about
# a place that only the other one has, it says in words, and never as page 0.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run

run 0 report -o report.pdf run
silent out err
run 0 report --template atlas -o atlas.pdf run
silent out err
for name in report atlas; do
	qpdf --check $name.pdf >check 2>&1 || wrong "$(cat check)"
	pdftotext -layout $name.pdf $name.txt
	if grep -nE 'page 0|\[0\]|¶' $name.txt; then wrong "$name: a page that is none"; fi
done
says report.txt 'in the atlas'
if grep -n 'in the atlas' atlas.txt; then wrong 'the atlas names itself'; fi
pages() { pdfinfo "$1" | awk '/^Pages:/ { print $2 }'; }
[ "$(pages report.pdf)" -lt "$(pages atlas.pdf)" ] || wrong 'the report is no shorter'

# Both of one reading are those of two, with the atlas's figures, and a summary without pictures.
recorded="--recorded=$TRACEBOOK_TOP/experiments/recorded"
run 0 report -o one.pdf --markdown one.md "$recorded" run
run 0 report --template atlas -o two.pdf --svg two "$recorded" run
run 0 report -o both.pdf --markdown both.md --atlas beside.pdf --svg both "$recorded" run
silent out
for pair in one.pdf:both.pdf one.md:both.md two.pdf:beside.pdf; do
	cmp "${pair%:*}" "${pair#*:}" || wrong "$pair differ"
done
diff -r two both || wrong 'other figures'
echo mine >mine.pdf
run 2 report -o both.pdf --atlas mine.pdf run
says err '--atlas would overwrite mine.pdf'

# No word of either book is smaller than 7 points, and none in a table smaller than 8: pages without a
# picture have only tables, paragraphs (8.6, 8, small ones 7.6) and the foot (7).
for name in report atlas; do
	run 0 report --template $name --dump canvas --recorded "$TRACEBOOK_TOP/experiments/recorded" run
	python3 - <<'END'
import re
small = {}
for line in open("out", encoding="utf-8"):
    found = re.match(r'text "(.*)" (sans|bold|mono) ([\d.]+) ', line)
    if found and float(found[3]) < 7:
        small[found[3]] = found[1]
assert not small, small
END
done
if grep -nE 'table_form .*\.size = [0-7](\.|,)' "$TRACEBOOK_TOP"/report/section/*.c; then wrong 'a table below 8 points'; fi

# Only what another section of this input would make may be missing: a link to nowhere is told.
cp -r "$TRACEBOOK_TOP/templates" t
export TRACEBOOK_TEMPLATES=t
echo '{"sections": ["summary"]}' >t/short.json
run 0 report --template short -o short.pdf run
pdftotext -layout short.pdf short.txt
says short.txt 'in the atlas'
sed 's/(#definitions)/(#nowhere)/' "$TRACEBOOK_TOP/templates/en/text.json" >t/en/text.json
for template in short atlas; do
	run 0 report --template $template -o nowhere.pdf run
	lines err 1
	says err 'links to #nowhere'
done

# Traces of anybody's have their pages in the report.
run 0 report --dump document run/matmul_add/64_bf16_cold_eager.json
says out 'Trace health'
