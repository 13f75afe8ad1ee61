# SPDX-License-Identifier: Apache-2.0
# Faster or slower: the sum decides, then the parts, and the gate says the same.
. "$TRACEBOOK_TOP/tests/cli/functions"
PYTHONPATH=$TRACEBOOK_TOP/tests/cli PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 - <<'END'
from steps import trace, written
k = lambda a, b: [("ampere_sgemm_a", a, 5)] * 5 + [("elementwise_b", b, 5)] * 2
# A kernel takes over work of another: the step and the device's sum become smaller.
written("before.json", [(30000, k(5000, 1000)), (30400, k(5010, 1001)), (28000, k(5005, 1002))])
written("after.json", [(33000, k(3000, 1200)), (20000, k(3010, 1201)), (20100, k(3005, 1202))])
# The same kernels, in steps that differ too much among themselves.
written("unsure.json", [(30000, k(5000, 1000)), (30400, k(5010, 1001)), (60000, k(5005, 1002)), (28300, k(5005, 1002))])
written("less.json", [(33000, k(3000, 1200)), (20000, k(3010, 1201)), (58000, k(3005, 1202)), (19900, k(3005, 1202))])
# The device's sum is smaller; the host's part of the step is longer, and sure to be.
late = lambda length, a: (length, [("ampere_sgemm_a", a, 5)] * 5)
written("host.before.json", [late(6000, 1000), late(6010, 1000), late(6020, 1001), late(6005, 1002), late(6008, 1000)])
written("host.after.json", [late(7000, 800), late(7010, 800), late(7020, 801), late(7005, 802), late(7008, 800)])
END
became() {
	run "$1" report --check --json j.json --baseline "$2" "$3"
	python3 -c 'import json, sys; c = json.load(open("j.json"))["comparison"]; sys.exit(c["became"] != sys.argv[1])' "$4" ||
		wrong "$2 to $3: became not $4: $(grep -m1 became j.json)"
	mv out gate
	run 0 report --markdown m.md --baseline "$2" "$3"
}
became 0 before.json after.json faster
says m.md '### Faster' 'The ratio of these recordings is between'
became 3 after.json before.json slower
says m.md '### Slower'
became 0 unsure.json less.json faster
says m.md '### Faster on the device, slower in one kernel'
says gate 'FASTER less.json: device 0.6'
! grep -q '^SLOWER' gate || wrong 'a slower kernel against a smaller sum'
became 3 less.json unsure.json slower
became 3 host.before.json host.after.json slower

# The device works for a seventh of the time, and the step is sure to hold little of that: the host decides it, both ways.
python3 - <<'END'
from steps import written
written("waits.before.json", [(length, [("ampere_sgemm_a", 2000, 40)] * 5) for length in (27000, 27800, 26900, 27900)])
written("waits.after.json", [(length, [("ampere_sgemm_a", 300, 2000)] * 5) for length in (25900, 27600, 26100, 27900)])
END
for pair in 'waits.before.json waits.after.json' 'waits.after.json waits.before.json'; do
	became 0 "${pair% *}" "${pair#* }" inconclusive
	says m.md '### Inconclusive: ' 'the host decides how long that is'
	grep -q '"why": "hidden"' j.json || wrong "$(grep -m1 why j.json)"
done

# A device that takes as long as before, and a host of one recording that ran less far ahead of it: the same.
python3 - <<'END'
from steps import written
ahead = lambda host: [(host, [("ampere_sgemm_a", 2000, host / 4)])] * 6
written("ahead.json", ahead(100), between=1900)
written("behind.json", ahead(200), between=1800)
END
became 0 ahead.json behind.json same

# One recording a side, in which the host took longer for all that it did: as likely the machine's as the program's. What one
# operator does longer, or the step beyond that pace, is the program's, and so is what several recordings share.
python3 - <<'END'
from steps import trace
trace("quick.json")
trace("tired.json", pace=1.4)
trace("tired.more.json", pace=1.4, host=200)
trace("one.json", host=90)
for n in range(8):
    trace(f"eight/before/{n}/a.json", pace=1 + n / 100)
    trace(f"eight/after/{n}/a.json", pace=1.4 + n / 100)
    # A kernel is slower, sure to be; the steps of a busy machine say nothing, and the middle one is rather shorter.
    trace(f"busy/before/{n}/a.json", host=17 * (5 * n % 8))
    trace(f"busy/after/{n}/a.json", host=17 * (5 * n % 8) - 2, slow=1.3)
    trace(f"busy/less/{n}/a.json", host=17 * (5 * n % 8) - 25, slow=1.3)
