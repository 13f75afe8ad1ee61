# SPDX-License-Identifier: Apache-2.0
# The PDF as such: no complaint of qpdf, the right number of pages, metadata from the run and not from
# the clock, every font embedded as a subset with a way back to Unicode.
. "$TRACEBOOK_TOP/tests/render/functions"
inputs
run 0 report -o r.pdf host kineto
qpdf --check r.pdf >check 2>&1 || wrong "qpdf: $(cat check)"
if grep -i warning check; then wrong 'qpdf warns'; fi
says check 'No syntax or stream encoding errors'

TZ=UTC pdfinfo r.pdf >info
run 0 report --dump canvas host kineto
pages=$(grep -c '^page ' out)
[ "$(sed -n 's/^Pages: *//p' info)" = "$pages" ] || wrong "pdfinfo does not count $pages pages"
title=$("$TRACEBOOK_BIN/report" --dump document host kineto | sed -n '1s/^title #summary \(.*\) (.*/\1/p')
[ -n "$title" ] || wrong 'the document has no title'
says info "$title" 'Author:          tracebook' 'Fri Nov 20 10:34:01 2026' '(A4)'
grep -q '^JavaScript: *no$' info || wrong 'JavaScript'
grep -q '^Encrypted: *no$' info || wrong 'encrypted'

# The last page knows its own number, and every page has a footer.
pdftotext -f "$pages" -l "$pages" r.pdf - | tr -d ' ' >text
says text "$pages/$pages"

pdffonts r.pdf >fonts
[ "$(wc -l <fonts)" -ge 5 ] || wrong 'fewer than three fonts'
tail -n +3 fonts | while read -r name type cid encoding embedded subset unicode rest; do
	case "$name $type $cid $embedded $subset $unicode" in
	??????+*' CID TrueType yes yes yes') ;;
	*) wrong "a font is not embedded, no subset or without Unicode: $name $type $cid $embedded" ;;
	esac
done

# Every template there is, with whatever it needs.
for template in "$TRACEBOOK_TOP"/templates/*.json; do
	name=$(basename "$template" .json)
	case $name in theme | comment) continue ;; esac # colours; what is written as Markdown alone
	if [ "$name" = comparison ]; then
		run 0 report --template "$name" --baseline host -o "$name.pdf" host
	else
		run 0 report --template "$name" -o "$name.pdf" host kineto
	fi
	qpdf --check "$name.pdf" >check 2>&1 || wrong "$name: $(cat check)"
done

# A trace of somebody else carries no date.
run 0 report -o k.pdf kineto
pdfinfo k.pdf >info
if grep -q '^CreationDate' info; then wrong 'a date from nowhere'; fi
