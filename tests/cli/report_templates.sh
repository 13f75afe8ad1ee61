# SPDX-License-Identifier: Apache-2.0
# templates/ belongs to the user: another language works, and what is broken in it is named, by file and
# key, before anything is written.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp -r "$TRACEBOOK_TOP/tests/golden/kineto/in" in
fresh() {
	rm -rf t
	cp -r "$TRACEBOOK_TOP/templates" t
}
change() { # FILE PYTHON: changes the JSON of a file, called d
	python3 - "$1" "$2" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    d = json.load(f)
exec(sys.argv[2])
with open(sys.argv[1], "w", encoding="utf-8") as f:
    json.dump(d, f, ensure_ascii=False)
END
}
refused() { # WORDS-OF-THE-MESSAGE... : report fails in one line, and writes nothing
	# shellcheck disable=SC2086 # the options are words of their own
	run 1 report ${options-} -o r.pdf --svg svg --markdown r.md "${of-in}"
	silent out
	lines err 1
	says err "$@"
	absent r.pdf svg r.md
}
export TRACEBOOK_TEMPLATES=t

# A language of one's own.
fresh
cp -r t/en t/xx
change t/xx/text.json 'd["health.title"] = "Toți → cazurile ß"'
run 0 report --lang xx -o xx.pdf in
pdftotext xx.pdf text
says text 'Toți → cazurile ß'
run 0 report --lang=en --markdown en.md in
! grep -q cazurile en.md || wrong 'another language than was asked for'

# What it lacks yet stands in English, said once.
change t/xx/text.json '[d.pop(k) for k in list(d) if k not in ("about", "health.title")]'
rm t/xx/advice.json
run 0 report --lang xx -o xx.pdf in
lines err 1
says err 'warning: the language "xx" lacks ' ' which stand in English'
pdftotext xx.pdf text
says text 'Toți → cazurile ß' 'What to do first'

options='--lang zz' refused 'no language "zz" in t; there are en, xx' 
options='--lang ../en' refused '../en'
options='--lang=' refused 'no language ""'

# Templates of one's own, and what may be wrong with them.
echo '{"sections": ["cheatsheet"], "traces": false}' >t/mine.json
run 0 report --template mine --dump document
says out '#cheatsheet'
if grep -q '#definitions' out; then wrong 'a section that the template does not list'; fi
options='--template nope' refused 'no template "nope" in t; there are answers, atlas, ' cheatsheet
options='--template ../t/mine' refused 'no template "../t/mine"'
options='--template theme' refused 'no template "theme"'
if grep -q ' theme,' err; then wrong 'the theme is no template'; fi
for text in '{}' '{"sections": []}' '{"sections": "cases"}' '[]'; do
	echo "$text" >t/mine.json
	options='--template mine' refused '"mine" lists no sections'
done
echo '{"sections": ["cases", "moon"]}' >t/mine.json
options='--template mine' refused '"moon"' 'known are:' 'cheatsheet'
echo '{"sections": ["cases", 7]}' >t/mine.json
options='--template mine' refused 'no section'
echo '{"sections": ["cases",' >t/mine.json
options='--template mine' refused t/mine.json

# What is about traces needs one.
run 1 report --template report -o r.pdf
says err 'none is named'
absent r.pdf

# A key that is missing, one that is no text, a place that nobody fills.
fresh
change t/en/text.json 'del d["health.title"]'
refused t/en/text.json '"health.title"'
fresh
change t/en/text.json 'd["health.title"] = 5'
refused t/en/text.json '"health.title"'
fresh
change t/en/text.json 'd["health.title"] = "{moon} cases"'
refused t/en/text.json '"health.title"' '{moon}'

# Colours.
fresh
change t/theme.json 'del d["colours"]["ink"]'
refused t/theme.json '"ink"'
fresh
change t/theme.json 'd["bars"]["gemm"][1] = "blue"'
refused t/theme.json '"gemm"'

# Files that are no JSON, or missing: told by each report that asks for them, and no matter to another.
ln -s "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200" book
for part in en/text.json en/findings.json en/advice.json theme.json book/report/en/cheatsheet.json \
	book/report/en/questions.json book/report/en/chapters.json book/atlas/en/metrics.json book/handout/en/exercises.json; do
	fresh
	case $part in
	book/*) of=book options=${part#book/} part=${options#*/} && options="--template ${options%%/*}" ;;
	esac
	printf '{"a": 1,\n "b": }' >"t/$part"
	refused "t/$part"
	if [ "${of-}" ]; then
		run 0 report -o other.pdf in
	fi
	rm "t/$part"
	refused "t/$part"
	unset of options
done
fresh
rm t/en/metrics.json
echo '[]' >t/en/metrics.json
run 0 report -o no-metrics.pdf in
TRACEBOOK_TEMPLATES=nowhere refused nowhere/theme.json TRACEBOOK_TEMPLATES

# A link that leads nowhere costs the link: the label stands, and one line says which it is.
fresh
change t/en/text.json 'd["trace.more"] = "See [the end](#nowhere) of it."'
run 0 report -o r.pdf --markdown r.md in
lines err 1
says err 'report: warning: ' '"en" links to #nowhere'
pdftotext r.pdf text
says text 'See the end of it.'
says r.md 'See the end of it.'
