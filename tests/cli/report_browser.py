# SPDX-License-Identifier: Apache-2.0
"""report_browser.py: what report_browser.sh tries with many.html and hostile.html in this folder; it says what is wrong and ends with 1.
report_browser.py trace TRACE NEW: the trace with kernels of twelve names more, each launched by an operator and waited for, from 1 µs to 2 ms."""
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
    d["traceEvents"] = [e for e in d["traceEvents"] if not e["name"].startswith("ProfilerStep")]
    at = 300
    for i in range(12):
        launch, external, device = 100 + i, 100 + i, 2 ** (i * 7 % 12) + 0.5
        d["traceEvents"] += [
            {"ph": "X", "cat": "cpu_op", "name": f"aten::op_{i * 5 % 12:02}", "pid": 7, "tid": 7, "ts": at, "dur": 20 + i, "args": {"External id": external}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": at + 10, "dur": 7,
             "args": {"correlation": launch, "External id": external}},
            {"ph": "X", "cat": "kernel", "name": f"kernel_{i * 7 % 12:02}", "pid": 0, "tid": 7, "ts": at + 40, "dur": device,
             "args": {"correlation": launch, "stream": 7, "device": 0, "External id": external}},
            {"ph": "X", "cat": "cpu_op", "name": "aten::item", "pid": 7, "tid": 7, "ts": at + 35, "dur": device + 12, "args": {"External id": 200 + i}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 7, "tid": 7, "ts": at + 36, "dur": device + 9,
             "args": {"correlation": 200 + i, "External id": 200 + i}}]
        at += device + 90
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
    b.click(".zoom")
    b.press("ArrowDown", 8)
    quiet(b, "hostile names in the timeline")
    held("a name became an element of the timeline", b.ask("document.querySelectorAll('dialog img, dialog script, dialog [onload]').length") == 0)
    b.press("Escape", 2)
    held("a name became an element", b.ask("document.querySelectorAll('main img, main script, main base, main iframe, main [onload], main style').length") == 0)
    held("the names are not there", b.ask("document.body.innerText.includes('</script><script>alert(1)</script>')"))
    hidden = b.ask(r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)")
    held("what hides text is in it", not hidden)
    policy(b)


RANGE = "(c => [+c.dataset.from, +c.dataset.to])(document.querySelector('dialog canvas'))"
CANVAS = "(r => [r.x, r.y, r.width, r.height])(document.querySelector('dialog canvas').getBoundingClientRect())"
# What is said of the chosen event: {"name", and what stands under each word}.
CHOSEN = """(d => d.querySelector("strong") ? Object.fromEntries([["name", d.querySelector("strong").textContent],
    ...[...d.querySelectorAll("dl > div")].map(p => [p.children[0].textContent, p.children[1].textContent])]) : null)
    (document.querySelector("dialog .details"))"""
IN_NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def ns(text):
    value, unit = text.split("\u00a0")
    return round(float(value) * IN_NS[unit])


def is_event(what, chosen, event, words, origin):
    held(f"{what}: {chosen}, expected {event}", chosen and chosen["name"] == event["name"] and ns(chosen[words["duration"]]) == round(event["dur"] * 1e3)
         and ns(chosen[words["start"]]) == round((event["ts"] - origin) * 1e3))


def keys(b):
    """Each key does to what is seen what it should."""
    left, right = b.ask(RANGE)
    span = right - left
    b.press("w")
    nearer = b.ask(RANGE)
    held(f"W: {nearer}", nearer[0] > left and nearer[1] < right and nearer[1] - nearer[0] < 0.8 * span)
    for back, forth in (("a", "d"), ("ArrowLeft", "ArrowRight")):
        b.press(forth)
        right_of = b.ask(RANGE)
        held(f"{forth}: {right_of}", right_of[0] > nearer[0] and abs(right_of[1] - right_of[0] - nearer[1] + nearer[0]) < 1)
        b.press(back)
        held(f"{back}: {b.ask(RANGE)}", abs(b.ask(RANGE)[0] - nearer[0]) < 1)
    b.press("s")
    held(f"S: {b.ask(RANGE)}", abs(b.ask(RANGE)[1] - b.ask(RANGE)[0] - span) < 1)
    b.press("s", 3)
    whole = b.ask(RANGE)
    b.press("w", 3)
    b.press("f")
    held(f"F without an event: {b.ask(RANGE)}", b.ask(RANGE) == whole)
    x, y, width, height = b.ask(CANVAS)
    b.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + width * .75, y=y + height / 2)
    at = [(lambda r: r[0] + (r[1] - r[0]) * (width * .75 - 150) / (width - 150))(b.ask(RANGE)) for key in "-w" if not b.press(key)]
    held(f"it does not zoom about the pointer: {at}", abs(at[0] - at[1]) < (whole[1] - whole[0]) / 1e6)
    b.press("f")


