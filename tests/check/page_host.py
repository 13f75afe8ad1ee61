# SPDX-License-Identifier: Apache-2.0
"""What page one says of host spans, repairs, memory, collectives and an operator's limit; for page_one.py, which calls all().

Each takes the Check: c.t the trace, c.case its --json, c.page the text, c.holds(what, true, said, ours) a comparison.
"""
import bisect
import collections
import re
from decimal import Decimal
from statistics import median

from page_text import NUMBER, TIME, percent_of, printed, stands_for
from trace_events import CALLS, COLLECTIVE, clipped, length, union, whole_ns

SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
RATES = {"FLOP": 1, "kFLOP": 10**3, "MFLOP": 10**6, "GFLOP": 10**9, "TFLOP": 10**12, "PFLOP": 10**15}
SHORT = r"(\d{1,3}(?:\.\d+)?) (ns|µs|ms|s)\b"  # in a table, where a count may stand in front
SIZE, RATE = rf"({NUMBER}) ([kMGT]?B)\b", rf"({NUMBER}) ([kMGTP]?FLOP)\b"
# Dense rates of data sheets, in TFLOP/s of bf16 or f16 and in TB/s: what a share "of the data sheet's" is of.
SHEETS = {"H100": (989.4, 3.35), "H200": (989.4, 4.8), "MI300X": (1307.4, 5.3), "A100": (312, 1.555, 2.039)}


def whole(text):
    return int(re.sub(r"\D", "", text))


def is_about(text, scale, value):
    """Does a printed number, times its unit, stand for a value?"""
    digits = text.replace(" ", "").replace("−", "-")
    half = Decimal(10) ** -(len(digits.split(".")[1]) if "." in digits else 0) / 2
    low, high = ((Decimal(digits) + x) * scale for x in (-half, half))
    return low - Decimal("1e-9") * abs(low) <= Decimal(value) <= high + Decimal("1e-9") * abs(high)


def names_by_time(c):
    """The table of a file without operators: how many names there are, and all their self time."""
    for m in c.page.all(rf"The (\d+) largest of ({NUMBER})\. Self: without what lies inside, on the same thread; total: with it\. Self total {TIME}\."):
        own = c.t.own_times(True)
        c.equal("names of host spans", len({e.name for e, _ in own}), whole(m.group(2)))
        c.holds("self time of all", stands_for(m.group(3), m.group(4), sum(ns for _, ns in own)), m.group(0), sum(ns for _, ns in own))


def children(c):
    """What the largest children lead to is a name that took so long, all of its calls or those in there."""
    totals = collections.Counter()
    for e in c.t.rows:
        totals[e.name] += e.end - e.start
    for m in c.page.all(rf"Following the largest children down leads to (.{{1,120}}?) with {TIME}\."):
        name = m.group(1).rstrip("…").replace(" ", "")
        fits = [ns for n, ns in totals.items() if n.replace(" ", "").startswith(name)]
        c.holds("the largest children", any(printed(m.group(2), m.group(3))[0] <= ns + 1 for ns in fits), m.group(0), fits[:4])
    for m in c.page.all(rf": together {TIME}, ({NUMBER}) % of the CPU total"):
        low, high = printed(m.group(1), m.group(2))
        totals = [sum(ns for _, ns in c.t.own_times(every)) for every in (False, True)]
        c.holds("share of the CPU total", any(x and float(low / x * 100) - 0.06 <= float(m.group(3)) <= float(high / x * 100) + 0.06 for x in totals),
                m.group(0), totals)


def repairs(c):
    """Kinds of damage by number; each is said to begin where an event does."""
    known = {"begin without an end, closed with the span around it": "no_end", "end without a begin, left out": "no_begin",
             "complete event without a duration, set to 0": "no_duration", "negative duration, set to 0": "negative"}
    said = 0
    if c.t.phases & set("bneSTpF"):  # what pairs by an id is not paired here
        return
    for m in c.page.all(r"– (" + "|".join(map(re.escape, known)) + rf"): ({NUMBER})×((?:[,;] (?:first )?at byte {NUMBER}, near [^;]*?)*)(?= – | All tables|$)"):
        c.equal(m.group(1), c.t.repairs[known[m.group(1)]], whole(m.group(2)))
        for at in re.findall(rf"at byte ({NUMBER}), near", m.group(3)):
            c.holds("an event begins at that byte", c.t.raw[whole(at):whole(at) + 1] == b"{", at, c.t.raw[whole(at):whole(at) + 20])
        said += 1
    for m in c.page.all(rf"({NUMBER}) places were repaired"):
        ours = sum(c.t.repairs.values())
        c.holds("repairs", whole(m.group(1)) == ours or said == 0, m.group(0), ours)


