#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests and counts them: `make test`, or `tests/run.py --build out [NAME...]`.

Unit programs (tests/unit/*/test_*.c, built as BUILD/tests/test_*) speak cmocka's subunit output, and
each of their tests counts by itself; scripts (tests/cli/*.sh, tests/render/*.sh) count as one each:
exit 0 passed, 77 skipped with the last line of output as the reason, anything else failed. A unit
program that can run none of its tests here exits with 77 too. One that crashes, hangs or runs no
test at all is one failure more and stops nobody else.

A NAME runs only what has it in its name. Tests run side by side, what took longest the last time
(BUILD/tests/seconds) or has no time yet before all others. One with a line that starts with "alone:"
(behind comment signs) is run when nothing else is: it measures time. One with a line "waits:" sleeps
for most of its time: such run one after the other beside all others. TRACEBOOK_SWEEP=all, as make
check sets it, is for the tests: they try everything, otherwise a part of what takes long. They write
into a folder of /dev/shm where there is room; what a failed one leaves is in BUILD/tests/scratch. The last
line printed is exactly `N passed, N failed, N skipped`; the exit status is 1 when anything failed or
nothing passed.
"""
import argparse
import atexit
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

SKIP = 77
ROOM = 6 << 30  # bytes of memory that are free before tests write there
SHOWN_LINES, SHOWN_WIDTH = 120, 400
ALONE = re.compile(r"^[\s#/*]*alone:", re.M)
WAITS = re.compile(r"^[\s#/*]*waits:", re.M)
RESULT = re.compile(r"(success|failure|error|skip): (.*?)( \[.*)?$")


class Job:
    """One program or script: where it is, and afterwards what came of it."""

    def __init__(self, kind, source, command):
        self.kind, self.source, self.command = kind, source, command
        folder = "" if kind == "unit" else source.parent.name + "/"
        self.name = folder + source.stem
        text = source.read_text(errors="replace")
        self.alone, self.waits = bool(ALONE.search(text)), bool(WAITS.search(text))
        self.passed, self.failed, self.skipped = [], [], []  # names; skipped: (name, reason)
        self.output, self.seconds, self.scratch = "", 0.0, None


def find_jobs(top, build, only):
    jobs = [Job("unit", s, [str(build / "tests" / s.stem)])
            for s in sorted((top / "tests/unit").glob("*/test_*.c"))]
    for folder in ("cli", "render"):
        jobs += [Job("script", s, ["sh", "-eu", str(s)])
                 for s in sorted((top / "tests" / folder).glob("*.sh"))]
    return [j for j in jobs if not only or any(word in j.name for word in only)]


def writable_again(function, path, _info):
    """A test about unreadable folders may have left one."""
    for p in (os.path.dirname(path), path):
        os.chmod(p, 0o700)
    function(path)


def remove(folder):
    if folder.exists():
        shutil.rmtree(folder, onerror=writable_again)


def room_in_memory():
    """A new folder in memory, or None where there is little room or no program may run: the thousands of files that
    tests make and delete are a tenth of all their CPU time on ext4."""
    place, mine = pathlib.Path("/dev/shm"), f"tracebook-tests.{os.getuid()}."
    try:
        disk, memory = os.statvfs(place), pathlib.Path("/proc/meminfo").read_text()
        free = min(disk.f_bavail * disk.f_frsize, int(re.search(r"MemAvailable: *(\d+)", memory)[1]) << 10)
        if free < ROOM or disk.f_flag & os.ST_NOEXEC:
            return None
        for old in place.glob(mine + "*"):  # of one that was killed
            if not os.path.exists(f"/proc/{old.name[len(mine):]}"):
                shutil.rmtree(old, ignore_errors=True)
        room = place / f"{mine}{os.getpid()}"
        room.mkdir()
    except (OSError, TypeError):
        return None
    atexit.register(shutil.rmtree, room, ignore_errors=True)
    return room


class Runner:
    def __init__(self, top, build, seconds):
        self.top, self.build, self.seconds = top, build, seconds
        self.kept = build / "tests/scratch"
        self.scratch = room_in_memory() or self.kept
        self.groups, self.lock = set(), threading.Lock()
        self.stopping = False
        self.env = dict(os.environ, LC_ALL="C", CMOCKA_MESSAGE_OUTPUT="SUBUNIT",
                        TRACEBOOK_TOP=str(top), TRACEBOOK_BIN=str(build / "bin"),
                        TRACEBOOK_LIB=str(build / "lib"))
        self.env["PATH"] = f"{self.bare_python()}:{self.env['PATH']}"
        self.env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
        # Make's own variables would reach a make that a test starts.
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ONLY", "READY", "CMOCKA_XML_FILE",
                     "CMOCKA_TEST_ABORT", "PREFIX", "DESTDIR", "DEVICE", "MATRIX", "BASE", "RECORDED", "RUN", "CMD"):
            self.env.pop(name, None)
        shared = os.environ.get("TRACEBOOK_SHARED") or str(top.parent / "shared")
        self.env["TRACEBOOK_SHARED"] = os.path.abspath(shared)
        if build.name == "san":
            self.env["TRACEBOOK_SAN"] = "1"

    def bare_python(self):
        """The folder of a python3 without packages, which what the tests ask of it does not need: to look for them, or to run a
        script that looks for the Python, takes longer than most of that. TRACEBOOK_PATH has them all."""
        self.env["TRACEBOOK_PATH"] = self.env["PATH"]
        bare = self.scratch / ".python"
        remove(bare)
        (bare / "bin").mkdir(parents=True)
        python = os.path.realpath(sys.executable)
        (bare / "pyvenv.cfg").write_text(f"home = {os.path.dirname(python)}\ninclude-system-site-packages = false\n")
        (bare / "bin/python3").symlink_to(python)
        return bare / "bin"

    def start(self, job, log):
        """Returns the exit status, negative for a signal, None when the time was up."""
        cwd = self.top if job.kind == "unit" else job.scratch
        env = dict(self.env, TMPDIR=str(job.scratch))
        with self.lock:
            if self.stopping:
                return None
            child = subprocess.Popen(job.command, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                     stdout=log, stderr=subprocess.STDOUT,
                                     start_new_session=True)
            self.groups.add(child.pid)
        try:
            return child.wait(self.seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.end_group(child.pid)
            child.wait()

    def end_group(self, group):
        """Whatever the test started and left behind goes with it."""
        with self.lock:
            self.groups.discard(group)
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self):
        with self.lock:
            self.stopping = True
            groups = list(self.groups)
        for group in groups:
            self.end_group(group)

    def run(self, job):
        job.scratch = self.scratch / job.name
        remove(job.scratch)
        job.scratch.mkdir(parents=True)
        log = self.scratch / (job.name + ".log")
        began = time.monotonic()
        for _ in range(2):  # LeakSanitizer can fail itself, beside threads that end
            try:
                with open(log, "wb") as f:
                    status = self.start(job, f)
            except OSError as e:
                job.failed.append(f"{job.name} cannot start: {e.strerror}")
                return job
            job.output = log.read_bytes().decode("utf-8", "replace")
            if "LeakSanitizer has encountered a fatal error" not in job.output:
                break
        job.seconds = time.monotonic() - began
        (judge_unit if job.kind == "unit" else judge_script)(job, status, self.seconds)
        if not job.failed:
            remove(job.scratch)
            log.unlink(missing_ok=True)
        elif self.scratch != self.kept:
            job.scratch = self.keep(job.scratch, log)
        return job

    def keep(self, scratch, log):
        """What a failed test leaves, for who looks into it, moved out of memory."""
        for left in scratch, log:
            to = self.kept / left.relative_to(self.scratch)
            remove(to) if to.is_dir() else to.unlink(missing_ok=True)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(left, to)
        return self.kept / scratch.relative_to(self.scratch)


