# SPDX-License-Identifier: Apache-2.0
"""Programs of programs.py that end in ways of their own: by a status, an exception, a signal, a crash."""
import os
import signal
import sys
import threading
import time

from work import products


def status():
    products(10)
    sys.exit(3)


def raises():
    products(10)
    raise ValueError("as it should")


def raises_in_thread():
    def fail():
        raise ValueError("in a thread")
    t = threading.Thread(target=fail)
    t.start()
    t.join()
    products(10)


def underscore():
    products(10)
    print("not flushed", end="")
    os._exit(4)


def underscore_in_thread():
    products(10)
    t = threading.Thread(target=lambda: os._exit(6))
    t.start()
    t.join()


def killed(number=signal.SIGKILL):
    products(10)
    os.kill(os.getpid(), number)
    time.sleep(30)


def terminated():
    killed(signal.SIGTERM)


def hung_up():
    killed(signal.SIGHUP)


def interrupted():
    killed(signal.SIGINT)


def terminated_asleep():
    products(10)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    time.sleep(30)


def aborts():
    products(10)
    os.abort()


def segfaults():
    import ctypes
    products(10)
    ctypes.string_at(8)


def handler_before():
    killed(signal.SIGTERM)


def handler_after():
    print(signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP))
    print(signal.signal(signal.SIGTERM, lambda *_: (print("asked", flush=True), sys.exit(5))))
    killed(signal.SIGTERM)


def ignores():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    products(10)
    os.kill(os.getpid(), signal.SIGTERM)
    print("goes on", signal.getsignal(signal.SIGTERM))
