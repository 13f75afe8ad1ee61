# SPDX-License-Identifier: Apache-2.0
"""Records the process that it is in by PyTorch's own profiler: its start, and a steady window.

tracebook-sitecustomize.py loads it as soon as torch is imported. What is wished stands in TRACEBOOK_RECORD; what is
recorded goes into the folder named there, beside a file "python.PID" of lines that say what happened, which is locked
as long as the process records or writes (collect/recorder_notes.h has the form of both). Everything else stays as it would
be alone: each hook calls what it replaced, nothing is printed, and a failure of ours ends the recording only.

When. A process that cannot use a GPU is recorded from here on. Where there is one, PyTorch's profiler starts the CUDA
driver, and a process that is forked later could not use it any more: so it begins with the program's own first call,
and until then the profiler of older versions, which knows operators only, does. The start ends after a time (a program
with an optimizer has a few more seconds to make its first steps); a window then begins at a step, when the steps are
even. Where ending and writing would take long, both are shorter, and the window waits until the program is old enough
for it (look_at_cost). A process that is forked is a process of its own. The program's own profiler, if it begins, ends ours.
"""
import ctypes
import os
import re
import sys
import threading
import time
import warnings
import _thread

import torch
from torch.autograd import profiler as profilers
from tracebook_profilers import (ALL_THREADS, GPU_WAIT_S, REACH, SECOND, VERSION, WISH, WITH, Kineto, Operators, careful, cost_s,
                                 counter, event, has_gpu, note, tensors)

START_S = float(os.environ.get("TRACEBOOK_START_S", 10))  # of the start, from the import on
FIRST_STEPS, FIRST_STEPS_S = 5, 60  # what has an optimizer is awaited longer, until its first steps are made,
STEADY_S = START_S / 10  # and so long more, since it may end before a window begins
WHOLE = "TRACEBOOK_START_S" in os.environ
MOST_STEPS = 500  # of a start;
REST_S = START_S / 5  # between start and window: what was written settles
EVEN, TRIES = 0.2, 30  # two steps are alike; after so many the window begins all the same
LEAST_STEPS, LONGEST_S = 3, 10  # of a steady window that has steps
LEAST_SHARE = 0.2  # of the time that a window lasts, where it may not cost more
SETTLED_S = 10  # after CUDA's first use, beside threads that work
LEAST_ALONE, MOST_ALONE = 5, 100  # steps that nobody recorded, whose median a window is told

unwarned = ("ignore", re.compile("This process .* is multi-threaded, use of fork"), DeprecationWarning, None, 0)
at_rest = []  # called when nothing more is recorded


def codes(frame):
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def waits(frame):
    """Does a thread wait, by what is part of Python, in none of PyTorch's modules?"""
    file = frame.f_code.co_filename
    return file.startswith(os.path.dirname(os.__file__)) and "-packages" not in file and not any(
        "/torch/nn/" in code.co_filename for code in codes(frame))


# ---- what is written ----

EMPTY = '{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [\n], "baseTimeNanoseconds": 0}\n'


class Part:
    """One recording: its runs, in the order of time, and the steps that were seen meanwhile."""

    def __init__(self, kind):
        self.kind, self.runs, self.marks, self.began, self.ended, self.why = kind, [], [], time.time_ns(), 0, ""
        self.steps, self.steps_from, self.counted, self.idle_until = 0, None, counter.counted(), 0

    def path(self, end):
        return os.path.join(WISH["folder"], "%s.%d.%s" % (self.kind, os.getpid(), end))

    def write(self):
        """The rows that are ours first, then the trace, which gets its name when it is whole."""
        kineto = [run for run in self.runs if isinstance(run, Kineto)]
        until = kineto[0].began if kineto else self.ended
        operators = (row for run in self.runs if isinstance(run, Operators) for row in run.rows() if row[0] < until)
        zero = 0 if profilers.kineto_available() else self.began  # its times are since it began
        rows = ["%d %d %s\n" % (start - zero, end - zero, rest) for start, end, rest in (*operators, *self.marks)]
        if rows:
            with open(self.path("rows.part"), "x") as f:
                f.writelines(rows)
            os.rename(self.path("rows.part"), self.path("rows"))
        if kineto:
            kineto[-1].save(self.path("part"))
        else:
            with open(self.path("part"), "w") as f:
                f.write(EMPTY)
        note.say("wrote", self.kind, self.began, self.ended, self.steps, self.why)
        os.rename(self.path("part"), self.path("json"))


