# SPDX-License-Identifier: Apache-2.0
# gallery.sh [draw]: the README's pictures are pages that report prints today, of our own recorded run, and small together.
# A picture is old when its page has other words; `draw` (make gallery) makes all of them anew.
report=${TRACEBOOK_BIN:-out/bin}/report run=experiments/recorded/nvidia-h200 gallery=report/gallery
for tool in "$report" pdftotext pdftoppm; do
	command -v "$tool" >/dev/null 2>&1 || { echo "no $tool"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$report" -o "$scratch/book.pdf" "$run"
"$report" -o "$scratch/trace.pdf" "$run/matmul_add/64_bf16_warm_eager.pt.trace.json.gz"
: >"$scratch/words"
while read -r name file page; do
	pdftotext -f "$page" -l "$page" "$scratch/$file.pdf" - | tr -s ' \n\f' '\n' | LC_ALL=C sort | cksum |
		sed "s/^/$name /" >>"$scratch/words"
	if [ "${1-}" = draw ]; then
		pdftoppm -r 68 -png -f "$page" -l "$page" -singlefile "$scratch/$file.pdf" "$scratch/$name"
		mkdir -p "$gallery" && mv "$scratch/$name.png" "$gallery/"
	fi
	[ -s "$gallery/$name.png" ] || { echo "no $gallery/$name.png: make gallery"; exit 1; }
	grep -q "($gallery/$name.png)\|\"$gallery/$name.png\"" README.md || { echo "README.md does not show $gallery/$name.png"; exit 1; }
done <<PAGES
front book 1
reading book 2
trace trace 1
PAGES
[ "${1-}" != draw ] || cp "$scratch/words" "$gallery/words"
cmp "$scratch/words" "$gallery/words" || { echo "these pages have other words now: make gallery, and look at them"; exit 1; }
bytes=$(cat "$gallery"/*.png | wc -c)
[ "$bytes" -le 300000 ] || { echo "$gallery has $bytes bytes"; exit 1; }
