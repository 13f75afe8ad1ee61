# SPDX-License-Identifier: Apache-2.0
"""Counts against what they count, pages against what stands on them, boxes and rooflines against the
table of all cases, and the summary for a pull request against the document."""
import json
import re

from arithmetic_tables import numbers_of
from arithmetic_text import RATIO, TIME, squeezed
from machines import THEIRS
from printed import Document, KINDS, Number, product, quotient, sum_of


def pages(reader, whole):
    """Pages are numbered, and what a sentence, a table or an index says is on a page stands there."""
    doc, checks = reader.doc, reader.checks
    for n, (_, number, of, _) in enumerate(doc.feet if whole else (), 1):
        checks.row("number of a page", f"page {n}", number and (number.value, of.value) == (n, len(doc.feet)), f"{n} / {len(doc.feet)}",
                   number and f"{number.text} / {of.text}", [number])

    def there(said, wanted, number):
        checks.row("page named", said, squeezed(wanted) in doc.page(int(number.value)), f"“{wanted}” there", number.text, [number])
    for case in reader.cases.values():
        if case.page:
            there(case.name, case.name, case.page)
    for m, _ in doc.find(r"\bSee (?P<list>[^¶•?]{0,400}?page \d+)\. "):
        at = m.start("list")
        for part in re.finditer(r"(?:(.*?),\s+)?page\s+(\d+)(?:,\s+|$)", m["list"], re.S):
            if part[1] and not part[1].lstrip().startswith("page"):
                there(f"See {squeezed(part[1])}", part[1], Number(doc, at + part.start(2), part[2]))
    for at, line in doc.lines():
        row = re.match(r" *\d+ +(\S[^?]*\?)  .*? (\d+)$", line) or re.match(r"\d+ ([A-Z].*?\S)(?: {2,}| (?=softmax|Nothing)).*  (\d+)$", line)
        if row and (row[1].endswith("?") and row.re.pattern.startswith(" ") or f". {row[1]}\n" in doc.flat):
            there(row[1], row[1], Number(doc, at + row.start(2), row[2]))
    for m, (number,) in doc.find(r"\(page {n}\)"):
        before = squeezed(doc.flat[max(m.start() - 500, doc.flat.rfind("•", 0, m.start()), doc.flat.rfind("✗", 0, m.start())):m.start()])
        names = sorted((n for n in reader.cases if re.search(rf"(?:^| |^✗ ){re.escape(n)}[,. ]", before)), key=before.find)
        every, names = names, [n for n in names if not any(n != o and n in o and before.find(o) == before.find(n) for o in names)]
        if before.startswith("✗"):
            names = names[:1]
        if names:
            cited, over = (doc.page(int(number.value) + i) for i in (0, 1))  # a picture may go on overleaf
            checks.row("page named", before[:60], any(n in cited for n in every) and all(n in cited + over for n in names), " and ".join(names), number.text, [number])


