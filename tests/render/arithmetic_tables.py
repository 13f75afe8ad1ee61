# SPDX-License-Identifier: Apache-2.0
"""The tables and bars of a document, recomputed from themselves: sums, shares, averages, rates."""
import re

from printed import KINDS, Number, product, quotient, sum_of

TIME, SHARE = KINDS["t"].replace(" ", r"\s"), KINDS["p"].replace(" ", r"\s")
CELL = re.compile(rf"–|{TIME}|{SHARE}|{KINDS['r']}|\d+\+\d+|{KINDS['n']}(?![\w.])")


CASE_ENDS = r"From the first kernel|Profiler table|Questions that|Kernels\.|Median step|[\w-]+/\S+ · |Question\."


def numbers_of(doc, at, line, pattern):
    return [Number(doc, at + m.start(), m.group()) for m in re.finditer(pattern, line)]


def rows_until(doc, start, stop):
    """The lines behind a place up to the one that begins with something else."""
    for at, line in doc.lines(start):
        if re.match(stop, line.strip()):
            return
        yield at, line


def causes(doc, checks):
    """Where the first step went, beside a later one: the parts of both sum to the whole (E2)."""
    row = re.compile(rf"({TIME}|–)\s+({SHARE})\s+({TIME}|–)$")
    for caption, (whole, later, _) in doc.find(
            r"(?:Cold start: where|Where) the {t} of the \w+(?: recorded)? step went\. Beside it is a later step"
            r" of {t}, where {t} is the median of the later ones(?:, halfway between the two of them)?\."):
        parts, spans = ([], [], []), None
        for at, line in doc.lines(caption.end()):
            found = row.search(line.rstrip())
            if "Spans that show it" in line:
                column = line.index("Spans that show it")
            elif line.strip().startswith("the whole window"):
                ends = numbers_of(doc, at, line, TIME)
                break
            elif found:
                spans_checked(doc, checks, spans)
                cells = [None if found[i] == "–" else Number(doc, at + found.start(i), found[i]) for i in (1, 2, 3)]
                for column_of, cell in zip(parts, cells):
                    column_of.append(cell)
                if cells[0]:
                    checks.add("share of a cause", line.strip(), quotient(cells[0], whole), cells[1], [cells[0]])
                spans = [cells[0], [(at + column, line[column:found.start()])]]
            elif spans and line.strip() and "Spans that" not in line:
                spans[1].append((at + column, line[column:]))
        spans_checked(doc, checks, spans)
        said = caption.group()[:60]
        for what, column_of, end in (("first step", parts[0], ends[0]), ("later step", parts[2], ends[1])):
            checks.add(f"causes of the {what} sum", said, sum_of([n for n in column_of if n]), end)
        checks.add("shares of causes sum", said, sum_of(parts[1]), 1.0, parts[1])
        checks.add("causes as captioned", said, (whole.lo, whole.hi), ends[0])
        checks.add("causes as captioned", said, (later.lo, later.hi), ends[1])


def spans_checked(doc, checks, spans):
    """The spans that show a cause take its time, or a part of it where some are not named."""
    if not spans or not spans[0]:
        return
    text = " ".join(" ".join(line for _, line in spans[1]).split())
    named = [Number(doc, spans[1][0][0], m.group()) for m in re.finditer(KINDS["t"], text)]
    low, high = sum_of(named)
    if named:
        checks.add("spans of a cause", text[:70], (low, float("inf") if re.search(r"and \d+ more", text) else high),
                   spans[0])


def strips(doc, checks):
    """The bar of a first step below its timeline: all that it names, in the bar and under it."""
    for found in re.finditer(rf"\n\s+(?:cold start|first recorded step)\s+({TIME})\n", doc.flat):
        whole = Number(doc, found.start(1), found[1])
        parts = []
        for at, line in doc.lines(found.end()):
            if len(parts) > 30 or line.strip().startswith(("The recorded", "Cold start: where", "All recorded", "The first", "The whole")):
                break
            parts += numbers_of(doc, at, line, TIME)
        checks.add("strip of a first step sums", found.group().strip(), sum_of(parts), whole, parts[:1])