def pointing(b, events, words, origin):
    """A click on a kernel, wherever its lane is, says what it is."""
    event = max((e for e in events if e.get("cat") == "kernel"), key=lambda e: e["dur"])
    x, y, width, height = b.ask(CANVAS)
    left, right = b.ask(RANGE)
    at = 150 + ((event["ts"] + event["dur"] / 2 - origin) * 1e3 - left) / (right - left) * (width - 150)
    chosen = None
    for down in range(int(height) - 5, 25, -12):
        for kind in ("mousePressed", "mouseReleased"):
            b.call("Input.dispatchMouseEvent", type=kind, x=x + at, y=y + down, button="left", clickCount=1)
        chosen = b.ask(CHOSEN)
        if chosen and chosen["name"].startswith("kernel"):
            break
    is_event("a click", chosen, event, words, origin)


def finding(b, events, words, origin):
    """By name each kernel is found; from it the keys and the ways to its launch lead on."""
    kernels = [e for e in events if e["name"].startswith("kernel_")]
    for kernel in kernels[::5]:
        b.click("dialog input")
        b.ask("document.querySelector('dialog input').select()")
        for c in kernel["name"]:
            b.press(c)
        b.press("Enter")
        is_event("found", b.ask(CHOSEN), kernel, words, origin)
    b.ask("document.querySelector('dialog canvas').focus()")
    b.press(",")
    is_event("comma", b.ask(CHOSEN), kernels[kernels.index(kernel) - 1], words, origin)
    b.press(".")
    is_event("full stop", b.ask(CHOSEN), kernel, words, origin)
    b.press("f")
    left, right = b.ask(RANGE)
    held(f"F: {left} to {right}", kernel["dur"] * 1e3 <= right - left <= kernel["dur"] * 1500)
    b.click("dialog .details button")
    launch = next(e for e in events if e["name"] == "cudaLaunchKernel" and e["args"]["correlation"] == kernel["args"]["correlation"])
    is_event("its launch", b.ask(CHOSEN), launch, words, origin)
    held(f"what it launches: {b.ask(CHOSEN)}", b.ask(CHOSEN).get(words["launches"]) == kernel["name"])
    b.ask("document.querySelector('dialog canvas').focus()")
    b.press("ArrowUp")
    held(f"up from a launch: {b.ask(CHOSEN)}", b.ask(CHOSEN)["name"].startswith("aten::"))
    b.press("ArrowDown")
    is_event("and down", b.ask(CHOSEN), launch, words, origin)


def timeline(b, trace):
    b.open("many.html")
    words = b.ask("JSON.parse(document.getElementById('data').textContent).words")
    events = sorted((e for e in json.load(open(trace))["traceEvents"] if e["ph"] == "X"), key=lambda e: e["ts"])
    b.ask("document.querySelector('.zoom').focus()")
    b.press("Enter")
    held("Enter does not open the drawer", b.ask("document.querySelector('dialog').open"))
    held("the keys do not go to the picture", b.ask("document.activeElement.tagName") == "CANVAS")
    nodes = b.call("Accessibility.getFullAXTree")["nodes"]
    canvas = [n for n in nodes if n.get("role", {}).get("value") == "application"]
    held(f"a screen reader is told {canvas}", len(canvas) == 1 and canvas[0]["name"]["value"] == words["timeline"]
         and canvas[0]["description"]["value"] == words["keys"])
    held("how many events are here is not said", words["whole"].replace("{all}", str(len(events))) in b.ask("document.querySelector('dialog').innerText"))
    origin = events[0]["ts"]
    keys(b)
    pointing(b, events, words, origin)
    finding(b, events, words, origin)
    b.press("Escape")
    held("Escape does not let the event go", b.ask(CHOSEN) is None and b.ask("document.querySelector('dialog').open"))
    b.press("Escape")
    held("Escape does not close the drawer", not b.ask("document.querySelector('dialog').open"))
    held("the keys do not go back to the button", b.ask("document.activeElement.className") == "zoom")
    way(b, events, words, origin)
    quiet(b, "the timeline")


def way(b, events, words, origin):
    """From an action to an event that proves it."""
    b.click("details summary")
    said = b.ask("document.querySelector('[data-event]').textContent")
    start, length = map(int, b.ask("document.querySelector('[data-event]').dataset.event").split(",")[2:])
    b.click("[data-event] button")
    event = next(e for e in events if round((e["ts"] - origin) * 1e3) == start and round(e["dur"] * 1e3) == length)
    held(f"{said!r} is not of {event['name']}", event["name"] in said)
    is_event("the event of an action", b.ask(CHOSEN), event, words, origin)
    b.press("Escape", 2)


def forms(b):
    """Narrow, dark, on paper."""
    b.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
    held("a narrow page rolls sideways", b.ask("document.documentElement.scrollWidth") <= 360)
    ground = "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)"
    b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    held("the dark is not dark", max(b.ask(ground)) < 64)
    b.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    held("paper is not white", min(b.ask(ground)) == 255)
    held("a field on paper", b.ask("[...document.querySelectorAll('input, nav, .zoom')].every(e => !e.offsetHeight)"))


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
    b.call("Emulation.setDeviceMetricsOverride", width=1100, height=900, deviceScaleFactor=1, mobile=False)
    timeline(b, "many.json")
    hostile(b)
    without_script(b)
finally:
    b.close()
print(*wrong, sep="\n")
sys.exit(bool(wrong))