# ---- when ----

class Recorder:
    def __init__(self):
        self.lock, self.busy, self.beginning = threading.RLock(), False, False
        self.part = self.run = self.operators = None
        self.touched = not has_gpu()  # may PyTorch's profiler be started?
        self.cuda_began = 0
        self.forked_from_gpu = self.forked_by_thread = False
        self.theirs = set()  # profilers of the program at work
        self.optimizer, self.has_optimizer, self.steps, self.step_began, self.last = None, False, 0, 0, []
        self.stepping = None  # since when the first steps are made
        self.alone = []  # how long the last steps were that nobody recorded
        self.idle_steps = WISH["after_steps"] - 1 if WISH["after_steps"] else sys.maxsize if WISH["after_ns"] > 0 else 0
        self.seen_steps = 0  # of the idle ones: they come long before the window that is wished, and are only counted
        self.imported, self.start_ended, self.tries, self.done, self.threads = time.time_ns(), 0, 0, False, 0
        self.main = threading.main_thread().ident
        self.waiting, self.asked = None, 0  # why no window has begun that is due; since when the main thread has to answer
        self.sample, self.is_low, self.is_much, self.is_dear = None, False, False, False  # the watcher's: called, and seen
        self.made_s = self.seen_s = self.spent_s = 0  # what ending and writing would take, when it began or ended, and now; took
        self.pace = 0  # of what was recorded last: seconds of that a second
        self.writer, self.after_writing = None, []  # the thread that writes; what a signal wants meanwhile
        self.ending, self.watched, self.watcher = _thread.allocate_lock(), _thread.allocate_lock(), None

    def begin(self, kind):
        self.part, self.idle_steps, self.is_much, self.made_s = Part(kind), 0, False, careful(cost_s)() or 0
        self.begin_run()
        if len(self.alone) >= LEAST_ALONE and self.run is not self.operators:
            self.run.tell("unrecorded_step_ns", sorted(self.alone)[len(self.alone) // 2])
        note.say("begin", kind, self.part.began, self.reach(), "stacks" if getattr(self.run, "stacks", False) else "")

    def may_have_stacks(self):
        """2.6 crashes of them each time, and 2.11 at the end of Python, if the thread that began does not end them. It
        keeps names by where they lay: those of modules, whose code is gone when they are imported, are rubbish. It begins in
        the place of each thread, and hangs there if that is in a module (sglang-omni#1779)."""
        return "stacks" in WITH and VERSION >= (2, 11) and sys.getprofile() is None and self.part.kind == "window" and (
            self.main == _thread.get_ident() and time.time_ns() > self.imported + STEADY_S * SECOND) and (
            all(map(waits, self.others())))

    def begin_run(self):
        self.leave_operators()
        self.beginning = True
        try:
            if not self.touched or self.forked_from_gpu:
                self.run = self.operators = Operators()
            else:
                self.run = Kineto(has_gpu(), self.may_have_stacks())
        finally:
            self.beginning = False
        self.part.runs.append(self.run)
        if not (WHOLE or torch.cuda.is_initialized()):
            careful(counter.begin)()
            self.look()

    def leave_operators(self):
        if self.operators is not None and self.operators.mine():
            self.operators.stop(0)
            self.operators = None

    def end(self, why, patience_s=GPU_WAIT_S):
        """False: only another thread can."""
        if self.run is None or not self.run.mine():
            return self.run is None
        part, run, self.run, self.writer = self.part, self.run, None, _thread.get_ident()
        try:
            self.tell_threads()
            note.say("writing", part.kind)
            began, made_s = time.monotonic(), careful(cost_s)() or 0
            counter.end()
            if run is not self.operators:
                run.stop(patience_s)
            self.leave_operators()
            part.ended, part.why = time.time_ns(), why
            self.start_ended = part.ended
            self.pace = (made_s - self.made_s) / max(part.ended - part.began, 1)
            part.write()
            took_s = time.monotonic() - began
            note.say("took", part.kind, int(took_s * SECOND))
            self.spent_s += took_s
            self.made_s, self.is_dear = careful(cost_s)() or 0, True  # until it was looked at
        finally:
            self.writer = None
            while self.after_writing:
                self.after_writing.pop()()
        return True

    def tell_threads(self):
        self.threads = max(self.threads, threading.active_count())
        note.say("threads", self.threads)

    def others(self):
        """Where the program's other threads of Python are, but for what pins a loader's batches."""
        return [frame for thread, frame in sys._current_frames().items() if thread not in (_thread.get_ident(), self.watcher)
                and all(code.co_name != "_pin_memory_loop" for code in codes(frame))]

    def may_begin(self, now):
        """A window that is due, here and now? In a thread of ours if it reaches the others: the main one may wait for ever.
        CUPTI must not come into a process while another thread makes its CUDA context: a lock of the driver's seems to
        be left taken then, and the next cuInit, of cublasCreate, does not return (PyTorch 2.11, CUDA 13.0, 35 runs)."""
        others, reach = self.others(), self.reach()
        if self.watcher == _thread.get_ident() and (reach != "all" or len(others) < 2):
            return reach != "all" and self.wait(reach)
        return Kineto.started or not self.cuda_began or not others or tensors() > 0 and (
            all(map(waits, others)) or now > self.cuda_began + SETTLED_S * SECOND) or self.wait("context")

    def wait(self, why):
        if self.waiting != why:
            self.tell_threads()
            note.say("waits", why)
        self.waiting = why

    def reach(self):
        """Of which threads would a recording have the operators that began now? (collect/recorder_notes.h)"""
        return REACH if self.touched and not self.forked_from_gpu else "untouched"

    def touch(self, makes_context=False):
        """The program begins to use CUDA: in any thread, so the operators of the main one may have to be ended later."""
        with self.lock:
            if makes_context and has_gpu():
                self.cuda_began = self.cuda_began or time.time_ns()
            if self.touched:
                return
            self.touched = True
            counter.end()
            if unwarned in warnings.filters:  # CUDA has threads of its own
                warnings.filters.remove(unwarned)
            if self.run is None or self.forked_from_gpu or not (self.run.mine() or ALL_THREADS):
                return
            self.begin_run()
            note.say("begin", self.part.kind, self.part.began, self.reach())

    def even(self):
        """Do the last steps take the same time?"""
        self.tries += 1
        return len(self.last) == 3 and max(self.last) <= (1 + EVEN) * min(self.last) or self.tries > TRIES

    def start_is_over(self, now):
        age_s = (now - self.imported) / SECOND
        if self.has_optimizer and (self.stepping is None or now < self.stepping + STEADY_S * SECOND):
            return age_s >= FIRST_STEPS_S
        return age_s >= START_S

    def window_is_due(self, now, at_step):
        if WISH["after_steps"]:
            return at_step and self.steps >= WISH["after_steps"] or (
                self.steps == 0 and now - self.imported > 20 * SECOND)
        if self.seen_steps < self.steps < self.idle_steps:
            self.seen_steps, self.step_began = self.steps, now
        if now < WISH["began_ns"] + WISH["after_ns"]:
            return False
        self.idle_steps = 0
        stepping = self.steps > 0 and now - self.step_began < LONGEST_S * SECOND
        if stepping and not at_step:
            return False
        return WISH["after_ns"] >= 0 or self.start_ended and now >= self.start_ended + REST_S * SECOND and (
            not self.is_dear) and (not at_step or self.even())

    def window_is_over(self, now, at_step):
        if WISH["after_ns"] == 0 and counter.on and counter.counted() == self.part.counted:
            self.part.idle_until = now  # a window from the import on begins with the first operator
        age = now - (self.part.marks[0][0] if self.part.marks else max(self.part.began, self.part.idle_until))
        if WISH["steps"] and self.part.steps_from is not None:
            return self.steps - self.part.steps_from >= WISH["steps"]
        if age < (LEAST_SHARE if self.is_much else 1) * WISH["for_ns"]:
            return False
        if self.part.steps_from is None or WISH["for_given"]:
            return True
        return at_step and self.steps - self.part.steps_from >= LEAST_STEPS or age > LONGEST_S * SECOND

    def plan(self, at_step):
        with self.lock:
            if self.busy or self.done or self.writer:  # called again in its own midst
                return
            self.busy = True
            try:
                self.decide(time.time_ns(), at_step)
            finally:
                self.busy = False

    def decide(self, now, at_step):
        if self.operators is not self.run:
            self.leave_operators()
        if self.run is not None and self.is_low:
            if self.end("memory"):
                self.retire()
        elif self.run is not None and self.part.kind == "start":
            if self.is_much or self.part.steps >= MOST_STEPS and not WHOLE:
                self.end("many")
            elif self.start_is_over(now):
                self.end("time")
        elif self.run is not None:
            if self.window_is_over(now, at_step) and self.end("time"):
                self.retire()
        elif not self.theirs and self.window_is_due(now, at_step):
            if self.part is not None and self.part.kind == "window":
                self.retire()
            elif self.may_begin(now):
                self.begin("window")
                self.part.steps_from = self.steps if at_step else None

    def stepped(self, optimizer):
        if self.done or self.optimizer not in (None, id(optimizer)):
            return
        now, self.optimizer = time.time_ns(), id(optimizer)
        if self.step_began and self.part is not None and self.run is not None and self.step_began >= self.part.began:
            self.part.marks.append((self.step_began, now, event("user_annotation", "ProfilerStep#%d" % self.steps,
                                                                threading.get_native_id())))
            self.part.steps += 1
        if self.steps and self.run is None and not self.theirs and self.step_began > self.start_ended:
            self.alone = (self.alone + [now - self.step_began])[-MOST_ALONE:]
        self.last = (self.last + [now - self.step_began])[-3:] if self.steps else []
        self.steps += 1
        if self.steps == FIRST_STEPS:
            self.stepping = now
        self.plan(True)
        self.step_began = time.time_ns()

    def give_way(self, theirs):
        with self.lock:
            self.theirs.add(theirs)
            if self.run is not None and self.end("own-profiler"):
                note.say("gave-way")

    def finish(self, patience_s):
        with self.lock:
            self.busy = True  # nothing else begins
            if self.run is not None and not self.done:
                self.tell_threads()
                self.end("end", patience_s)
            self.leave_operators()
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.part))  # who ends needs no memory back, which takes 2 us an event
            self.retire()

    def is_last(self):
        """A child that a thread forked ends with its last thread, which must not be ours."""
        return self.forked_by_thread and len(sys._current_frames()) == 1

    def retire(self):
        """From here on all is as it was."""
        self.done = True
        for f in at_rest:
            f()
        note.close()
        if self.ending.locked() and self.watcher not in (None, _thread.get_ident()):
            self.watcher = None  # no thread of ours meets the end of Python; one that is gone is not awaited again
            self.ending.release()
            self.watched.acquire(timeout=0.5)
