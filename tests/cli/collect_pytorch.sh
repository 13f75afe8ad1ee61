# SPDX-License-Identifier: Apache-2.0
# PyTorch itself, on the CPU: programs that differ in how they end, fork, thread and load end as alone, and all of
# their operators are recorded (tests/data/collect/battery.py).
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 -c 'import torch' 2>/dev/null || { echo "no PyTorch here: apt-get install python3-torch (Debian), or pip's torch"; exit 77; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo "the same programs are tried without sanitizers"; exit 77; }
python3 "$TRACEBOOK_TOP/tests/data/collect/battery.py" "$TRACEBOOK_BIN/collect" cpu 1 2 matmul training status raises \
	underscore terminated interrupted killed handler_after ignores executes forks forks_and_returns loader pool threads \
	own_profiler closes_files chained isolated >out || wrong "$(cat out)"
says out '20 recorded runs, 0 not as they should be'
