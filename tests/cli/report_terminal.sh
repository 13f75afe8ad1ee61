# SPDX-License-Identifier: Apache-2.0
# Names of strangers reach a terminal by their codes only, and files as they are.
. "$TRACEBOOK_TOP/tests/cli/functions"
python3 - "$TRACEBOOK_BIN/report" <<'END'
import os, pty, re, subprocess, sys

report = sys.argv[1]
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
exact = subprocess.run([report, "--table", "t.json"], capture_output=True).stdout.decode()
if "\u202e" not in exact:
    sys.exit(f"a file does not get the name as it is: {exact[:600]!r}")
message = subprocess.run([report, "--json", "o.json", broken], capture_output=True).stderr.decode()
if obeyed.search(message):
    sys.exit(f"a message holds what a terminal obeys: {message!r}")
END