def counts(reader, atlas):
    """How many cases, predictions kept and broken, surprises, guesses of a chapter."""
    doc, checks, cases = reader.doc, reader.checks, reader.cases.values()
    head = doc.find(r"\n *{n} +{n} · {n} · {n} +(?P<theirs>[\d\s]+·[\d\s]+·[\d\s]+ )?{n}\n\s*cases measured")
    if not head or not reader.cases:
        return
    m, (measured, kept, broken, undecided, _) = head[0]
    if m["theirs"] and reader.verdicts:
        for seen, *learnt in zip(doc.numbers(*m.span("theirs"), "n"), *reader.verdicts):
            checks.add("count", "guesses of the other machine", sum(n.value for n in learnt), seen, [seen])
    checks.add("count", "cases measured", len(cases), measured)
    told = [Number(doc, 0, v) for c in cases if (v := (re.match(r"✗ (\d+) of", c.verdict) or [0, ""])[1])]
    checks.add("count", "predictions broken in the table", sum(n.value for n in told), broken)
    flat = doc.flat.replace("\f", "\n")
    listed = flat[flat.find("\nPredictions that broke"):flat.find("\nAll cases")]
    bullets = [b for b in re.findall(r"\n✗ +([^\n]*)", listed) if "did not run" not in b]
    checks.add("count", "cases that surprise", sum(c.verdict.startswith("✗") for c in cases), float(len(bullets)), [broken])
    if atlas:
        tests = [(int(a), int(b)) for a, b in re.findall(r"\n\S[^\n]*  ✓ (\d+) of (\d+) tests? kept", flat)]
        wrong = [(int(a), int(b)) for a, b in re.findall(r"\n\S[^\n]*  ✗ (\d+) of (\d+) broken\n", flat)]
        checks.add("count", "predictions kept on the pages", sum(a for a, _ in tests) + sum(b - a for a, b in wrong), (kept.lo, kept.value + 2), [kept])
    checks.add("count", "undecided in the table", sum(c.verdict.startswith("~ und") for c in cases), (0, undecided.hi))
    for m, _ in doc.find(r"\nthe guesses above  +(?P<told>\S[^\n]*?)(?:  (?P<beside>\S[^\n]*?)(?:  [^\n]*)?)?\n"):
        chapter = [h.start() for h in re.finditer(r"[\n\f]\d+\. [A-Z]", doc.flat) if h.start() < m.start()][-1]
        marks = re.findall(r"[\n\f] *([✓✗~–·=])  ", doc.flat[chapter:m.start()])
        theirs = re.findall(r"[\n\f] *[✓✗~–·=] +([✓✗~–·=])  ", doc.flat[chapter:m.start()])
        for marks, told in ((marks, "told"), (theirs, "beside")):
            said = [Number(doc, m.start(told) + n.start(1), n[1]) for n in re.finditer(r"(\d+) (?:held|broke|undecided)", m[told] or "")]
            if marks and said:
                checks.add("count", "guesses of a chapter", sum(map(marks.count, "✓✗~")), sum_of(said), said)
            for word, mark in (("held", "✓"), ("broke", "✗"), ("undecided", "~")):
                said = [Number(doc, m.start(told) + n.start(1), n[1]) for n in re.finditer(rf"(\d+) {word}", m[told] or "")]
                if marks and (said or mark in marks):
                    checks.add("count", f"guesses of a chapter that are {word}", marks.count(mark), sum_of(said) if said else 0.0, said)


def latencies(doc, checks):
    """The picture of launch delays: its rows, its extremes, its sum."""
    for m, (least, most, waited, of, free) in doc.find(
            r"the medians range from {t} \([^()]*\) to {t} \([^()]*\)\. Earlier work still ran for {n} of {n} kernels and copies when"
            r" their launch call returned: they waited in the queue because the host was ahead\. {n} kernels and copies began"):
        checks.add("count", "kernels that waited and not", of.value, waited.value + free.value, [waited, of])
        rows, stop = [], doc.flat.find("Every dot is a kernel", m.end())
        for at, line in doc.lines(m.end(), stop):
            found = re.search(rf"\S\s{{2,}}({TIME})\s*$", line)
            if found and line[:1].strip():
                rows.append(Number(doc, at + found.start(1), found[1]))
        if rows:
            checks.row("extreme of a list", "shortest delay", least.value <= min(n.value for n in rows), least.text, rows[0].text, [least])
            checks.row("extreme of a list", "longest delay", max(n.value for n in rows) <= most.value, most.text, rows[0].text, [most])


def rooflines(reader):
    """Rates follow from the size and the device time, shares from the rate and the roof above it."""
    doc = reader.doc
    for m, (reach, of, closest, farthest) in doc.find(
            r"{n} of {n} cases reach half of the roofline above them\. Of those that set no roofline themselves “(?P<best>[^”]*)” is closest with {p}; “[^”]*” is farthest with {p}\."):
        memory = doc.find(r"Memory: {w} by ", m.end())
        roofs = {f["of"]: rate for f, (rate,) in doc.find(r"(?P<of>bf16|fp32): {o} by ", m.end(), memory[0][0].start() if memory else 0)}
        if len(roofs) < 2:
            continue
        named, checks = roofline(reader, m, roofs, memory[0]), reader.checks
        shares = [share for share in named.values() if share == share]
        best = next((n for n in (m["best"], *named) if n in named and m["best"].startswith(n.rstrip("…"))), None)
        checks.add("count", "cases below a roofline", float(len(named)), of)
        checks.add("count", "cases at half of it", (sum(s > 0.5005 for s in shares), sum(s > 0.4994 for s in shares)), reach)
        checks.add("extreme of a list", "closest", named.get(best, 0.0), closest)
        checks.add("extreme of a list", "farthest", min(shares), farthest)


