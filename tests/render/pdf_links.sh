# SPDX-License-Identifier: Apache-2.0
# Bookmarks are the headings of the document and lead to them; every link leads to a page, and where
# it shows a page number, to that page.
. "$TRACEBOOK_TOP/tests/render/functions"
inputs
run 0 report -o r.pdf host kineto
run 0 report --dump document host kineto
mv out document
qpdf --json=2 --json-stream-data=none r.pdf objects.json
pdftotext -bbox r.pdf words.html
python3 "$here/links.py" document objects.json words.html
