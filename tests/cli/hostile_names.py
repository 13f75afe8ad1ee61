# SPDX-License-Identifier: Apache-2.0
"""hostile_names.py TRACE NEW: the trace with names that would like to be markup, script, an end of what they stand in,
or hidden from the eye, in place of its own and in lanes of their own."""
import json, sys
names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"'><svg onload=alert(1)>", "]]><!--", "-->",
         "javascript:alert(1)", "[x](javascript:alert(1))", "a\u202eb\u2066c\u0000d\u2028e", "\ud800 lone", "&lt;b&gt; &amp;", "`**</style>",
         "${alert(1)}{{x}}", "\u001b[31mred", "x" * 20000, "</title><base href=//evil>", "<!DOCTYPE html>", "\ufffe\uffff\U0001fffe"]
d = json.load(open(sys.argv[1]))
for i, e in enumerate(d["traceEvents"]):
    if e["ph"] == "M":
        e["args"] = {k: names[i % len(names)] for k in e["args"]}
    elif e["ph"] == "X" and not e["name"].startswith("ProfilerStep"):
        e["name"] = names[(i * 7) % len(names)]
t = 300.0
for name in names:
    for cat in ("cpu_op", "kernel", "user_annotation", "python_function"):
        d["traceEvents"].append({"ph": "X", "cat": cat, "name": name, "pid": 7 if cat != "kernel" else 0, "tid": name[:30], "ts": t, "dur": 9.0,
                                 "args": {"stream": name, "External id": name}})
    t += 10
json.dump(d, open(sys.argv[2], "w"))