def roofline(reader, head, roofs, memory):
    """The list beside a roofline, each row against the table of all cases: {its name: its share}."""
    doc, checks, named = reader.doc, reader.checks, {}
    for at, line in doc.lines(head.end(), memory[0].start()):
        m = re.search(rf"(?<!\S){len(named) + 1} (\S.*?…?) +({KINDS['o']}) +({KINDS['p']}|–)$", line)
        if not m:
            continue
        name, rate = m[1], Number(doc, at + m.start(2), m[2])
        share = Number(doc, at + m.start(3), m[3]) if m[3] != "–" else None  # above the memory's own rate
        named[name] = share.value if share else float("nan")  # it has none: its data stay in caches
        case = next((c for n, c in reader.table(head).items() if n == name or name.endswith("…") and n.startswith(name[:-1])), None)
        size = re.match(r"(\d+) × \1(?!.*as one)(?!.* of )", name)
        row = re.match(r"Square, rows of (\d+)", name)
        if not case or not (size or row) or "fused" in name:
            continue
        kind = "fp32" if row or "fp32" in name else "bf16"
        width, n = 4 if kind == "fp32" else 2, int((size or row)[1])
        one_call = re.search("compiled|graph", name)  # no product of its own between matmul and addition
        work, moved = (2 * n**3 + n**2, (4 if one_call else 5) * n * n * width) if size else (256 * n, 2 * 256 * n * width)
        checks.add("rate", f"{name}: operations", quotient(work, case.device), rate, [case.device])
        if not share or "Dashed, with large tensors" in doc.flat[memory[0].end():memory[0].end() + 500]:
            continue  # a host has two rates of memory, which its caches are the reason of
        roof = product(work / moved, memory[1][0])
        low, high = min(roof[0], roofs[kind].lo), min(roof[1], roofs[kind].hi)
        checks.add("share of a roofline", name, quotient(rate, (low, high)), share, [rate])
    return named


def measured_tables(doc, checks):
    """What the memory delivers, and a sweep in a sentence and in its table."""
    times = {"add": 3, "gelu": 2, "mul": 3, "fused gelu*mul": 3, "generic geglu": 3, "square": 2}
    for m, (low, median, high, rate) in doc.find(
            r"\n(?:(?P<op>[a-z][a-z *]*?) (?P<a>\d+)x(?P<b>\d+) (?P<type>bf16|fp32)|copy (?P<bytes>\d+) bytes)[^\n]*? {t} +{t} +{t} +{d}(?=\n)"):
        moved = 2 * int(m["bytes"]) if m["bytes"] else \
            times[m["op"]] * int(m["a"]) * int(m["b"]) * (2 if m["type"] == "bf16" else 4)
        checks.add("rate", squeezed(m.group())[:40], tuple(b / 1e9 for b in quotient(moved, median)), rate, [median])
        checks.row("median within", squeezed(m.group())[:40], low.lo <= median.hi and median.lo <= high.hi, f"{low.text} to {high.text}",
                   median.text, [low, median])
    for m, (cpu, least, most, device, least_d, most_d) in doc.find(r"\n +\d+ +\d+ +{t} +{t} – {t} +{t} +{t} – {t}(?=\n)"):
        for low, median, high in ((least, cpu, most), (least_d, device, most_d)):
            checks.row("median within", squeezed(m.group()), low.lo <= median.hi and median.lo <= high.hi, f"{low.text} to {high.text}",
                       median.text, [low, median])
    for m, (narrow, best, width, wide) in doc.find(r"(?P<name>square\w*) reaches {w} at a width of \d+, its best {w} at {n}, and {w} at [\d\s]+\d\."):
        for n, (first, top, at, last) in doc.find(rf"\n{m['name']} +{{d}} +{{d}} +{{n}} +{{d}} "):
            for told, row in ((narrow, first), (best, top), (wide, last)):
                checks.add("sentence against its table", squeezed(m.group())[:50], (row.lo * 1e9, row.hi * 1e9), told, [row])
            checks.add("sentence against its table", squeezed(m.group())[:50], at.value, width, [at])
            del n