def kernels(doc, checks):
    """Each kernel's share is its calls times its mean; all shares are the whole."""
    row = re.compile(rf"\s({KINDS['n']})\s+({TIME})\s+({TIME})\s+(?:({TIME}) – ({TIME})|–)\s+({TIME}|–|[^\d]\S*)\s+({SHARE})$")
    for caption, _ in doc.find(r"Kernels\. Every distinct kernel, copy and fill"):
        rows, more = [], False
        for at, line in rows_until(doc, caption.end(), CASE_ENDS):
            found = row.search(line.rstrip())
            more = more or re.search(r"\bmore\b", line)
            if found:
                rows.append([found[i] and Number(doc, at + found.start(i), found[i]) for i in (1, 2, 3, 4, 5, 7)])
        if not rows or more:
            continue
        times = [product(calls, mean) for calls, _, mean, *_ in rows]
        whole = sum(t[0] for t in times), sum(t[1] for t in times)
        checks.add("shares of kernels sum", caption.group(), sum_of([r[5] for r in rows]), 1.0, [rows[-1][5]])
        for (calls, median, mean, least, most, share), time in zip(rows, times):
            rest = whole[0] - time[0], whole[1] - time[1]
            checks.add("share of a kernel", f"{calls.text} × {mean.text}",
                       (time[0] / (time[0] + rest[1]), time[1] / (time[1] + rest[0])), share, [mean])
            if calls.value >= 3:
                checks.row("median within", least.text, least.lo <= median.hi and median.lo <= most.hi,
                           f"{least.text} to {most.text}", median.text, [least, most, median])
        total = doc.find(r"Self CPU total {t}, self device total {t}\.", caption.end(), caption.end() + 60000)
        case = re.search(r"\n[\w-]+/\S+ · |Kernels\. Every", doc.flat[caption.end():])
        if total and (not case or total[0][0].start() < caption.end() + case.start()):
            checks.add("kernels sum to device total", f"{len(rows)} kernels", whole, total[0][1][1])


def profiler_rows(doc, start):
    """(name, cells) of each row: a cell is a number or None where it has a dash."""
    for at, line in rows_until(doc, start, r"Device events take|Questions that this|Trace health"):
        found = list(CELL.finditer(line))
        tail = re.search(rf"((?:\s+(?:{CELL.pattern}|[\d.]+ [kMGT]?FLOP))+)\s*$", line)
        if tail and line[:1].strip() and len(cells := [m for m in found if m.start() >= tail.start(1)]) >= 10:
            yield line[:cells[-10].start()].strip(), [None if m.group() == "–" else Number(doc, at + m.start(), m.group())
                                                      for m in cells[-10:]]


def profilers(doc, checks):
    """PyTorch's table: shares of the two totals, averages of calls, and the sums where all rows are printed."""
    for caption, (shown, of, cpu, device) in doc.find(
            r"Profiler table\. The {n} largest of {n} rows, as PyTorch's key_averages\(\)\.table\(\) counts them\."
            r" Self CPU total {t}, self device total {t}\."):
        rows = list(profiler_rows(doc, caption.end()))
        checks.row("rows of a profiler table", caption.group()[:40], len(rows) == shown.value, shown.text, len(rows), [shown])
        flops = "FLOPs" in doc.flat[caption.end():doc.flat.index("\n", doc.flat.index("\nName ", caption.end()) + 1)]
        for name, row in rows:
            self_p, self_t, cpu_p, cpu_t, cpu_avg, dev_t, dev_p, dev_total = row[:8]
            average, calls = (None, row[8]) if flops else (row[8], row[9])
            for time, share, total in ((self_t, self_p, cpu), (cpu_t, cpu_p, cpu), (dev_t, dev_p, device)):
                if time and share:
                    checks.add("share of a profiler row", name, quotient(time, total), share, [time])
            for time, mean in ((cpu_t, cpu_avg), (dev_total, average)):
                if time and mean:
                    checks.add("average of a profiler row", name, quotient(time, calls), mean, [time])
            if self_t:
                checks.row("self within total", name, self_t.lo <= cpu_t.hi, f"at least {self_t.text}", cpu_t.text, [cpu_t])
        if len(rows) == of.value:
            host, work = [r[1] for _, r in rows if r[1]], [r[5] for _, r in rows if r[5] and not r[1] and r[6]]
            checks.add("self CPU sums", caption.group()[:40], sum_of(host), cpu)
            if work:
                checks.add("device work sums", caption.group()[:40], sum_of(work), device)
        events = doc.find(r"Device events take {t} in sum and {t} of the window of {t} \({p}\); their union is {t}\.",
                          caption.end(), caption.end() + 12000)
        if events:
            _, (in_sum, busy, window, share, union) = events[0]
            checks.add("device events", "sum", (device.lo, device.hi), in_sum)
            checks.add("device events", "share of the window", quotient(busy, window), share, [window])
            checks.row("device events", "union", union.lo <= in_sum.hi, f"at most {in_sum.text}", union.text, [union])