def health(c):
    """Rows of the table of a trace's health: a count, and its time."""
    unfinished = c.t.repairs["no_end"] + c.t.repairs["no_duration"]
    cells = rf"(?: Count)?(?: Time)?(?: What that means for the rest of this report)? ({NUMBER})"
    for m in c.page.all(rf"Unfinished events{cells}\b") if not c.t.phases & set("bneSTpF") else ():
        c.equal("unfinished events", unfinished, whole(m.group(1)))
    for m in c.page.all(rf"Negative durations{cells}\b"):
        c.equal("negative durations", c.t.repairs["negative"], whole(m.group(1)))
    crossing = c.t.crossing()
    for m in c.page.all(rf"Host spans that overlap their neighbours in part{cells}\b"):
        c.equal("spans that overlap in part", len(crossing), whole(m.group(1)))
    for m in c.page.all(rf"{SHORT} They are children of no span"):
        ours = sum(ns for _, ns in crossing)  # what stands out
        c.holds("time of spans that overlap in part", stands_for(m.group(1), m.group(2), ours), m.group(0), ours)
    lost = [e for e in c.t.device if c.t.launch(e) is None]
    for m in c.page.all(rf"{SHORT} They count as busy time but belong to no operator"):
        c.holds("device time without a launch", stands_for(m.group(1), m.group(2), sum(e.end - e.start for e in lost)), m.group(0), len(lost))


def memory(c):
    """The most that was allocated, when, and what the allocator held then."""
    peaks = {}
    for at, where, allocated, reserved in c.t.memory:
        if where not in peaks or allocated > peaks[where][0]:
            peaks[where] = (allocated, reserved, at)
    begins = {e.start for e in c.t.rows} | {0}
    for m in c.page.all(rf"peaks at {SIZE}(?: of its {SIZE})?, {TIME} into the window(?:, in \S+?)?(?:; the allocator held {SIZE} then)?\."):
        g = m.groups()
        fits = [p for p in peaks.values() if is_about(g[0], SIZES[g[1]], p[0]) and any(stands_for(g[4], g[5], p[2] - a) for a in begins)
                and (not g[6] or is_about(g[6], SIZES[g[7]], p[1]))]
        c.holds("the peak of memory", fits, m.group(0), peaks)


def collectives(c):
    """Of a CPU: how long they are open. Of a device: what of them nothing hides."""
    w = c.case["window"]
    a = c.case["origin_ns"] - c.t.base_ns + whole_ns(Decimal(repr(w["start_us"])))
    inside = lambda e: e.start < a + w["ns"] and e.end > a
    open_ = [e for e in c.t.rows if re.match(r"(gloo|mpi|ucc):", e.name) and inside(e)]
    spans = lambda rows: length(union(clipped([(e.start, e.end) for e in rows], a, a + w["ns"])))
    for m in c.page.all(rf"communication on the CPU: (\S+) is open for ({NUMBER}) % of the (?:median )?(?:step|window) of {TIME}"):
        ours = spans([e for e in open_ if e.name == m.group(1)])
        c.holds("a collective is open", percent_of(m.group(2), ours, w["ns"]) and stands_for(m.group(3), m.group(4), w["ns"]), m.group(0), ours)
    for m in c.page.all(rf"({NUMBER}) collectives? (?:are|is) open for {TIME}, each counted by itself"):
        ours = sum(spans([e]) for e in open_)
        c.holds("collectives that are open", whole(m.group(1)) == len(open_) and stands_for(m.group(2), m.group(3), ours), m.group(0), (len(open_), ours))
    work = [e for e in c.t.kernels if COLLECTIVE.search(e.name)]
    for m in c.page.all(rf"For ({NUMBER}) % of the window \({TIME}\) the device communicated and computed nothing\. Of all communication \({TIME} in ({NUMBER}) "
                        rf"kernels?, {TIME} at the median\) computing hides ({NUMBER}) %"):
        g, exposed = m.groups(), sum(p["ns"] for p in c.case["whole"]["parts"] if p["part"] == "communication")
        busy = length(union([(e.start, e.end) for e in work]))
        c.holds("communication", whole(g[5]) == len(work) and stands_for(g[3], g[4], busy) and
                stands_for(g[6], g[7], int(median(e.end - e.start for e in work))) and percent_of(g[8], busy - exposed, busy), m.group(0), (busy, exposed))