def how_it_ended(status, seconds):
    if status is None:
        return f"was stopped after {seconds:g} s"
    if status < 0:
        try:
            return "was ended by " + signal.Signals(-status).name
        except ValueError:
            return f"was ended by signal {-status}"
    return f"ended with status {status}"


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def judge_script(job, status, seconds):
    if status == 0:
        job.passed.append(job.name)
    elif status == SKIP:
        job.skipped.append((job.name, last_line(job.output)))
    else:
        job.failed.append(f"{job.name} {how_it_ended(status, seconds)}")


def judge_unit(job, status, seconds):
    """Reads `test: NAME`, its output, then `success: NAME`, `failure: NAME [`, `skip: NAME`."""
    running, since = None, []
    for line in job.output.splitlines():
        found = RESULT.search(line)
        if line.startswith("test: "):
            if running:
                job.failed.append(f"{job.name}/{running} has no result")
            running, since = line[len("test: "):], []
        elif found and found[2] == running:
            word, before = found[1], line[:found.start()]
            take_result(job, running, word, "\n".join(since + [before]))
            running = None
        elif not running and line.startswith("error: "):  # set-up or tear-down of the group
            job.failed.append(f"{job.name}: {line}")
        else:
            since.append(line)
    if status == SKIP and not (job.passed or job.failed or job.skipped):
        job.skipped.append((job.name, last_line(job.output)))
    elif running:
        job.failed.append(f"{job.name}/{running}: the program {how_it_ended(status, seconds)}")
    elif status is None or status < 0 or (status > 0 and not job.failed):
        job.failed.append(f"{job.name} {how_it_ended(status, seconds)}")
    elif not (job.passed or job.failed or job.skipped):
        job.failed.append(f"{job.name} ran no test")


