# SPDX-License-Identifier: Apache-2.0
"""report_browser.py: what report_browser.sh tries with many.html and hostile.html in this folder; it says what is wrong and ends with 1.
report_browser.py trace TRACE NEW: the trace with kernels of twelve names more, each launched by an operator, from 1 µs to 2 ms."""
import json
import re
import sys

from browser import Browser

wrong = []
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "%": 1, "": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
# The texts of each row of a table that is seen, group by group.
ROWS = """(n => [...document.querySelectorAll("main table")[n].tBodies].map(body => [...body.rows]
    .filter(row => row.offsetHeight && row.cells[0].tagName === "TD").map(row => [...row.cells].map(c => c.textContent))))"""
# The tables, each by the titles of its columns, which of these are numbers, and how many rows it has.
TABLES = """[...document.querySelectorAll("main table")].map(t => ({n: t.querySelectorAll("tbody tr").length,
    head: [...t.tHead.rows[0].cells].map(c => [c.textContent, c.classList.contains("n")])}))"""


def many_kernels(old, new):
    d = json.load(open(old))
    for i in range(12):
        at, launch, external = 300 + 3000 * i, 100 + i, 100 + i
        d["traceEvents"] += [
            {"ph": "X", "cat": "cpu_op", "name": f"aten::op_{i * 5 % 12:02}", "pid": 7, "tid": 7, "ts": at, "dur": 30 + i, "args": {"External id": external}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": at + 10, "dur": 7,
             "args": {"correlation": launch, "External id": external}},
            {"ph": "X", "cat": "kernel", "name": f"kernel_{i * 7 % 12:02}", "pid": 0, "tid": 7, "ts": at + 40, "dur": 2 ** (i * 7 % 12) + 0.5,
             "args": {"correlation": launch, "stream": 7, "device": 0, "External id": external}}]
    json.dump(d, open(new, "w"))


def held(what, is_so):
    if not is_so:
        wrong.append(what)


def number(text):
    """What a cell is worth, by rules of this test alone; None: it is no number."""
    m = re.match(r"\s*([−-]?\d[\d\u2009\u202f\u00a0]*(?:\.\d+)?)\s*([^\s\d–]*)", text)
    if not m or m[2].rstrip("†") not in UNITS:
        return None
    return float(re.sub(r"[\u2009\u202f\u00a0]", "", m[1]).replace("−", "-")) * UNITS[m[2].rstrip("†")]


def column(b, table, at):
    return [[row[at] for row in group] for group in b.ask(f"{ROWS}({table})")]


def choose(b):
    """A table with a filter and a column of numbers that are not in order yet: (table, column)."""
    for i, table in enumerate(b.ask(TABLES)):
        for k, (title, is_number) in enumerate(table["head"]):
            texts = [t for group in column(b, i, k) for t in group]
            values = [number(t) for t in texts]
            if table["n"] >= 8 and is_number and None not in values and len(set(values)) > 4 and values != sorted(values)[::-1]:
                return i, k
    raise SystemExit("no table to sort")


def sorts(b, table, at):
    head = f"main table[data-tried] thead th:nth-child({at + 1}) button"
    b.ask(f"document.querySelectorAll('main table')[{table}].dataset.tried = 1")
    state = f"document.querySelector({json.dumps(head)}).parentNode.getAttribute('aria-sort')"
    as_written = b.ask(f"{ROWS}({table})")
    for press, wanted in ((lambda: b.click(head), "descending"), (lambda: b.press("Enter"), "ascending"), (lambda: b.press(" "), None)):
        press()
        now = b.ask(f"{ROWS}({table})")
        held(f"sorted {wanted}, said to be {b.ask(state)}", b.ask(state) == wanted)
        held("rows are lost or leave their group", [sorted(g) for g in now] == [sorted(g) for g in as_written])
        for group in column(b, table, at):
            values = [number(t) for t in group]
            held(f"not {wanted}: {group}", wanted is None or values == sorted(values, reverse=wanted == "descending"))
    held("not as it was", now == as_written)


