# SPDX-License-Identifier: Apache-2.0
# Four times the input takes no more than some eight times the time, whatever the input is: keys, cases
# of one id, long texts, long names, long tables.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - "$TRACEBOOK_BIN/report" "$TRACEBOOK_TOP" <<'END'
import json, os, resource, shutil, subprocess, sys

report, top = sys.argv[1:]
golden = top + "/tests/golden/kineto/in/trace.json"
san = 4 if os.environ.get("TRACEBOOK_SAN") else 1
pages = ["-o", "o.pdf", "--svg", "svg", "--markdown", "o.md", "--json", "o.json"]


def seconds(*arguments):
    """CPU time, which other programs on the machine do not change much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run([report, *arguments], capture_output=True, timeout=100)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode not in (0, 1, 3):
        sys.exit(f"status {p.returncode}: {' '.join(arguments)[:200]}: {p.stderr[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write(path, value):
    with open(path, "w") as f:
        f.write(value if isinstance(value, str) else json.dumps(value))


def keys(n):
    write("e.json", {"expect": {f"k{i:07d}": 1 for i in range(n)}})
    return ["--check", "--expect", "e.json", golden]


def members(n):
    write("cfg/run.json", {"x": {f"k{i:07d}": 1 for i in range(n)}, "cases": []})
    return [*pages, "cfg"]


def one_id(n):
    write("cfg/run.json", {"cases": [{"id": "a"}] * (n // 10)})
    return [*pages, "cfg"]


def text(unit, member):
    def make(n):
        run = json.load(open(top + "/tests/golden/host/in/run.json"))
        run["cases"][0][member] = unit * (8 * n // len(unit))
        write("r/run.json", run)
        return [*pages, "r"]
    make.__name__ = f"{member} of {unit!r}"
    return make


def name(n):
    write("n.json", '{"traceEvents":[{"ph":"X","cat":"kernel","name":"' + "n" * (20 * n) +
          '","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7}}]}')
    return [*pages, "n.json"]


def table(n):
    for file in ("sweep.tsv", "launches.tsv", "bandwidth.tsv", "copies.tsv", "source.tsv"):
        write("r/tables/" + file, "\t".join(f"c{i}" for i in range(32)) + "\n" + "1\n" * (10 * n))
    return [*pages, "r"]


def kernels(n):
    """Two traces of kernels with a name each, in opposite order: each finds its own among all."""
    for path, order in (("k1.json", 1), ("k2.json", -1)):
        events = []
        for at, k in enumerate(range(n)[::order]):
            events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 6 * at,
                        "dur": 1, "args": {"correlation": k + 1}},
                       {"ph": "X", "cat": "kernel", "name": f"kernel_{k}", "pid": 0, "tid": 7, "ts": 6 * at + 2,
                        "dur": 2, "args": {"correlation": k + 1, "stream": 7, "device": 0}}]
        write(path, {"traceEvents": events})
    return ["--check", "--baseline", "k1.json", "k2.json"]


os.mkdir("cfg")
shutil.copytree(top + "/tests/golden/host/in", "r")
os.mkdir("r/tables")
for make in (keys, members, one_id, name, table, kernels, text("word ", "title"), text("w", "title"), text("[", "title"),
             text("word ", "question"), text("w", "id")):
    small, large = (seconds(*make(n // san)) for n in (10000, 40000))
    if large > 8 * small + 0.3 * san:
        sys.exit(f"{make.__name__}: {small:.2f} s, and {large:.2f} s for four times as much")
END
