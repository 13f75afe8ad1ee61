# SPDX-License-Identifier: Apache-2.0
# report --html: one page that is whole without a script, asks nobody for anything, and in which no word of a trace is live.
. "$TRACEBOOK_TOP/tests/cli/functions"
sound() { # NAME ARGUMENT...: what the document says is on the page
	name=$1
	shift
	run 0 report --html "$name.html" "$@"
	silent out
	run 0 report --dump document "$@"
	mv out "$name.dump"
	python3 "$TRACEBOOK_TOP/tests/cli/page.py" "$name.html" "$name.dump" >out || wrong "$name.html"
	xmllint --html --noout "$name.html" 2>&1 | grep -a ' error : ' | grep -av ': Tag [a-z]* invalid$' >out && wrong "$name.html is no HTML"
	:
}
small_trace a.json
sed 's/"dur": 4[02]\.000/"dur": 30.000/' a.json >b.json
mkdir both ranks
cp a.json b.json both
for rank in 0 1 2; do
	sed "s/\"schemaVersion\"/\"distributedInfo\": {\"rank\": $rank, \"world_size\": 3}, \"schemaVersion\"/" a.json >ranks/r$rank.json
done
sound one a.json
sound folder both
sound ranks ranks
sound compared --baseline a.json b.json
sound book "$TRACEBOOK_TOP/tests/golden/host/in"
sound beside "$TRACEBOOK_TOP/tests/golden/host/in" a.json
for template in atlas handout cheatsheet; do
	sound "$template" --template "$template" "$TRACEBOOK_TOP/tests/golden/host/in"
done
says one.html '<h1' '<figure'
says book.html '<table>'
grep -q '<title>gemm_of_step_0 · 40' one.html || wrong 'a bar without its name and time'

# The same input gives the same bytes; to stdout, too.
run 0 report --html again.html a.json
cmp one.html again.html || wrong 'not the same bytes'
run 0 report --html - a.json
cmp one.html out || wrong 'not the same bytes on stdout'

# Every name is hostile.
python3 "$TRACEBOOK_TOP/tests/cli/hostile_names.py" a.json hostile.json
name=$(printf '<img src=x onerror=alert(1)>"\047&')
cp hostile.json "$name.json"
sound hostile hostile.json "$name.json"

# What has no room is left out, the shortest first, and how many of how many are there is written.
awk 'BEGIN { print "{\"traceEvents\": ["
	for (i = 0; i < 330000; i++)
		printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op<%d>\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d.%03d},\n", i % 1000, 5000 * i, i % 4000, i % 997
	print "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":1,\"ts\":1,\"dur\":2}]}" }' >long.json
run 0 report --html long.html long.json
python3 - long.html >out <<'END' || wrong 'the longest of 330 001 events'
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = re.search(r'id="events">(.*?)</script>', page, re.S)[1]
t = json.loads(data)[0]
host = next(track["events"] for track in t["tracks"] if track and len(track["events"]) > 4)
at, shown = 0, {}
for step, length in zip(host[::4], host[1::4]):
    at += step
    shown[at] = length
windows = [tuple(map(int, v.split(",")[1:3])) for views in re.findall(r'data-views="([^"]*)"', page) for v in views.split(";")]
pictured = lambda at, n: any(a < to and a + n >= begin and to - begin < t["end"] / 2 for a in [at] for begin, to in windows)
every = {5_000_000 * i: i % 4000 * 1000 + i % 997 for i in range(330_000)}
left_out = {at: n for at, n in every.items() if at not in shown}
longest = max(left_out.values())
print(len(page), t["shown"], t["all"], len(shown), longest, windows)
sys.exit(not (4_000_000 < len(page) <= 5_000_000 and t["all"] == 330_001 and t["shown"] == len(shown) + 1 < t["all"] and "<" not in data
              and all(every[at] == n for at, n in shown.items()) and not any(pictured(at, n) for at, n in left_out.items())
              and all(n >= longest or pictured(at, n) for at, n in shown.items())))
END
rm long.json

# An earlier page is written anew, anything else is kept; what cannot be written is told in a line.
run 0 report --html one.html b.json
printf '<!DOCTYPE html>\n<p>mine\n' >mine.html
run 2 report --html mine.html a.json
says err 'would overwrite mine.html'
run 1 report --html a.json/x.html b.json
lines err 1
mkdir templates
cp "$TRACEBOOK_TOP"/templates/*.json templates
cp -r "$TRACEBOOK_TOP/templates/en" templates
status=0
TRACEBOOK_TEMPLATES=$PWD/templates "$TRACEBOOK_BIN/report" --html no.html a.json 2>err || status=$?
[ $status = 1 ] || wrong "status $status without a style"
lines err 1
says err 'html/report.js'
absent no.html