def comparisons(reader):
    """Each column of a comparison is a row of the table of all cases."""
    doc = reader.doc
    kinds = {"CPU time": TIME, "Device busy": TIME, "First step ÷ median of the others": RATIO}
    for m in re.finditer(r"[\n\f]CPU time +\S", doc.flat):
        rows = {}
        for at, line in doc.lines(m.start() + 1, m.start() + 9000):
            name = re.split(r"\s{2,}", line)[0]
            if name in kinds:
                rows[name] = [Number(doc, at + c.start(), c.group()) for c in re.finditer(kinds[name], line)]
            if name.startswith("First step") or len(rows) == 3:
                break
        columns = [rows.get(name, ()) for name in kinds]
        if len({len(c) for c in columns}) > 1:
            continue
        for what, of in zip(("CPU time", "Device busy"), columns):
            at, line = next(((at, line) for at, line in doc.lines(m.end(), m.end() + 9000)
                             if line.startswith(what + " ÷ that of the first case")), (0, ""))
            ratios = numbers_of(doc, at, line, RATIO + r"(?= \[)")
            for other, ratio in zip(of[1:], ratios) if len(ratios) == len(of) - 1 else ():
                reader.checks.add("comparison with its first case", line[:40], quotient(other, of[0]), ratio, [other])
        for cpu, device, first in zip(*columns):
            fits = [c for c in reader.cases.values() if (c.cpu.text, c.device.text) == (cpu.text, device.text)]
            said = f"{cpu.text}, {device.text}"
            reader.checks.row("comparison against all cases", said, fits, "a row of all cases", said, [device, cpu])
            if fits:
                reader.checks.row("comparison against all cases", said, any(c.first.text == first.text for c in fits),
                                  fits[0].first.text, first.text, [first])


def steps(reader):
    """Titles of pictures against the bars of the same step; a typical step is near the median (E5)."""
    doc, checks, drawn, shown = reader.doc, reader.checks, {}, {}
    for at, line in doc.lines():
        for m in re.finditer(rf"Step (\d+) ({TIME}) · device ({TIME})", line):
            place = re.compile(re.escape(m.group())).search(doc.flat, at)
            case = reader.section_of(place)
            shown[reader.theirs(place), case and case.name, m[1]] = (Number(doc, at + m.start(2), m[2]), Number(doc, at + m.start(3), m[3]))
    for m in re.finditer(rf"\n(\S[^\n]*?)\s{{2,}}host ({TIME})[^\n]*\n[^\n]*?(step) (\d+)\S*(?: the first)?\s+device ({TIME})", doc.flat):
        if m[1] in {**reader.cases, **reader.recorded}:
            theirs = reader.machines.of(m.start(3)) == THEIRS
            drawn[theirs, m[1], m[4]] = [Number(doc, m.start(g), m[g]) for g in (2, 5)]
    for m, (cpu, device) in reader.say(r"{case}: the CPU is done after {t}, the device after {t} \(step (?P<step>\d+)[;,)]"):
        if bar := drawn.get((reader.theirs(m), squeezed(m["case"]), m["step"])):
            checks.add("picture against its bar", squeezed(m.group())[:60], (bar[0].lo, bar[0].hi), cpu, [bar[0]])
            checks.add("picture against its bar", squeezed(m.group())[:60], (bar[1].lo, bar[1].hi), device, [bar[1]])
    for m, (device,) in reader.say(r"{case}, step (?P<step>\d+): {t} of device work, queued behind the step before"):
        if bar := drawn.get((reader.theirs(m), squeezed(m["case"]), m["step"])):
            checks.add("picture against its bar", squeezed(m.group())[:60], (bar[1].lo, bar[1].hi), device, [bar[1]])
    for m, (share, device) in reader.say(r"{case}: the device waits for {p} of {t} \(step (?P<step>\d+)[;,)]"):
        if bar := drawn.get((reader.theirs(m), squeezed(m["case"]), m["step"])):
            later = max(bar, key=lambda n: n.value)
            checks.add("picture against its bar", squeezed(m.group())[:60], (later.lo, later.hi), device, [later])
        if step := shown.get((reader.theirs(m), squeezed(m["case"]), m["step"])):
            checks.add("share of waiting", squeezed(m.group())[:60], product((1 - share.hi, 1 - share.lo), device), step[1], [share])
    # The medians that a title quotes are those of the table of all cases, of the machine that is drawn.
    for m, (median,) in reader.say(r"\n{case}: [^\n(]*?the (?P<of>CPU|device) takes [^\n(]*? \(step \d+(?:; median|, far from the median of) {t}"):
        if case := reader.of(m, m["case"]):
            reader.same("median of a picture", m, case.device if m["of"] == "device" else case.cpu, median)
    for m, (cpu, device) in reader.say(r"\n{case}: [^\n(]* \(step \d+, the first; medians later: CPU {t}, device {t}\)"):
        if case := reader.of(m, m["case"]):
            reader.same("median of a picture", m, case.cpu, cpu)
            reader.same("median of a picture", m, case.device, device)
    for m, _ in doc.find(r"This is a typical step: of all but the first, the one nearest to the median (?P<of>CPU|device) time"):
        number = re.findall(r"Step (\d+), enlarged", doc.flat[max(0, m.start() - 900):m.start()])
        titles = number and re.findall(rf"Step {number[-1]} {TIME} · device {TIME}", doc.flat[max(0, m.start() - 5000):m.start()])
        case = reader.section_of(m)
        if case and titles:
            at = doc.flat.rfind(titles[-1], 0, m.start())
            took = numbers_of(doc, at, titles[-1], TIME)[m["of"] == "device"]
            median = case.cpu if m["of"] == "CPU" else case.device
            checks.row("a typical step is near the median", case.name, median.lo / 2 <= took.hi and took.lo <= 2 * median.hi,
                       f"about {median.text}", took.text, [took])