def idle(c):
    """Whole of the idle time, and what is said of its parts."""
    all_ = c.case["whole"]
    none = sum(p["ns"] for p in all_["parts"] if p["part"].startswith("idle"))
    for m in c.page.all(rf"The device was idle for ({NUMBER}) % of the window \({TIME}\)\. For ({NUMBER}) % of that it waited for a launch that had not been made: "
                        rf"{TIME} for the host, {TIME} because of a wait"):
        g = m.groups()
        parts = [printed(g[i], g[i + 1]) for i in (4, 6)]
        c.holds("idle", percent_of(g[0], none, all_["ns"]) and stands_for(g[1], g[2], none), m.group(0), none)
        low, high = (100 * sum(p[i] for p in parts) / none for i in (0, 1)) if none else (0, 0)
        c.holds("waited for launches", float(low) - 0.06 <= float(g[3]) <= float(high) + 0.06, m.group(0), (low, high))
    for m in c.page.all(rf"({NUMBER}) of ({NUMBER}) kernels? started late: the device was idle for over {TIME} although \w+ had been launched, at most for {TIME}"):
        waits = [e.start - call.end for e in c.t.kernels for call in [c.t.launch(e)] if call]
        most = printed(m.group(5), m.group(6))[0]
        c.holds("started late", whole(m.group(1)) <= whole(m.group(2)) <= len(c.t.kernels) and most <= max(waits, default=0) + 1, m.group(0), len(waits))


def calls(c):
    """A call by its length: the median of a launch, an operator's own time that is not usual, a kernel's share."""
    launches, own, total = collections.defaultdict(list), collections.defaultdict(list), sum(e.end - e.start for e in c.t.device)
    for e in c.t.device:
        if c.t.launch(e):
            launches[e.name].append(c.t.launch(e).end - c.t.launch(e).start)
    for m in c.page.all(rf"The call that launches \S.{{0,120}}? takes {TIME} \(median\)"):
        c.holds("a launching call", any(stands_for(m.group(1), m.group(2), int(median(x))) for x in launches.values()), m.group(0), "no such median")
    for m in c.page.all(rf"(\S+) took {TIME} by itself, where {TIME} is usual"):
        for e, ns in c.t.own_times() if not own else ():
            own[e.name].append(ns)
        mine = own[m.group(1)]
        c.holds("not usual", any(stands_for(m.group(2), m.group(3), ns) for ns in mine) and
                (printed(m.group(4), m.group(5))[0] <= max(mine, default=0)), m.group(0), sorted(mine)[-3:])
    for m in c.page.all(rf"(\S+) takes ({NUMBER}) % of the device['’]s time: {TIME} in ({NUMBER}) calls?\.(?: Next comes (\S+) with ({NUMBER}) %)?"):
        named = [e.end - e.start for e in c.t.device if e.name.startswith(m.group(1).rstrip("…"))]
        next_ = [e.end - e.start for e in c.t.device if m.group(6) and e.name.startswith(m.group(6).rstrip("…"))]
        c.holds("a kernel's share", percent_of(m.group(2), sum(named), total) and whole(m.group(5)) == len(named) and
                (not m.group(7) or percent_of(m.group(7), sum(next_), total)), m.group(0), (sum(named), total))
    for m in c.page.all(rf"({NUMBER}) of ({NUMBER}) operators only changed shape and strides: nothing was launched in \w+\. On the CPU \w+ took {TIME}, the longest (\S+?)\."):
        ops = [e for e in c.t.rows if e.kind in ("cpu_op", "operator")]
        longest = [e.end - e.start for e in ops if e.name == m.group(5)]
        c.holds("only shapes", whole(m.group(1)) <= whole(m.group(2)) <= len(ops) and longest and
                printed(m.group(3), m.group(4))[1] + 1 >= min(longest), m.group(0), (len(ops), longest[:3]))


