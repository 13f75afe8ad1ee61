# SPDX-License-Identifier: Apache-2.0
# Every option beside everything that a program does: either it makes a difference, or it is wrong
# usage, with a message that names both, and nothing is written.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

cp -R "$TRACEBOOK_TOP/tests/golden/host/in" run
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" trace.json
cp -R "$TRACEBOOK_TOP/templates" templates
export TRACEBOOK_TEMPLATES="$PWD/templates"
cat >matrix.json <<'END'
{"cases": [{"workload": "square", "batch": 7, "dim": 100, "dtype": "fp32", "tag": "one"},
           {"workload": "square", "batch": 9, "dim": 100, "dtype": "fp32", "tag": "two"}]}
END
run 0 collect --device host --out measured matrix.json
python3 - "$TRACEBOOK_BIN" <<'END'
import json, os, pathlib, re, shutil, subprocess, sys

# make check tries all; make test one pair of four the other way round, too, and of those that make a document one of four.
sweep = os.environ.get("TRACEBOOK_SWEEP") == "all"

programs = pathlib.Path(sys.argv[1])
here = pathlib.Path.cwd()
wrong = []


def put(path, data):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(json.dumps(data), encoding="utf-8")


def marked(node):
    """Another language: the same words, with a mark behind each."""
    if isinstance(node, dict):
        return {key: marked(value) for key, value in node.items()}
    return [marked(v) for v in node] if isinstance(node, list) else node + "*" if isinstance(node, str) else node


shutil.copytree("templates/en", "templates/xx")
put("templates/xx/text.json", marked(json.loads(pathlib.Path("templates/en/text.json").read_text(encoding="utf-8"))))
findings = json.loads(pathlib.Path("templates/en/findings.json").read_text(encoding="utf-8"))
put("templates/xx/findings.json",
    dict(findings, findings=[dict(e, definition=e["definition"] + "*") for e in findings["findings"]]))
recorded = json.loads(pathlib.Path("run/run.json").read_text(encoding="utf-8"))
shutil.copytree("run", "recorded/z")
put("recorded/z/run.json", dict(recorded, device="cuda"))
put("expect.json", {"thresholds": {"OVERHEAD-BOUND.ratio": 1e6, "OVERHEAD-BOUND.busy": 0, "WIDE-FIRST-STEP.ratio": 1e6},
                    "traces": [{"trace": "trace.json", "expect": {"kernels": 77}}]})


def do(program, *words):
    """Runs it in a folder of its own: (status, stdout, files) and stderr."""
    folder = here / "work"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    done = subprocess.run([programs / program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
    files = {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    return (done.returncode, done.stdout, files), done.stderr.decode()


def options(program):
    return re.findall(r"^  .{2,4} --([a-z-]+)", do(program, "--help")[0][1].decode(), re.M)


def try_all(program, modes, values, paths, fixed=()):
    """modes: what is done -> options that must have an effect on it."""
    # cli/report_memory takes a large trace; cli/talk: what is said beside any output;
    # cli/handout: the template alone has questions; cli/report_part: a run of a matrix has no parts; cli/report_compiler: nor a compiler's log;
    # cli/report_chapters: the list that it links is a course's.
    known = set(options(program)) - {"help", "version", "memory", "quiet", "verbose"} - ({"only", "cut", "from", "to", "step", "range", "rank", "compile-log", "traces-at"} if program == "report" else set())
    if known != set(values):
        wrong.append(f"{program}: options without a trial, or the reverse: {known ^ set(values)}")
    turn, tried = 0, 0
    for mode, effective in modes.items():
        name, _, choice = mode.partition("=")
        base = [*fixed, *([f"--{name}={choice or values[name]}" if values[name] is not None else f"--{name}"]
                          if name else [])]
        alone, said = do(program, *base, *paths)
        if alone[0] not in (0, 3) or alone != do(program, *base, *paths)[0]:
            wrong.append(f"{program} {base}: status {alone[0]}, or not twice the same: {said}")
        for option, value in values.items():
            if option == name or f"--{option}" in " ".join(fixed) or (
                    name in ("svg", "png") and option == "baseline"):  # cli/report_compare: equal runs have no figure of it
                continue
            turn += 1
            if not sweep and turn % 4 and option in effective.split():
                continue
            tried += 1
            word = f"--{option}" if value is None else f"--{option}={value}"
            both, said = do(program, *base, word, *paths)
            if option in effective.split():
                if both == alone or both[0] == 2:
                    wrong.append(f"{program} {base} {word}: no effect, status {both[0]}: {said}")
            elif both != (2, b"", {}) or f"--{option}" not in said or said.count("\n") != 1 or (
                    f"--{name}{' ' if choice else ''}{choice}" not in said):
                wrong.append(f"{program} {base} {word}: status {both[0]}, said {said!r}")
            elif (sweep or turn % 4 == 0) and (both, said) != do(program, word, *base, *paths):
                wrong.append(f"{program} {base} {word}: not the same the other way round")
    return tried


values = {"output": "o.pdf", "atlas": "a.pdf", "svg": "svg", "png": "png", "markdown": "m.md", "json": "j.json", "csv": "csv", "stacks": "s.folded", "html": "p.html", "brief": "b.md",
          "baseline": here / "run", "recorded": here / "recorded", "expect": here / "expect.json",
          "learn": "l.json", "set": "WIDE-FIRST-STEP.ratio=1000000", "fail-on": "step=1ns", "template": "handout", "lang": "xx", "dump": "document",
          "table": None, "check": None, "title": "Mine", "byline": "Me", "paper": "letter"}
files = "output atlas svg png markdown json csv stacks html brief learn table check"
pages = "baseline recorded expect set template lang"
report = {"": f"{files} {pages} title byline paper dump",
          "output": f"{files} {pages} title byline paper", "atlas": f"{files} {pages} title byline paper".replace(" template", ""), **{output: f"{files} {pages} title byline" for output in ("markdown", "html")},
          **{output: f"{files} {pages}" for output in ("svg", "png")},
          "json": f"{files} baseline expect set lang", "csv": files, "stacks": files, "brief": f"{files} baseline expect set lang", "learn": f"{files} expect set",
          "check": f"{files} baseline expect set lang fail-on", "table": files,
          "dump=trace": "", "dump=analysis": "expect set", "dump=document": f"{pages} title byline", "dump=canvas": f"{pages} title byline paper"}
# One mode beside another is tried with the output's row; beside --dump all outputs are refused.
tried = try_all("report", report, values, [here / "run", here / "trace.json"])
tried += try_all("report", {"": "output markdown set lang dump title byline paper"}, values, [], ["--template=cheatsheet"])
tried += try_all("collect", {"list": "only shard", "dry-run": "device only out shard"},
                 {"device": "cuda", "only": "one", "list": None, "dry-run": None, "out": here / "measured",
                  "keep-going": None, "counters": None, "deep": None, "after": "1s", "for": "1s", "steps": 3,
                  "with": "none", "report": "c.pdf", "shard": "1/2", "merge": None,
                  "repeat": 2, "against": here / "old"}, [here / "matrix.json"])
for template, options in ("handout", ["baseline"]), ("cheatsheet", ["baseline", "recorded"]):
    for option in options:
        done, said = do("report", f"--template={template}", f"--{option}={values[option]}", here / "run")
        if done != (2, b"", {}) or f"--{option}" not in said or f"--template {template}" not in said:
            wrong.append(f"{template} {option}: {done[0]}, {said}")
print(f"{tried} pairs", *wrong, sep="\n")
sys.exit(bool(wrong) or tried < 150)
END
