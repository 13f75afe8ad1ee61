# SPDX-License-Identifier: Apache-2.0
# Names of strangers reach a terminal, and lists and tables on stdout wherever it goes, by their codes only.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - "$TRACEBOOK_BIN" <<'END'
import os, pty, re, shutil, subprocess, sys

report, collect = (sys.argv[1] + "/" + program for program in ("report", "collect"))
evil = "a\x1b[31mred\x1b]0;title\x07\x9b2J\u202eleft\u2066\x7f\x00end \u00e9\u4e2d\U0001f600"
payload = "".join(c if c > "\x7f" else f"\\u{ord(c):04x}" if c < " " or c == "\x7f" else c for c in evil)
with open("t.json", "w") as f:
    f.write('{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"' + payload + '","pid":1,"tid":1,"ts":1,"dur":5}]}')
os.makedirs("d", exist_ok=True)
broken = "d/" + evil.replace("\x00", "") + ".json"
with open(broken, "w") as f:
    f.write("no trace")
obeyed = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def on_terminal(*arguments):
    master, slave = pty.openpty()
    p = subprocess.Popen([report, *arguments], stdout=slave, stderr=slave, stdin=subprocess.DEVNULL)
    os.close(slave)
    seen = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    p.wait()
    return seen.decode()


for arguments in (["--table", "t.json"], ["--dump", "trace", "t.json"], ["--json", "o.json", broken],
                  ["--check", broken], ["--json", "o.json", "--expect", broken, "t.json"], ["--" + evil.replace("\x00", "")]):
    text = on_terminal(*arguments)
    found = obeyed.search(text)
    if found:
        sys.exit(f"{arguments}: {found.group()!r} in {text[:400]!r}")
    if not text.strip():
        sys.exit(f"{arguments}: nothing is said")
table = on_terminal("--table", "t.json")
if "\\x1b[31m" not in table or "\\u202e" not in table or "\u00e9\u4e2d" not in table:
    sys.exit(f"not shown by its codes: {table[:600]!r}")
# A pipe or a file is shown on a terminal by whoever opens it; letters that a write cuts in two stay whole.
with open("matrix.json", "w") as f:
    f.write('{"cases": [{"workload": "square", "batch": 7, "dim": 100, "title": "' + payload.replace("\\u0000", "") + '"}]}')
letters = ["\u00e9\u4e2d\U0001f600" + "x" * (k % 7) for k in range(6000)]
with open("many.json", "w") as f:
    f.write('{"traceEvents":[' + ",".join('{"ph":"X","cat":"cpu_op","name":"' + name + '","pid":1,"tid":1,"ts":1,"dur":5}' for name in letters) + ']}')
for program, arguments in ((report, ["--table", "t.json"]), (report, ["--check", "t.json"]), (report, ["--dump", "trace", "t.json"]),
                           (report, ["--dump", "trace", "many.json"]), (collect, ["--list", "matrix.json"])):
    text = subprocess.run([program, *arguments], capture_output=True).stdout.decode()
    found = obeyed.search(text)
    if found:
        sys.exit(f"{arguments}: {found.group()!r} in {text[:400]!r}")
    if "t.json" in arguments[-1] and "--check" not in arguments and "\\x1b[31m" not in text or "many.json" in arguments and text.count("\u4e2d\U0001f600") < 6000:
        sys.exit(f"{arguments}: names are missing: {text[:400]!r}")
message = subprocess.run([report, "--json", "o.json", broken], capture_output=True).stderr.decode()
if obeyed.search(message):
    sys.exit(f"a message holds what a terminal obeys: {message!r}")
# Nor can a name be taken for a line of ours.
with open("lines.json", "w") as f:
    f.write('{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a\\nFORGED","pid":1,"tid":1,"ts":1,"dur":5}]}')
os.rename("lines.json", "d/l\nFORGED.json")
shutil.copy(os.environ["TRACEBOOK_TOP"] + "/tests/golden/kineto/in/trace.json", "d/g\nFORGED.json")
with open("e.json", "w") as f:
    f.write('{"tracebook_expectations": 1, "traces": [{"trace": "*", "expect": {"kernels": 7}}]}')
with open("matrix.json", "w") as f:
    f.write('{"cases": [{"workload": "square", "batch": 7, "dim": 100, "title": "b\\nFORGED"}]}')
for program, arguments in ((report, ["--table", "d/l\nFORGED.json"]), (report, ["--check", "--expect", "e.json", "d/g\nFORGED.json"]),
                           (collect, ["--list", "matrix.json"])):
    text = subprocess.run([program, *arguments], capture_output=True).stdout.decode()
    if "\nFORGED" in text or "\\x0aFORGED" not in text:
        sys.exit(f"{arguments}: a name makes a line: {text[:400]!r}")
END