def filters(b, table):
    field = "input[data-tried]"
    b.ask(f"(t => {{ let e = t.parentNode; while (!e.matches('.filter')) e = e.previousElementSibling; e.dataset.tried = 1 }})"
          f"(document.querySelectorAll('main table')[{table}])")
    rows = b.ask(f"{ROWS}({table})")
    wanted = rows[0][2][-1].upper()
    b.click(field)
    for c in wanted:
        b.press(c)
    seen = b.ask(f"{ROWS}({table})")
    held(f"{wanted!r} shows {seen}", seen == [[r for r in g if wanted.lower() in "".join(r).lower()] for g in rows])
    held("the filter leaves out nothing", seen != rows)
    for c in "~none~":
        b.press(c)
    held("rows for what is nowhere", not any(b.ask(f"{ROWS}({table})")))
    held("nothing is said where no row is left", b.ask("document.querySelector('output:not(:empty)') !== null"))
    b.press("Escape")
    held("Escape does not bring the rows back", b.ask(f"{ROWS}({table})") == rows)


def by_keyboard(b, table):
    """From the field the next stop is the first head of its table."""
    b.press("Tab")
    held("no way from the filter to the table", b.ask("document.activeElement.closest('table') !== null || document.activeElement.matches('.scroll')"))


def quiet(b, what):
    b.ask("new Promise(done => setTimeout(done, 50))")
    held(f"{what}: {b.complaints()[:3]}", not b.complaints())


def policy(b):
    """What a hole would try: nothing of it runs, nothing is asked for, and each try is told."""
    b.ask("""(() => {
        const put = (name, attributes) => document.body.append(Object.assign(document.createElement(name), attributes));
        put("script", {textContent: "window.live = 1"});
        put("style", {textContent: "body{display:none}"});
        put("script", {src: "http://127.0.0.1:9/x.js"});
        put("img", {src: "http://127.0.0.1:9/x.png"});
        put("iframe", {src: "http://127.0.0.1:9/x.html"});
        document.body.insertAdjacentHTML("beforeend", "<b onclick='window.live = 2' id=bait>x</b>");
        document.getElementById("bait").click(); })()""")
    b.ask("fetch('http://127.0.0.1:9/').catch(() => 0)")
    held("the policy lets a script in", b.ask("window.live") is None)
    held("the policy lets a style in", b.ask("getComputedStyle(document.body).display") == "block")
    told = [t for t in b.complaints() if "Content Security Policy" in t]
    held(f"only {len(told)} of 7 tries are told: {told}", len(told) >= 7)


def hostile(b):
    b.open("hostile.html")
    quiet(b, "hostile names")
    held("a name became an element", b.ask("document.querySelectorAll('main img, main script, main base, main iframe, main [onload], main style').length") == 0)
    held("the names are not there", b.ask("document.body.innerText.includes('</script><script>alert(1)</script>')"))
    hidden = b.ask(r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)")
    held("what hides text is in it", not hidden)
    policy(b)


def forms(b):
    """Narrow, dark, on paper."""
    b.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
    held("a narrow page rolls sideways", b.ask("document.documentElement.scrollWidth") <= 360)
    ground = "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)"
    b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    held("the dark is not dark", max(b.ask(ground)) < 64)
    b.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    held("paper is not white", min(b.ask(ground)) == 255)
    held("a field on paper", b.ask("[...document.querySelectorAll('input, nav')].every(e => !e.offsetHeight)"))


def without_script(b):
    b.call("Emulation.setScriptExecutionDisabled", value=True)
    b.open("many.html")
    text = b.call("DOMSnapshot.captureSnapshot", computedStyles=[])
    shown = [text["strings"][i] for i in text["documents"][0]["layout"]["text"] if i >= 0]
    held("without a script there is little to read", len("".join(shown)) > 5000)
    held("a button that does nothing", "BUTTON" not in text["strings"] and "INPUT" not in text["strings"])


if len(sys.argv) > 1:
    many_kernels(*sys.argv[2:])
    sys.exit()
b = Browser()
try:
    b.open("many.html")
    quiet(b, "the page")
    table, at = choose(b)
    sorts(b, table, at)
    filters(b, table)
    by_keyboard(b, table)
    quiet(b, "sorting and filtering")
    forms(b)
    b.call("Emulation.setEmulatedMedia", media="", features=[])
    hostile(b)
    without_script(b)
finally:
    b.close()
print(*wrong, sep="\n")
sys.exit(bool(wrong))
