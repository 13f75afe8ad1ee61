# SPDX-License-Identifier: Apache-2.0
"""Where the program's own ways meet the recorder of its process (tracebook-torch-recorder.py): its steps, its first CUDA
call, its own profiler, its ends, its children.

Python's own end, os._exit, exec and a signal that would end the process (where the program has no handler) finish the
recording first. Everything stays as it would be alone: each hook calls what it replaced, and who asks for a signal's handler gets the
one that would be there without us.
"""
import atexit
import ctypes  # here, not in a thread of ours: a fork would leave its lock taken for ever
import os
import signal
import sys
import threading
import time
import warnings
import _thread

import torch
from torch.autograd import profiler as profilers
from tracebook_profilers import (ALL_THREADS, GPU_WAIT_S, OF_AN_OPERATOR_S, SECOND, WISH, Kineto, Operators, careful, cost_s,
                                 counter, note, unheard, unlogged)
from tracebook_recorder import LEAST_SHARE, LEAST_STEPS, WHOLE, Recorder, at_rest, unwarned

DEADLY = (signal.SIGTERM, signal.SIGHUP)
SIGNAL_WAIT_S = 0.5  # for the GPU
FREE_SHARE = 0.25  # of the memory that was free; below, a recording ends
SHARES = {True: (0.05, 0.08), False: (0.10, 0.12)}  # of the time so far, with CUDA and without: what ending and writing may
# take, of the start and in all
LOOK_S, SAMPLE_S, ANSWER_S = 0.1, 0.01, 1  # how often the clock is looked at, and what makes a batch; the main thread answers
WISHED = WISH["after_ns"] >= 0 or WISH["after_steps"] or WISH["for_given"] or WISH["steps"]  # a window as it was wished
LAUNCHERS = (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
             ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"))  # what torchrun, mpirun and srun tell; a job of one process has no rank
real = {"signal": signal.signal, "getsignal": signal.getsignal}
recorder, kept = None, []

placed = []  # (owner, name, ours, what stood there)


def place(owner, name, ours):
    inner = getattr(owner, name)
    ours.__name__, ours.__doc__, ours.__wrapped__ = name, inner.__doc__, inner
    placed.append((owner, name, ours, vars(owner).get(name)))
    setattr(owner, name, ours)


def take_back():
    """When nothing more is recorded: a step has nothing of ours in it then. (Who wraps it in turn keeps its own.)"""
    while placed:
        owner, name, ours, inner = placed.pop()
        if vars(owner).get(name) is not ours:
            continue
        if inner is None:  # of a base class
            delattr(owner, name)
        else:
            setattr(owner, name, inner)


def hooked(owner, name, before=None, after=None):
    """Calls `before` with its arguments, then what stood there, then `after`; careful with both."""
    inner = getattr(owner, name)

    def call(*args, **kwargs):
        if before is not None:
            careful(before)(*args)
        result = inner(*args, **kwargs)
        if after is not None:
            careful(after)(*args)
        return result
    place(owner, name, call)


def hook_optimizers():
    optimizers = torch.optim.Optimizer
    compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)

    def watched(optimizer):  # once a class, when it is first used
        recorder.has_optimizer = True
        if not recorder.steps:
            recorder.step_began = time.time_ns()
        kind = type(optimizer)
        step = kind.step
        if getattr(step, "tracebook", False):
            return

        def call(self, *args, **kwargs):
            result = step(self, *args, **kwargs)
            if compiling() or recorder.done:  # done: of a scheduler of learning rates, which keeps it
                return result
            if recorder.steps < recorder.idle_steps and id(self) == recorder.optimizer:
                recorder.steps += 1
            else:
                stepped(self)
            return result
        call.__dict__.update(step.__dict__, tracebook=True)
        place(kind, "step", call)
    stepped = careful(lambda optimizer: recorder.stepped(optimizer))
    hooked(optimizers, "__init__", after=lambda optimizer, *args: watched(optimizer))


def hook_first_call():
    """Of CUDA: asking for devices counts, since it starts the driver."""
    for name in ("_cuda_getDeviceCount", "_cuda_init"):
        if hasattr(torch._C, name):
            hooked(torch._C, name, before=lambda *args, makes=name == "_cuda_init": recorder.touch(makes))


