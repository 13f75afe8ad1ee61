# SPDX-License-Identifier: Apache-2.0
"""What a program that does not end is doing: of each process of its session, and each of its threads, what the kernel
tells, and all stacks where there is a gdb. (SIGABRT then has Python say its own, with PYTHONFAULTHANDLER=1.)"""
import glob
import os
import re
import shutil
import subprocess


def text_of(path, between=b" "):
    try:
        with open(path, "rb") as f:
            return f.read().replace(b"\0", between).decode(errors="replace").strip()
    except OSError as e:
        return e.strerror


def processes(session):
    for stat in glob.glob("/proc/[0-9]*/stat"):
        words = text_of(stat).rpartition(")")[2].split()
        if len(words) > 3 and words[3] == str(session) and words[0] != "Z":
            yield stat.split("/")[2]


def stacks(pid):
    if not shutil.which("gdb"):
        return "no gdb here"
    try:
        return subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt 40"], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, timeout=30).stdout[-20000:]
    except subprocess.TimeoutExpired:
        return "gdb took too long"


def notes(pid):
    """What its recorder has written so far (collect/recorder_notes.h)."""
    folder = re.search(r'TRACEBOOK_RECORD=[^\0]*?"folder": ?"([^"]*)', text_of(f"/proc/{pid}/environ", b"\0"))
    return " | ".join(text_of(os.path.join(folder[1], f"python.{pid}")).splitlines()) if folder else "none"


def tell(session):
    lines = []
    for pid in sorted(processes(session), key=int):
        lines.append(f"STUCK process {pid}: {text_of(f'/proc/{pid}/cmdline')[:200]}; its notes: {notes(pid)}")
        for task in sorted(glob.glob(f"/proc/{pid}/task/*"), key=lambda path: int(path.split("/")[-1])):
            state = text_of(task + "/stat").rpartition(")")[2].split()[:1]
            lines.append("  thread " + "  ".join([task.split("/")[-1], text_of(task + "/comm"), *state,
                                                  text_of(task + "/wchan"), text_of(task + "/syscall")]))
        lines += ["  " + line for line in stacks(pid).splitlines() if line.strip()]
    return "\n".join(lines) + "\n"
