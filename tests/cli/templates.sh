# SPDX-License-Identifier: Apache-2.0
# The cheatsheet and the definitions of numbers are complete, well-formed and short enough to print.
python3 - "$TRACEBOOK_TOP/templates" <<'END'
import json, pathlib, re, sys

wrong = []


def unique(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        wrong.append(f"a key twice in one object: {keys}")
    return dict(pairs)


def text(where, value, most=None):
    if not isinstance(value, str) or not value or value != value.strip():
        wrong.append(f"{where}: empty, padded or no text: {value!r}")
        return
    if most and len(value) > most:
        wrong.append(f"{where}: {len(value)} characters, at most {most}")
    if re.search(r"[\x00-\x1f]|  |\.\.\.", value):
        wrong.append(f"{where}: control character, double space or three dots: {value!r}")
    # The markup of report/page/rich_text.h: `code` in pairs, nothing that would read as a link.
    if value.count("`") % 2 or value.count("**") % 2 or "](" in value:
        wrong.append(f"{where}: markup that does not close: {value!r}")


def members(where, value, required, optional=()):
    missing = [k for k in required if k not in value]
    unknown = [k for k in value if k not in required and k not in optional]
    if missing or unknown:
        wrong.append(f"{where}: missing {missing}, unknown {unknown}")


def cheatsheet(where, sheet):
    members(where, sheet, ["sections", "sketch", "tree", "formulas", "keys", "verdicts", "names", "glossary"], ["about"])
    ids = []
    for s in sheet["sections"]:
        members(f"{where} {s.get('id')}", s, ["id", "title", "about", "rows"])
        text(f"{where} {s['id']} title", s["title"], 30)
        text(f"{where} {s['id']} about", s["about"], 90)
        for r in s["rows"]:
            members(f"{where} {r.get('id')}", r, ["id", "pattern", "means", "do"], ["here"])
            for key, most in ("pattern", 90), ("means", 130), ("do", 110), ("here", 120):
                if key in r:
                    text(f"{where} {r['id']} {key}", r[key], most)
            if r["id"][0] != s["id"]:
                wrong.append(f"{where}: {r['id']} stands in section {s['id']}")
            ids.append(r["id"])
    all25 = [f"{s}{i + 1}" for s, n in (("T", 5), ("C", 6), ("G", 5), ("D", 4), ("K", 5))
             for i in range(n)]
    if ids != all25:
        wrong.append(f"{where}: rows {ids}, expected {all25}")
    for n in sheet["names"]:
        members(f"{where} names", n, ["family", "example", "parts"], ["seen", "wall"])
        text(f"{where} {n['family']}", n["family"], 40)
        text(f"{where} {n['family']} parts", n["parts"], 240)
        if not n["example"] or "`" in n["example"]:
            wrong.append(f"{where}: example of {n['family']} is no plain name")
    terms = [g["term"] for g in sheet["glossary"]]
    for g in sheet["glossary"]:
        members(f"{where} glossary", g, ["term", "text"], ["never", "wall"])
        text(f"{where} {g['term']}", g["text"], 130)
    for t in ("span lane stream launch kernel correlation self·time total·time step annotation "
              "warm-up queue·delay idle regime fusion").split():
        if terms.count(t.replace("·", " ")) != 1:
            wrong.append(f"{where}: the glossary needs {t.replace('·', ' ')} once")
    if len(terms) != len(set(terms)):
        wrong.append(f"{where}: a term twice")


UNITS = ["none", "ns", "µs", "%", "count", "ratio", "FLOP", "B", "FLOP/B", "GFLOP/s", "GB/s",
         "as the samples"]


def metrics(where, data, same_ids):
    members(where, data, ["metrics"], ["about"])
    ids = [m.get("id", "") for m in data["metrics"]]
    if len(ids) != len(set(ids)):
        wrong.append(f"{where}: an id twice")
    if len(set(m.get("name") for m in data["metrics"])) != len(ids):
        wrong.append(f"{where}: a name twice")
    for m in data["metrics"]:
        at = f"{where} {m.get('id')}"
        members(at, m, ["id", "name", "formula", "unit", "window", "source", "note"], ["needs"])
        if set(m.get("needs", "table").split()) - {"steps", "device", "table", "run", "judged"}:
            wrong.append(f"{at}: what does it need? {m['needs']}")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", m["id"]):
            wrong.append(f"{at}: an id is lower case letters, digits and single hyphens")
        for key, most in (("name", 48), ("formula", 200), ("window", 70), ("source", 110),
                          ("note", 280)):
            text(f"{at} {key}", m[key], most)
        # A sign of ours is a sign, not a letter that looks like it.
        if re.search(r" [-*/] |\d\*\d", re.sub(r"`[^`]*`", "", m["formula"])):
            wrong.append(f"{at}: write − × ÷ in a formula: {m['formula']}")
        if not m["note"].endswith("."):
            wrong.append(f"{at}: a note is made of sentences")
        if where == "en" and m["unit"] not in UNITS:
            wrong.append(f"{at}: unit {m['unit']!r} is none of {UNITS}")
    for wanted in WANTED:
        if wanted not in ids:
            wrong.append(f"{where}: no definition of {wanted}")
    if same_ids and ids != same_ids:
        wrong.append(f"{where}: its ids are not those of en")
    return ids


# What a page of the report quotes; the issue that asks for the report lists them.
WANTED = """step-time step-device-time device-busy device-idle busy-share window self-cpu cpu-total
self-device device-total self-cpu-share cpu-total-share self-device-share calls mean median quantile
spread queue-delay launch-call gap regime-ratio dispatch-time device-use regime first-step-ratio
first-step-excess first-step-causes kernels-per-step launches-per-step gflops bandwidth check-error
recompiles drawn-events mean-median prediction self-cpu-total self-device-total""".split()

top = pathlib.Path(sys.argv[1])
english = None
languages = sorted(p.parent for p in top.glob("*/metrics.json"))
for folder in sorted(languages, key=lambda p: p.name != "en"):
    sheets = {}
    for name in "cheatsheet", "metrics":
        raw = (folder / (name + ".json")).read_bytes().decode("utf-8")
        if "\t" in raw or "\r" in raw or not raw.endswith("}\n"):
            wrong.append(f"{folder.name}/{name}.json: tabs, CRLF or no newline at the end")
        sheets[name] = json.loads(raw, object_pairs_hook=unique)
    cheatsheet(folder.name, sheets["cheatsheet"])
    ids = metrics(folder.name, sheets["metrics"], english)
    english = english or ids
if not english:
    wrong.append("there is no language at all")


# Printed in grey, bars that stand beside each other keep apart, and their words can be read.
def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    dark, light = sorted((linear(a), linear(b)))
    return (light + 0.05) / (dark + 0.05)


theme = json.loads((top / "theme.json").read_text(encoding="utf-8"))
bars, page = theme["bars"], next(v for v in theme.values() if isinstance(v, dict) and "tertiary" in v)
for word, grounds in {"ink": "paper band", "secondary": "paper band", "tertiary": "paper band", "link": "paper band",
                      "kept": "paper kept_ground", "broken": "paper broken_ground", "open": "paper open_ground"}.items():
    for ground in grounds.split():
        if contrast(page[word], page[ground]) < 4.5:
            wrong.append(f"theme.json: {word} on {ground} has too little contrast: {contrast(page[word], page[ground]):.2f}")
lightness = {name: 116 * linear(bar[0]) ** (1 / 3) - 16 for name, bar in bars.items()}
for kinds in ("annotation op compile setup launch sync", "gemm attention embedding fused pointwise norm copy device_other"):
    steps = sorted((lightness[k], k) for k in kinds.split())
    for (low, below), (high, above) in zip(steps, steps[1:]):
        if high - low < 6:
            wrong.append(f"theme.json: {below} and {above} differ by {high - low:.1f} in lightness: the same grey")
for name, (fill, _, label) in bars.items():
    if contrast(fill, label) < 4.5:
        wrong.append(f"theme.json: the words on {name} have too little contrast")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
END
