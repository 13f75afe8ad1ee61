# SPDX-License-Identifier: Apache-2.0
# What reports print of public traces, against labels given by hand: mostly useful, nothing misleading.
. "$TRACEBOOK_TOP/tests/cli/functions"
traces="$TRACEBOOK_SHARED/traces"
labels="$TRACEBOOK_TOP/tests/advise/labels.tsv"
check="$TRACEBOOK_TOP/tests/advise/labels.py"
if [ ! -d "$traces/kineto" ]; then
	echo "no traces in $TRACEBOOK_SHARED"
	exit 77
fi
python3 "$check" "$TRACEBOOK_BIN/report" "$traces" "$labels" >out || wrong "$(cat out)"
says out ' traces, ' ' 0 misleading'

# It sees what has no label, a label of what is printed no more, another number, and what misleads.
fault() { # SED-SCRIPT WORDS
	sed "$1" "$labels" | grep -E '^(#|h200/programs/streams_copies)' >faulty.tsv
	! python3 "$check" "$TRACEBOOK_BIN/report" "$traces" faulty.tsv >out || wrong "labels.py does not see: $1"
	says out "$2"
}
fault '/streams_copies.*action\tsync/d' 'action sync'
fault '/streams_copies.*action\tsync/s/sync/input/' 'action input is printed no more'
fault '/streams_copies.*action\tsync/s/\(sync\t\)/\19/' 'was judged at'
fault '/streams_copies.*action\tsync/s/useful/misleading/' ' 1 misleading'
fault 's/useful/describes/' ' 0.0% useful'
