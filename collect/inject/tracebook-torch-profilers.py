# SPDX-License-Identifier: Apache-2.0
"""The profilers that a process can be recorded by (tracebook-torch-recorder.py says when), and the note of what happened.

Everything stays as it would be alone: nothing is printed, and a failure of ours ends the recording only.
"""
import ctypes
import fcntl
import json
import os
import sys
import threading
import time
import _thread

import torch
from torch.autograd import profiler as profilers

WISH = json.loads(os.environ["TRACEBOOK_RECORD"])  # collect/command.c
WITH = WISH["with"].split(", ")
SECOND = 10 ** 9
VERSION = tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in torch.__version__.split(".")[:2])
OF_A_TENSOR_S, OF_AN_OPERATOR_S = 95e-6, 10e-6 if "shapes" in WITH else 3e-6  # what ending and writing takes of each
COUNTED_UNTIL = 2, 14  # the newest PyTorch whose operators were counted
GPU_WAIT_S = 2  # for work that is still under way at the end


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

try:
    ALL_THREADS, REACH = {"experimental_config": torch._C._profiler._ExperimentalConfig(profile_all_threads=True)}, "all"
except (TypeError, AttributeError):
    ALL_THREADS, REACH = {}, "one"
if ALL_THREADS and "memory" in WITH:  # not seen by it: pytorch#192290
    ALL_THREADS, REACH = {}, "memory"


class Kineto:
    started = False  # in this process, or in one that it was forked from

    def __init__(self, gpu, stacks):
        options = {"use_cpu": True, "use_kineto": True, "record_shapes": "shapes" in WITH,
                   "profile_memory": "memory" in WITH, "with_stack": stacks, **ALL_THREADS}
        self.gpu, self.stacks, self.thread = gpu, stacks, _thread.get_ident()
        if gpu:
            options.update({"use_device": "cuda"} if VERSION >= (2, 1) else {"use_cuda": True})
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
            if options[what]:
                self.tell(what, 1)

    def tell(self, what, value):
        """A member of the trace."""
        if profilers.kineto_available():
            torch.autograd._add_metadata_json(what, str(value))

    def mine(self):
        """Can this thread end it?"""
        return bool(ALL_THREADS) and not self.stacks or self.thread == _thread.get_ident()

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


def tensors():
    """That were made on GPUs so far: most operators make one. (Takes 11 us.)"""
    return sum(torch.cuda.memory_stats_as_nested_dict(i)["allocation"]["all"]["allocated"]
               for i in range(torch.cuda.device_count())) if torch.cuda.is_initialized() else 0


class Counter:
    """Of operators, as long as something is recorded without a GPU (collect/inject/operators.h)."""
    library, on = None, False

    def begin(self):
        if self.library is None and VERSION <= COUNTED_UNTIL:
            beside = os.path.dirname(os.path.realpath(__file__))
            self.library = ctypes.CDLL(os.path.join(beside, "tracebook-inject.so"))
            self.library.tracebook_operators_counted.restype = ctypes.c_uint64
        self.on = bool(self.library) and self.library.tracebook_operators_begin() & 1

    def counted(self):
        return self.library.tracebook_operators_counted() if self.library else 0

    def wake(self, most, call):
        """`call` is made by the main thread of Python when so many are counted."""
        self.library.tracebook_operators_wake(ctypes.c_uint64(most), ctypes.pythonapi.Py_AddPendingCall, call)

    def end(self):
        if self.on:
            self.on = False
            self.library.tracebook_operators_end()


counter = Counter()


def cost_s():
    """What ending and writing takes of all that could have been recorded so far (docs/measurements.md)."""
    return counter.counted() * OF_AN_OPERATOR_S + tensors() * OF_A_TENSOR_S


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


def is_rank():
    return torch.distributed.is_available() and torch.distributed.is_initialized()


def wait_for_gpu(seconds):
    """What it does at the end belongs to the trace; work that hangs, of a rank that waits for another one, say, does not
    keep the program. (In a thread of its own the waiting would end Python badly.)"""
    if not torch.cuda.is_initialized():
        return
    until, events = time.monotonic() + seconds, {}
    for i in filter(torch._C._cuda_hasPrimaryContext, range(torch.cuda.device_count())):  # none is made on another by a thread
        with torch.cuda.device(i):  # of ours
            events[i] = torch.cuda.Event()
            events[i].record()
    while not all(event.query() for event in events.values()):
        if time.monotonic() > until:
            return
        time.sleep(0.001)
    for i in () if is_rank() else events:
        torch.cuda.synchronize(i)  # other streams, too


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
    if is_rank():
        known = torch.profiler.profiler._KinetoProfile._get_distributed_info(None)
        torch.autograd._add_metadata_json("distributedInfo", json.dumps(known, default=str))