END
became 0 quick.json tired.json inconclusive
says m.md '### Inconclusive: ' 'The host took 1.40× as long for nearly everything it did'
grep -q '"why": "pace"' j.json || wrong "$(grep -m1 why j.json)"
became 0 tired.json quick.json inconclusive
became 3 quick.json tired.more.json slower
became 3 quick.json one.json slower
became 3 eight/before eight/after slower
became 3 busy/before busy/after slower
grep -q '^SLOWER.*a kernel 1.3' gate || wrong "$(cat gate)"
grep -q '^INCONCLUSIVE.*step 0.99x' gate || wrong "$(cat gate)"
became 0 busy/before busy/less inconclusive

# As recorded it became slower, by what recording its many operators costs, and without that faster, or the same: nothing is told,
# both ways.
python3 - <<'END'
import json
import os


def recorded(path, operators, kernel, pitch=2):
    events, at, number = [], 0, 1
    for step in range(5):
        begin, now = at, at + 2
        for i in range(operators):
            events.append(dict(ph="X", cat="cpu_op", name="aten::view", pid=1, tid=1, ts=now, dur=1))
            now += pitch
        events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=now, dur=5,
                           args=dict(correlation=number)))
        events.append(dict(ph="X", cat="kernel", name="k", pid=0, tid=7, ts=now + 6, dur=kernel,
                           args=dict(correlation=number, device=0, stream=7, grid=[8, 1, 1], block=[128, 1, 1])))
        events.append(dict(ph="X", cat="cuda_runtime", name="cudaDeviceSynchronize", pid=1, tid=1, ts=now + 6, dur=kernel + 2))
        now += kernel + 10
        number += 1
        events.append(dict(ph="X", cat="user_annotation", name=f"ProfilerStep#{step + 3}", pid=1, tid=1, ts=begin, dur=now - begin - 1))
        at = now
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": events}, f)


recorded("light.json", 10, 1000)
recorded("heavy.json", 600, 100)
recorded("bare.json", 10, 1000)
recorded("watched.json", 100, 1000, 1.2)
for n in range(8):
    for side, operators, pitch in (("before", 10, 2), ("after", 100, 1.2)):
        os.makedirs(f"turns/{side}/{n}")
        recorded(f"turns/{side}/{n}/a.json", operators, 1000 + n, pitch)
END
for pair in 'light.json heavy.json' 'heavy.json light.json' 'bare.json watched.json' 'watched.json bare.json'; do
	became 0 "${pair% *}" "${pair#* }" inconclusive
	says m.md '### Inconclusive: ' 'by the estimate without the profiler'
	grep -q '"why": "recorder"' j.json || wrong "$(grep -m1 why j.json)"
done

# Several recordings of each side that agree are a regression all the same.
became 3 turns/before turns/after slower

# The host took twice as long for each call, of which there are fewer: said is what is sure, both ways. A kernel that is slower by
# little more than all are is no slower kernel; one that is slower alone is.
python3 - <<'END'
from steps import trace, written
trace("twelve.json", ops=12)
trace("eight.json", ops=8, pace=2.2)
trace("cool.json")
trace("warm.json", clock=1.03, slow=1.035)
trace("alone.json", slow=1.066)
# A step of which the device works for a twentieth, and whose length is not sure.
few = lambda length, n: (length, [("ampere_sgemm_a", n, 5)] * 5)
written("wide.json", [few(20000, 200), few(21000, 200), few(33000, 200), few(24500, 200)])
written("narrow.json", [few(20000, 180), few(19000, 180), few(26500, 180), few(15500, 180)])
END
became 0 twelve.json eight.json inconclusive
says m.md '### Inconclusive: ' 'took 2.20×' 'What is sure: the device works for 322 µs of a step, before 482 µs, 0.67×' \
	'By the number of its calls, each as long on both sides, the host has 0.67× as much to do'
became 0 eight.json twelve.json inconclusive
says m.md 'the host has 1.50× as much to do'
became 0 cool.json warm.json same
became 3 cool.json alone.json slower
became 0 wide.json narrow.json inconclusive
says m.md 'What is sure: the device works for 900 µs of a step, before 1.00 ms, 0.90×'
became 0 narrow.json wide.json inconclusive

# What is known of programs without a profiler, both ways; and it sees a report that says the opposite.
pairs="$TRACEBOOK_SHARED/traces/h200/pairs"
if [ -d "$pairs" ]; then
	check="$TRACEBOOK_TOP/tests/advise/directions.py"
	python3 "$check" "$TRACEBOOK_BIN/report" "$pairs" >out || wrong 'a direction is wrong'
	says out '14 right, 0 inconclusive, 0 wrong'
	cat >faulty <<-END
		#!/bin/sh
		"$TRACEBOOK_BIN/report" "\$@" | sed 's/"became": "faster"/"became": "slower"/'
	END
	chmod +x faulty
	! python3 "$check" ./faulty "$pairs" >out || wrong 'directions.py sees nothing'
fi
