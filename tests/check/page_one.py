#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is page one true? page_one.py REPORT TRACE...

Prints each trace with REPORT (the program), reads what a reader sees (the PDF's first page, by pdftotext) and --json, and
computes the same numbers once more from the trace's own events, with none of the project's code: the file read by Python's
json, times as whole nanoseconds, unions of intervals, launches joined by correlation. It looks at

  the file     counts of events, kernels, device events without a launch, and who launches
  the window   whose bounds it is: a step's (ProfilerStep, or rounds of a range or an optimizer) or the whole's
  the parts    computing, communication, copies and idle time of that window, by precedence; that all parts sum to it
  page_host    spans' self time, repairs, memory, collectives, an operator's limit
  a CPU alone  operators' own time in the step, for how much of it one was open, on how many threads; the profiler table
  page one     headline's share, the bar's labels, gains with their ratio and bound, pictures' titles, what the device waited
               for, calls and collectives that sentences speak of. Estimates are held to their bounds: what the recorder costs,
               how many events a picture draws, how the time of late launches is shared out

  actions      each number of their sentences, and each of their values, on page one or not (evidence.py)

Left to its word, as listed behind the mismatches: names, places of a picture, what an operator's class is.

Says nothing of what agrees. A line for each number that does not, then what page one prints that cannot be computed again
from events, by sentence; status 1 where anything disagreed. A file that Python's json refuses is counted and left out.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

import page_host
from evidence import Evidence
from page_text import BAR, LIMITS, NUMBER, REST, TIME, Page, percent_of, printed, printed_words, stands_for
from trace_events import CALLS, COLLECTIVE, Trace, length, parts_between, profiler_steps, ranges, union, whole_ns


class Check:
    def __init__(self, trace, case, page):
        self.t, self.case, self.page, self.wrong, self.compared = trace, case, page, [], 0
        self.left = collections.Counter()  # values of actions that nothing was computed for

    def equal(self, what, ours, theirs):
        self.compared += 1
        if ours != theirs:
            self.wrong.append(f"{what}: printed {theirs}, the events give {ours}")

    def holds(self, what, true, said, ours):
        self.compared += 1
        if not true:
            self.wrong.append(f"{what}: printed {said}, the events give {ours}")

    # -- JSON against the events --

    def window(self):
        w = self.case["window"]
        self.parts = {p["part"]: p["ns"] for p in w["parts"]}
        self.equal("parts of the window sum to it", w["ns"] if self.t.device else 0, sum(self.parts.values()))
        if not w["ns"] or not self.t.device:
            return
        # The report counts from origin_ns, which is absolute; the rows here from the file's own base.
        self.start = self.case["origin_ns"] - self.t.base_ns + whole_ns(Decimal(repr(w["start_us"])))
        mine = parts_between(self.t, self.start, self.start + w["ns"])
        said = collections.Counter()
        for part, ns in self.parts.items():
            said[part.split(".")[0]] += ns
        for key in ("computing", "communication", "copies", "idle"):
            self.equal(f"{key} of the window", mine[key], said[key])
        if w.get("steps_by") == "profiler" and w.get("steps"):
            mine = profiler_steps(self.t)
            bounds = {(a, b - a) for _, a, b in mine}
            self.holds("the window is a step of the profiler's", (self.start, w["ns"]) in bounds,
                       f"{self.start}+{w['ns']}", sorted(bounds)[:4])

    def numbers(self):
        n = self.case["numbers"]
        if n.get("window_ns"):
            self.equal("busy and idle of the window", n["window_ns"], n["busy_ns"] + n["idle_ns"])

    # -- page one --

    def headline(self):
        w = self.case["window"]
        share = w.get("headline_share")
        for m in self.page.all(rf"(?:Limited by|largest part of)[^.:]*(?:\.[a-z][^.:]*)*: ({NUMBER}) % of the (?:median )?(?:step|window) of {TIME}|"
                               rf"The largest part of the (?:median )?(?:step|window) of {TIME}(?: \([^)]*\))? is [^:]*: ({NUMBER}) %"):
            pct = m.group(1) or m.group(6)
            text, unit = (m.group(2), m.group(3)) if m.group(1) else (m.group(4), m.group(5))
            self.holds("headline's window", stands_for(text, unit, w["ns"]), f"{text} {unit}", w["ns"])
            named = max(map(self.sum_of, LIMITS[self.case["largest"]]))
            largest = max(self.sum_of(group) for groups in LIMITS.values() for group in groups)
            self.holds("headline's share", percent_of(pct, named, w["ns"]), f"{pct} %", share)
            self.holds("the headline is the largest part", named == largest, self.case["largest"], largest)

    def because(self):
        w = self.case["window"]
        for m in self.page.all(rf"The device waits because .{{1,500}}?: ({NUMBER}) % of the (?:median )?(?:step|window) of {TIME}"
                               rf"(?: \([^)]*\))?\.(?: In all ({NUMBER}) % of it goes to)?"):
            self.holds("headline's window", stands_for(m.group(2), m.group(3), w["ns"]), m.group(0), w["ns"])
            blame = self.case["blame"]
            sums = [s["window_ns"] for s in blame["silences"]] + [c["window_ns"] for c in blame["causes"]]
            for kind in ("compiler", "computing"):
                sums.append(sum(s["window_ns"] for s in blame["silences"] if s["kind"] == kind))
            # A cause that reaches into other parts counts as far as the part that the headline names.
            part = w["headline_share"] * w["ns"]
            self.holds("what the device waits for", any(percent_of(m.group(1), min(ns, part), w["ns"]) for ns in sums), m.group(1), sums)
            largest = max(self.sum_of(group) for groups in LIMITS.values() for group in groups)
            named = max(map(self.sum_of, LIMITS[self.case["largest"]]))
            self.holds("the headline is the largest part", named == largest, self.case["largest"], largest)
            if m.group(4):
                self.holds("headline's share", percent_of(m.group(4), named, w["ns"]), f"{m.group(4)} %", named)

    def estimated(self):
        """The headline of a step without the recorder: its parts sum to its length, and work takes what it took."""
        w, mine = self.case["window"], self.case["unrecorded"]
        for m in self.page.all(rf"about ({NUMBER}) % of the {TIME} that it takes without the profiler, by estimate\. Recording hides that: the largest "
                               rf"part of the (?:median )?(?:step|window) of {TIME}[^:]*?, as recorded, is [^:]*: ({NUMBER}) %"):
            parts = {p["part"]: p["ns"] for p in mine["parts"]}
            named = max(sum(ns for p, ns in parts.items() if p.startswith(group)) for group in LIMITS[self.case["largest"]])
            self.holds("the estimate's length", stands_for(m.group(2), m.group(3), mine["ns"]) and mine["ns"] <= w["ns"], m.group(0), mine["ns"])
            self.holds("the estimate's parts", sum(parts.values()) == mine["ns"], "their sum", mine["ns"])
            self.holds("the estimate's headline", percent_of(m.group(1), named, mine["ns"]), m.group(0), mine["ns"])
            self.holds("the recorded window", stands_for(m.group(4), m.group(5), w["ns"]), m.group(0), w["ns"])
            self.holds("the recorded headline", percent_of(m.group(6), max(map(self.sum_of, LIMITS[self.case["recorded_headline"]])), w["ns"]),
                       m.group(0), w["ns"])

        for m in self.page.all(rf"of the {TIME} that it takes without the profiler, by estimate, the largest part is [^:.]*?(?::|, about) ({NUMBER}) %\. Recording hides that: "
                               rf"the largest part of the (?:median )?(?:step|window) of {TIME}[^:]*?, as recorded, is [^:]*: ({NUMBER}) %"):
            parts = {p["part"]: p["ns"] for p in mine["parts"]}
            largest = max(sum(ns for p, ns in parts.items() if p.startswith(group)) for groups in LIMITS.values() for group in groups)
            self.holds("the estimate's largest part", stands_for(m.group(1), m.group(2), mine["ns"]) and percent_of(m.group(3), largest, mine["ns"]) and
                       2 * largest < mine["ns"], m.group(0), (largest, mine["ns"]))
            self.holds("the recorded headline", stands_for(m.group(4), m.group(5), w["ns"]) and
                       percent_of(m.group(6), max(map(self.sum_of, LIMITS[self.case["recorded_headline"]])), w["ns"]), m.group(0), w["ns"])

    def machine(self):
        """Versions in the line under the title are those of the file's head: 12090 stands for 12.9, AMD's 60443483 for 6.4.43483."""
        for m in self.page.all(r"(?:driver for|runtime) (\d+)(?:\.(\d+))?(?:\.(\d+))?\b"):
            major, minor, patch = (int(g or 0) for g in m.groups())
            known = [m.group().split()[-1], str(major * 10 ** 7 + minor * 10 ** 5 + patch if m.group(3) else major * 1000 + minor * 10)]
            self.holds("a version", any(re.search(rf"\b{re.escape(k)}", self.t.head) for k in known), m.group(0), known)

    def sum_of(self, group):
        return sum(ns for part, ns in self.parts.items() if part.startswith(group))

    def bar(self):
        w = self.case["window"]
        names = "|".join(re.escape(n) for n in sorted(BAR, key=len, reverse=True))
        for m in self.page.all(rf"({names}) {TIME}, ({NUMBER}) %"):
            ns = sum(self.parts.get(p, 0) for p in BAR[m.group(1)])
            self.holds(f"bar: {m.group(1)}", stands_for(m.group(2), m.group(3), ns) and percent_of(m.group(4), ns, w["ns"]),
                       m.group(0), ns)

    def rest(self):
        w = self.case["window"]
        names = "|".join(re.escape(n) for n in sorted(REST, key=len, reverse=True))
        for m in self.page.all(rf"(?<=The rest: )(?:(?:{names}) {NUMBER} %(?:, )?)+"):
            for name, pct in re.findall(rf"({names}) ({NUMBER}) %", m.group(0)):
                ns = self.sum_of(REST[name])
                self.holds(f"the rest: {name}", percent_of(pct, ns, w["ns"]), f"{pct} %", ns)

    def gains(self):
        actions, window = self.case["actions"], self.case["recorder"]["window_ns"]  # without the recorder, as gains are
        found = self.page.all(rf"up to −({NUMBER[2:]}) (ns|µs|ms|s)\b(?: a step| of the {TIME} recorded)?(?: \(({NUMBER})×\))?")
        for i, m in enumerate(found[:len(actions)]):
            a = actions[i]
            gain = a["once_ns"] or a["gain_ns"]
            self.holds(f"gain {a['id']}", stands_for(m.group(1), m.group(2), gain), m.group(0), gain)
            if m.group(3):  # of the recording: no more than that, and no ratio to a step
                whole = self.case["whole"]["ns"]
                self.holds(f"gain {a['id']} of the recording", stands_for(m.group(3), m.group(4), whole) and
                           0 < gain <= whole and not m.group(5), m.group(0), whole)
            if m.group(5):
                self.holds(f"gain {a['id']} within the window", 0 < a["gain_ns"] <= window, m.group(0), window)
                self.times(f"ratio {a['id']}", m.group(5), a["gain_ns"], m.group(0))
        for m in self.page.all(rf"these actions save {TIME} at most(?: \(({NUMBER})×\))?"):
            these = [a for a in actions if a["joined_ns"]]  # those on the page: others may stand behind what causes them
            joined = max(a["joined_ns"] for a in these)
            self.holds("gain together", stands_for(m.group(1), m.group(2), joined) and joined <= window, m.group(0), joined)
            self.holds("gain together exceeds each", all(joined >= a["gain_ns"] for a in these), m.group(0), joined)
            if m.group(3):
                self.times("ratio together", m.group(3), joined, m.group(0))

    def evidence(self):
        """What actions quote, page one's and all others; their words on the page are those of --json."""
        of = Evidence(self.t, self.case, self.start, self.holds)
        for a in self.case["actions"]:
            of.check(a)
            self.page.told(a["name"] + ":")
            self.page.told(a["sentence"])
            self.page.told(a["switch"])
        for a in self.case["leave"]:
            of.sentence(a)
            self.page.told(a["sentence"])
        for name, n in of.left.items():
            self.left[name] += n

    def times(self, what, text, gain, words):
        window = self.case["recorder"]["window_ns"]
        ratio = Decimal(window) / (window - gain) if window > gain else Decimal("Infinity")
        half = Decimal(10) ** -(len(text.split(".")[1]) if "." in text else 0) / 2
        self.holds(what, abs(Decimal(text) - ratio) <= half + Decimal("0.001"), words, ratio)

    def counts(self):
        t = self.t
        for m in self.page.all(rf"({NUMBER}) events and ({NUMBER}) kernels?\b"):
            if t.events is not None:
                self.equal("events", t.events, int(m.group(1).replace(" ", "")))
            self.equal("kernels", len(t.kernels), int(m.group(2).replace(" ", "")))
        for m in self.page.all(rf"({NUMBER}) device events have no launch"):
            mine = sum(t.launch(e) is None for e in t.device)
            self.equal("device events without a launch", mine, int(m.group(1).replace(" ", "")))
        for m in self.page.all(rf"Of the ({NUMBER}) kernels, copies and fills, ({NUMBER}) (?:are|is) launched by thread (\w+)"):
            by = collections.Counter(t.thread(c) for c in map(t.launch, t.device) if c is not None)
            self.equal("kernels, copies and fills", len(t.device), int(m.group(1).replace(" ", "")))
            self.equal(f"launched by {m.group(3)}", by[m.group(3)], int(m.group(2).replace(" ", "")))
        for m in self.page.all(r"All work of the device is launched by thread (\w+)"):
            by = {t.thread(c) for c in map(t.launch, t.device) if c is not None}
            self.equal("one thread launches", {m.group(1)}, by)

    def kernel_rows(self):
        """Each row of the table of kernels, by its numbers alone: some name of the file has them."""
        groups, total = collections.defaultdict(list), sum(e.end - e.start for e in self.t.device)
        for e in self.t.device:
            groups[e.name].append(e.end - e.start)
        known = collections.defaultdict(list)
        for name, ns in groups.items():
            known[len(ns)].append((name, sorted(ns)))
        row = rf"({NUMBER}) {TIME} {TIME}(?: †)? {TIME} – {TIME} (?:−?{NUMBER} (?:ns|µs|ms|s)|–) ({NUMBER}) %"
        for m in self.page.all(row):
            g = m.groups()
            # Digits of the grid may stand in front of the calls: 1 5 is five calls, 1 024 is as many.
            digits = g[0].split()
            rows = [row for i in range(len(digits)) for row in known.get(int("".join(digits[i:])), ())]
            self.holds("row of a kernel", any(self.row_of(ns, g, total) for _, ns in rows), m.group(0), len(rows))

    @staticmethod
    def row_of(ns, g, total):
        n = len(ns)
        cut = 0.05 * (n - 1) if n >= 20 else 0
        low, high = (ns[int(cut)], ns[min(n - 1, int(cut) + 1)]), (ns[n - 1 - min(n - 1, int(cut) + 1)], ns[n - 1 - int(cut)])
        if n < 20:
            low, high = (ns[0], ns[0]), (ns[-1], ns[-1])
        near = [printed(g[i], g[i + 1]) for i in (1, 3, 5, 7)]
        middle = Decimal(ns[(n - 1) // 2] + ns[n // 2]) / 2
        mean = Decimal(sum(ns)) / n
        return near[0][0] - 1 <= middle <= near[0][1] + 1 and near[1][0] - 1 <= mean <= near[1][1] + 1 \
            and low[0] <= near[2][1] + 1 and low[1] >= near[2][0] - 1 and high[0] <= near[3][1] + 1 \
            and high[1] >= near[3][0] - 1 and percent_of(g[9], sum(ns), total)

    def shares(self):
        """A time and its share of the window, where a sentence has both."""
        w = self.case["window"]
        for m in list(self.page.all(rf"{TIME}, ({NUMBER}) % of the time")) + list(self.page.all(rf"waits {TIME} \(({NUMBER}) %\)")):
            low, high = printed(m.group(1), m.group(2))
            digits = m.group(3)
            half = Decimal(10) ** -(len(digits.split(".")[1]) if "." in digits else 0) / 2
            low, high = 100 * low / w["ns"] - half, 100 * high / w["ns"] + half
            self.holds("share of the window", low <= Decimal(digits) <= high, m.group(0), f"{low:.2f} to {high:.2f} %")
        computing = sum(ns for part, ns in self.parts.items() if part.startswith("computing."))
        for m in self.page.all(rf"all computing takes {TIME}"):
            self.holds("all computing", stands_for(m.group(1), m.group(2), computing), m.group(0), computing)
        names = len({e.name for e in self.t.device})
        for m in self.page.all(rf"The \d+ largest of ({NUMBER}) distinct kernels, copies and fills"):
            self.equal("distinct kernels, copies and fills", names, int(m.group(1).replace(" ", "")))

    # -- a CPU alone --

    def cpu(self):
        w = self.case.get("cpu_work")
        if not w:
            return
        start = self.case["origin_ns"] - self.t.base_ns + whole_ns(Decimal(repr(w["start_us"])))
        end, own, spans, threads = start + w["ns"], collections.Counter(), [], set()
        for e, ns in self.t.own_times():
            a, b = max(e.start, start), min(e.end, end)
            if e.kind not in {"cpu_op", "operator"} or b <= a or re.match(r"ProfilerStep#|Optimizer\.", e.name):
                continue
            if b - a < e.end - e.start:
                ns = ns * (b - a) // (e.end - e.start)
            own[e.name] += ns
            spans.append((a, b))
            threads.add((e.pid, e.tid))
        total = sum(own.values())
        near = lambda x, y: abs(x - y) <= 0.001 * max(x, y) + len(spans)
        self.holds("own time of operators", near(total, w["own_ns"]), w["own_ns"], total)
        self.equal("an operator was open", length(union(spans)), w["within_ns"])
        self.equal("threads with operators", len(threads), w["threads"])
        for m in w["most"]:
            self.holds(f"own time of {m['name']}", near(own[m["name"]], m["own_ns"]), m["own_ns"], own[m["name"]])
        for m in self.page.all(rf"takes most: ({NUMBER}) % of the operators’ own time in the (?:median )?(?:step|window) of {TIME}"
                               rf"(?: \([^)]*\))?(, then [^%]* {NUMBER} %(?:, [^%]* {NUMBER} %)?)?"):
            self.holds("the largest own time", percent_of(m.group(1), w["most"][0]["own_ns"], w["own_ns"]), m.group(0), w["most"])
            self.holds("window of the own time", stands_for(m.group(2), m.group(3), w["ns"]), m.group(0), w["ns"])
            for pct, of in zip(re.findall(r"(\d+(?:\.\d+)?) %", m.group(4) or ""), w["most"][1:]):
                self.holds(f"own time of {of['name']}", percent_of(pct, of["own_ns"], w["own_ns"]), pct, of)
        for m in self.page.all(rf"An operator was open for ({NUMBER}) % of that time, on ({NUMBER}) threads?"):
            self.holds("an operator was open", percent_of(m.group(1), w["within_ns"], w["ns"]), m.group(0), w["within_ns"])
            self.equal("threads with operators", w["threads"], int(m.group(2)))
        for m in self.page.all(rf"changes of layout take ({NUMBER}) % of the operators’ own time"):
            self.holds("copies, casts, layouts", percent_of(m.group(1), w["moving_ns"], w["own_ns"]), m.group(0), w["moving_ns"])

    def table_rows(self):
        """Rows of the profiler table by their numbers: some name of the file has them."""
        host = self.page.all(rf"Self CPU total {TIME}\.")
        rows = list(self.page.all(rf"({NUMBER}) % {TIME} ({NUMBER}) % {TIME} {TIME} ({NUMBER})(?= |$)"))
        if not host or not rows:
            return
        own, total, calls = collections.Counter(), collections.defaultdict(list), collections.Counter()
        for e, ns in self.t.own_times():
            if e.kind not in {"cpu_op", "operator", "user_annotation"} | CALLS:
                continue
            name = "ProfilerStep*" if e.name.startswith("ProfilerStep#") else e.name
            own[name] += ns
            calls[name] += 1
            total[name].append(e.end - e.start)
        known = collections.defaultdict(list)
        for name, n in calls.items():
            known[n].append((own[name], sum(total[name])))
        for m in rows:
            digits = m.group(9).split(".")[0].split()
            n = [int("".join(digits[:i + 1])) for i in range(len(digits))]
            fits = any(stands_for(m.group(5), m.group(6), whole) and stands_for(m.group(2), m.group(3), self_ns)
                       for k in n for self_ns, whole in known.get(k, ()))
            self.holds("row of the profiler table", fits, m.group(0), [known.get(k) for k in n])

    # -- what sentences say --

    def sentences(self):
        w, whole = self.case["window"], self.case["whole"]
        if not self.t.device:
            return
        start = self.case["origin_ns"] - self.t.base_ns + whole_ns(Decimal(repr(whole["start_us"])))
        idle = parts_between(self.t, start, start + whole["ns"])["idle"]
        for m in self.page.all(rf"(?:the device|it) waited (?:so )?({NUMBER}) times?,? for {TIME} in all \(({NUMBER}) %\)"):
            low = printed(m.group(2), m.group(3))[0]
            self.holds("waited, of the idle time", low <= idle + 1, m.group(0), idle)
            half = Decimal(10) ** -(len(m.group(4).split(".")[1]) if "." in m.group(4) else 0) / 2
            ends = [100 * x / whole["ns"] for x in printed(m.group(2), m.group(3))]
            self.holds("waited, its share", ends[0] - half <= Decimal(m.group(4)) <= ends[1] + half, m.group(0), ends)
        for m in self.page.all(rf"The host is late with ({NUMBER}) launch(?:es)?, by {TIME} each on average\. "
                               rf"Its time goes to: ((?:[^%.]* {NUMBER} %,? ?)+)"):
            n = int(m.group(1).replace(" ", ""))
            low = n * printed(m.group(2), m.group(3))[0]
            self.holds("late, of the idle time", low <= idle + 1, m.group(0), idle)
            shares = [Decimal(x) for x in re.findall(rf"({NUMBER}) %", m.group(4))]
            self.holds("shares of what was late", abs(sum(shares) - 100) <= Decimal("0.1") * (len(shares) + 1) or sum(shares) < 100,
                       m.group(4), sum(shares))
        inside = [e for e in self.t.kernels if COLLECTIVE.search(e.name)]
        for m in self.page.all(rf"({NUMBER}) collectives? takes? {TIME}; {TIME} of it"):
            n, exposed = int(m.group(1).replace(" ", "")), self.sum_of(("communication",))
            self.holds("collectives", 0 < n <= len(inside) and printed(m.group(2), m.group(3))[0] <= length([(e.start, e.end) for e in inside]),
                       m.group(0), len(inside))
            self.holds("collectives that are not hidden", printed(m.group(4), m.group(5))[0] <= exposed, m.group(0), exposed)
        for m in self.page.all(rf"There are ({NUMBER}) launches, and ({NUMBER}) of ({NUMBER}) kernels and copies are shorter than their launch"):
            n = [int(x.replace(" ", "")) for x in m.groups()]
            self.holds("shorter than their launch", n[1] <= n[2] <= len(self.t.device) and n[0] <= len(self.t.call_of), m.group(0), n)
        for m in self.page.all(rf"The last (\w+) took {TIME}"):
            fits = any(e.name == m.group(1) and stands_for(m.group(2), m.group(3), e.end - e.start) for e in self.t.rows)
            self.holds("the last call", fits, m.group(0), "no such call")
        for m in self.page.all(rf"without it, expect about {TIME} (a step|in all)"):
            most = w["ns"] if m.group(3) == "a step" else whole["ns"]
            self.holds("without the recorder", printed(m.group(1), m.group(2))[0] <= most, m.group(0), most)

    def step(self):
        """Which step it is, and how many there are of its kind."""
        w = self.case["window"]
        for m in self.page.all(rf"This is the step that the first sentence and the bar are about: {TIME} until the next one begins"):
            self.holds("the step in the picture", stands_for(m.group(1), m.group(2), w["ns"]), m.group(0), w["ns"])
        for m in self.page.all(rf"({NUMBER}) were found(?:, which run from the (?:start|end) of one| by their kernels)"):
            n = int(m.group(1).replace(" ", ""))
            named = sum(e.name == w["range"] or w["range"].endswith("#") and e.name.startswith(w["range"]) for e in self.t.rows)
            self.holds("steps that were found", n == w["steps"] and (n <= named or not named), m.group(0), (w["steps"], named))
        for m in self.page.all(rf"The (\d+) largest of ({NUMBER}) rows, as PyTorch"):
            names = len({e.name for e in self.t.rows})
            self.holds("rows of the table", int(m.group(1)) <= int(m.group(2).replace(" ", "")) <= 2 * names, m.group(0), names)

    def works_at(self):
        """What the device works at: a share of its busy time, and that time."""
        busy = length(union([(max(e.start, self.start), min(e.end, self.start + self.case["window"]["ns"])) for e in self.t.device]))
        for m in self.page.all(rf"Of the time that the device works, ({NUMBER}) % \({TIME}\) goes to"):
            ns = [x / Decimal(busy) * 100 for x in printed(m.group(2), m.group(3))] if busy else [0, 0]
            half = Decimal(10) ** -(len(m.group(1).split(".")[1]) if "." in m.group(1) else 0) / 2
            self.holds("of the time that the device works", ns[0] - half <= Decimal(m.group(1)) <= ns[1] + half, m.group(0), busy)
        corr = {e.args.get("correlation") for e in self.t.device}
        for m in self.page.all(rf"The work of ({NUMBER}) of ({NUMBER}) launches is not in the file"):
            lost, of = (int(m.group(i).replace(" ", "")) for i in (1, 2))
            none = sum(k not in corr for k in self.t.call_of)
            self.holds("launches without work", lost <= none and of <= len(self.t.call_of), m.group(0), (none, len(self.t.call_of)))

    def longest_operator(self):
        """A name whose calls took so long in all, and a child that took as long as is said."""
        sums = collections.Counter()
        for e in self.t.rows:
            sums[e.name] += e.end - e.start
        known = sorted(sums.values())
        near = lambda text, unit: any(stands_for(text, unit, ns) for ns in known)
        own = collections.Counter()
        for m in self.page.all(rf"took {TIME} in ({NUMBER}) outermost calls?, but only {TIME} of it is self time"):
            self.holds("outermost calls", near(m.group(1), m.group(2)) or bool(known) and printed(m.group(1), m.group(2))[0] <= known[-1], m.group(0), "no such sum")
            for every in (False, True) if not own else ():
                for e, ns in self.t.own_times(every):
                    own[every, e.name] += ns
            self.holds("self time", any(stands_for(m.group(4), m.group(5), ns) for ns in own.values()), m.group(0), "no such self time")
        for m in self.page.all(rf"was called ({NUMBER}) times for {TIME} of self time each"):
            n = int(m.group(1).replace(" ", ""))
            self.holds("calls of a name", n in collections.Counter(e.name for e in self.t.rows).values(), m.group(0), "no such count")

    def drawn(self):
        for m in self.page.all(rf"({NUMBER}) of ({NUMBER}) events? drawn(?:; ({NUMBER}) events? stands? in rows)?"):
            n = [int((x or "0").replace(" ", "")) for x in m.groups()]
            self.holds("events drawn", n[0] + n[2] <= n[1] and (self.t.events is None or n[1] <= self.t.events), m.group(0), self.t.events)

    def pictures(self):
        steps = {n: (a, b) for n, a, b in profiler_steps(self.t)}
        hosts = {}
        for e in ranges(self.t):
            m = re.fullmatch(r"ProfilerStep#(\d+)", e.name)
            if m:
                hosts.setdefault(int(m.group(1)), e)
        for m in self.page.all(rf"Step (\d+) {TIME} · device {TIME}"):
            n = int(m.group(1))
            if n not in steps:
                continue
            known = (steps[n][1] - steps[n][0], hosts[n].end - hosts[n].start)
            self.holds(f"picture of step {n}", any(stands_for(m.group(2), m.group(3), ns) for ns in known),
                       m.group(0), known)

    def run(self):
        self.window()
        if self.case["window"]["ns"] and self.t.device:
            self.evidence()
        self.numbers()
        self.machine()
        self.cpu()
        self.table_rows()
        self.sentences()
        self.drawn()
        self.longest_operator()
        self.step()
        if self.case["window"]["ns"] and self.t.device:
            self.headline()
            self.estimated()
            self.because()
            self.bar()
            self.rest()
            self.gains()
            self.shares()
            self.works_at()
        self.kernel_rows()
        self.counts()
        self.pictures()
        page_host.all(self)
        return self


def main():
    report, paths = sys.argv[1], sys.argv[2:]
    if not paths:
        sys.exit(__doc__)
    compared = wrong = refused = 0
    left = collections.Counter()
    for path in paths:
        name = os.path.basename(path)
        with tempfile.TemporaryDirectory() as d:
            pdf, out = os.path.join(d, "p.pdf"), os.path.join(d, "p.json")
            made = subprocess.run([report, "-o", pdf, "--json", out, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if made.returncode or not os.path.exists(out):
                refused += 1
                continue
            try:
                trace = Trace(path)
            except (ValueError, OSError, EOFError, AttributeError):
                refused += 1
                continue
            text, large = printed_words(pdf)
            case = json.load(open(out))["runs"][0]["cases"][0]
            check = Check(trace, case, Page(text, large))
            check.run()
        compared += check.compared
        wrong += len(check.wrong)
        for line in check.wrong:
            print(f"{name}: {line}")
        left += check.left
        for m in re.finditer(r"[^.¦]*\d[^.¦]*", check.page.unread(trace, name)):
            if not re.search(r"(?<![\w:])[a-z]{3}", m.group(0)):
                continue
            left[re.sub(r"\d[\d  .]*", "#", m.group(0).strip())[:90]] += 1
    for sentence, n in left.most_common():
        print(f"not computed again, {n} times: {sentence}")
    print(f"{len(paths)} files, {refused} left out, {compared} numbers, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
