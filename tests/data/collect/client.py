#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program with PyTorch in it, or what passes for it (fake/torch.py): steps, and many ways to end."""
import argparse
import os
import signal
import subprocess
import sys
import time

p = argparse.ArgumentParser()
p.add_argument("--seconds", type=float, default=0.3)
p.add_argument("--every", type=float, default=0.002, help="of a product, in seconds")
p.add_argument("--slower", type=float, default=0, help="so many percent")
p.add_argument("--products", type=int, default=2, help="a step")
p.add_argument("--count", type=int, help="steps, in place of the time")
p.add_argument("--wait", type=float, default=0, help="before the first product, in seconds")
p.add_argument("--status", type=int, default=0)
p.add_argument("--kill", type=int, help="the signal that ends it")
p.add_argument("--children", type=int, default=0, help="so many of it, as ranks")
p.add_argument("--idle", action="store_true")
p.add_argument("--no-steps", action="store_true")
p.add_argument("--own", action="store_true", help="profiles itself at its end")
p.add_argument("--threads", type=int, default=0)
p.add_argument("--join", action="store_true", help="waits for them, and does nothing else")
p.add_argument("--cuda", action="store_true", help="which the threads use")
p.add_argument("--fork", type=int, default=0)
p.add_argument("--forks", choices=("ends", "returns"), help="a child in each round, that ends at once, by itself or with its thread")
p.add_argument("--ends", type=int, default=0, help="forks so many, and ends them at once")
p.add_argument("--hooks", action="store_true", help="says at its end what of its own is not of its own")
p.add_argument("--load", type=int, help="takes 20 batches that so many workers make")
p.add_argument("--mess", help="makes that file where the recordings lie: fifo, link, junk")
o = p.parse_args()
if o.children:
    words = sys.argv[1:]
    at = words.index("--children")
    del words[at:at + 2]
    ranks = [subprocess.Popen([sys.executable, __file__, *words], env=dict(os.environ, RANK=str(i), WORLD_SIZE=str(o.children)))
             for i in range(o.children)]
    sys.exit(max(r.wait() for r in ranks))

sys.path.insert(0, os.environ["FAKE"])
import torch  # noqa: E402

time.sleep(o.wait)
sgd = None if o.no_steps else torch.optim.SGD()


def work():
    if o.cuda:
        torch.cuda.use()
    until, n = time.time() + o.seconds, 0
    while not o.idle and (n < o.count if o.count else time.time() < until):
        for _ in range(o.products):
            torch.mm(o.every * (1 + o.slower / 100))
        if o.forks:
            pid = os.fork()
            if not pid and o.forks == "returns":
                return
            if not pid:
                os._exit(0)
            os.waitpid(pid, 0)
        if sgd:
            sgd.step()
        n += 1
    if o.idle:
        time.sleep(o.seconds)


class Numbers:
    def __len__(self):
        return 20

    def __getitem__(self, i):
        time.sleep(0.004)
        return self.decode(i)

    def decode(self, i):
        time.sleep(0.016)


if o.load is not None:
    for batch in torch.data.DataLoader(Numbers(), num_workers=o.load):
        torch.mm(0.01)
        sgd.step()
    sys.exit()
if o.mess:
    folder = os.environ["PYTHONPATH"].split(":")[0] + "/.."
    for name in ("python.1", "start.1.json", "ring.2.0", "start.%d.rows" % os.getpid()):
        if o.mess == "fifo":
            os.mkfifo(f"{folder}/{name}")
        elif o.mess == "link":
            os.symlink("/etc/passwd", f"{folder}/{name}")
        else:
            with open(f"{folder}/{name}", "wb") as f:
                f.write(b"begin start x\nwrote start \xff 1 2\n12 13 \"ph\" \x00 junk\n" * 50)
if o.threads:
    import threading
    others = [threading.Thread(target=work) for _ in range(o.threads)]
    for t in others:
        t.start()
    for t in others:
        while t.is_alive():  # between two lines something may begin
            t.join(None if o.join else 0.01)
    if o.join:
        sys.exit()
ended = []
for _ in range(o.ends):
    pid = os.fork()
    if not pid:
        time.sleep(3)
        os._exit(0)
    os.kill(pid, signal.SIGTERM)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
if o.ends:
    print(ended.count(-signal.SIGTERM), "ended")
children = []
for _ in range(o.fork):
    pid = os.fork()
    if not pid:
        work()
        os._exit(0)
    children.append(pid)
work()
for pid in children:
    os.waitpid(pid, 0)
if o.hooks:
    own = (torch.optim.SGD, torch.optim.Optimizer, torch.profiler.profile, torch.data.dataloader._BaseDataLoaderIter,
           torch.data._utils.fetch._MapDatasetFetcher, os)
    print([k for owner in own for k, f in vars(owner).items()
           if "tracebook" in getattr(f, "__globals__", {}).get("__name__", "")], *([torch.library.called()] if torch.library else []))
if o.own:
    with torch.profiler.profile() as mine:
        torch.mm()
    print(len(mine.kineto_results.of.events), "of its own")
if o.kill:
    os.kill(os.getpid(), o.kill)
    time.sleep(5)
sys.exit(o.status)
