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
even. What makes so many operators that writing them would take long has an earlier end of its start. A process that is forked is a process of its own. The program's own profiler, if it begins, ends ours.
"""
import ctypes
import fcntl
import json
import os
import re
import sys
import threading
import time
import warnings
import _thread

import torch
from torch.autograd import profiler as profilers

WISH = json.loads(os.environ["TRACEBOOK_RECORD"])  # collect/command.c
WITH = WISH["with"].split(", ")
SECOND = 10 ** 9
VERSION = tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in torch.__version__.split(".")[:2])
START_S = float(os.environ.get("TRACEBOOK_START_S", 10))  # of the start, from the import on
FIRST_STEPS, FIRST_STEPS_S = 5, 60  # what has an optimizer is awaited longer, until its first steps are made,
STEADY_S = START_S / 10  # and so long more, since it may end before a window begins
WHOLE = "TRACEBOOK_START_S" in os.environ
MOST_STEPS = 500  # of a start;
REST_S = START_S / 5  # between start and window: what was written settles
EVEN, TRIES = 0.2, 30  # two steps are alike; after so many the window begins all the same
LEAST_STEPS, LONGEST_S = 3, 10  # of a steady window that has steps
GPU_WAIT_S = 2  # for work that is still under way at the end

unwarned = ("ignore", re.compile("This process .* is multi-threaded, use of fork"), DeprecationWarning, None, 0)


class Note:
    """python.PID: lines for collect, and a lock as long as there is something to wait for.

    A program may close all its files and open others under their numbers, so no line is written to a number that was
    kept, and the lock's is closed only if it still is the lock's."""

    def __init__(self):
        self.lock = None

    def path(self):
        return os.path.join(WISH["folder"], "python.%d" % self.pid)

    def open(self):
        self.pid = os.getpid()
        low = os.open(self.path(), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self.lock = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 900)  # the numbers of the program's own stay as alone
            os.close(low)
        except OSError:
            self.lock = low
        self.same = os.fstat(self.lock).st_ino
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def say(self, *words):
        if self.lock is not None:
            to = os.open(self.path(), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            os.write(to, (" ".join(str(w).replace("\n", " ") for w in words) + "\n").encode())
            os.close(to)

    def close(self):
        try:
            if self.lock is not None and os.fstat(self.lock).st_ino == self.same:
                os.close(self.lock)
        except OSError:
            pass
        self.lock = None


note = Note()
at_rest = []  # called when nothing more is recorded


def compiler():
    """Of torch.compile: what looks at each frame that a compiled function calls, ours too if it may."""
    return getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)


def careful(f):
    """Nothing of ours fails in the program, or is compiled."""
    frames = compiler()

    def call(*args):
        before = frames.set_eval_frame(None) if frames else None
        try:
            return f(*args)
        except Exception as e:
            try:
                note.say("trouble", f.__name__, type(e).__name__, e)
            except Exception:
                pass
        finally:
            if frames:
                frames.set_eval_frame(before)
    if frames and hasattr(frames, "skip_code"):
        frames.skip_code(call.__code__)
    return call


def has_gpu():
    """Could the program come to use one?"""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "all").strip()
    return bool(torch.version.cuda or getattr(torch.version, "hip", None)) and visible not in ("", "-1") and any(
        map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")))


# ---- one run of a profiler ----

class Kineto:
    started = False  # in this process, or in one that it was forked from

    def __init__(self, gpu, stacks):
        options = {"use_cpu": True, "use_kineto": True, "record_shapes": "shapes" in WITH,
                   "profile_memory": "memory" in WITH, "with_stack": stacks}
        self.gpu, self.stacks, self.thread, self.all_threads = gpu, stacks, _thread.get_ident(), False
        if gpu:
            options.update({"use_device": "cuda"} if VERSION >= (2, 1) else {"use_cuda": True})
        try:
            if "memory" not in WITH:  # not seen by it: pytorch#192290
                options["experimental_config"] = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
                self.all_threads = True
        except (TypeError, AttributeError):
            pass
        self.profile = profilers.profile(**options)
        first, Kineto.started = not Kineto.started, True
        quiet = first and "KINETO_LOG_LEVEL" not in os.environ
        if quiet:  # read when it is first prepared: its notes are no words of the program
            os.environ["KINETO_LOG_LEVEL"] = "4"
        if first and threading.main_thread().ident != self.thread:  # which has imported torch
            unheard(self.profile._prepare_trace, b"External init callback must run")
        else:
            self.profile._prepare_trace()
        if quiet:
            del os.environ["KINETO_LOG_LEVEL"]
        unlogged(self.profile._start_trace)
        self.began = time.time_ns()
        for what in ("record_shapes", "profile_memory", "with_stack"):
            if options[what] and profilers.kineto_available():
                torch.autograd._add_metadata_json(what, "1")

    def mine(self):
        """Can this thread end it?"""
        return self.all_threads and not self.stacks or self.thread == _thread.get_ident()

    def stop(self, patience_s):
        if self.gpu and patience_s:
            careful(wait_for_gpu)(patience_s)
        if not profilers.kineto_available():
            self.profile.__exit__(None, None, None)
            return
        tell_ranks()
        self.profile.kineto_results = unlogged(torch.autograd._disable_profiler)
        if hasattr(profilers, "_run_on_profiler_stop"):
            profilers._run_on_profiler_stop()

    def save(self, path):
        if profilers.kineto_available():
            self.profile.kineto_results.save(path)
        else:
            self.profile.export_chrome_trace(path)


class Operators:
    """The profiler of older versions, of one thread, without a GPU: it starts no driver."""
    gpu = False

    def __init__(self):
        words = [profilers.ProfilerState.CPU, "shapes" in WITH, False, False, False, False,
                 torch._C._profiler._ExperimentalConfig()]
        try:
            config = profilers.ProfilerConfig(*words, "")
        except TypeError:
            config = profilers.ProfilerConfig(*words)
        self.thread, self.lists = _thread.get_ident(), ()
        torch.autograd._enable_profiler_legacy(config)
        self.began = time.time_ns()

    def mine(self):
        return self.thread == _thread.get_ident()

    def stop(self, patience_s):
        self.lists = torch.autograd._disable_profiler_legacy()

    def rows(self):
        """(start, end, the rest of an event in JSON), times in ns."""
        first = self.lists[0][0] if self.lists and self.lists[0] else None
        for events in self.lists:
            open_ = []
            for e in events:
                if e.kind() == "push":
                    open_.append(e)
                elif e.kind() == "pop" and open_:
                    a = open_.pop()
                    start = self.began + int(first.cpu_elapsed_us(a) * 1e3)
                    args = '"args":{"Input Dims":%s}' % json.dumps(a.shapes()) if a.shapes() else '"args":{}'
                    yield (start, start + int(a.cpu_elapsed_us(e) * 1e3),
                           event("cpu_op" if "::" in a.name() or not a.scope() == 7 else "user_annotation",
                                 a.name(), a.thread_id(), args))


def event(category, name, thread, args='"args":{}'):
    return '"ph":"X","cat":"%s","name":%s,"pid":%d,"tid":%d,%s' % (
        category, json.dumps(name), os.getpid(), thread, args)


def wait_for_gpu(seconds):
    """What it does at the end belongs to the trace; work that hangs, of a rank that waits for another one, say, does not
    keep the program. (In a thread of its own the waiting would end Python badly.)"""
    if not torch.cuda.is_initialized():
        return
    until, event = time.monotonic() + seconds, torch.cuda.Event()
    event.record()
    while not event.query():
        if time.monotonic() > until:
            return
        time.sleep(0.001)
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        torch.cuda.synchronize()  # other streams, too


def unlogged(f):
    """PyTorch 2.14 tells on stderr of each start and end (kineto#1325), and of calls that a window with functions of
    Python began in; ours are no words of the program. So its own levels, where it shows them, are higher meanwhile."""
    levels = []
    logs = ("torch_cpu", "_ZN9libkineto6Logger14severityLevel_E", 6), ("c10", "FLAGS_caffe2_log_level", 2)
    for library, name, none in logs:
        try:
            level = ctypes.c_int.in_dll(ctypes.CDLL("%s/lib/lib%s.so" % (os.path.dirname(torch.__file__), library)), name)
            levels.append((level, level.value))
            level.value = none
        except (OSError, ValueError):
            pass
    try:
        return f()
    finally:
        for level, value in levels:
            level.value = value


def unheard(f, words):
    """What PyTorch says on stderr about us in lines with these words is none of the program's."""
    heard, real_one = os.memfd_create("heard"), os.dup(2)
    try:
        os.dup2(heard, 2)
        return f()
    finally:
        os.dup2(real_one, 2)
        os.close(real_one)
        os.lseek(heard, 0, os.SEEK_SET)
        with open(heard, "rb") as lines:
            for line in (line for line in lines if words not in line):
                os.write(2, line)


@careful
def tell_ranks():
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        known = torch.profiler.profiler._KinetoProfile._get_distributed_info(None)
        torch.autograd._add_metadata_json("distributedInfo", json.dumps(known, default=str))


# ---- what is written ----

EMPTY = '{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [\n], "baseTimeNanoseconds": 0}\n'


class Part:
    """One recording: its runs, in the order of time, and the steps that were seen meanwhile."""

    def __init__(self, kind):
        self.kind, self.runs, self.marks, self.began, self.ended, self.why = kind, [], [], time.time_ns(), 0, ""
        self.steps, self.steps_from = 0, None

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
        self.forked_from_gpu = False
        self.theirs = set()  # profilers of the program at work
        self.optimizer, self.has_optimizer, self.steps, self.step_began, self.last = None, False, 0, 0, []
        self.stepping = None  # since when the first steps are made
        self.idle_steps = WISH["after_steps"] - 1 if WISH["after_steps"] else sys.maxsize if WISH["after_ns"] > 0 else 0
        self.seen_steps = 0  # of the idle ones: they come long before the window that is wished, and are only counted
        self.imported, self.start_ended, self.tries, self.done, self.threads = time.time_ns(), 0, 0, False, 0
        self.main = threading.main_thread().ident
        self.sample, self.is_low, self.is_much = None, False, False  # what the watcher calls often, and saw
        self.writer, self.after_writing = None, []  # the thread that writes; what a signal wants meanwhile
        self.ending, self.watched, self.watcher = _thread.allocate_lock(), _thread.allocate_lock(), None

    def begin(self, kind):
        self.part, self.idle_steps = Part(kind), 0
        self.begin_run()
        threads = "all" if getattr(self.run, "all_threads", False) else "one" if self.touched else "untouched"
        note.say("begin", kind, self.part.began, threads,
                 "stacks" if getattr(self.run, "stacks", False) else "")

    def may_have_stacks(self):
        """2.6 crashes of them each time, and 2.11 at the end of Python, if the thread that began does not end them. It
        keeps names by where they lay: those of modules, whose code is gone when they are imported, are rubbish."""
        return "stacks" in WITH and VERSION >= (2, 11) and sys.getprofile() is None and self.part.kind == "window" and (
            self.main == _thread.get_ident() and time.time_ns() > self.imported + STEADY_S * SECOND)

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
            note.say("writing", part.kind)
            if run is not self.operators:
                run.stop(patience_s)
            self.leave_operators()
            part.ended, part.why = time.time_ns(), why
            self.start_ended = part.ended
            part.write()
        finally:
            self.writer = None
            while self.after_writing:
                self.after_writing.pop()()
        return True

    def touch(self):
        """The program begins to use CUDA: in any thread, so the operators of the main one may have to be ended later."""
        with self.lock:
            if self.touched:
                return
            self.touched = True
            if unwarned in warnings.filters:  # CUDA has threads of its own
                warnings.filters.remove(unwarned)
            anybody = VERSION >= (2, 8) and "memory" not in WITH
            if self.run is None or self.forked_from_gpu or not (self.run.mine() or anybody):
                return
            self.begin_run()
            note.say("begin", self.part.kind, self.part.began, "all" if self.run.all_threads else "one")

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
            not at_step or self.even())

    def window_is_over(self, now, at_step):
        age = now - (self.part.marks[0][0] if self.part.marks else self.part.began)
        if WISH["steps"] and self.part.steps_from is not None:
            return self.steps - self.part.steps_from >= WISH["steps"]
        if age < WISH["for_ns"]:
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
            else:
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

    def finish(self, patience_s, why):
        with self.lock:
            self.busy = True  # nothing else begins
            if self.run is not None and not self.done:
                note.say("threads", max(self.threads, threading.active_count()))
                if not self.end(why, patience_s):
                    note.say("lost", self.part.kind, why, "ended-by-another-thread")
            self.leave_operators()
            self.retire()

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