def recorder(c):
    """What the profiler takes is the step's length without what it is estimated to take without."""
    w, without = c.case["window"], c.case["recorder"]["window_ns"]
    for m in c.page.all(rf"The profiler takes ({NUMBER}) % of the time here \({TIME} for each operator, half of each launch\)"):
        ops = sum(e.kind in ("cpu_op", "operator") for e in c.t.rows)
        c.holds("what the profiler takes", percent_of(m.group(1), w["ns"] - without, w["ns"]) and
                printed(m.group(2), m.group(3))[0] * min(ops, 1) <= w["ns"] - without + 1, m.group(0), (w["ns"], without))


def product(name, shapes):
    """FLOP of one call, of products that are told by two shapes."""
    if name in ("aten::mm", "aten::addmm", "aten::bmm", "aten::matmul", "aten::linear") and len(shapes) >= 2:
        a, b = (shapes[1:3] if name == "aten::addmm" else shapes[:2])
        n = b[0] if name == "aten::linear" else b[-1]
        flop = 2 * n
        for d in a:
            flop *= d
        return flop
    return None


def limit(c):
    """An operator's share of the busy time, its FLOP and bytes a call, and how near to the data sheet that comes."""
    for m in c.page.all(rf"(\S+) of ((?:\[[\d, ]+\](?:, )?)+) has ({NUMBER}) % of the device’s busy time\. A call computes {RATE} and moves at least {SIZE}, "
                        rf"({NUMBER}) FLOP for each byte: [^.]*?, on (\S+?)\. It does ({NUMBER}) ([GTP]?)(FLOP/s|B/s): (?:at most )?({NUMBER}) % of the data sheet’s"):
        name, shapes = m.group(1), [[int(x) for x in s.split(",")] for s in re.findall(r"\[([\d, ]+)\]", m.group(2))]
        flop, moved = (Decimal(m.group(i).replace(" ", "")) * scale[m.group(i + 1)] for i, scale in ((4, RATES), (6, SIZES)))
        c.holds("FLOP for each byte", abs(flop / moved / Decimal(m.group(8).replace(" ", "")) - 1) < Decimal("0.03"), m.group(0), flop / moved)
        known = product(name, shapes)
        c.holds("FLOP of a call", known is None or is_about(m.group(4), RATES[m.group(5)], known), m.group(4), known)
        ops = collections.defaultdict(list)
        for e in c.t.rows:
            if e.name == name and [list(map(int, d)) for d in e.args.get("Input Dims", []) if d and not isinstance(d[0], list)][:len(shapes)] == shapes:
                ops[str(e.pid), str(e.tid)].append((e.start, e.end))
        begins = {k: sorted(v) for k, v in ops.items()}
        mine = [e for e in c.t.device for call in [c.t.launch(e)] if call and is_inside(begins.get((str(call.pid), str(call.tid)), []), call.start)]
        n, time = sum(map(len, ops.values())), sum(e.end - e.start for e in mine)
        start = c.case["origin_ns"] - c.t.base_ns + whole_ns(Decimal(repr(c.case["window"]["start_us"])))
        shares = []
        for a, b in ((start, start + c.case["window"]["ns"]), (0, 10**30)):  # of the step, or of all
            spans = lambda rows: length(union(clipped([(e.start, e.end) for e in rows], a, b)))
            named = max((spans([e for e in mine if e.name == n]) for n in {e.name for e in mine}), default=0)
            shares.append([100 * ns / max(1, spans(c.t.device)) for ns in (named, spans(mine))])
        # No less than the largest kernel of its calls, no more than all of their work: fills and copies are not its own.
        c.holds("share of the busy time", any(low - 0.06 <= float(m.group(3)) <= high + 0.06 for low, high in shares), m.group(0), shares)
        if not n or not time:
            continue
        per, scale = (flop, RATES) if m.group(12) == "FLOP/s" else (moved, SIZES)
        rate = Decimal(m.group(10)) * scale[m.group(11) + m.group(12)[:-2]]
        alone = [e.end - e.start for e in mine]
        c.holds("its rate", float(per * 10**9 / max(alone)) * 0.5 <= float(rate) <= float(per * 10**9 / min(alone)) * 1.01, m.group(0), float(per * n * 10**9 / time))
        sheet = next((v for k, v in SHEETS.items() if m.group(9).startswith(k)), None)
        of = [x * 10**12 for x in sheet[:1] if m.group(12) == "FLOP/s"] or [x * 10**12 for x in (sheet or ())[1:]]
        c.holds("share of the data sheet", sheet is None or any(abs(float(rate) / x * 100 - float(m.group(13))) < 0.4 for x in of), m.group(0), of)


