# SPDX-License-Identifier: Apache-2.0
"""Programs that differ in how they end, fork, thread, load and compile: `programs.py NAME [cpu|cuda]`.

Nothing in them knows of a recorder. What they print is the same in every run; a line "EXPECT {...}" says how often
they call an operator, or launch a kernel. REFERENCE=FILE in the environment: recorded by torch.profiler from the first
line to the last.
"""
import collections
import json
import os
import signal
import subprocess
import sys
import threading
import time

NAME = sys.argv[1]

if NAME == "handler_before":
    signal.signal(signal.SIGTERM, lambda *_: (print("asked to end", flush=True), sys.exit(5)))
if NAME == "plain":
    print(sum(i * i for i in range(200000)))
    sys.exit(2)

import torch  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # -I leaves it out
import endings  # noqa: E402
from work import DEVICE, LONG, SIZE, expect, model, products, train  # noqa: E402


def matmul():
    products(10)
    expect(mm=10)


def training():
    train(60)
    expect(cross_entropy_loss=60, addmm=120)


def adam():
    train(20, torch.optim.AdamW)
    expect(cross_entropy_loss=20)


def two_optimizers():
    nets = [model(), model()]
    optimizers = [torch.optim.SGD(n.parameters(), lr=0.01) for n in nets]
    x = torch.randn(32, 64, device=DEVICE)
    for _ in range(30):
        for net, optimizer in zip(nets, optimizers):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
    expect(addmm=120)


def denoise():
    x = torch.randn(8, 4, 32, 32, device=DEVICE)
    net = torch.nn.Conv2d(4, 4, 3, padding=1).to(DEVICE)
    with torch.no_grad():
        for _ in range(10):
            for _ in range(8):
                x = x - 0.1 * net(x)
    expect(conv2d=80)


# ---- those that a new user tried first ----

def first():
    """The first lesson: ten products and sums of large matrices."""
    x, w = (torch.randn(4096 if DEVICE == "cuda" else 512, 4096 if DEVICE == "cuda" else 512, device=DEVICE)
            for _ in range(2))
    for _ in range(10):
        y = x @ w + x
    print(y.shape)
    expect(matmul=10, add=10)


def first_long():
    """As long on the CPU alone, whatever there is."""
    x = torch.randn(256, 256)
    for _ in range(300):
        y = torch.relu(x @ x)
        time.sleep(0.005)
    print(y.shape)
    expect(matmul=300, relu=300)


def serving():
    """Four threads for five seconds at least; battery.py puts a shell around them."""
    serve_all(max(5, LONG))


def compiled_training():
    """Seconds of compiling, then 150 steps of milliseconds."""
    width = 512 if DEVICE == "cuda" else 32
    layers = [layer for _ in range(6) for layer in (torch.nn.LayerNorm(width), torch.nn.Linear(width, width), torch.nn.GELU())]
    net = torch.nn.Sequential(*layers, torch.nn.Linear(width, 10)).to(DEVICE)
    train(150, torch.optim.AdamW, torch.compile(net), torch.randn(256, width, device=DEVICE),
          torch.randint(10, (256,), device=DEVICE))


def rounds_of_denoising():
    """Ten rounds that ask for the same, a pause between them as of somebody who looks at the picture."""
    x = torch.randn(4, 4, 64, 64, device=DEVICE)
    net = torch.nn.Sequential(torch.nn.Conv2d(4, 32, 3, padding=1), torch.nn.SiLU(), torch.nn.GroupNorm(4, 32),
                              torch.nn.Conv2d(32, 4, 3, padding=1)).to(DEVICE)
    with torch.no_grad():
        for _ in range(10):
            for _ in range(40 if DEVICE == "cuda" else 4):
                x = x - 0.1 * net(x)
            time.sleep(0.3)
    expect(conv2d=800 if DEVICE == "cuda" else 80)


def convolutional():
    from loading import train_pictures
    train_pictures(DEVICE, 300 if DEVICE == "cuda" else 12)


def load(epochs=1, **options):
    from loading import train_loaded
    train_loaded(model(), DEVICE, epochs, **options)
    expect(cross_entropy_loss=6 * epochs)


def loader():
    load(num_workers=2)


def loader_none():
    load()


def loader_spawn():
    load(num_workers=2, multiprocessing_context="spawn")


def loader_persistent():
    load(3, num_workers=3, persistent_workers=True)


