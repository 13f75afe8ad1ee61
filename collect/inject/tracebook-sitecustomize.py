# SPDX-License-Identifier: Apache-2.0
"""The first lines of a Python that `collect -- COMMAND` records.

Python imports `sitecustomize` when it starts, from the first folder of PYTHONPATH: a private one, in which this file
has that name. It takes that folder from sys.path, hands over to the sitecustomize that would have been imported
without it, and waits for `import torch`; what follows then stands in tracebook-torch-*.py, of which the recorder is the
one to read first. Where anything of it fails, the program goes on alone. An old Python can read it too, and is left alone.
"""
import os
import sys

PARTS = "profilers", "recorder", "hooks"
_here = os.path.dirname(os.path.abspath(__file__))


def _hand_over():
    """To the program's own, if it has one: under this name, since whoever imports it means that one."""
    ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize
    except ImportError as e:
        if getattr(e, "name", None) not in (None, "sitecustomize"):
            raise
    finally:
        sys.modules.setdefault("sitecustomize", ours)


def _record():
    try:
        from importlib.util import module_from_spec, spec_from_file_location
        for name in PARTS:
            spec = spec_from_file_location("tracebook_" + name, os.path.join(_here, name + ".py"))
            module = sys.modules["tracebook_" + name] = module_from_spec(spec)
            spec.loader.exec_module(module)
        module.begin()
    except Exception as e:  # such as: the folder is gone, since collect is
        try:
            with open(os.path.join(_here, os.pardir, "python.%d" % os.getpid()), "a") as f:
                f.write("failed %s: %s\n" % (type(e).__name__, str(e).replace("\n", " ")))
        except Exception:
            pass
    for name in PARTS:
        sys.modules.pop("tracebook_" + name, None)


class _Torch(object):
    """Of sys.meta_path: finds torch as the others do, and calls _record() when it is wholly imported."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "torch" or path is not None:
            return None
        sys.meta_path.remove(cls)
        try:
            return cls.watched(next(filter(None, (f.find_spec(name, path, target) for f in sys.meta_path
                                                  if hasattr(f, "find_spec"))), None))
        finally:
            if "torch" not in sys.modules:
                sys.meta_path.insert(0, cls)

    @classmethod
    def watched(cls, spec):
        loader = spec and spec.loader
        if not hasattr(loader, "exec_module"):
            return spec
        execute = loader.exec_module

        def exec_module(module):
            execute(module)
            del loader.exec_module
            if cls in sys.meta_path:
                sys.meta_path.remove(cls)
            _record()
        try:
            loader.exec_module = exec_module
        except AttributeError:
            pass
        return spec


sys.path[:] = [p for p in sys.path if p != _here]
if sys.version_info >= (3, 8) and "TRACEBOOK_RECORD" in os.environ and not any(
        getattr(f, "__name__", "") == "_Torch" for f in sys.meta_path):  # one collect in another: the inner one
    sys.meta_path.insert(0, _Torch)
_hand_over()
