# SPDX-License-Identifier: Apache-2.0
"""sweep.py [--all] [--seconds N] REPORT FOLDER: every trace of a folder through the report.

The folder has a MANIFEST.tsv (report_sweep.sh) or holds malformed cases (report_malformed.sh).

A file passes when report ends within the time, and either
  with status 0, nothing on stderr, at most 30 pages in at most 3 MB, no SVG above 1.5 MB, and
  "n of m events drawn" under every timeline; written as data it is JSON, and keeps to what --learn
  takes from it; and the events that it counts by phase are those of
  MANIFEST.tsv, where Python's parser could read the file; or
  the same with one line on stderr that calls it not whole, where it is one of CUT; or
  with status 1, one line on stderr that names the file, and no PDF; but only the files of REFUSED may.
"""
import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

PAGES, PDF_BYTES, SVG_BYTES, SMALL_BYTES = 30, 3_000_000, 1_500_000, 32_000
REFUSED = {
    # no traces at all
    "catapult_simple_trace_zip.zip", "firefox_profile.json",
    "pytorch_execution_trace.json.gz", "speedscope_file.speedscope.json",
    "torch_memory_timeline.raw.json.gz",
    # malformed cases in which nothing is left to save
    "02_empty.json", "02_header_only.json", "02_no_events.json", "02_null_events.json", "02_ws.json",
    "11_utf16.json", "30_gz_empty.json.gz", "30_gz_hdronly.json.gz", "30_gz_in_gz.json.gz",
}
CUT = {
    # whole events at most up to somewhere
    "truncated_download.json.gz", "speedscope_simple-object-partial.json",
    "01_trunc_after_comma.json", "01_trunc_after_event.json", "01_trunc_number.json",
    "01_trunc_string.json", "30_gz_trunc50.json.gz", "30_gz_not.json.gz",
}
TIMELINE = re.compile(r"figure \S+-(steps|step|window-\d+) ")
DRAWN = re.compile(r"([\d\u2009]+) of ([\d\u2009]+) events? drawn")
out = pathlib.Path("swept")


def number(text):
    return int(text.replace("\u2009", ""))


def run(options, *words):
    return subprocess.run([options.report, *map(str, words)], capture_output=True,
                          timeout=options.seconds, check=False)


def unexpected(path, done):
    """What is on stderr and should not be, or is not and should."""
    said = "".join(line for line in done.stderr.decode(errors="replace").splitlines(True)
                   if "warning: --table: " not in line)
    if path.name not in CUT:
        return said
    whole = said.count("\n") == 1 and f"{path.name} is not whole" in said
    return "" if whole else f"not called cut: {said}"


def limits(pdf):
    """What is too large."""
    done = subprocess.run(["pdfinfo", pdf], capture_output=True, check=False)
    pages = re.search(r"^Pages: +(\d+)", done.stdout.decode(), re.M)
    if not pages or int(pages[1]) > PAGES:
        yield f"{pages[0]}" if pages else f"no sound PDF: {done.stderr.decode()}"
    if pdf.stat().st_size > PDF_BYTES:
        yield f"a PDF of {pdf.stat().st_size} bytes"
    for svg in (out / "svg").glob("*.svg"):
        if svg.stat().st_size > SVG_BYTES:
            yield f"{svg.name} of {svg.stat().st_size} bytes"


def captions(document):
    """Timelines that do not say how many events they show."""
    lines = document.splitlines()
    for line, after in zip(lines, lines[1:] + [""]):
        if not TIMELINE.match(line):
            continue
        drawn = DRAWN.search(after)
        if not after.startswith("caption ") or not drawn:
            yield f"no count under {line.split()[1]}"
        elif number(drawn[1]) > number(drawn[2]):
            yield f"{drawn[0]} under {line.split()[1]}"


def counts(dump, phases):
    """Events by phase that are not those of the manifest."""
    wanted = dict(p.rsplit(":", 1) for p in phases.split())
    line = re.search(r"^elements (.*)$", dump, re.M)
    found = dict(re.findall(r"(\S+) (\d+)", line[1])) if line else {}
    if phases and found != wanted:
        yield f"counts {found}, the manifest has {wanted}"


def data(options, path):
    """What goes wrong when it is written as data, and when a trace is held against what it showed."""
    result, learnt = out / "result.json", out / "learnt.json"
    cut = path.name in CUT
    done = run(options, "--table", "--json", result, *([] if cut else ["--learn", learnt]), path)
    if done.returncode or unexpected(path, done):
        yield f"--json --learn: status {done.returncode}: {done.stderr.decode(errors='replace')}"
        return
    seen = json.loads(result.read_text(encoding="utf-8"))
    if cut:
        case = seen["runs"][0]["cases"][0]
        if case["headline"] != "none" or case["actions"] or case["leave"]:
            yield f"a verdict or advice on a part: {case['headline']}"
        return
    done = run(options, "--expect", learnt, "--check", path)
    if done.returncode or done.stderr:
        yield f"--expect: status {done.returncode}: {done.stderr.decode(errors='replace')}"


def refused(path, done, pdf):
    said = done.stderr.decode(errors="replace")
    if path.name not in REFUSED:
        yield f"refused: {said}"
    if said.count("\n") != 1 or path.name not in said:
        yield f"not one line that names it: {said}"
    if pdf.exists():
        yield "refused, but there is a PDF"


def sweep(options, path, phases):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    pdf = out / "report.pdf"
    done = run(options, "-o", pdf, "--svg", out / "svg", path)
    if done.returncode == 1:
        yield from refused(path, done, pdf)
    elif done.returncode or unexpected(path, done) or path.name in REFUSED:
        yield f"status {done.returncode}: {done.stderr.decode(errors='replace')[:2000]}"
    else:
        yield from limits(pdf)
        yield from data(options, path)
        yield from captions(run(options, "--dump", "document", path).stdout.decode())
        if phases is not None:
            dump = run(options, "--dump", "trace", path).stdout.decode(errors="replace")
            yield from counts(dump, phases)


def size(path):
    return sum(p.stat().st_size for p in path.iterdir()) if path.is_dir() else path.stat().st_size


def inputs(folder):
    """Paths, with what the manifest counts in them or None."""
    manifest = folder / "MANIFEST.tsv"
    if not manifest.exists():
        yield from ((path, None) for path in sorted(folder.iterdir()))
        return
    with open(manifest, encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            yield folder / row["file"], row["phases"]
    yield from ((path, None) for path in sorted((folder / "ranks").iterdir()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the large ones, too")
    parser.add_argument("--seconds", type=float, default=10, help="limit of one call")
    parser.add_argument("report")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    wrong = n = 0
    slowest = (0, "")
    for path, phases in inputs(options.folder):
        if not options.all and size(path) > SMALL_BYTES:
            continue
        began = time.monotonic()
        try:
            found = list(sweep(options, path, phases))
        except subprocess.TimeoutExpired:
            found = [f"not done after {options.seconds:g} s"]
        slowest = max(slowest, (time.monotonic() - began, path.name))
        n += 1
        wrong += bool(found)
        for what in found:
            print(f"{path}: {what}")
    print(f"{n} inputs, {wrong} wrong; slowest {slowest[1]}, {slowest[0]:.1f} s for all its calls")
    sys.exit(1 if wrong or n < 50 else 0)


if __name__ == "__main__":
    main()
