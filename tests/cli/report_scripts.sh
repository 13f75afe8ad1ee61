# SPDX-License-Identifier: Apache-2.0
# Names in Chinese, Japanese, Korean, Hebrew and Russian are drawn; what no font has is named once, by its
# code; figure files of such traces keep names that differ.
. "$TRACEBOOK_TOP/tests/cli/functions"
for font in DroidSansFallbackFull NanumGothic; do
	[ -n "$(find /usr/share/fonts -name $font.ttf)" ] || { echo "$font.ttf is not installed"; exit 77; }
done
python3 - <<'END'
import json

def trace(path, names):
    rows = []
    for i, name in enumerate(names):
        rows.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                     "ts": 100 * i + 1, "dur": 5, "args": {"correlation": i + 1}})
        rows.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 100 * i + 10,
                     "dur": 70, "args": {"device": 0, "stream": 7, "correlation": i + 1}})
    with open(path, "w") as f:
        json.dump({"schemaVersion": 1, "traceEvents": rows}, f)

trace("日本語.json", ["行列積カーネル", "커널_행렬곱", "ядро", "שלום"])
trace("中文.json", ["\U000f1234\U0010a123 kernel"])
END

run 0 report -o r.pdf --svg svg '日本語.json'
silent err
pdftotext r.pdf text
says text '行列積カーネル' '커널_행렬곱' 'ядро' '日本語.json'
pdffonts r.pdf >fonts
says fonts DroidSansFallback NanumGothic
run 0 report -o r.pdf --svg svg2 '中文.json'
lines err 1
says err 'no font here draws U+F1234 U+10A123: they stand as U+FFFD'
[ "$(ls svg svg2 | grep -c -- '-x[0-9a-f]*-json')" -ge 2 ] || wrong "$(ls svg svg2)"
[ -z "$(ls svg svg2 | sort | grep svg$ | uniq -d)" ] || wrong 'two traces, one name'

# Text needs no fonts, and no warning.
run 0 report --table '中文.json'
silent err
