# SPDX-License-Identifier: Apache-2.0
"""What a document says in sentences, against the tables that it prints, and the pages that it names."""
import re

from machines import Machines, THEIRS
from printed import KINDS, Number, product, quotient, sum_of

TIME, RATIO = KINDS["t"].replace(" ", r"\s"), KINDS["r"].replace(" ", r"\s")
VERDICT = r"✓ kept|✗ \d+ of \d+ broken|no prediction|~[^\n]*?|not testable[^\n]*?|did not run"


def squeezed(text):
    return " ".join(text.split())


class Case:
    """A row of the table of all cases."""

    def __init__(self, name, regime, numbers, counts, verdict, page):
        self.name, self.regime, (self.cpu, self.device, self.first) = name, regime, numbers
        self.counts, self.verdict, self.page = counts, verdict, page


def cases_of(doc):
    """Each table of all cases, as {name: Case}; a document with a part of another machine has two."""
    tables, everything = [], squeezed(doc.flat)
    for heading in re.finditer(r"[\n\f]All cases\n", doc.flat):
        rows, last = {}, None
        for at, line in doc.lines(heading.end()):
            found = re.match(rf"(\S.*?)\s{{2,}}([a-z]+-bound|mixed)\s+({TIME})\s+({TIME})\s+(\d+(?:\+\d+)?)\s+(\d+)\s+({RATIO}|–)"
                             rf"\s+({VERDICT})(?:\s+(\d+))?$", line.rstrip())
            if re.match(r"(?:Answers to|How sure|\S.*(?:tests? kept|broken)$)|Where each", line) and not found:
                break
            if found:
                numbers = [found[i] != "–" and Number(doc, at + found.start(i), found[i]) for i in (3, 4, 7)]
                page = found[9] and Number(doc, at + found.start(9), found[9])
                last = Case(found[1], found[2], numbers, (found[5], found[6]), found[8], page)
                rows[last.name] = last
            elif last and line.strip() and f"{last.name} {line.strip()}" in everything:
                rows[f"{last.name} {line.strip()}"] = rows.pop(last.name)
                last.name = f"{last.name} {line.strip()}"
        tables.append(rows)
    return tables


def named(cases):
    """A pattern for the name of a case, with or without quotes and with a page behind it."""
    among = "|".join(r"\s+".join(map(re.escape, name.split())) for name in sorted(cases, key=len, reverse=True))
    return rf"(?:{among})"


def headings_of(doc, cases):
    """Where each case begins to be spoken of: its page in the atlas, its guesses in the book, its surprise."""
    found, line_before = [], ""
    for at, line in doc.lines():
        name = re.split(r"\s{2,}", line_before.strip())[0]
        if name in cases and re.match(r"[\w-]+/\S+ · |Question\.", line):
            found.append((at, name))
        guess = re.match(r"\s*(\S[^?]*?): [A-Z][^?]*\?", line)  # the head of a case's guesses
        if guess and guess[1] in cases:
            found.append((at, guess[1]))
        surprise = re.match(r"✗  +([^:]*)$|✗  +(.*?)\. [A-Z]", line)
        if surprise:
            among = [n for n in cases if line[1:].strip().startswith(n + ". ")]
            found += [(at, n) for n in among]
        line_before = line if line.strip() else line_before
    return found


class Reader:
    """One document: its text, the cases of its machine, and those of the machine recorded beside it."""

    def __init__(self, doc, cases, recorded, checks, least=()):
        self.doc, self.cases, self.recorded, self.checks = doc, cases, recorded, checks
        self.headings, self.least = headings_of(doc, {**cases, **recorded}), least
        self.any_case, self.machines, self.verdicts = named({**cases, **recorded}), Machines(doc), ()

    def table(self, match):
        """The table of all cases of the machine that a sentence is about."""
        return self.recorded if self.theirs(match) else self.cases

    def theirs(self, match):
        return self.machines.of(match.start()) == THEIRS

    def of(self, match, name):
        """The case that a sentence means."""
        return self.table(match).get(squeezed(name))

    def section_of(self, match):
        """The case whose page or bullet a sentence stands on."""
        before = [name for at, name in self.headings if at <= match.start()]
        return self.of(match, before[-1]) if before else None

    def say(self, pattern):
        """Sentences with {case} and {other} for names of cases."""
        quoted = pattern.replace("{case}", "“?{case}”?(?: \\(made smaller\\))?").replace("{other}", "“?{other}”?")
        return self.doc.find(quoted, case=self.any_case, other=self.any_case)

    def add(self, kind, match, expected, seen, numbers=()):
        if expected is not None and expected is not False:
            self.checks.add(kind, squeezed(match.group())[:90], expected, seen, numbers)

    def same(self, kind, match, a, b):
        if a and b:
            self.add(kind, match, (a.lo, a.hi), b, [a])