def loader_again():
    load(3, num_workers=2)


def loader_pinned():
    load(2, num_workers=2, pin_memory=DEVICE == "cuda")


def serve(seconds, counted):
    x = torch.randn(64, 64, device=DEVICE)
    until = time.time() + seconds
    mine = counted.setdefault(threading.get_ident(), collections.Counter())
    while time.time() < until:
        torch.mm(x, x)
        mine[int(time.time() * 10)] += 1
        time.sleep(0.005)


def serve_all(seconds, threads=4, main=None):
    """The main thread waits, or serves as long, too. TENTHS: how many products in each tenth of a second."""
    counted = {}
    all_ = [threading.Thread(target=serve, args=(seconds, counted)) for _ in range(threads)]
    for t in all_:
        t.start()
    if main:
        main(seconds, counted)
    for t in all_:
        t.join()
    print("served by", len(counted))
    every = sum(counted.values(), collections.Counter())
    print("TENTHS", json.dumps(every))
    expect(mm=sum(every.values()))


def threads():
    serve_all(LONG)


def threads_and_main():
    """The main thread is one of them: between two of its lines something may begin."""
    serve_all(LONG + 2, 3, serve)


def daemon_thread():
    """That waits at the end. (In an operator it ends Python by std::terminate, recorded or not.)"""
    def served():
        serve(LONG, {})
        time.sleep(60)
    threading.Thread(target=served, daemon=True).start()
    products(10)
    time.sleep(LONG + 0.3)
    expect(mm=10)  # at least


def late_thread():
    threading.Thread(target=serve, args=(LONG, {})).start()
    products(10)


def terminated_in_thread():
    products(10)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    serve(30, {})


def executes():
    products(10)
    os.execv(sys.executable, [sys.executable, __file__, "status", DEVICE])


def executes_plain():
    products(10)
    os.execlp("sh", "sh", "-c", "echo executed; exit 9")


def executes_nothing():
    products(10)
    try:
        os.execv("/no/such/program", ["x"])
    except OSError as e:
        print(e)


def forks():
    products(10)
    pid = os.fork()
    if not pid:
        torch.mm(torch.ones(8, 8), torch.ones(8, 8))
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def forks_and_returns():
    products(10)
    sys.stdout.flush()
    if not os.fork():
        torch.mm(torch.ones(8, 8), torch.ones(8, 8))
        sys.exit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]))


def forks_first():
    """The child alone uses the device."""
    torch.mm(torch.ones(8, 8), torch.ones(8, 8))
    pid = os.fork()
    if not pid:
        print(torch.randn(8, device=DEVICE).isfinite().all().item(), flush=True)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    products(10, torch.randn(64, 64))
    expect(mm=11)


def waits_for_all():
    products(10)
    for i in range(3):
        if not os.fork():
            os._exit(i)
    ends = []
    try:
        while True:
            ends.append(os.waitstatus_to_exitcode(os.wait()[1]))
    except ChildProcessError:
        print(sorted(ends))


def square(i):
    return torch.mm(torch.full((4, 4), float(i)), torch.ones(4, 4)).sum().item()


def pool():
    import multiprocessing
    with multiprocessing.get_context("fork").Pool(2) as p:
        print(p.map(square, range(6)))
    products(10)


def pool_spawn():
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(2) as p:
        print(p.map(square, range(6)))


def terminates_worker():
    import multiprocessing
    p = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    products(10)
    p.start()
    p.terminate()
    p.join()
    print(p.exitcode)


def subprocesses():
    products(10)
    done = subprocess.run([sys.executable, __file__, "status", DEVICE], capture_output=True, text=True)
    print(done.returncode, done.stdout, done.stderr, end="")


def own_profiler():
    from torch.profiler import profile
    products(10)
    with profile() as p:
        products(5, torch.ones(32, 32))
    print(sum(e.name == "aten::mm" for e in p.events()))


def own_schedule():
    from torch.profiler import profile, schedule
    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
                 on_trace_ready=lambda p: print("ready", p.step_num)) as p:
        for _ in range(10):
            products(2, torch.ones(32, 32))
            p.step()


def own_legacy():
    products(5)
    with torch.autograd.profiler.profile() as p:
        products(5, torch.ones(32, 32))
    print(sum(e.name == "aten::mm" for e in p.function_events))


