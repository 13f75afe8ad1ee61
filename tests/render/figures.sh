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
# What the SVG says is said in the PDF's alternative text, too; what an exercise asks is not said.
run 0 report -o r.pdf host kineto
qpdf --json=2 --json-key=qpdf r.pdf >plain.json || [ $? = 3 ]
python3 - <<'END'
import json, pathlib, sys
import xml.etree.ElementTree as tree
objects = json.loads(pathlib.Path("plain.json").read_text())["qpdf"][1].values()
values = [o["value"] for o in objects if isinstance(o.get("value"), dict)]
heard = [v["/Alt"].removeprefix("u:") for v in values if "/Alt" in v]
for path in sorted(pathlib.Path("svg").iterdir()):
    root = tree.parse(path).getroot()
    words = [root.find("{http://www.w3.org/2000/svg}" + tag).text for tag in ("title", "desc")]
    if not any(all(w in h for w in words) for h in heard):
        sys.exit(f"{path}: {words} is not in the PDF's {heard[:3]}")
END
run 0 report --svg handout --template handout "$TRACEBOOK_TOP/experiments/recorded/nvidia-h200"
! grep -q '<desc' handout/*.svg || wrong 'an exercise gives its answer away'