def orders(reader):
    """The steps that a picture draws are in the order of the medians that its text quotes."""
    doc, checks, drawn = reader.doc, reader.checks, []
    for m, (shown, median) in doc.find(r"(?:: |drawn )the (?P<of>CPU|device) takes {t} \(step \d+(?P<near>; median|, far from the median of) {t}\)"):
        if drawn and ("One step of each" in doc.flat[drawn[-1][0]:m.start()] or reader.machines.turns(drawn[-1][0], m.start())):
            drawn = []  # another picture
        for _, of, other, other_median in drawn:
            if of == m["of"] and (median.lo > 1.05 * other_median.hi or other_median.lo > 1.05 * median.hi):
                checks.row("order of a picture", squeezed(doc.flat[m.start() - 40:m.end()]), (shown.value > other.value) == (median.value > other_median.value)
                           or "nor do other recorded steps" in squeezed(doc.flat[m.end():m.end() + 3000].split("\f")[0]),
                           f"as {median.text} and {other_median.text}", f"{shown.text} and {other.text}", [shown, other])
        drawn.append((m.start(), m["of"], shown, median))
        # Where a step far from its median is drawn, its title says so, and only there.
        far = shown.lo > 1.2 * median.hi or shown.hi < 0.8 * median.lo
        near = shown.hi < 1.2 * median.lo and shown.lo > 0.8 * median.hi
        said = "far from" in m["near"]
        checks.row("picture far from its median", squeezed(doc.flat[m.start() - 40:m.end()]), not (near if said else far),
                   f"{shown.text} beside {median.text}: {'near' if near else 'far'}", squeezed(m["near"]), [shown, median])


def boxes(reader, top, ids, mine, theirs):
    """The box of each chapter against the table of all cases: of this machine, and of the recorded one."""
    doc = reader.doc
    chapters = json.loads((top / "templates/en/chapters.json").read_text(encoding="utf-8"))["chapters"]
    for m in re.finditer(r"[\n\f]Measured +This machine[^\n]*\n", doc.flat):
        title = [h[1] for h in re.finditer(r"[\n\f]\d\. ([^\n]*)", doc.flat[:m.start()])][-1].strip()
        entries = {e["what"]: e for c in chapters if c["title"] == title for e in c["box"]}
        tables = [reader.cases, reader.recorded] if "recorded" in m.group() else [reader.cases]
        for at, line in doc.lines(m.end()):
            entry = next((entries[w] for w in sorted(entries, key=len, reverse=True) if re.match(re.escape(w) + r"\s{2,}", line)), None)
            if line.startswith("the guesses above"):
                break
            cells = entry and [(at + c.start(), c.group()) for c in re.finditer(r"\S+(?: \S+)*", line[len(entry["what"]):])]
            cells = cells and [(pos + len(entry["what"]), text) for pos, text in cells]
            for (pos, text), cases in zip(cells or [], tables):
                case, over = (cases.get(ids.get(entry.get(k), "")) for k in ("case", "over"))
                quantity = re.match(rf"{TIME}|{RATIO}|{KINDS['n']}", text)
                if not case or not quantity or "over" in entry and not over:
                    continue
                seen, what = Number(doc, pos, quantity.group()), entry["measure"]
                if over and what in ("cpu", "device"):
                    reader.checks.add("box against all cases", line.strip()[:60], quotient(getattr(case, what), getattr(over, what)), seen, [seen])
                elif what in ("cpu", "device"):
                    reader.checks.add("box against all cases", line.strip()[:60], (getattr(case, what).lo, getattr(case, what).hi), seen)
                elif what == "first" or what == "first_ratio":
                    expected = product(case.first, case.cpu) if what == "first" else (case.first.lo, case.first.hi)
                    reader.checks.add("box against all cases", line.strip()[:60], expected, seen)
                elif what in ("launches", "kernels"):
                    reader.checks.add("box against all cases", line.strip()[:60], float(case.counts[what == "launches"].split("+")[0]), seen)
                elif what in ("total_cpu", "total_device") and (pair := (mine if cases is reader.cases else theirs).get(case.name)):
                    total = pair[what == "total_device"]
                    reader.checks.add("box against the profiler's table", line.strip()[:60], (total.lo, total.hi), seen)


