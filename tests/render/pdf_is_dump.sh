# SPDX-License-Identifier: Apache-2.0
# The PDF shows what `--dump canvas` prints: on each page the same signs as often, of a document with
# several figures that share a legend, which stands once on each page with such a figure.
. "$TRACEBOOK_TOP/tests/render/functions"
in=$TRACEBOOK_TOP/experiments/recorded/nvidia-h200
run 0 report --template atlas -o r.pdf "$in"
pdftotext -bbox r.pdf r.html
run 0 report --template atlas --dump canvas "$in"
python3 "$here/dumped.py" out r.html "$TRACEBOOK_TOP/templates/en/text.json"
