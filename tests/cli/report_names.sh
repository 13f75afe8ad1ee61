# SPDX-License-Identifier: Apache-2.0
# A file without operators, calls and work of a device has its names as a table: self and total time of each, on the
# terminal, on the page, in CSV and JSON; where there is no span at all, --table says so.
. "$TRACEBOOK_TOP/tests/cli/functions"
cat >plain.json <<'END'
{"traceEvents": [
{"ph": "X", "name": "build", "pid": 1, "tid": 1, "ts": 0, "dur": 1000}, {"ph": "X", "name": "compile", "pid": 1, "tid": 1, "ts": 100, "dur": 300},
{"ph": "X", "name": "compile", "pid": 1, "tid": 1, "ts": 500, "dur": 300}, {"ph": "X", "name": "compile", "pid": 1, "tid": 2, "ts": 0, "dur": 50},
{"ph": "b", "name": "request", "id": 1, "pid": 1, "tid": 3, "ts": 0}, {"ph": "e", "name": "request", "id": 1, "pid": 1, "tid": 3, "ts": 900}]}
END
run 0 report --table plain.json
silent err
grep -Eq '^ *build +38\.10% +400\.000us +95\.24% +1\.000ms +1\.000ms +1 *$' out || wrong 'build'
grep -Eq '^ *compile +61\.90% +650\.000us +61\.90% +650\.000us +216\.667us +3 *$' out || wrong 'compile'
if grep -q request out; then wrong 'what overlaps does not nest'; fi
run 0 report -o plain.pdf --csv plain plain.json
pdftotext -layout plain.pdf text
says text 'Names by total time.' 'The 2 largest of 2.'
says plain/operators.csv 'plain.json,build,cpu,1,400000,1000000,' 'plain.json,compile,cpu,3,650000,650000,'
echo '{"traceEvents": [{"ph": "i", "name": "a", "ts": 1, "pid": 1, "tid": 1}]}' >instant.json
run 0 report --table instant.json
silent out
is err 'report: warning: --table: instant.json has no span of an operator, a call, a device or a thread'
run 0 report -q --table instant.json
silent err
