# SPDX-License-Identifier: Apache-2.0
# Every figure of the document as SVG and as PNG: well-formed, with a title, without scripts or
# anything from outside, ids that do not clash; pictures that decode and show something.
. "$TRACEBOOK_TOP/tests/render/functions"
inputs
run 0 report --svg svg --png png host kineto
run 0 report --dump document host kineto
sed -n 's/^figure \([^ ]*\) .*/\1/p' out | sort >wanted
[ "$(wc -l <wanted)" -ge 6 ] || wrong 'too few figures'
for kind in svg png; do
	ls $kind | sed "s/\.$kind\$//" | sort >there
	diff wanted there || wrong "$kind: other figures than in the document"
done
xmllint --noout --nonet svg/*.svg
python3 "$here/figures.py" svg png