def least_changes(doc):
    """The smallest change of device time that can be seen, of each case in the table of noise."""
    return [Number(doc, at + f.start(1), f[1]) for at, line in doc.lines()
            if (f := re.search(r"  \d+ +\d+ +\S+ ?\S* +\S+ ?\S* +\S+ ?\S* +(\S+ %|[\d.]+×) +(?:–|[\d.]+×)$", line))]


def headlines(r):
    """The sentences of page one: their numbers are those of the table of all cases."""
    for m, (first, later, ratio) in r.say(r"In {case}, the first step takes {t} and a later one {t}: {r} as long\."):
        r.add("headline", m, quotient(first, later), ratio, [first])
        if case := r.of(m, m["case"]):
            r.same("headline", m, case.cpu, later)
            r.same("headline", m, case.first, ratio)
    for m, (took, than, ratio, cpu, cpu_than) in r.say(
            r"What \w+ does\. {case} runs [^.]*? in {other}\. The device takes {t} instead of {t} \({r}[^)]*\), the CPU {t} instead of {t}\."):
        r.add("headline", m, quotient(took, than), ratio, [took])
        for case, pair in ((r.of(m, m["case"]), (took, cpu)), (r.of(m, m["other"]), (than, cpu_than))):
            if case:
                r.same("headline", m, case.device, pair[0])
                r.same("headline", m, case.cpu, pair[1])
    for m, (one, two, ratio) in r.say(r": (?:a step of )?{case} takes the (?P<what>device|CPU) {t}, (?:of )?{other} {t}: {r} \["):
        r.add("headline", m, quotient(one, two), ratio, [one])
        for name, time in (("case", one), ("other", two)):
            if case := r.of(m, m[name]):
                r.same("headline", m, case.device if m["what"] == "device" else case.cpu, time)
    for m, (at, small, cpu, device, large, cpu_l, device_l) in r.doc.find(
            r"At about {n} × [\d\s]+ the two are equal\. Below that size the CPU takes longer to launch a step than the device takes"
            r" to run it \({n}: {t} on the CPU, {t} on the device\); above it the device decides \({n}: {t} on the CPU, {t} on the device\)"):
        r.checks.row("headline", m.group()[:40], cpu.lo > device.hi and small.value < at.value, "launching longer", cpu.text, [cpu, device])
        r.checks.row("headline", m.group()[:40], cpu_l.hi < device_l.lo and large.value > at.value, "working longer", cpu_l.text, [cpu_l])
        table = r.table(m)
        for pair in ((cpu, device), (cpu_l, device_l)):
            fits = any((c.cpu.text, c.device.text) == (pair[0].text, pair[1].text) for c in table.values())
            if table:
                r.checks.row("headline", m.group()[:40], fits, "a row of all cases", [p.text for p in pair], pair)
    half = r.doc.find(r"In half of the cases a change of device time must be {p} or more to be seen")
    rows = least_changes(r.doc)
    if half and r.doc.find(r"The {n} of {n} cases in which the smallest change of device time"):
        for n in rows:
            r.checks.row("headline", "a case in which little can be seen", n.hi >= half[0][1][0].lo, half[0][1][0].text, n.text, [n])
        rows = r.least
    if half and len(rows) > 3:
        middle = sorted(rows, key=lambda n: n.value)[len(rows) // 2 - (len(rows) + 1) % 2:len(rows) // 2 + 1]
        for m, (share,) in half:
            r.add("headline", m, (middle[0].lo, middle[-1].hi), share, middle)


def per_step(r):
    """A step's times in a sentence are those of the table, not totals of all steps (E1)."""
    for pattern in (r"a step of {case} takes the CPU {t} and the device {t}", r"A step of {case} takes the CPU {t} and the device {t}",
                    r"{case} is [\w-]+\. A step takes the CPU {t} and the device {t}"):
        for m, (cpu, device) in r.say(pattern):
            if case := r.of(m, m["case"]):
                r.same("numbers of a step", m, case.cpu, cpu)
                r.same("numbers of a step", m, case.device, device)
            launched = r.doc.find(r"\. From the first launch on, the device is busy for {p} of the time;", m.end(), m.end() + 200)
            said = r.doc.find(r"busy for only {p} of the time from the first launch on\. Give")
            said = [share for t, (share,) in said if r.section_of(t) is r.of(m, m["case"])]
            if launched and said:
                r.same("numbers of a step", m, said[0], launched[0][1][0])
    for m, (own, other, ratio) in r.say(r"a step takes the CPU {t} in {case} and {t} in {other}, {r}"):
        r.add("quotient in a sentence", m, quotient(other, own), ratio, [own])
        for case, time in ((r.of(m, m["case"]), own), (r.of(m, m["other"]), other)):
            if case:
                r.same("numbers of a step", m, case.cpu, time)
    for m, (call, kernel, clock, work) in r.say(r"the call for \S[^.]{3,90} returns after {t} while the kernel runs for {t}: a clock"
                                                r" around the step reads {t}, but the device works for {t}\."):
        r.checks.row("numbers of a step", squeezed(m.group())[-90:], call.lo <= clock.hi and kernel.lo <= work.hi, "parts of one step",
                     f"{call.text} of {clock.text}, {kernel.text} of {work.text}", [clock, work])
    for m, (work, slower, _, cpu) in r.say(r"With more work per launch[:,][^.]{0,40}? {case},? (?:has|with) {r} the work[^.]*?[.:] [Ii]ts step takes {r} \[{d}[^\]]*\] the time on"
                                                r" the device and {r} ") + r.say(r" and {case} shows why that works: {r} the work takes {r} \[{d}[^\]]*\] the time on the device and {r} "):
        if case := r.of(m, m["case"]):
            small = r.of(m, "64 × 64, warm")
            if small:
                r.add("quotient in a sentence", m, quotient(case.device, small.device), slower, [case.device])
                r.add("quotient in a sentence", m, quotient(case.cpu, small.cpu), cpu, [case.cpu])
            r.add("work of a step", m, work_of(case.name) / work_of("64 × 64"), work)
    for m, (work,) in r.say(r"A step of {case} computes {r} as much as one of {other}\."):
        r.add("work of a step", m, work_of(m["case"]) / work_of(m["other"]), work)


def work_of(name):
    """Operations of a matmul of squares and an addition."""
    size = int(name.split()[0])
    return 2 * size**3 + size**2


def quotients(r):
    """Ratios beside the two numbers that they are of, and ratios inside their own interval."""
    for pattern in (r"{t} instead of {t} \({r}",):
        for m, (a, b, ratio) in r.doc.find(pattern):
            r.add("quotient in a sentence", m, quotient(a, b), ratio, [a])
    for m, (apart, fused, ratio) in r.doc.find(r"The two kernels take {t}, the fused one {t} \({r}"):
        r.add("quotient in a sentence", m, quotient(fused, apart), ratio, [apart])
    # Three matmuls and two kernels are the MLP's step; before and after are told of the same matmuls.
    for m, gemms in [*r.doc.find(r" takes {t} and {t} for the first two, \S+ {t} for the last \(medians"),
                     *r.doc.find(r" computes all of them, in {t}, {t} and {t} \(medians")]:
        case, asked = r.of(m, "Gated MLP"), max(0, m.start() - 9000)
        told = r.doc.find(r"run as the same kernels, {t} together before and {t} after", asked, m.start())
        for _, (before, _) in [f for f in told if r.theirs(f[0]) == r.theirs(m)][-1:]:
            r.add("sum of a layer", m, sum_of(gemms), (before.lo * 0.97, before.hi * 1.03), [*gemms, before])
        for said, (apart, _) in r.doc.find(r"[Tt]he two kernels take {t}, the fused one {t}", m.end(), m.end() + 3000):
            if case and r.theirs(said) == r.theirs(m):
                r.add("sum of a layer", m, sum_of([*gemms, apart]), (case.device.lo * 0.95, case.device.hi * 1.02), [*gemms, apart])
    for m, (hand, made, ratio) in r.doc.find(r"takes {t} \(median\), \S+ {t} ?[(:]\s*{r}"):
        r.add("quotient in a sentence", m, quotient(hand, made), ratio, [hand])
    for m, (took, later, ratio) in r.say(r"A step takes the CPU {t} and the device {t}: the device’s work could take {r} as long"):
        r.add("quotient in a sentence", m, quotient(took, later), ratio, [took])
    for m, (ratio, half, whole) in r.doc.find(
            r"The matmul takes {r} as long in fp32\. [^\f]*? All of the factor is in the units that compute: {o} in bf16, {o} in fp32"):
        r.add("quotient in a sentence", m, quotient(half, whole), ratio, [half])
    for m, (launching, device, cpu, ratio) in r.doc.find(
            r"CPU spent {t} \(all threads\) launching work that took the device {t}\. The CPU total, {t} with its waits, is {r} the device's"):
        r.add("quotient in a sentence", m, quotient(cpu, device), ratio, [cpu])
        r.checks.row("finding against its table", squeezed(m.group())[:60], launching.lo <= cpu.hi, f"at least {launching.text}", cpu.text, [cpu])
    for m, (_, device) in r.doc.find(r"CPU spent {t} \(all threads\) launching work that took the device {t}\."):
        totals = r.doc.find(r"self device total {t}\.", m.end(), m.end() + 40000)
        if totals and r.section_of(m) and r.section_of(m) is r.section_of(totals[0][0]):
            r.checks.row("finding against its table", squeezed(m.group())[:60], device.lo <= totals[0][1][0].hi,
                         f"at most {totals[0][1][0].text}", device.text, [totals[0][1][0], device])
    for m, (ratio, low, high) in r.doc.find(r"{r} \[{d}–{d}[:\]]"):
        inside = low.value - 0.01 * abs(low.value) <= ratio.hi and ratio.lo <= high.hi
        r.checks.row("ratio in its interval", squeezed(m.group()), inside, f"{low.text} to {high.text}", ratio.text, [low, high, ratio])
        told = m.group().endswith(":")
        sure = low.lo > 1 or high.hi < 1
        unsure = low.hi < 1 < high.lo
        if sure or unsure:
            r.checks.row("noise is said", squeezed(m.group()), told == unsure, "noise" if unsure else "no noise",
                         "noise" if told else "no noise", [ratio, low if low.lo > 1 else high])
    for m, (ratio, low, high, limit) in r.doc.find(r": {r} \({d}–{d}×\), expected (?:(?P<sign>[≥≤]) |(?P<from>[\d.]+)–){r}"):
        r.checks.row("ratio in its interval", squeezed(m.group()), low.lo <= ratio.hi and ratio.lo <= high.hi,
                     f"{low.text} to {high.text}", ratio.text, [low, high, ratio])
        mark = r.machines.mark(m.start())
        least, most = (limit, None) if m["sign"] == "≥" else (None, limit)
        if m["from"]:
            least = Number(r.doc, m.start("from"), m["from"])
        holds = not (least and ratio.hi < least.lo or most and ratio.lo > most.hi)
        # Undecided: a limit is inside the interval; of the runs of one process, less than twice beyond it.
        unsure = any(low.lo / 2 <= n.hi and n.lo <= 2 * high.hi for n in (least, most) if n)
        right = {"✓": holds, "~": unsure, "✗": not holds}.get(mark, mark is None and holds)
        r.checks.row("verdict of a prediction", squeezed(m.group()), right, f"{mark or '✓'} at {limit.text}", ratio.text, [ratio, limit])


def predictions(r):
    """"Device time of a step ÷ CASE" is the quotient of two rows of the table of all cases."""
    for m, (ratio,) in r.say(r"(?P<what>Device|CPU) time of a step ÷ {other}(?::|\s+(?:[≥≤]\s)?[\d.]+(?:–[\d.]+)?×(?: because[^\f]{1,300}?saw)?)\s+{r}"):
        case, other = r.section_of(m), r.of(m, m["other"])
        if case and other and m["what"] == "Device":
            r.add("quotient of a prediction", m, quotient(case.device, other.device), ratio, [ratio])
        elif case and other:
            r.add("quotient of a prediction", m, quotient(case.cpu, other.cpu), ratio, [ratio])
    # What broke lies outside of its limit by its interval, too, and shows it.
    for m, (limit, ratio) in r.doc.find(r"÷ [^✗]{3,120}?: expected (?P<sign>[≥≤]) {r}, saw {r}"):
        rest = r.doc.find(r" \({d}–{r}\)", m.end(), m.end() + 30)
        inside = rest and rest[0][0].start() == m.end() and rest[0][1]
        right = inside and (inside[0].lo > limit.lo if m["sign"] == "≤" else inside[1].hi < limit.hi)
        r.checks.row("interval of what broke", squeezed(m.group())[-60:], right, f"an interval beyond {limit.text}",
                     [n.text for n in inside] if inside else "none",
                     [limit, ratio, *(inside[::-1] if inside and m["sign"] == "≤" else inside or [])])  # last: what decides


def answers(r):
    """The numbers of the answers: sums, shares and rates of what stands beside them."""
    two = (
        (r"takes {t} in total and {t} itself; the other {t} belong", lambda a, b: (a.lo - b.hi, a.hi - b.lo)),
        (r"moves {b}, {r} fewer", None),
        (r"Gelu passes {b} to the multiplication\. Unfused they are written and read again: {b} that", lambda a: product(a, 2)),
        (r"\({f} in {t}\)", None),
    )
    for pattern, rule in two:
        for m, numbers in r.doc.find(pattern):
            if rule:
                r.add("arithmetic of an answer", m, rule(*numbers[:-1]), numbers[-1], numbers[:1])
    for m, (lane, ahead, late) in r.doc.find(r"the first kernel starts {t} after its step[:,] {t}(?: of it)? before the launch call, {t} from that call on"):
        r.add("arithmetic of an answer", m, sum_of([ahead, late]), lane, [ahead])


def rates(r):
    """Rates, and bytes of shapes."""
    for m, (rate, work, time) in r.doc.find(r"(?:bf16|fp32): {o} by [^()]{5,260}? \({f} in {t}\)"):
        r.add("rate", m, quotient(work, time), rate, [work])
    for m, (rate, moved, time) in r.doc.find(r"Memory: {w} by [^()]{5,260}? \({b} in {t}\)"):
        r.add("rate", m, quotient(moved, time), rate, [moved])
    for m, (rate, share, copy) in r.doc.find(r"moves {w}, {p} of the highest rate at which this run moved large tensors \({w}\)"):
        r.add("rate", m, quotient(rate, copy), share, [rate])
    for m, (told,) in r.doc.find(r"\S+ computes {o}; "):
        for row, _ in r.doc.find(r"\nthe matmul, 4096 × 4096: operations per second +\S[^\n]*", m.end(), m.end() + 20000)[:1]:
            r.same("rate", m, told, r.doc.numbers(*row.span(), "o")[r.theirs(m)])
    for m, (half, whole, half_rate, whole_rate) in r.doc.find(
            r"\n1024 × 1024 in bf16: the matmul +{t}[^\n]*\n1024 × 1024 in fp32: the matmul +{t}[^\n]*\n[^\n]*\n[^\n]*\n"
            r"(?:[^\n]*\n)?bf16: operations per second +{o}[^\n]*\nfp32: operations per second +{o}[^\n]*"):
        columns = zip(*(r.doc.numbers(n.at, r.doc.flat.find("\n", n.at), kind) for n, kind in
                        ((half, "t"), (whole, "t"), (half_rate, "o"), (whole_rate, "o"))))
        for theirs, (short, long, fast, slow) in enumerate(columns):
            for time, rate in ((short, fast), (long, slow)):
                r.add("rate", m, quotient(2 * 1024**3, time), rate, [time])
            for said, told in r.doc.find(r"is in the units that compute: {o} in bf16, {o} in fp32"):
                if r.theirs(said) == theirs:
                    r.same("rate", said, fast, told[0])
                    r.same("rate", said, slow, told[1])
    for m, (moved, rate, least, took, share) in r.doc.find(
            r"The kernel moves {b}\. At the rate of the largest copy, {w}, that takes {t}\. It takes {t}, so it reaches {p}"):
        r.add("rate", m, quotient(moved, rate), least, [moved])
        r.add("rate", m, quotient(least, took), share, [took])
    for m, (scores, time, rate) in r.doc.find(r"The scores are {b} of traffic, which would take {t} at {w}"):
        r.add("rate", m, quotient(scores, rate), time, [scores])
    for m, (all_moved, least, fewer) in r.doc.find(r"(?:twice and read one twice:|move) {b} in all\.[^.]{5,160}? moves {b}, {r} fewer"):
        r.add("quotient in a sentence", m, quotient(all_moved, least), fewer, [least])
    for m, (steps, moved) in r.doc.find(r"(?P<n>\d) × (?P<s>\d+) × (?P<t>\d+) × {n} B = {b}"):
        r.add("bytes of a shape", m, int(m["n"]) * int(m["s"]) * int(m["t"]) * steps.value, moved)
        at = r.doc.find(r"at {w}: {t}", m.end(), m.end() + 700)
        if at:
            r.add("rate", at[0][0], quotient(moved, at[0][1][0]), at[0][1][1], [moved])
    for m, (one, own, copied, read, row) in r.doc.find(
            r"one matrix is {b}\. The addition moves {b} as a kernel of its own, {b} as a copy and a matmul that adds onto it,"
            r" and {b} when the matmul reads the matrix itself\. A bias of one row, which is what a linear layer has, moves only {b}\."):
        for seen, times in ((own, 3), (copied, 3), (read, 1)):
            r.add("bytes of a shape", m, product(one, times), seen, [one])
        r.add("bytes of a shape", m, (2 * int(re.search(r"For a (\d+) ×", r.doc.flat[m.start() - 120:m.start()])[1]),) * 2, row)
    for m, (moved, copied, more) in r.doc.find(r"An addition moves {b} \(in [^()]*?\); the copy moves {b} \(in [^()]*?\), and the matmul then reads {b} more"):
        r.add("bytes of a shape", m, sum_of([copied, more]), moved, [copied])


def shares(r):
    """A share beside the part and the whole."""
    for m, (busy, busy_time, window) in r.doc.find(r"The device was busy for {p} of the window: {t} of {t}"):
        r.add("share in a sentence", m, quotient(busy_time, window), busy, [window])
    for m, (mean, median, apart) in r.doc.find(r"the mean \({t}\) and the median \({t}\) are only {p} apart"):
        low, high = quotient(mean, median)
        r.add("share in a sentence", m, (max(0, min(abs(low - 1), abs(high - 1)) if (low - 1) * (high - 1) > 0 else 0), max(abs(low - 1), abs(high - 1))),
              apart, [mean])
    for m, (share, time, calls) in r.doc.find(r"takes {p} of the device's time: {t} in {n} calls?\."):
        totals = r.doc.find(r"self device total {t}\.", m.end(), m.end() + 40000)
        if totals:
            r.add("share in a sentence", m, quotient(time, totals[0][1][0]), share, [time, calls])
    for m, (share, idle, part, host, after) in r.doc.find(
            r"The device was idle for {p} of the window \({t}\)\. For {p} of that it waited for a launch that had not begun:"
            r" {t} for the host, {t} after a wait"):
        r.add("share in a sentence", m, quotient(sum_of([host, after]), idle), part, [idle, share])


def waits(r):
    """How much of the last wait the device worked: the answers and boxes against the kernels' pages; shares
    of waiting against the step beside them."""
    told = {}
    for m, (wait, share) in r.doc.find(r"The last \w+ took {t}; the device worked for {p} of it"):
        if case := r.section_of(m):
            told[case.name] = (wait, share)
    for m, (share, wait) in r.say(r"In {case} the device works for {p} of (?:the )?{t}"):
        if squeezed(m["case"]) in told and not r.theirs(m):
            r.same("answer against its page", m, told[squeezed(m["case"])][0], wait)
            r.same("answer against its page", m, told[squeezed(m["case"])][1], share)
    for m, (cpu, device, busy) in r.doc.find(
            r"Median step \(without the first step\): CPU {t}, device {t}\. The device was busy {p} of the recorded window"):
        if case := r.section_of(m):
            r.same("case page against all cases", m, case.cpu, cpu)
            r.same("case page against all cases", m, case.device, device)
        low = r.doc.find(r"The device was busy for {p} of the window:", m.end(), m.end() + 9000)
        if low and r.section_of(low[0][0]) is case:
            r.same("case page against all cases", m, low[0][1][0], busy)
    for m, (first, median, setup, longest) in r.doc.find(
            r"The first recorded step took {t}, the others {t} at the median\. Set-up inside it sums to {t}, most of it [^.]*? with {t}\."):
        r.checks.row("finding against its table", squeezed(m.group())[:60], longest.lo <= setup.hi and setup.lo <= first.hi,
                     f"at most {first.text}", setup.text, [setup, longest])
        if case := r.section_of(m):
            r.same("finding against its table", m, case.cpu, median)
            r.add("finding against its table", m, quotient(first, median), case.first, [first])
    for m, (total, ratio, setup, longest) in r.say(
            r"In {case} it takes {t}, {r} the median of the others, and {t} of it is work that is done only once, with what that calls; most self time has [^.]*? \({t}\)"):
        r.checks.row("arithmetic of an answer", squeezed(m.group())[:60], longest.lo <= setup.hi and setup.lo <= total.hi,
                     f"at most {total.text}", setup.text, [setup, longest])
        if case := r.of(m, m["case"]):
            r.same("arithmetic of an answer", m, case.first, ratio)
            r.add("arithmetic of an answer", m, quotient(total, case.cpu), ratio, [total])
