# SPDX-License-Identifier: Apache-2.0
# Without its fonts report says which file is missing and which package brings it; with them in a folder
# of one's own it works. The system's fonts are hidden in a private view of the file system.
. "$TRACEBOOK_TOP/tests/cli/functions"
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" .
# A script that no face has is drawn by the font that Noto has for it; what none has is said.
python3 - <<'END'
import json
names = "สวัสดี", "देवनागरी", "ქართული", "Հայերեն", "🚀"
json.dump({"traceEvents": [dict(ph="X", cat="kernel", name="k " + name, pid=0, tid=7, ts=10 * i, dur=9,
                                args=dict(device=0, stream=7)) for i, name in enumerate(names)]}, open("scripts.json", "w"))
END
run 0 report -o scripts.pdf --svg svg scripts.json
lines err 1
says err 'report: no font here draws U+1F680: they stand as U+FFFD' # and what would bring Chinese, where that is not here
qpdf --check scripts.pdf >check 2>&1 || wrong "$(cat check)"
pdftotext scripts.pdf text
says text 'สวัสดี' 'देवनागरी' 'ქართული' 'Հայերեն'
pdffonts scripts.pdf | grep -q 'NotoSansThai-Regular *CID' || wrong 'not by the font for Thai'
[ "$(grep -c '@font-face' svg/trace-1-scripts-json-steps.svg)" -ge 5 ] || wrong 'the figure does not bring its fonts'

mkdir mine empty
HOME=$PWD/empty
export HOME
cp /usr/share/fonts/truetype/noto/NotoSans-Regular.ttf \
	/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf \
	/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf mine

private_view 'mount --bind empty /usr/share/fonts'
hidden() { # STATUS ARGUMENT...: report where /usr/share/fonts is empty
	wanted=$1
	shift
	status=0
	unshare $view sh -c 'mount --bind empty /usr/share/fonts && exec "$@"' sh \
		"$TRACEBOOK_BIN/report" "$@" >out 2>err || status=$?
	[ $status = "$wanted" ] || wrong "status $status, expected $wanted: $*"
}
hidden 1 -o r.pdf trace.json
silent out
lines err 1
says err NotoSans-Regular.ttf fonts-noto-core TRACEBOOK_FONTS
absent r.pdf
# Text needs no fonts.
hidden 0 --table trace.json
hidden 0 --dump analysis trace.json
silent err

TRACEBOOK_FONTS=$PWD/mine hidden 0 -o r.pdf trace.json
qpdf --check r.pdf >check 2>&1 || wrong "$(cat check)"
pdftotext r.pdf text
says text 'aten::addmm'
# The same file in any folder of one's own fonts: each system has other ones.
mkdir -p home/.local/share/fonts/deep/down
cp mine/* home/.local/share/fonts/deep/down
HOME=$PWD/home hidden 0 -o found.pdf trace.json
cmp r.pdf found.pdf
rm mine/JetBrainsMono-Regular.ttf
TRACEBOOK_FONTS=$PWD/mine hidden 1 -o r2.pdf trace.json
says err JetBrainsMono-Regular.ttf fonts-jetbrains-mono
echo 'no font' >mine/JetBrainsMono-Regular.ttf
TRACEBOOK_FONTS=$PWD/mine hidden 1 -o r2.pdf trace.json
says err mine/JetBrainsMono-Regular.ttf
absent r2.pdf