def hook_profilers():
    def begins(theirs, *args):
        if not recorder.beginning:
            recorder.give_way(id(theirs))

    for kind, enter in (("profile", "_prepare_trace"), ("emit_nvtx", "__enter__"), ("emit_itt", "__enter__")):
        if hasattr(profilers, kind):
            hooked(getattr(profilers, kind), enter, before=begins)
            hooked(getattr(profilers, kind), "__exit__", after=lambda theirs, *args: recorder.theirs.discard(id(theirs)))


def hook_ends():
    atexit.register(careful(lambda: recorder.finish(GPU_WAIT_S)))
    for name in ("_exit", "execv", "execve"):
        hooked(os, name, before=lambda *args: recorder.finish(GPU_WAIT_S))


ours = {}  # signals that we handle, where the program has nobody for them


def at_signal(number, frame):
    if recorder.writer == _thread.get_ident():
        recorder.after_writing.append(lambda: at_signal(number, frame))
        return
    careful(recorder.finish)(SIGNAL_WAIT_S)
    real["signal"](number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def caught():
    """Signals with a handler, as a mask: that of a library in C is not known to Python (UCX takes SIGHUP)."""
    with open("/proc/self/status") as f:
        return next(int(line.split()[1], 16) for line in f if line.startswith("SigCgt"))


def hook_signals():
    """Who asks or sets a handler meets what would be there without us."""
    if threading.current_thread() is not threading.main_thread():
        return
    taken = caught()
    for number in DEADLY:
        if real["getsignal"](number) == signal.SIG_DFL and not taken >> (number - 1) & 1:
            real["signal"](number, at_signal)
            ours[number] = True

    def set_handler(number, handler):
        before = real["signal"](number, handler)
        return signal.SIG_DFL if ours.pop(number, False) else before

    def ask_handler(number):
        return signal.SIG_DFL if number in ours else real["getsignal"](number)
    signal.signal, signal.getsignal = set_handler, ask_handler


def show_signals():
    if threading.get_ident() != threading.main_thread().ident:
        return
    for number in list(ours):
        if real["getsignal"](number) is at_signal:
            real["signal"](number, signal.SIG_DFL)
        ours.pop(number)
    signal.signal, signal.getsignal = real["signal"], real["getsignal"]


held = {}  # by thread that forks: the signals that it blocked itself


def hold_signals():
    """Before a fork. Python forgets what reaches the child before that is at work: without us it would have ended it."""
    if ours:
        held[_thread.get_ident()] = signal.pthread_sigmask(signal.SIG_BLOCK, ours)


def let_signals():
    mask = held.pop(_thread.get_ident(), None)
    if mask is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


# ---- a loop and the workers that load for it ----

class Loading:
    """How long the loop waited for its batches, the first aside, and worked on them; how long this process made some, and
    in which functions it was seen then."""
    batches = wait_ns = work_ns = left_ns = made = make_ns = samples = 0
    making, seen = None, None  # the thread that does; samples by function
    worker = None  # its number, if this process is one: PyTorch 2.14 no longer knows it when it ends


loading = Loading()


def hook_loading():
    data = sys.modules.get("torch.utils.data")
    if data is None:
        return
    kind = data.dataloader._BaseDataLoaderIter
    following = kind.__next__

    def timed(self):
        began, before = time.perf_counter_ns(), loading.left_ns
        first = getattr(self, "_num_yielded", 0) == 0  # that one waits for the workers to start
        batch = following(self)
        loading.left_ns = time.perf_counter_ns()
        if not first:
            loading.batches += 1
            loading.wait_ns += loading.left_ns - began
            loading.work_ns += began - before
        return batch
    place(kind, "__next__", timed)
    for fetcher in (data._utils.fetch._MapDatasetFetcher, data._utils.fetch._IterableDatasetFetcher):
        hook_fetch(fetcher, data)


def hook_fetch(fetcher, data):
    fetch = fetcher.fetch

    def timed(self, *args):
        began, info = time.perf_counter_ns(), data.get_worker_info()
        loading.worker = None if info is None else info.id
        recorder.sample, loading.making = sample, threading.get_ident()
        try:
            batch = fetch(self, *args)
        finally:
            loading.making = None
        loading.made += 1
        loading.make_ns += time.perf_counter_ns() - began
        return batch
    place(fetcher, "fetch", timed)


def is_part_of_python(file):
    return file.startswith(("<", os.path.dirname(os.__file__))) and "-packages" not in file


def place_of(frame):
    """The innermost function of the program's own, or of a library that is not PyTorch."""
    library = None
    while frame is not None and frame.f_code.co_name != "timed":
        file = frame.f_code.co_filename
        if not is_part_of_python(file):
            if "-packages" not in file:
                return frame.f_code
            library = library or (None if "/torch/" in file else frame.f_code)
        frame = frame.f_back
    return library


def sample():
    code = place_of(sys._current_frames().get(loading.making)) if loading.making else None
    if loading.making:
        loading.samples += 1
    if code is not None:
        name = "%s %s:%d" % (getattr(code, "co_qualname", code.co_name), os.path.basename(code.co_filename),
                             code.co_firstlineno)
        loading.seen = loading.seen or {}
        loading.seen[name] = loading.seen.get(name, 0) + 1


def parent():
    """Who asked for this process: with a fork server (Python 3.14's default) that is not who made it."""
    processes = sys.modules.get("multiprocessing")
    of = processes.parent_process() if processes is not None else None
    return os.getppid() if of is None else of.pid


def tell_loading():
    if loading.worker is not None or loading.batches:
        note.say("loading", -1 if loading.worker is None or loading.batches else loading.worker, parent(), loading.batches,
                 loading.wait_ns, loading.work_ns, loading.made, loading.make_ns, loading.samples)
        for name, n in sorted((loading.seen or {}).items(), key=lambda at: -at[1])[:3]:
            note.say("in", n, name)


# ---- processes ----

def leave_behind(run):
    """In a forked child: what its parent records goes on there, not here. True: Kineto can be used."""
    if isinstance(run, Operators):
        if run.mine():
            torch.autograd._disable_profiler_legacy()
        return True
    if run.gpu:  # CUPTI hangs in a forked child
        unheard(lambda: torch.autograd._toggle_collection_dynamic(False, {torch.profiler.ProfilerActivity.CPU}), b"")
        return False
    if not run.mine():
        return False
    unlogged(torch.autograd._disable_profiler)
    if hasattr(profilers, "_run_on_profiler_stop"):
        profilers._run_on_profiler_stop()
    return True


def leave_kineto_alone():
    """Its thread is not there in a forked child, and exit() would wait for it for ever (~ConfigLoader)."""
    libc = ctypes.CDLL(None)
    libc.on_exit(ctypes.cast(libc._exit, ctypes.c_void_p), None)
    libc.__cxa_atexit(ctypes.cast(libc.fflush, ctypes.c_void_p), None, None)  # before that, as what comes last goes first


@careful
def in_child():
    global recorder
    parent, recorder = recorder, Recorder()
    counter.end()
    loading.__dict__.clear()
    if Kineto.started:
        leave_kineto_alone()
    recorder.done = True
    note.close()
    if parent is None or parent.run is None or parent.done:
        return
    usable = leave_behind(parent.run)
    recorder.forked_from_gpu = parent.run.gpu
    recorder.forked_by_thread = parent.forked_by_thread or recorder.main != parent.main
    if usable or ALL_THREADS:
        recorder.done = False
        recorder.has_optimizer = parent.has_optimizer
        start()
        note.say("forked")


def free_bytes():
    """Of the machine, or of what the cgroup leaves."""
    free = None
    try:
        with open("/proc/meminfo") as f:
            free = next(int(line.split()[1]) * 1024 for line in f if line.startswith("MemAvailable"))
        with open("/sys/fs/cgroup/memory.max") as most, open("/sys/fs/cgroup/memory.current") as used:
            free = min(free, int(most.read()) - int(used.read()))
    except (OSError, ValueError, StopIteration):
        pass
    return free


def kept_off_ns():
    """How long others have kept the main thread from a CPU."""
    try:
        with open("/proc/self/schedstat") as f:
            return int(f.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def look_at_cost(of):
    """Would ending and writing what is recorded, or the least of a window, take more than its share of the time so far?"""
    if WHOLE or of.part is None or WISHED and (of.run is None or of.part.kind == "window"):
        of.is_dear = False
        return
    now, seen_s, of.seen_s = time.time_ns(), of.seen_s, cost_s()
    age_s, takes_s = (now - WISH["began_ns"] - kept_off_ns()) / SECOND, of.seen_s - of.made_s
    cuda = torch.cuda.is_initialized()
    of_start, share = SHARES[cuda]
    if of.run is None:
        pace = takes_s / (now - of.start_ended) if cuda else of.pace
        least_ns = max([LEAST_SHARE * WISH["for_ns"]] + [LEAST_STEPS * step_ns for step_ns in of.last])
        of.is_dear = of.spent_s + pace * least_ns > share * age_s
        return
    if of.part.kind == "start" and (of.steps > 1 or not of.has_optimizer):
        share = of_start
    if counter.on:
        left_s = share * age_s - of.spent_s - takes_s
        counter.wake(counter.counted() + int(max(left_s, 0) / OF_AN_OPERATOR_S) + 1, of.again)
    else:
        takes_s += max(of.seen_s - max(seen_s, of.made_s), 0)  # until it is looked at again
    of.is_much = of.spent_s + takes_s > share * age_s


def may_be_called(of):
    """From C, by the main thread between two lines of the program: looks, and begins or ends what is to."""
    def look_again(_):
        if of.pid == os.getpid():  # a child does not do what its parent asked for
            of.asked = 0
            of.look()
            careful(of.plan)(False)
        return 0
    of.look, of.again = careful(lambda: look_at_cost(of)), ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(look_again)
    kept.append(of.again)  # a call may still be asked for in a child


def watch(of):
    """What no step decides: times, and memory. Begun in the main thread if that answers, ended there unless any thread can."""
    round_, sampled, following, free = 0, careful(lambda: of.sample()), 0, free_bytes()
    part = 0.5
    while not of.done and not of.ending.acquire(timeout=SAMPLE_S * (0.5 + part) if of.sample else LOOK_S):
        part = (part + 0.618) % 1  # in no rhythm with what makes the batches
        if of.is_last():
            careful(of.finish)(GPU_WAIT_S)
            continue
        if of.sample:
            sampled()
        if time.monotonic() < following or of.busy:  # another thread decides
            continue
        round_, following = round_ + 1, time.monotonic() + LOOK_S
        of.threads = max(of.threads, threading.active_count())
        if of.run is not None and free and round_ % 5 == 0:
            of.is_low = (free_bytes() or free) < FREE_SHARE * free
        of.look()
        if of.run is not None and of.run.mine() or of.asked and time.monotonic() > of.asked + ANSWER_S:
            careful(of.plan)(False)
        elif not of.done and not of.asked:
            of.asked = time.monotonic()
            if ctypes.pythonapi.Py_AddPendingCall(of.again, None):
                of.asked = 0
    of.watched.release()


def tell_rank():
    told = ([os.environ.get(name, "") for name in names] for names in LAUNCHERS)
    for rank, world in (pair for pair in told if all(map(str.isdecimal, pair)) and int(pair[1]) > 1):
        return note.say("rank", rank, world)


def start():
    recorder.pid = os.getpid()
    if sys.version_info >= (3, 12) and len(os.listdir("/proc/self/task")) == 1:
        warnings.filters.insert(0, unwarned)  # the threads that follow are ours
    if len(os.listdir(WISH["folder"])) > WISH["most_processes"]:
        recorder.done = True
        return
    note.open()
    note.say("torch", torch.__version__, "%d.%d.%d" % sys.version_info[:3])
    tell_rank()
    if "CUDA_INJECTION64_PATH" in os.environ and "tracebook-inject" not in os.environ["CUDA_INJECTION64_PATH"]:
        note.say("injected", os.environ["CUDA_INJECTION64_PATH"])
        recorder.done = True
        return
    may_be_called(recorder)
    if WISH["after_ns"] == 0:
        recorder.begin("window")
    elif WISH["after_ns"] < 0 and not WISH["after_steps"]:
        recorder.begin("start")
    recorder.ending.acquire()
    recorder.watched.acquire()
    recorder.watcher = _thread.start_new_thread(careful(watch), (recorder,))


def begin():
    global recorder
    if "_inductor/compile_worker" in sys.argv[0]:  # of torch.compile: no work of the program
        os.environ.pop("TRACEBOOK_INJECT", None)  # whatever it tries out on a GPU
        return
    recorder = Recorder()
    at_rest.extend((careful(take_back), show_signals, careful(tell_loading)))
    for hook in (hook_loading, hook_optimizers, hook_first_call, hook_profilers, hook_ends, hook_signals):
        careful(hook)()
    os.register_at_fork(after_in_child=in_child)
    os.register_at_fork(before=careful(hold_signals), after_in_parent=careful(let_signals), after_in_child=careful(let_signals))
    careful(start)()
