# SPDX-License-Identifier: Apache-2.0
# A program recorded several times, and in turn with its earlier version in another folder: what runs where, in
# which order, what the report makes of it, and how failures end.
# waits: programs that run for their time
. "$TRACEBOOK_TOP/tests/cli/functions"
torch_client
mkdir old new
for version in old new; do
	cat >$version/train <<END
#!/bin/sh
echo "$version \${PWD##*/} \$2" >>"\${0%/*}/../order"
exec "\${0%/*}/../client.py" --slower \$(cat slower) "\$@"
END
	chmod +x $version/train
done
echo 0 >old/slower
echo 30 >new/slower

# The same words in both folders; the earlier one first in every second round.
in_new() { # STATUS OPTION...
	wanted=$1
	shift
	status=0
	(cd new && exec "$TRACEBOOK_BIN/collect" "$@" </dev/null) >out 2>err || status=$?
	[ $status = "$wanted" ] || wrong "status $status, expected $wanted: $*"
}
in_new 0 --repeat 4 --against ../old --out ../turn -- ./train --every 0.01 --count 10
silent out
says err 'round 1 of 4, before:' 'round 4 of 4, after:' "report $PWD/turn compares the two versions"
is order 'old old 0.01
new new 0.01
new new 0.01
old old 0.01
old old 0.01
new new 0.01
new new 0.01
old old 0.01'
run 3 report --check --json j.json --markdown m.md -o p.pdf turn
says out 'turn/train.pt.trace.json: step 1.'
says m.md '### Slower' '4 rounds of both in turn'
python3 - <<'END' >out 2>&1 || wrong "$(cat out)"
import json
with open("j.json", encoding="utf-8") as f:
    c = json.load(f)["comparison"]
assert c["compared"] == 1 and c["samples_before"] == c["samples_after"] == 4, c
assert c["before"].endswith("train.pt.trace.json") and "/before-" in c["before"], c["before"]
END
# A call with fewer rounds leaves none of the others behind; the same program is not slower than itself.
echo 0 >new/slower
in_new 0 -q --repeat 3 --against ../old --out ../turn -- ./train --every 0.01 --count 10
silent err
[ "$(ls turn | tr '\n' ' ')" = 'before-1 before-2 before-3 repeat-2 repeat-3 run.json train.pt.trace.json ' ] ||
	wrong "$(ls turn)"
run 0 report --check turn
! grep -q SLOWER out || wrong "$(cat out)"

# Several recordings of one version, which another call is compared with.
echo 0 >slower
run 0 collect -q --repeat 4 --out one -- ./old/train --every 0.01 --count 10
echo 40 >slower
run 0 collect -q --repeat 4 --out other -- ./old/train --every 0.01 --count 10
run 3 report --check --markdown m.md --baseline one other
says out 'step 1.'
says m.md '4 samples before and 4 after'
# What differs between two recordings of programs stands above the verdict.
sed -i 's/"CPU":.*/"CPU": "another one",/' one/run.json
run 0 report --markdown m.md --baseline one other
says m.md 'another one'

# A command that fails ends it, by its status; one that records nothing, too; wrong use leaves nothing behind.
in_new 7 --repeat 3 --against ../old --out ../fails -- ./train --status 7
says err 'round 1 of 3, before: the command ended with status 7; nothing is compared'
in_new 1 --repeat 3 --out ../nothing -- true
says err 'round 1 of 3: nothing was recorded'
in_new 1 --against ../nowhere --out ../none -- ./train
says err 'no such folder' 'where the earlier version of the program lies'
in_new 2 --repeat 0 --out ../none -- ./train
says err '--repeat takes a number'
[ ! -e none ] || wrong 'a folder was left'
