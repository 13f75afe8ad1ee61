# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch as a recorder meets: products that take a time, optimizers, and a profiler that writes as
libkineto does. FAKE_TORCH: its version (2.11.0); one before 2.8 records the thread only that began it. FAKE_TENSORS: so
many are made on a GPU by each product. FAKE_OPERATORS: so many are run by each, by what passes for its library.
FAKE_GPU: as where there is a GPU; a thread that makes its context, by cuda.use(),
never comes back from it where CUPTI is brought in meanwhile.
FAKE_WAIT: others have kept this process from a CPU for all of its time so far, as Linux would tell it."""
import builtins
import ctypes
import io
import json
import os
import sys
import threading
import time
import types

__version__ = os.environ.get("FAKE_TORCH", "2.11.0")
ALL_THREADS = tuple(map(int, __version__.split(".")[:2])) >= (2, 8)
at_work = None  # the profiler
TENSORS, made = int(os.environ.get("FAKE_TENSORS", 0)), 0
GPU = "FAKE_GPU" in os.environ
making = broken = has_cupti = initialized = False
OPERATORS = int(os.environ.get("FAKE_OPERATORS", 0))
library = os.path.join(os.path.dirname(__file__), "lib", "libtorch_cpu.so")  # which a test may make
library = ctypes.CDLL(library) if os.path.exists(library) else None


def module(name, **members):
    made = types.ModuleType("torch." + name)
    made.__dict__.update(members)
    sys.modules["torch." + name] = made
    return made


def log(words):
    """As 2.14 does, by the level that its library has."""
    if library:
        level = ctypes.c_int.in_dll(library, "_ZN9libkineto6Logger14severityLevel_E").value
        if level <= 5:
            print("USDT:%d: %s" % (level, words), file=sys.stderr)


def waiting(path, *words, **more):
    """In place of open()."""
    if path != "/proc/self/schedstat":
        return opened(path, *words, **more)
    return io.StringIO("1000000 %d 10\n" % (time.time_ns() - json.loads(os.environ["TRACEBOOK_RECORD"])["began_ns"]))


opened = builtins.open
if "FAKE_WAIT" in os.environ:
    builtins.open = waiting

told = {}  # members of what is saved


class Results:
    def __init__(self, of):
        self.of = of

    def save(self, path):
        base = 1790857026 * 10 ** 9
        events = [{"ph": "X", "cat": category, "name": name, "pid": os.getpid(), "tid": tid, "ts": (a - base) / 1e3,
                   "dur": (b - a) / 1e3, "args": {"Input Dims": [[8, 8], [8, 8]]} if self.of.shapes else {}}
                  for category, name, tid, a, b in self.of.events]
        for _ in range(int(os.environ.get("FAKE_SLOW", 0))):
            time.sleep(0.01)
        if "FAKE_KILL" in os.environ:  # a signal that comes while this is written
            os.kill(os.getpid(), int(os.environ["FAKE_KILL"]))
            time.sleep(0.01)
        with open(path, "w") as f:
            f.write('\n{\n  "schemaVersion": 1,\n  "deviceProperties": [\n  ],\n  "traceEvents": [\n')
            f.write(",\n".join(map(json.dumps, events)))
            f.write('\n  ],\n  "displayTimeUnit": "ms",\n')
            f.writelines('  "%s": %s,\n' % member for member in told.items())
            f.write('  "baseTimeNanoseconds": %d\n}\n' % base)


class profile:
    def __init__(self, *, record_shapes=False, experimental_config=None, with_stack=False, **options):
        self.shapes, self.stack, self.events, self.thread = record_shapes, with_stack, [], threading.get_ident()
        self.all_threads = bool(experimental_config and experimental_config.all_threads)

    def _prepare_trace(self):
        global broken, has_cupti
        assert at_work is None, "two profilers at one time"
        broken, has_cupti = broken or making and not has_cupti, True

    def _start_trace(self):
        global at_work
        at_work = self
        log("profiler_start")

    def __enter__(self):
        self._prepare_trace()
        self._start_trace()
        return self

    def __exit__(self, *error):
        self.kineto_results = _disable_profiler()


def _disable_profiler():
    global at_work
    assert at_work is not None, "no profiler is at work"
    ended, at_work = at_work, None
    log("profiler_stop")
    assert ended.all_threads or ended.thread == threading.get_ident(), "another thread has begun it"
    return Results(ended)


class Config:
    def __init__(self, profile_all_threads=False):
        if profile_all_threads and not ALL_THREADS:
            raise TypeError("profile_all_threads")
        self.all_threads = profile_all_threads


def event(category, name, seconds):
    began = time.time_ns()
    time.sleep(seconds)
    if at_work is not None and (at_work.all_threads or at_work.thread == threading.get_ident()):
        at_work.events.append((category, name, threading.get_native_id(), began, time.time_ns()))


def mm(seconds=0.0005):
    global made
    event("cpu_op", "aten::mm", seconds)
    made += TENSORS
    if OPERATORS:
        library.run(OPERATORS)


class Optimizer:
    def __init__(self):
        pass


class SGD(Optimizer):
    def step(self):
        event("user_annotation", "Optimizer.step#SGD.step", 0.0002)


class emit_nvtx:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def _cuda_init():
    global initialized
    initialized = True


def use():
    """As the first operator that runs on the GPU."""
    global making
    if not initialized:
        _C._cuda_init()
        making = True
        time.sleep(0.5)
        making = False
    while broken:
        time.sleep(1)


class Device:
    """The second of two GPUs: using the first would make a context there."""
    current = 0

    def __init__(self, i):
        self.i = i

    def __enter__(self):
        Device.current = self.i

    def __exit__(self, *error):
        Device.current = 0


class Work:
    def record(self):
        assert Device.current == 1, "a context where the program has none"

    def query(self):
        return True


if GPU:
    exists = os.path.exists
    os.path.exists = lambda path: path == "/dev/nvidiactl" or exists(path)
version = types.SimpleNamespace(cuda="13.0" if GPU else None)
_C = types.SimpleNamespace(_profiler=types.SimpleNamespace(_ExperimentalConfig=Config), _cuda_init=_cuda_init,
                           _cuda_hasPrimaryContext=lambda i: i == 1)
cuda = types.SimpleNamespace(is_initialized=lambda: initialized or TENSORS > 0, device_count=lambda: 2, use=use, Event=Work,
                             synchronize=lambda i: None, device=Device,
                             memory_stats_as_nested_dict=lambda i: {"allocation": {"all": {"allocated": made * i}}})
distributed = types.SimpleNamespace(is_available=lambda: False)
optim = module("optim", Optimizer=Optimizer, SGD=SGD)
profiler = module("autograd.profiler", profile=profile, emit_nvtx=emit_nvtx, kineto_available=lambda: True)
autograd = module("autograd", profiler=profiler, _disable_profiler=_disable_profiler,
                  _add_metadata_json=told.__setitem__)


# ---- torch.utils.data: batches made by the loop, or by children that are forked ----

worker = None  # this process is that one


class Fetcher:
    def __init__(self, dataset):
        self.dataset = dataset

    def fetch(self, index):
        return self.dataset[index]


class Iterator:
    def __init__(self, dataset, workers):
        self.left, self.fetcher, self._num_yielded = list(range(len(dataset))), fetch._MapDatasetFetcher(dataset), 0
        self.pipes = [self.made_by(i, self.left[i::workers]) for i in range(workers)]

    def made_by(self, i, indices):
        global worker
        ours, theirs = os.pipe()
        if not os.fork():
            worker = types.SimpleNamespace(id=i)
            for index in indices:
                self.fetcher.fetch(index)
                os.write(theirs, b"x")
            worker = None  # as 2.14 does
            os._exit(0)
        os.close(theirs)
        return ours

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            for pipe in self.pipes:
                os.close(pipe)
                os.wait()
            raise StopIteration
        index = self.left.pop(0)
        batch = os.read(self.pipes[index % len(self.pipes)], 1) if self.pipes else self.fetcher.fetch(index)
        self._num_yielded += 1
        return batch


fetch = types.SimpleNamespace(_MapDatasetFetcher=Fetcher, _IterableDatasetFetcher=type("Other", (Fetcher,), {}))
data = module("utils.data", DataLoader=lambda dataset, num_workers=0: Iterator(dataset, num_workers),
              dataloader=types.SimpleNamespace(_BaseDataLoaderIter=Iterator), get_worker_info=lambda: worker,
              _utils=types.SimpleNamespace(fetch=fetch))
