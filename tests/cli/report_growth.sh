# SPDX-License-Identifier: Apache-2.0
# Four times the input takes no more than some eight times the time, whatever the input is: keys, cases,
# long texts, long names, long tables, nesting, compressed bytes, and traces of many of one thing. make test tries one
# in sixteen of them, make check all.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - "$TRACEBOOK_BIN/report" "$TRACEBOOK_TOP" <<'END'
import gzip, json, os, resource, shutil, subprocess, sys

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


def ids_of_their_own(n):
    write("cfg/run.json", {"cases": [{"id": f"a{i}", "title": f"t{i}"} for i in range(n // 8)]})
    return [*pages, "cfg"]


def comparisons(n):
    write("cfg/run.json", {"cases": [{"id": f"a{i}"} for i in range(n // 8)],
                           "comparisons": [{"id": f"c{i}", "cases": ["a1", "a2"]} for i in range(n // 8)]})
    return [*pages, "cfg"]


def case(i, **more):
    return {"id": f"c{i}", "status": "done", "trace": "t.json", "title": f"c{i}", "workload": "w",
            "shape": {"size": 4}, "warm": True, **more}


def run(cases, **more):
    """A folder whose cases all have one small trace."""
    write("run/t.json", {"traceEvents": [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "ts": 10 * i,
                                          "dur": 9, "pid": 1, "tid": 1} for i in range(4)]})
    write("run/run.json", {"schema": 1, "created": "x", "cases": cases, **more})
    return ["-o", "o.pdf", "--markdown", "o.md", "run"]


def one_work(n):
    return run([case(i) for i in range(n // 8)])


def other_work(n):
    """Each held against one of the other of two works."""
    return run([case(i, shape={"size": i % 2}, expect={"step_time_ratio": {"case": f"c{n // 8 - 1 - i}", "max": 2}})
                for i in range(n // 8)])


def one_long(n):
    """Each held against one whose trace is long."""
    made = run([case(0, trace="long.json")] + [case(i, shape={"size": i % 2}, expect={
        "step_time_ratio": {"case": "c0", "max": 2}, "first_step_ratio": {"case": "c0", "max": 2}}) for i in range(1, n // 8)])
    write("run/long.json", '{"traceEvents":[' + ",".join(
        event(i, name=f"ProfilerStep#{i}", cat="user_annotation", at=2 * i) for i in range(n)) + "]}")
    return made


def compared(n):
    """Detectors that compare, each case with one whose trace is long, and that one with all others."""
    def ask(*ids):
        return {"must_fire": [{"id": "FUSED", "case": c} for c in ids]}
    made = run([case(0, trace="long.json", expect=ask(*(f"c{i}" for i in range(1, n // 8))))] +
               [case(i, expect=ask("c0")) for i in range(1, n // 8)])
    write("run/long.json", '{"traceEvents":[' + ",".join(
        event(i, name=f"ProfilerStep#{i}", cat="user_annotation", at=2 * i) for i in range(n)) + "]}")
    return made


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


def one_list(n):
    """All cases in one comparison, which shows some of them."""
    return run([case(i) for i in range(n // 8)], comparisons=[{"id": "all", "cases": [f"c{i}" for i in range(n // 8)]}])


def pairs(n):
    return run([case(i) for i in range(n // 8)],
               comparisons=[{"id": f"p{i}", "cases": [f"c{i}", f"c{i + 1}"]} for i in range(n // 8 - 1)])


def nobody(n):
    """Each held against one that is not there."""
    return run([case(i, expect={"step_time_ratio": {"case": f"x{i}", "max": 2}}) for i in range(n // 8)])


def sentences(n):
    """Guesses of many sentences, each of which follows from the other case."""
    says = [{"says": f"s {i}", "by": {"kernels": 1}} for i in range(n // 4)]
    return run([case(i, guess=[{**one, "follows": f"c{1 - i}"} for one in says]) for i in range(2)])


def facts(n):
    """Guesses of many sentences on many steps, each sentence about all of them."""
    by = {"kernels": 1, "launches": 1, "syncs": 0, "first_step": "equal", "cpu_step_us": {"max": 100}, "widest_step": {"max": 2},
          "same_kernel_every_step": True, "same_kernels_as": "c1", "fewer_kernels_than": {"case": "c1", "by": 0}}
    made = run([case(0, trace="long.json", guess=[{"says": f"s {i}", "by": by} for i in range(n // 4)]),
                case(1, trace="long.json")])
    write("run/long.json", '{"traceEvents":[' + ",".join(
        event(i, name=f"ProfilerStep#{i}", cat="user_annotation", at=20 * i, dur=19) + "," +
        event(i, name="cudaLaunchKernel", cat="cuda_runtime", at=20 * i + 1, more=f'"args":{{"correlation":{i}}}') + "," +
        event(i, **kernel, at=20 * i + 4, more=on(7, f',"correlation":{i}')) for i in range(n // 4)) + "]}")
    return made


def rounds(n):
    """One round, named many times."""
    cases = [case(i, made_from="m") for i in range(n // 40)]
    run(cases)
    os.makedirs("run/r", exist_ok=True)
    for name in ("run.json", "t.json"):
        shutil.copy("run/" + name, "run/r")
    return run(cases, repeats=["r"] * (n // 40))


def expected(n):
    """Traces of a --expect file that name each other."""
    write("e.json", {"traces": [{"trace": "*", "expect": {}}] + [
        {"trace": f"x{i}", "expect": {"step_time_ratio": {"case": f"x{n // 2 - 1 - i}", "max": 1}}} for i in range(n // 2)]})
    return ["--check", "--expect", "e.json", golden]


def whole(what, text, packed=False):
    """A trace that is n times something, or holds it; packed: inside gzip."""
    def make(n):
        path = "whole.json.gz" if packed else "whole.json"
        with gzip.open(path, "wt", 6) if packed else open(path, "w") as f:
            f.write(text(n))
        return [*pages, path]
    make.__name__ = what
    return make


def shape(what, one):
    """A trace of n times an event (or two) of one unlucky kind; i is its number."""
    def make(n):
        write("many.json", '{"traceEvents":[' + ",\n".join(one(i, n) for i in range(n)) + "]}")
        return [*pages, "many.json"]
    make.__name__ = what
    return make


def event(i, ph="X", name="o", cat="cpu_op", pid=1, tid=1, dur=1, more="", at=None):
    return (f'{{"ph":"{ph}","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{i if at is None else at},"dur":{dur}'
            + (f",{more}" if more else "") + "}")


def on(stream, more=""):
    return f'"args":{{"stream":{stream}{more}}}'


kernel = dict(cat="kernel", pid=0, tid=7)
shapes = {
    "streams": lambda i, n: event(i, cat="kernel", pid=0, tid=i, more=on(i)),
    "devices": lambda i, n: event(i, cat="kernel", pid=i, tid=7, more=on(7, f',"device":{i}')),
    "threads": lambda i, n: event(i, name=f"op{i % 9}", tid=i),
    "processes": lambda i, n: event(i, pid=i),
    "names of operators": lambda i, n: event(i, name=f"op {i}"),
    "names of kernels": lambda i, n: event(i, name=f"kern{i}", **kernel, more=on(7)),
    "names that begin alike": lambda i, n: event(i, name="n" * 300 + str(i), **kernel, more=on(7)),
    "steps": lambda i, n: event(i, name=f"ProfilerStep#{i}", cat="user_annotation", at=2 * i),
    "steps that overlap": lambda i, n: event(i, name="ProfilerStep#1", cat="user_annotation", dur=2 * n),
    "levels of nesting": lambda i, n: event(i, dur=2 * n - 2 * i),
    "events that overlap": lambda i, n: event(i, dur=2 * n),
    "kernels that overlap": lambda i, n: event(i, **kernel, dur=2 * n, more=on(7)),
    "kernels of one stamp": lambda i, n: event(i, **kernel, at=1, more=on(7, ',"correlation":1')),
    "kernels in reverse": lambda i, n: event(i, name="cudaLaunchKernel", cat="cuda_runtime", more=f'"args":{{"correlation":{i}}}') + "," +
    event(i, **kernel, at=2 * n - i, more=on(7, f',"correlation":{i}')),
    "begins": lambda i, n: event(i, ph="B"),
    "ends": lambda i, n: event(i, ph="E"),
    "begins and ends crossed": lambda i, n: event(i, ph="BE"[2 * i >= n], name=f"b{i % (n // 2)}"),
    "async begins": lambda i, n: event(i, ph="b", more=f'"id":{i}'),
    "async open at once": lambda i, n: event(i, ph="be"[2 * i >= n], more=f'"id":{i % (n // 2)}'),
    "counters": lambda i, n: event(i, ph="C", name=f"c{i}", more=f'"args":{{"v":{i}}}'),
    "thread_name": lambda i, n: event(i, ph="M", name="thread_name", tid=i, more=f'"args":{{"name":"t{i}"}}') + "," + event(i, tid=i),
    "thread_name of one thread": lambda i, n: event(i, ph="M", name="thread_name", more=f'"args":{{"name":"t{i}"}}'),
    "categories": lambda i, n: event(i, cat=f"cat{i}"),
    "shapes": lambda i, n: event(i, name="aten::mm", more=f'"args":{{"Input Dims":[[{i},2],[2,{i}]]}}'),
    "clock steps": lambda i, n: event(i, at=i * 10**12),
    "copies": lambda i, n: event(i, name="Memcpy HtoD (Pageable -> Device)", cat="gpu_memcpy", pid=0, tid=7, more=on(7, ',"bytes":9223372036854775807')),
    "collectives": lambda i, n: event(i, name="ncclDevKernel_AllReduce_Sum", cat="kernel", pid=0, tid=i % 50,
                                      more=on(i % 50, f',"Collective name":"allreduce","Process Group Name":"{i}"')),
    "broken events": lambda i, n: '{"ph" "X"',
    "bare quotes": lambda i, n: event(i, name='a"b'),
    "brackets": lambda i, n: "[",
    "documents": lambda i, n: ']}{"traceEvents":[',
    "stamps as text": lambda i, n: f'{{"ph":"X","name":"\\u0041{i}","pid":1,"tid":1,"ts":"{i}","dur":"1"}}',
    "numbers in the list": lambda i, n: "1",
    "commas": lambda i, n: "",
    "comments": lambda i, n: "/* */",
    "list ends": lambda i, n: "]",
}
head, tail = '{"traceEvents":[', event(0) + "]}"


def nested(begin, end):
    return lambda n: begin * (20 * n) + "1" + end * (20 * n)


depths = {"lists": nested("[", "]"), "objects": nested('{"a":', "}"), "lists of objects": nested('[{"a":', "}]")}
inside = {
    "args": lambda text: head + event(1, more=f'"args":{{"x":{text}}}') + "," + tail,
    "shapes": lambda text: head + event(1, name="aten::mm", more=f'"args":{{"Input Dims":{text}}}') + "," + tail,
    "a member": lambda text: f'{{"x":{text},' + head[1:] + tail,
    "deviceProperties": lambda text: f'{{"deviceProperties":{text},' + head[1:] + tail,
    "distributedInfo": lambda text: f'{{"distributedInfo":{text},' + head[1:] + tail,
}


def launches_within(n, levels, cat):
    """n launches, all inside so many rows of the host that lie inside each other."""
    return (head + "".join(event(i, name=f"o{i % 7}", cat=cat, dur=4 * n - 2 * i) + "," for i in range(levels)) +
            "".join(event(i, name="cudaLaunchKernel", cat="cuda_runtime", at=n + i // 2, dur=0, more=f'"args":{{"correlation":{i + 1}}}') +
                    "," + event(i, **kernel, at=n + 3 * i, dur=2, more=on(7, f',"correlation":{i + 1}')) + "," for i in range(n)) + tail)


wholes = {
    "launches inside operators": lambda n: launches_within(n, n, "cpu_op"),
    "launches inside ranges": lambda n: launches_within(n, n // 4, "user_annotation"),
    "launches inside Python frames": lambda n: launches_within(n, n // 4, "python_function"),
    "members": lambda n: "{" + "".join(f'"k{i}":{i},' for i in range(n)) + head[1:] + tail,
    "devices of a list": lambda n: '{"deviceProperties":[' + ",".join(f'{{"id":{i},"name":"d{i}"}}' for i in range(n)) +
    "]," + head[1:] + tail,
    "long calls of one name on threads of their own": lambda n: head + "".join(
        event(i, name="f", cat="python_function", tid=9 + i, dur=20 * n) + "," +
        event(10 * n + 100 + 3 * i, name="cudaLaunchKernel", cat="cuda_runtime", tid=9 + i, more=f'"args":{{"correlation":{i}}}') + "," +
        event(10 * n + 102 + 3 * i, **kernel, more=on(7, f',"correlation":{i}')) + "," for i in range(n // 4)) +
    "".join(event(n // 4 + 8 * i, name="f", cat="python_function", dur=4) + "," for i in range(n - n // 4)) + tail,
    "process groups": lambda n: f'{{"distributedInfo":{{"rank":0,"world_size":{n},"pg_config":[' +
    ",".join(f'{{"pg_name":"{i}","ranks":[{i}]}}' for i in range(n)) + "]}," + head[1:] + tail,
}
long = {
    "an escaped name": (head + '{"ph":"X","name":"', "\\u00e9", '","ts":1,"dur":1},' + tail),
    "a name of quotes": (head + '{"ph":"X","name":"', '"', '","ts":1,"dur":1},' + tail),
    "a name of backslashes": (head + '{"ph":"X","name":"', "\\", '","ts":1,"dur":1},' + tail),
    "a name without an end": (head + event(0) + ',{"ph":"X","name":"', "x", ""),
    "a key": (head + '{"ph":"X","args":{"', "k", '":1},"name":"a","ts":1,"dur":1},' + tail),
    "a number": (head + '{"ph":"X","ts":', "9", ',"name":"a","dur":1},' + tail),
    "a text member": ('{"x":"', "x", '",' + head[1:] + tail),
    "blanks": (head, " ", tail),
    "bytes behind": (head + tail, "x{", ""),
    "half events": (head + event(0) + ",", '{"ph":"X","name":"', ""),
}
bombs = {
    "zeros": ("", "\0" * 1000, ""),
    "blanks": (head, " " * 1000, tail),
    "numbers": (head, "0," * 100, tail),
    "a long name": (head + '{"ph":"X","name":"', "a" * 1000, '","ts":1,"dur":1},' + tail),
    "a text member": ('{"x":"', "a" * 1000, '",' + head[1:] + tail),
    "equal events": (head, event(1, **kernel, more=on(7)) + ",", tail),
    "the shortest events": (head, '{"ph":"X","ts":1},', tail),
    "begins": (head, '{"ph":"B","ts":1},', tail),
    "process_name": (head, event(1, ph="M", name="process_name", more='"args":{"name":"a"}') + ",", tail),
}


def members_of_gzip(n):
    """Each holds a byte."""
    with open("whole.json.gz", "wb") as f:
        f.write(gzip.compress(b" ", 9, mtime=0) * (10 * n))
    return [*pages, "whole.json.gz"]


def name_of_gzip(n):
    with open("whole.json.gz", "wb") as f:
        f.write(b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"n" * (1000 * n))
    return [*pages, "whole.json.gz"]


def repeated(part):
    return lambda n: part[0] + part[1] * n + part[2]


texts = [whole(f"{what}, long", repeated((part[0], part[1] * 200, part[2]))) for what, part in long.items()]
zipped = [whole(f"{what} in gzip", repeated(part), packed=True) for what, part in bombs.items()]
deep = [whole(f"{what} deep in {where}", lambda n, text=depths[what], around=inside[where]: around(text(n)))
        for what, where in [*((what, "shapes") for what in depths), *(("lists of objects", where) for where in inside)]]
traces = [shape(what, one) for what, one in shapes.items()] + [whole(what, text) for what, text in wholes.items()]

os.mkdir("cfg")
os.mkdir("run")
shutil.copytree(top + "/tests/golden/host/in", "r")
os.mkdir("r/tables")
runs = [one_id, ids_of_their_own, comparisons, one_work, other_work, one_long, compared, one_list, pairs, nobody, sentences,
        facts, rounds, expected]
makes = [*traces, *texts, *deep, *zipped, members_of_gzip, name_of_gzip, *runs, keys, members, name, table, kernels,
         text("word ", "title"), text("w", "title"), text("[", "title"), text("word ", "question"), text("w", "id")]
for make in makes[::1 if os.environ.get("TRACEBOOK_SWEEP") == "all" else 16]:
    small = large = float("inf")
    for _ in range(3):  # once is enough, unless the machine was busy with something else
        small, large = (min(had, seconds(*make(n // san))) for had, n in ((small, 10000), (large, 40000)))
        if large <= 8 * small + 0.3 * san:
            break
    else:
        sys.exit(f"{make.__name__}: {small:.2f} s, and {large:.2f} s for four times as much")
    print(f"{make.__name__}: {small:.2f} {large:.2f}", flush=True)
END
