# SPDX-License-Identifier: Apache-2.0
# Wrong usage: status 2, one message on stderr that names what is wrong, nothing on stdout, no file.
. "$TRACEBOOK_TOP/tests/cli/functions"

refused() { # WORDS-OF-THE-MESSAGE PROGRAM ARGUMENT...
	message=$1
	shift
	run 2 "$@"
	silent out
	says err "$message"
}

for program in collect report; do
	refused --no-such-option "$program" --no-such-option
	refused -Z "$program" -Z
	says err --help
done
refused -- collect --device
refused moon collect --device moon
refused --device collect --device=moon
refused --dry-run collect --dry-run=yes
refused twice collect --out one --out two
refused b.json collect a.json b.json

small_trace trace.json
refused --dump report --dump
refused moon report --dump moon trace.json
refused twice report -o one.pdf -o two.pdf trace.json
refused --table report --table=yes trace.json
refused 'no trace' report
refused 'no trace' report --table
absent one.pdf two.pdf report.pdf out.pdf
# The name that was meant, in place of all there are.
refused 'there is no option --tabel; did you mean --table?' report --tabel trace.json
refused 'did you mean --json?' report --jsno=x trace.json
refused 'did you mean --list?' collect --lsit
refused 'did you mean UTIL-LOW?' report --set UTIL-LO.busy=1 trace.json