def trace_front(doc, checks):
    """A trace of anybody: where its step went, what its idle time was, what an action gives."""
    for m, (step,) in doc.find(r"The largest part of the median step of {t} \(step \d+\) is "):
        shares = doc.numbers(m.end(), re.compile(r"\n\s*\n|Median step|Of\s+the\s+time\s+that|The\s+host\s+is\s+late").search(doc.flat, m.end()).start(), "p")
        checks.add("parts of a step sum", "its sentence", sum_of(shares), 1.0, shares)
        legend = doc.find(r"(?<![\d.%]){t}, {p}", m.end(), doc.flat.find("What to do first", m.end()))
        if legend:
            checks.add("parts of a step sum", "its bar", sum_of([t for _, (t, _) in legend]), step)
            for _, (time, share) in legend:
                checks.add("share of a step", share.text, quotient(time, step), share, [time])
        own = next((t for _, (t,) in doc.find(r"without it, expect about {t} a step", m.end())), step)  # a gain is of a step that is not recorded
        for _, (gain, ratio) in doc.find(r"up to {t} a step \({r}\)", m.end()):
            checks.add("gain of an action", ratio.text, quotient(own, sum_of([own, gain])), ratio, [gain])
    for m, (idle, window, share) in doc.find(r"No stream of the device worked for {t} of {t} \({p}\)\. Every gap has exactly one cause"):
        checks.add("idle time", "its share", quotient(idle, window), share, [idle])
        rows = doc.find(r" {n} +{t} +{t} +{p}(?=\n)", m.end(), m.end() + 4000)
        checks.add("idle time", "its causes", sum_of([total for _, (_, total, _, _) in rows]), idle)
        for _, (_, total, longest, part) in rows:
            checks.add("idle time", "share of a cause", quotient(total, idle), part, [total])
            checks.row("idle time", "longest of a cause", longest.lo <= total.hi, total.text, longest.text, [longest])
        kinds = doc.find(r"\n  (?:computing|communication not[^\n]*?|copies not[^\n]*?|idle) +{t} +{p}(?=\n)", m.end())
        if kinds:
            checks.add("idle time", "what the device did", sum_of([t for _, (t, _) in kinds]), window)
            for _, (time, part) in kinds:
                checks.add("idle time", "share of a kind", quotient(time, window), part, [time])


def summary(doc, text, checks):
    """The summary for a pull request: its counts are sums of its tables, its numbers are the document's."""
    page = squeezed(doc.flat)
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.M)
    cases, held, broke = (sum(int(r[i]) for r in rows) for i in (1, 2, 3))
    counted = re.search(r"(\d+) of (\d+) predictions held; (\d+) of (\d+) cases surprise", text)
    md = Document("summary.md", text)
    told = [Number(md, counted.start(i), counted[i]) for i in range(1, 5)]
    for seen, expected in zip(told, (held, held + broke, text.split("\n* **")[0].count("\n| ") - 2, cases)):
        checks.add("summary counts", counted.group(), float(expected), seen)
    for line in re.findall(r"^(?:\* .*|\| .*÷.*)$", text, re.M):
        plain = squeezed(line.replace("\\", "").replace("**", "").split(" (in the atlas)")[0].lstrip("* "))
        for m in re.finditer(rf"{TIME}|{RATIO}", plain):
            seen = Number(md, max(text.find(m.group()), 0), m.group())
            checks.row("summary against the document", plain[:60], m.group() in page, "on its pages", m.group(), [seen])
        if line.startswith("*"):
            checks.row("summary against the document", plain[:60], plain in page, "the same sentence", plain[-40:], [])