def bars(doc, checks):
    """A bar's parts are no more than the time in front of it, and all of it where every part is named."""
    pair = re.compile(rf"^(.*\s)host +({TIME})(?=\s|$)([^\n]*)\n+([^\n]*\s)device +({TIME})(?=\s|$)([^\n]*)", re.M)
    for found in pair.finditer(doc.flat):
        for time, rest in ((2, 3), (5, 6)):
            whole, parts = Number(doc, found.start(time), found[time]), numbers_of(doc, found.start(rest), found[rest], TIME)
            if parts:
                low, _ = sum_of(parts)
                checks.row("parts of a bar", found[time - 1].strip(), low <= whole.hi, f"at most {whole.text}", f"{low:.4g}", [*parts, whole])


def prediction_rows(doc, checks):
    """A verdict follows from the two numbers beside it."""
    for at, line in doc.lines():
        if not line.rstrip().endswith(("✓ kept", "✗ broken", "undecided")):
            continue
        found = re.search(rf"\s{{2,}}(≥ |≤ )?({KINDS['d']})(?:–({KINDS['d']}))?(×?)\s{{2,}}({KINDS['n']})(×?)"
                          r"(?: \((\d[\d.]*)–(\d[\d.]*)×\))?(?: \(\w+ \d+\))?\s{2,}(✓ kept|✗ broken|~.*)$", line)
        if not found or bool(found[4]) != bool(found[6]):
            continue
        low, high = float(found[2]), float(found[3] or found[2])
        low, high = (low, float("inf")) if found[1] == "≥ " else (0, high) if found[1] == "≤ " else (low, high)
        seen = Number(doc, at + found.start(5), found[5] + found[6])
        holds = seen.lo <= high and seen.hi >= low
        held = {"✓ kept": holds, "✗ broken": not low < seen.lo < seen.hi < high or not holds}.get(found[9])
        if held is None:  # undecided: a limit lies inside the interval, or less than twice beyond it in one process
            held = not found[7] or any(float(found[7]) / 2 <= limit <= 2 * float(found[8]) for limit in (low, high))
        checks.row("verdict of a prediction", line.strip()[:70], held, found[9], seen.text, [seen])
        if found[7]:
            checks.row("ratio in its interval", line.strip()[:70], float(found[7]) <= seen.hi and seen.lo <= float(found[8]),
                       f"{found[7]} to {found[8]}", seen.text, [seen])


def waves(doc, checks):
    """Waves: the blocks of a grid over all that fit on the device at once."""
    sms = doc.find(r"allow; the device has {n} of them\.")
    if not sms:
        return
    for at, line in doc.lines(sms[0][0].end()):
        found = re.search(r"\s(\d+(?:×\d+)*)\s+(\d+)\s+\d+\s+(?:0|[\d.]+ k?B)\s+(\d+), \w+\s+(?:[\d.]+\s?%)\s+([\d.]+)\s?%\s+"
                          r"([\d.]+)(?=\s|$)", line)
        if "and the counters" in line or line.startswith("What the hardware"):
            break
        if found:
            blocks = 1
            for part in found[1].split("×"):
                blocks *= int(part)
            wave, part = Number(doc, at + found.start(5), found[5]), re.search(r"small grid: ([\d.]+ %)", line)
            checks.add("waves of a kernel", line.strip()[:60], blocks / (int(found[3]) * sms[0][1][0].value), wave)
            if part:
                share = Number(doc, at + part.start(1), part[1])
                checks.add("waves of a kernel", line.strip()[:60], blocks / (int(found[3]) * sms[0][1][0].value), share)