def take_result(job, test, word, output):
    name = f"{job.name}/{test}"
    if word == "success":
        job.passed.append(name)
    elif word == "skip":
        job.skipped.append((name, last_line(output)))
    else:
        job.failed.append(name)


def tell(job):
    word = "FAIL" if job.failed else "ok" if job.passed else "skip"
    n = len(job.passed) + len(job.failed) + len(job.skipped)
    tests = f", {n} tests" if n != 1 else ""
    print(f"{word:<5} {job.name}  ({job.seconds:.1f} s{tests})")
    if job.failed:
        lines = job.output.splitlines()
        if len(lines) > SHOWN_LINES:
            print(f"      | (the last {SHOWN_LINES} of {len(lines)} lines)")
        for line in lines[-SHOWN_LINES:]:
            more = "…" if len(line) > SHOWN_WIDTH else ""
            print("      | " + line[:SHOWN_WIDTH] + more)
        if any(job.scratch.iterdir()):
            print(f"      its folder: {job.scratch}")
    sys.stdout.flush()


def times_of(path):
    """{name: seconds of the last time}, as far as the file can be read."""
    try:
        times = json.loads(path.read_text())
        return {name: float(seconds) for name, seconds in times.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def keep_times(path, jobs):
    """What was not run now keeps its time; nobody needs the file."""
    times = {**times_of(path), **{j.name: round(j.seconds, 1) for j in jobs}}
    try:
        path.with_suffix(".new").write_text(json.dumps(times, indent=0, sort_keys=True))
        path.with_suffix(".new").rename(path)
    except OSError:
        pass


def run_all(runner, jobs, at_once, times):
    together = sorted((j for j in jobs if not j.alone), key=lambda j: -times.get(j.name, 1e9))
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool, concurrent.futures.ThreadPoolExecutor(1) as beside:
        try:
            for done in concurrent.futures.as_completed(
                    [(beside if j.waits and at_once > 1 else pool).submit(runner.run, j) for j in together]):
                tell(done.result())
            for job in jobs:
                if job.alone:
                    tell(runner.run(job))
        except KeyboardInterrupt:
            for some in pool, beside:
                some.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            sys.exit(130)


def summary(jobs):
    skipped = [s for j in jobs for s in j.skipped]
    failed = [f for j in jobs for f in j.failed]
    for name, reason in skipped:
        print(f"skipped: {name}: {reason}")
    for name in failed:
        print(f"failed: {name}")
    passed = sum(len(j.passed) for j in jobs)
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped", flush=True)
    return 0 if passed and not failed else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--top", type=pathlib.Path, default=here, help="the repository")
    parser.add_argument("--build", default="out", help="folder of bin/, lib/ and tests/")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--seconds", type=float, default=300, help="time limit of each")
    parser.add_argument("only", nargs="*", metavar="NAME", help="run only what has NAME in it")
    options = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    top = options.top.resolve()
    build = (top / options.build).resolve()
    jobs = find_jobs(top, build, options.only)
    # The tests have sessions of their own, so a signal must be handed on to them.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seconds = build / "tests/seconds"
    run_all(Runner(top, build, options.seconds), jobs, options.jobs, times_of(seconds))
    keep_times(seconds, jobs)
    return summary(jobs)


if __name__ == "__main__":
    # A shell starts what runs in its background without Ctrl-C, which tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Under nohup a hang-up is nothing to this, and still something to the tests: a handler ends where they begin.
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)
    sys.exit(main())
