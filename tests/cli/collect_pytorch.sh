# SPDX-License-Identifier: Apache-2.0
# PyTorch itself, on the CPU: programs that differ in how they end, fork, thread and load end as alone, and all of
# their operators are recorded (tests/data/collect/battery.py).
. "$TRACEBOOK_TOP/tests/cli/functions"
PATH=$TRACEBOOK_PATH # with its packages
python3 -c 'import torch' 2>/dev/null || { echo "no PyTorch here: apt-get install python3-torch (Debian), or pip's torch"; exit 77; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo "the same programs are tried without sanitizers"; exit 77; }
python3 "$TRACEBOOK_TOP/tests/data/collect/battery.py" "$TRACEBOOK_BIN/collect" cpu 1 "$(nproc)" matmul training status raises \
	underscore terminated interrupted killed handler_after ignores executes forks forks_and_returns loader pool threads \
	own_profiler closes_files chained isolated >out || wrong "$(cat out)"
says out '20 recorded runs, 0 ended otherwise than alone; 0 not as they should be'

# What the loop waits for its workers, and what they take.
cat >load.py <<'END'
import sys, time
sys.path.insert(0, sys.argv[1])
import loading, torch
loading.Numbers.decode = lambda self, i: (time.sleep(0.005), torch.ones(64))[1]
loading.train_loaded(torch.nn.Linear(64, 10), "cpu", 1, num_workers=1)
END
run 0 collect --out load -- python3 load.py "$TRACEBOOK_TOP/tests/data/collect"
says err 'load.worker0.pt.trace.json' 'the loop waited' ' ms for each of 5 batches and worked ' '(there was 1)'