def closes_files():
    os.closerange(3, 2000)
    with open("closed.txt", "w") as f, open("closed2.txt", "w") as g:
        products(10)
        f.write("mine")
        g.write("mine")
    print(open("closed.txt").read(), open("closed2.txt").read())


def saves():
    net = model()
    torch.save({k: v.cpu() * 0 for k, v in net.state_dict().items()}, "saved.pt")
    print(sorted(torch.load("saved.pt")))
    products(10)


def scripted():
    f = torch.jit.script(lambda_)
    x = torch.ones(8, 8, device=DEVICE)
    for _ in range(20):
        y = f(x)
    print(y.sum().item())


def lambda_(x: torch.Tensor) -> torch.Tensor:
    return torch.mm(x, x) + x


def asynchronous():
    import asyncio

    async def main():
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        products(10)
        os.kill(os.getpid(), signal.SIGTERM)
        await ended.wait()
        print("ended by the loop")
    asyncio.run(main())


def idle():
    time.sleep(LONG)


def environment():
    print([p for p in sys.path if "tracebook" in p], len(sys.meta_path) < 6, threading.active_count(),
          "sitecustomize" in sys.modules)
    products(10)


def warns():
    import warnings
    warnings.simplefilter("error")
    products(10)
    train(3)


def compiled():
    net = torch.compile(model())
    train(20, net=net)


def compiled_step():
    net = model()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    step = torch.compile(optimizer.step)
    for _ in range(5):
        optimizer.zero_grad()
        net(torch.randn(32, 64, device=DEVICE)).square().mean().backward()
        step()


def graphs():
    x = torch.randn(64, 64, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = x @ x
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(10):
            y = torch.tanh(x @ x)
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()
    print(tuple(y.shape))


def streams():
    x = torch.randn(256, 256, device="cuda")
    for s in [torch.cuda.Stream() for _ in range(4)]:
        with torch.cuda.stream(s):
            for _ in range(20):
                torch.mm(x, x)


def second_device():
    """Of several GPUs it uses the last one only; a context on the first would take memory there."""
    last = torch.cuda.device_count() - 1
    x = torch.randn(256, 256, device="cuda:%d" % last)
    until, n = time.time() + max(2, LONG), 0
    while time.time() < until:
        torch.mm(x, x)
        n += 1
        time.sleep(0.005)
    print("EXPECT", json.dumps({"aten::mm": n, "kernel": n + 1}))
    print([torch._C._cuda_hasPrimaryContext(i) for i in range(last + 1)])


def unfinished():
    """Work that is still under way when Python ends."""
    n = 4096 if DEVICE == "cuda" else 512
    x = torch.randn(n, n, device=DEVICE)
    for _ in range(50):
        torch.mm(x, x)


def cuda_error():
    x = torch.arange(4, device=DEVICE)
    torch.nn.functional.embedding(torch.tensor([99], device=DEVICE), torch.ones(4, 4, device=DEVICE))
    print(x.sum().item())


def ranks():
    rank = int(os.environ["RANK"])
    torch.distributed.init_process_group("gloo")
    net = torch.nn.parallel.DistributedDataParallel(model())
    train(10, net=net)
    torch.distributed.destroy_process_group()
    sys.exit(0 if rank < 2 else 1)


CUDA_ONLY = ("graphs", "streams", "second_device", "cuda_error")
SPECIAL = ("ranks", "compiled", "compiled_step", "compiled_training", "lambda_", "square", "load", "serve", "serve_all")
PROGRAMS = {n: f for n, f in [*globals().items(), *vars(endings).items()]
            if callable(f) and getattr(f, "__module__", "") in (__name__, "endings") and not isinstance(f, type)}
ALL = [n for n in PROGRAMS if n not in SPECIAL] + ["plain"]


def reference(path):
    from torch.profiler import ProfilerActivity, profile
    try:
        more = {"experimental_config": torch._C._profiler._ExperimentalConfig(profile_all_threads=True)}
    except (TypeError, AttributeError):
        more = {}
    p = profile(activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (DEVICE == "cuda"), **more)
    p.start()
    try:
        PROGRAMS[NAME]()
    finally:
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        p.stop()
        p.export_chrome_trace(path)


if __name__ == "__main__":
    if os.environ.get("REFERENCE"):
        reference(os.environ.pop("REFERENCE"))  # not for those that it starts
    else:
        PROGRAMS[NAME]()
