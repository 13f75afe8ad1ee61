# SPDX-License-Identifier: Apache-2.0
# pdftotext gives back every word, number and sign of the document: headings, paragraphs, numbers in
# tables, arrows, µ and ×.
. "$TRACEBOOK_TOP/tests/render/functions"
inputs
run 0 report -o r.pdf host kineto
run 0 report --dump document host kineto
mv out document
pdftotext r.pdf text
python3 "$here/text.py" document text
