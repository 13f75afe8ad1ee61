# SPDX-License-Identifier: Apache-2.0
# Two PDFs of one document, by libharu and by cairo: every word within 0.5 points, every glyph where
# mutool is there to tell them apart, and hardly a pixel that differs.
. "$TRACEBOOK_TOP/tests/render/functions"
inputs
run 0 report -o r.pdf host kineto
"$TRACEBOOK_BIN/../tests/oracle" o.pdf host kineto
for pdf in r o; do
	pdftotext -bbox $pdf.pdf $pdf.html
	pdftoppm -r 60 -gray $pdf.pdf $pdf
	! command -v mutool >/dev/null || mutool draw -q -F stext -o $pdf.stext $pdf.pdf 2>mutool.err
done
python3 "$here/agree.py" r o