def is_inside(spans, at):
    i = bisect.bisect_right(spans, (at, float("inf"))) - 1
    return any(a <= at < b for a, b in spans[max(0, i - 8):i + 1])


def ranges(c):
    """Rows of who asked for it: a share is that of a time of all; they sum to no more than all."""
    lines = c.page.all(rf"(?<![\d.]) (\d[\d ]*) {TIME} ({NUMBER}) %(?= )") if "Who asked for it" in c.page.text else ()
    totals = [sum(ns for _, ns in c.t.own_times()), sum(e.end - e.start for e in c.t.device),
              sum(ns for e, ns in c.t.own_times(True) if e.kind != "trace")]
    for m in lines:
        low, high = printed(m.group(2), m.group(3))
        c.holds("a range's share", any(x and float(100 * low / x) - 0.06 <= float(m.group(4)) <= float(100 * high / x) + 0.06 for x in totals)
                or not any(totals), m.group(0), totals)


def top_ten(c):
    """Names with most self time: the time is one name's, or several names' of one short form; the share is that of all."""
    start = c.page.text.find("Top ten by self time")
    if start < 0:
        return
    own = collections.Counter()
    ways = ((False, True), (True, True), (False, False))  # also without Python's functions
    for every in ways:
        for e, ns in c.t.own_times(*every):
            own[every, re.sub(r"^(ProfilerStep#)\d+$", r"\1", e.name)] += ns
    totals = [sum(e.end - e.start for e in c.t.device)] + [sum(ns for (x, _), ns in own.items() if x == every) for every in ways]
    threads = collections.defaultdict(list)
    for e, _ in c.t.own_times():
        threads[str(e.pid), str(e.tid)].append((e.start, e.end))
    totals.append(sum(length(union(rows)) for rows in threads.values()))  # where spans overlap by a rounding
    # An overhead of the profiler's own has its time, the call that it lies in has the rest.
    calls = [(e.start, e.end) for e in c.t.rows if e.kind in CALLS]
    extra = [(e.start, e.end) for e in c.t.rows if e.kind == "overhead"]
    totals += [x + length(union(calls + extra)) - length(union(calls)) for x in totals[1:]]
    known = set(own.values())
    rows = list(re.finditer(rf"{SHORT} ({NUMBER}) %", c.page.text[start:start + 2500]))[:10]
    last = 0
    for m in rows:
        low, high = printed(m.group(1), m.group(2))
        share = any(x and float(100 * low / x) - 0.06 <= float(m.group(3)) <= float(100 * high / x) + 0.06 for x in totals)
        if not share and m.start() - last > 160:  # behind the last of fewer than ten
            break
        last = m.end()
        of_host = any(stands_for(m.group(1), m.group(2), ns) for ns in known)
        c.holds("share of the self time", share and (of_host or low <= max(totals) + 1), m.group(0), totals)
    head = c.page.left.find("Top ten by self time")
    end = max([c.page.left.find(m.group(0), head) + len(m.group(0)) for m in rows if c.page.left.find(m.group(0), head) >= 0 and m.end() <= last] + [head])
    c.page.left = c.page.left[:max(head, 0)] + " ¦ " + c.page.left[max(end, 0):]


def spans(c):
    """Of a file without operators: the name with most self time, and the thread that is in spans for longest."""
    if c.t.phases & set("bneSTpF"):  # what pairs by an id has a row of its own there
        return
    for m in c.page.all(rf"By self time \S.{{0,120}}? takes most: ({NUMBER}) % of {TIME} on ({NUMBER}) threads?\. Of the threads .{{1,80}}? is in spans for longest, {TIME}\."):
        own, by = collections.Counter(), collections.defaultdict(list)
        for e, ns in c.t.own_times(True):
            own[e.name] += ns
            by[str(e.pid), str(e.tid)].append((e.start, e.end))
        total, busy = sum(own.values()), max(length(union(rows)) for rows in by.values())
        c.holds("self time of spans", percent_of(m.group(1), max(own.values()), total) and stands_for(m.group(2), m.group(3), total)
                and whole(m.group(4)) == sum(length(union(rows)) > 0 for rows in by.values()) and stands_for(m.group(5), m.group(6), busy), m.group(0), (max(own.values()), total, len(by), busy))


def all(c):
    for check in (names_by_time, top_ten, spans, children, repairs, health, memory, collectives, idle, calls, recorder, ranges):
        check(c)
    if c.t.device:
        limit(c)
