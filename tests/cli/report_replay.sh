# SPDX-License-Identifier: Apache-2.0
# Made programs are run again as they are, with kernels of half their length and without waits, and each time take what a
# simulation in Python says, to the nanosecond.
. "$TRACEBOOK_TOP/tests/cli/functions"
check="$TRACEBOOK_TOP/tests/check/replay.py"
python3 "$check" "$TRACEBOOK_BIN/report" 0 1 2 3 4 5 6 7 8 9 10 11 >out || wrong "$(cat out)"
says out 'seed 11: '

# It sees a replay that is off.
cat >faulty <<END
#!/bin/sh
"$TRACEBOOK_BIN/report" "\$@" | sed 's/\(no waits -*\)\([0-9]\)/\11\2/'
END
chmod +x faulty
! python3 "$check" ./faulty 5 >out || wrong "replay.py does not see a replay that is off"
says out 'no waits: the report says '
