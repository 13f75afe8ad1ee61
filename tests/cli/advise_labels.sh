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

# What pages once said wrongly: waits as computing, a full cache where there is none, faster kernels while the host is late, the only
# launch of a kernel without a reason, operators in a file that has none, a rate that no product has.
python3 - "$TRACEBOOK_BIN/report" "$traces/kineto" <<'END' || wrong "what pages once said wrongly"
import json, subprocess, sys


def case(name):
    done = subprocess.run([sys.argv[1], "--json", "-", f"{sys.argv[2]}/{name}"], check=True, capture_output=True)
    return json.loads(done.stdout)["runs"][0]["cases"][0]


def actions(name):
    return {a["id"]: a for a in case(name)["actions"]}


kernels = case("hta_mtia_inference.json.gz")["tables"]["kernels"]
assert kernels and "event_wait" not in json.dumps(kernels)
found = actions("mi300x_ddp_resnet18.json.gz")
assert next(iter(found)) == "allocator-off" and "allocator" not in found and "hipFree" in found["allocator-off"]["sentence"], found
assert "precision" not in actions("param_linear_2080ti.json.gz")
assert actions("partxf_a100pcie_b512.json.gz")["first-calls"]["variant"] == "loading"
assert actions("shiftvit_a4000_gpu_only_2.json")["elsewhere"]["variant"] == "calls-only"
rate = [v["value"] for v in actions("hta_a100_negative_queue_26MB.json.gz")["pad"]["values"] if v["name"] == "rate"]
assert 1e12 < rate[0] < 2e14, rate
END
