"""Run by Python at start-up under `--confirm`: installs the recorder as soon as `warp` is imported.

The program itself starts as it always does: its own `__main__`, arguments, import path and tracebacks.
"""

import importlib.abc
import importlib.util
import os
import sys


def _start() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    config = os.environ.pop("WARP_LINT_CONFIRM", "")
    saved = os.environ.pop("WARP_LINT_PYTHONPATH", None)
    if saved is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = saved
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    if config:
        root = os.environ.pop("WARP_LINT_ROOT", "")
        sys.meta_path.insert(0, _Finder(config, root))
    # A sitecustomize of the user's own comes next.
    this = sys.modules.pop("sitecustomize", None)
    try:
        spec = importlib.util.find_spec("sitecustomize")
        if spec is not None and spec.loader is not None and spec.origin != __file__:
            module = importlib.util.module_from_spec(spec)
            sys.modules["sitecustomize"] = module
            spec.loader.exec_module(module)
    finally:
        if this is not None:
            sys.modules.setdefault("sitecustomize", this)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `warp` as usual, and has the recorder installed once it is loaded."""

    def __init__(self, config: str, root: str) -> None:
        self.config = config
        self.root = root

    def find_spec(self, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
        if fullname != "warp":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("warp")
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.config, self.root)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader, config: str, root: str) -> None:  # type: ignore[no-untyped-def]
        self.loader = loader
        self.config = config
        self.root = root

    def create_module(self, spec):  # type: ignore[no-untyped-def]
        return self.loader.create_module(spec)

    def exec_module(self, module) -> None:  # type: ignore[no-untyped-def]
        module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        added = self.root not in sys.path
        if added:
            sys.path.append(self.root)
        try:
            from warp_lint.confirm.live import session

            session.start(module, self.config)
        except Exception as error:
            _tell(self.config, error)
        finally:
            if added and self.root in sys.path:
                sys.path.remove(self.root)


def _tell(config: str, error: Exception) -> None:
    import json

    try:
        with open(config, encoding="utf-8") as stream:
            events = json.load(stream)["events"]
        with open(events, "a", encoding="utf-8") as stream:
            stream.write(json.dumps({"event": "trouble", "message": f"{type(error).__name__}: {error}"}) + "\n")
    except Exception:
        pass


_start()
