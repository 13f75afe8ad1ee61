# SPDX-License-Identifier: Apache-2.0
# --memory: what would pass it is read up to there, and page one says where; the others are read whole.
. "$TRACEBOOK_TOP/tests/cli/functions"
# 2 million of the shortest events: 36 MB of JSON, 127 MB when all of them are worked out.
mkdir set
python3 - <<'END'
import gzip
event = b'{"ph":"X","ts":1}'
with gzip.open("set/bomb.json.gz", "wb", 1) as f:
    f.write(b'{"traceEvents":[')  # two steps, for a comparison has to have something to compare
    for i in b"01":
        f.write(b'{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%c","pid":1,"tid":1,"ts":%c,"dur":1},' % (i, i))
    f.write(event)
    for i in range(200):
        f.write((b"," + event) * 10000)
    f.write(b"]}")
END
small_trace set/small.json

# peak STATUS ARGUMENT...: as run; the most memory that report held, in MB, goes to the file peak.
peak() {
	python3 - "$TRACEBOOK_BIN/report" "$@" <<'END' >out 2>err || wrong "status: report $*"
import resource, subprocess, sys
status = subprocess.run([sys.argv[1], *sys.argv[3:]], stdin=subprocess.DEVNULL).returncode
with open("peak", "w") as f:
    f.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024))
sys.exit(status != int(sys.argv[2]))
END
}
offset() { # FILE: the byte that it names
	tr -d '\302\240\342\200\257\211 ' <"$1" | grep -o 'uptobyte[0-9]*' | head -n 1 | tr -dc '0-9'
}

peak 0 --memory 100M -o one.pdf --markdown one.md set/bomb.json.gz
silent out
lines err 1
says err 'bomb.json.gz is read up to byte ' 'more memory than 100 MiB' '--memory SIZE'
[ -n "${TRACEBOOK_SAN-}" ] || [ "$(cat peak)" -le 100 ] || wrong "$(cat peak) MB were held"
says one.md '**bomb.json.gz** is read up to byte ' '100 MiB (`--memory`)'
pdftotext -l 1 one.pdf page
tr '\n' ' ' <page >words
says words 'bomb.json.gz is read up to byte ' 'the rest would take more memory than 100 MiB'
at=$(offset err)
case $at in
1??????? | 2???????) ;;
*) wrong "read up to byte $at" ;;
esac
[ "$(offset one.md) $(offset words)" = "$at $at" ] || wrong 'pages and warning name different bytes'

# The same byte of the same events as a plain file, and as data the repair.
gzip -dc set/bomb.json.gz >plain.json
run 0 report --memory 100M --dump trace plain.json
says out "repair 1 x memory, first at $at"
[ "$(offset err)" = "$at" ] || wrong "plain: not byte $at"
rm plain.json

# In a folder the others are there, whole.
peak 0 --memory 100M -o set.pdf --markdown set.md set
lines err 1
says set.md 'bomb.json.gz** is read up to byte' 'small.json'
pdftotext -l 1 set.pdf - | tr '\n' ' ' >words
says words 'bomb.json.gz is read up to byte'
[ -n "${TRACEBOOK_SAN-}" ] || [ "$(cat peak)" -le 110 ] || wrong "$(cat peak) MB were held"

# Before and after: what is not there may decide, so nothing is compared.
run 1 report --memory 100M -o pair.pdf --baseline set/bomb.json.gz set/bomb.json.gz
says err 'bomb.json.gz is not whole, or was not read whole'
absent pair.pdf

# Data that inflate to more than 100 times their size, which no profiler writes, are read up to 256 MiB
# and a bit; unpacked, they are read whole. What inflates less is read whole at once.
python3 - <<'END'
import gzip, random
random.seed(1)
def event(n):
    return b'{"ph":"X","ts":%d,"dur":1,"name":"k","args":{"x":"%s"}},' % (random.randrange(10**9), b"n" * n)
for path, text in (("swollen.json.gz", 9000), ("rich.json.gz", 500)):
    member = gzip.compress(b"".join(event(text) for i in range(1000000 // text)))
    with open(path, "wb") as f:
        f.write(gzip.compress(b'{"traceEvents":[') + member * 300 + gzip.compress(event(1)[:-1] + b"]}"))
END
run 0 report --dump trace rich.json.gz
silent err
python3 -c 'import gzip; open("blank.json.gz", "wb").write(gzip.compress(b" " * 1000000) * 300)'
run 1 report blank.json.gz
says err 'blank.json.gz: no trace: 268' 'bytes without an event, more than 100 times'
run 0 report --markdown swollen.md -o swollen.pdf swollen.json.gz
lines err 1
says err 'swollen.json.gz is read up to byte 2' 'more than 100 times its size' 'unpack it first'
says swollen.md '**swollen.json.gz** is read up to byte ' 'which no profiler writes'
if sweep; then
	gzip -dc swollen.json.gz >swollen.json
	run 0 report --dump trace swollen.json
	silent err
	rm swollen.json
fi

# What is no size is refused; where there is room for all, nothing is said.
run 2 report --memory 1M set/small.json
says err '--memory: "1M" is no size of memory from 16M on'
run 0 report --memory 4G --markdown - set/small.json
silent err

# A small trace takes little, so that a run may have thousands.
mkdir many
python3 - <<'END'
import json
steps = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "ts": 10 * i, "dur": 9} for i in range(4)]
json.dump({"traceEvents": steps}, open("many/t.json", "w"))
case = {"status": "done", "trace": "t.json", "workload": "w", "shape": {"size": 4}, "warm": True}
cases = [{**case, "id": f"c{i}", "title": f"c{i}"} for i in range(2000)]
json.dump({"schema": 1, "created": "x", "cases": cases}, open("many/run.json", "w"))
END
peak 0 --markdown many.md many
[ -n "${TRACEBOOK_SAN-}" ] || [ "$(cat peak)" -le 320 ] || wrong "$(cat peak) MB were held for 2000 small traces"

# One text is cut where nobody reads on: a name in a trace, a title in a manifest.
python3 - "$TRACEBOOK_TOP/tests/golden/host/in" <<'END'
import json, shutil, sys
text = open("set/small.json").read()
open("long.json", "w").write(text.replace("gemm_of_step_0", "n" * 300000))
shutil.copytree(sys.argv[1], "run")
run = json.load(open("run/run.json"))
run["cases"][0]["title"] = "é" * 3000
json.dump(run, open("run/run.json", "w"))
END
run 0 report --dump trace long.json
says out 'repair 1 x long, first at '
[ "$(tr -c n '\n' <out | awk '{ if (length > most) most = length } END { print most }')" = 262144 ] || wrong 'not cut at 256 kB'
run 0 report --template atlas -o run.pdf --markdown run.md run
python3 -c 'import re; assert "é" * 2000 + "…" == re.search("é+…", open("run.md", encoding="utf-8").read())[0]' ||
	wrong 'the title is not 2000 letters and an ellipsis'

# Pages have a bound, too: of a run the first 1000 cases have some, and page one says how many have none.
[ -z "${TRACEBOOK_SAN-}" ] || exit 0
run 0 report --template atlas -o many.pdf --json many.of.json many
silent err
pdftotext -l 1 -layout many.pdf text
grep -Eq '1.?000 more cases have no page' text || wrong 'it is not said'
[ "$(pdfinfo many.pdf | awk '/^Pages:/ { print $2 }')" -le 2100 ] || wrong 'too many pages'
[ "$(grep -c '"readable": true' many.of.json)" = 2000 ] || wrong 'not all are data'
