"""Things outside the project: builtins, the standard library, NumPy, torch, and Warp itself."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from typing import Any

from warp_lint.host import arrays, calls
from warp_lint.host.machine import Machine
from warp_lint.host.values import (
    MISSING,
    Address,
    ArrayValue,
    BoundMethod,
    FunctionValue,
    HostArray,
    LazyList,
    PartialValue,
    Unknown,
    brief,
    merge_sources,
)
from warp_lint.syntax.project import External
from warp_lint.trace import model

Handler = Callable[[Machine, Any, str, list[Any], dict[str, Any]], Any]

_BUILTIN_NAMES = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_CACHE: dict[str, External] = {}
_CONSTANTS: dict[str, Any] = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.tau": math.tau,
    "math.inf": math.inf,
    "numpy.pi": math.pi,
    "numpy.inf": math.inf,
    "numpy.newaxis": None,
    "warp.pi": math.pi,
    "warp.PI": math.pi,
    "warp.inf": math.inf,
    "warp.INF": math.inf,
    "warp.config.verbose": False,
    "warp.config.verify_cuda": False,
    "warp.config.verify_fp": False,
    "warp.config.verify_autograd_array_access": False,
    "warp.config.mode": "release",
    "warp.config.print_launches": False,
    "warp.config.quiet": False,
    "warp.config.enable_backward": True,
    "typing.TYPE_CHECKING": False,
    "typing_extensions.TYPE_CHECKING": False,
    "sys.platform": "linux",
    "os.sep": "/",
}


def builtin(name: str) -> Any:
    if name in _BUILTIN_NAMES:
        return _external(f"builtins.{name}")
    return MISSING


def _external(name: str) -> External:
    found = _CACHE.get(name)
    if found is None:
        found = _CACHE[name] = External(name)
    return found


def canonical(m: Machine, name: str) -> str:
    """The public name of something in Warp, whatever module it was reached through."""
    if name.startswith("warp."):
        head, _, attribute = name.rpartition(".")
        found = m.project.attribute(_external(head), attribute)
        if isinstance(found, External):
            return found.name
    return name


def attribute(m: Machine, value: External, name: str) -> Any:
    full = canonical(m, f"{value.name}.{name}")
    set_value = m.config.get(full, MISSING)
    if set_value is not MISSING:
        return set_value
    constant = _CONSTANTS.get(full, MISSING)
    if constant is not MISSING:
        return constant
    if full.startswith(("warp.config.", "sys.argv", "sys.version", "os.environ")):
        found = m.externals.get(full)
        if found is None:
            found = m.externals[full] = Unknown(full)
        return found
    return _external(full)


_TABLE: dict[str, Handler] = {}


def _table() -> dict[str, Handler]:
    if not _TABLE:
        from warp_lint.host import numpy_api, python_api, stdlib_api, warp_api

        _TABLE.update(python_api.HANDLERS)
        _TABLE.update(stdlib_api.HANDLERS)
        _TABLE.update(numpy_api.HANDLERS)
        _TABLE.update(warp_api.HANDLERS)
    return _TABLE


_READERS = ("numpy.", "math.", "scipy.", "torch.", "jax.", "matplotlib.", "random.", "PIL.", "cv2.", "imageio.")
_QUIET = (
    "builtins.",
    "os.",
    "sys.",
    "time.",
    "logging.",
    "json.",
    "pathlib.",
    "typing.",
    "collections.",
    "abc.",
    "enum.",
    "unittest.",
    "pytest.",
    "tempfile.",
    "shutil.",
    "subprocess.",
    "warnings.",
    "gc.",
    "ctypes.",
    "struct.",
    "string.",
    "re.",
    "datetime.",
    "platform.",
    "tqdm",
    "pxr.",
    "pyglet",
    "itertools.",
    "functools.",
    "operator.",
    "copy.",
    "contextlib.",
    "dataclasses.",
    "inspect.",
    "traceback.",
    "threading.",
    "wandb.",
    "tensorboard",
    "IPython",
    "polyscope",
    "rich.",
    "hashlib.",
    "pickle.",
    "importlib.",
    "csv.",
    "textwrap.",
    "yaml.",
)


def call(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A call of something outside the project by its canonical name."""
    handler = (_TABLE or _table()).get(name)
    if handler is not None:
        return handler(m, site, name, args, kwargs)
    if name.endswith((".__init__", ".__init_subclass__", ".__post_init__")):
        return None  # a base class outside the project
    from warp_lint.host import numpy_api, warp_api

    if name.startswith(("numpy.", "torch.", "jax.")):
        return numpy_api.generic(m, site, name, args, kwargs)
    if name.startswith("warp."):
        return warp_api.generic(m, site, name, args, kwargs)
    if name.startswith("scipy.optimize."):
        return calls.unknown_call(m, name, args, kwargs)
    if name.startswith((*_READERS, *_QUIET)):
        values = [*args, *kwargs.values()]
        for value in values:
            if isinstance(value, (FunctionValue, BoundMethod, PartialValue)) and name.startswith(
                ("threading.", "functools.", "unittest.")
            ):
                calls.run_callback(m, value)
            read_on_host(m, value)
        return Unknown(f"{name}()", merge_sources(*values))
    return calls.unknown_call(m, name, args, kwargs)


# Values of NumPy and torch


def view_read(m: Machine, value: HostArray) -> None:
    """Something uses a host array that shares memory with a Warp array, later than where it was made."""
    array = value.view_of
    if array is None or value.made is m.frame.node:
        return
    if array.gradient_of is not None:
        m.emit(model.GradientRead, array=array.gradient_of, kind="view")
    else:
        m.emit(model.HostRead, array=array, kind="view")


def view_write(m: Machine, value: HostArray) -> None:
    array = value.view_of
    if array is None:
        return
    if array.gradient_of is not None:
        m.emit(model.GradientWrite, array=array.gradient_of, kind="assign")
    else:
        m.emit(model.Fill, array=array, kind="assign")


def read_on_host(m: Machine, value: Any, depth: int = 0) -> None:
    """A library function gets the value and reads it at most."""
    if isinstance(value, ArrayValue):
        if value.gradient_of is not None:
            m.emit(model.GradientRead, array=value.gradient_of, kind="print")
        else:
            m.emit(model.HostRead, array=value, kind="print")
    elif isinstance(value, HostArray):
        if value.view_of is not None:
            view_read(m, value)
    elif isinstance(value, (list, tuple)) and depth < 2:
        for element in value[:16]:
            read_on_host(m, element, depth + 1)


def shape_of(value: Any) -> tuple[Any, ...] | None:
    """Shape of a host value as NumPy sees it: () for scalars, None if not known."""
    if isinstance(value, HostArray):
        return value.shape
    if isinstance(value, ArrayValue):
        return value.shape
    if isinstance(value, (int, float)):
        return ()
    if isinstance(value, (list, tuple)):
        if not value:
            return (0,)
        inner = shape_of(value[0])
        return (len(value), *inner) if inner is not None else None
    if isinstance(value, LazyList):
        inner = shape_of(next(iter(value.cells.values()))) if value.cells else None
        return (value.length, *inner) if inner is not None else None
    if isinstance(value, range):
        return (len(value),)
    return None


def broadcast(one: tuple[Any, ...] | None, two: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """NumPy's rule; None if either shape isn't known."""
    if one is None or two is None:
        return None
    if len(one) < len(two):
        one, two = two, one
    result = list(one)
    for i in range(1, len(two) + 1):
        if isinstance(one[-i], int) and one[-i] == 1:
            result[-i] = two[-i]
    return tuple(result)


def host_attribute(m: Machine, value: HostArray, name: str) -> Any:
    if name == "shape" and value.shape is not None:
        return value.shape
    if name == "ndim" and value.shape is not None:
        return len(value.shape)
    if (
        name == "size"
        and value.kind != "torch"
        and value.shape is not None
        and all(isinstance(n, int) for n in value.shape)
    ):
        return math.prod(value.shape)
    if name == "T":
        view = HostArray(
            value.text, value.sources, value.shape[::-1] if value.shape is not None else None, value.kind, value.view_of
        )
        view.made = value.made
        return view
    found = value.memo.get(("attr", name), MISSING)
    if found is not MISSING:
        return found
    if name == "grad" and value.kind == "torch":
        if value.view_of is not None and value.view_of.grad_now is not False:
            return arrays.read(m, None, arrays.gradient(m, value.view_of), "to_torch")
        found = HostArray(f"{value.text}.grad", (), value.shape, "torch")
    elif name in ("data", "real", "flat"):
        return value
    else:
        found = Unknown(f"{value.text}.{name}", value.sources)
    value.memo[("attr", name)] = found
    return found


_SAME = frozenset(
    [
        "reshape",
        "astype",
        "view",
        "ravel",
        "flatten",
        "squeeze",
        "transpose",
        "detach",
        "cpu",
        "cuda",
        "to",
        "numpy",
        "float",
        "double",
        "contiguous",
        "unsqueeze",
        "expand",
        "view_as",
        "requires_grad_",
        "swapaxes",
        "permute",
        "asarray",
    ]
)
_COPIES = frozenset(["copy", "clone", "astype", "flatten", "tolist", "double"])
_REDUCE = frozenset(
    [
        "sum",
        "mean",
        "max",
        "min",
        "norm",
        "item",
        "dot",
        "all",
        "any",
        "std",
        "var",
        "argmax",
        "argmin",
        "prod",
        "trace",
    ]
)
_CHANGES = frozenset(
    [
        "fill",
        "sort",
        "zero_",
        "fill_",
        "copy_",
        "add_",
        "mul_",
        "sub_",
        "div_",
        "put",
        "resize",
        "setfield",
        "partition",
    ]
)


def host_method(m: Machine, site: Any, value: HostArray, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if name == "backward":
        from warp_lint.host import torch_bridge

        return torch_bridge.backward(m, value)
    if name in _CHANGES:
        if value.view_of is not None:
            view_write(m, value)
        return value
    if name == "item" and not args:
        view_read(m, value)
        return Unknown(f"{value.text}.item()", value.sources)
    if name in _SAME:
        shared = name not in _COPIES or (name == "flatten" and value.kind == "torch")
        if name in _COPIES:
            view_read(m, value)
        kind = "numpy" if name == "numpy" else value.kind
        shape = value.shape
        if name in ("reshape", "view"):
            shape = _reshaped(value.shape, args)
        elif name in ("ravel", "flatten"):
            total = host_attribute(m, value, "size") if value.kind != "torch" else None
            shape = (total,) if isinstance(total, int) else None
        elif name in ("squeeze", "unsqueeze", "expand", "transpose", "swapaxes", "permute"):
            shape = None
        if (
            name in ("detach", "cpu", "numpy", "to", "contiguous", "float")
            and value.kind == "torch"
            and ("array",) in value.memo
        ):
            shared = True
        result = HostArray(value.text, value.sources, shape, kind, value.view_of if shared else None)
        result.made = value.made if shared else None
        return result
    if name == "data_ptr" and value.view_of is not None:
        return Address(value.view_of)
    view_read(m, value)
    if name in ("copy", "clone"):
        return HostArray(value.text, value.sources, value.shape, value.kind)
    if name == "tolist":
        return (
            Unknown(f"{value.text}.tolist()", value.sources)
            if not value.shape or len(value.shape) != 1
            else _elements(value)
        )
    if name in _REDUCE:
        return HostArray(
            f"{value.text}.{name}()",
            merge_sources(value, *args),
            () if not args and "axis" not in kwargs else None,
            value.kind,
        )
    for argument in [*args, *kwargs.values()]:
        if isinstance(argument, (FunctionValue, BoundMethod, PartialValue)):
            calls.run_callback(m, argument)
    return HostArray(f"{value.text}.{name}()", merge_sources(value, *args), None, value.kind)


def _elements(value: HostArray) -> Any:
    assert value.shape is not None
    return LazyList(value.shape[0], lambda i: value.item(i), value.text)


def _reshaped(shape: tuple[Any, ...] | None, args: list[Any]) -> tuple[Any, ...] | None:
    wanted: Any = args[0] if len(args) == 1 else tuple(args)
    if isinstance(wanted, (int, Unknown)):
        wanted = (wanted,)
    if isinstance(wanted, list):
        wanted = tuple(wanted)
    if not isinstance(wanted, tuple) or not all(isinstance(n, (int, Unknown)) for n in wanted):
        return None
    if -1 in [n for n in wanted if isinstance(n, int)]:
        rest = [n for n in wanted if not (isinstance(n, int) and n == -1)]
        if shape is None or not all(isinstance(n, int) for n in [*shape, *rest]):
            return tuple(Unknown("dimension") if isinstance(n, int) and n == -1 else n for n in wanted)
        other = math.prod(rest)
        missing = math.prod(shape) // other if other else 0
        return tuple(missing if n == -1 else n for n in wanted)
    return wanted


def host_item(m: Machine, value: HostArray, key: Any) -> Any:
    shape: tuple[Any, ...] | None = None
    if value.shape is not None:
        keys = key if isinstance(key, tuple) else (key,)
        if all(k is None or (isinstance(k, (int, Unknown, slice)) and not isinstance(k, HostArray)) for k in keys):
            left = list(value.shape)
            kept: list[Any] = []
            for k in keys:
                if k is None:
                    kept.append(1)
                elif left:
                    size = left.pop(0)
                    if isinstance(k, slice):
                        kept.append(_slice_length(k, size))
            shape = (*kept, *left)
    stored = value.memo.get(("item", _key(key)), MISSING)
    if stored is not MISSING:
        return stored
    if shape == ():
        view_read(m, value)
        return value.item(key)
    result = HostArray(f"{value.text}[{brief(key)}]", value.sources, shape, value.kind, value.view_of)
    result.made = value.made
    return result


def _key(key: Any) -> Any:
    from warp_lint.host.values import hashable

    return hashable(key)


def _slice_length(key: slice, size: Any) -> Any:
    if isinstance(size, int) and all(v is None or isinstance(v, int) for v in (key.start, key.stop, key.step)):
        try:
            return len(range(*key.indices(size)))
        except ValueError:
            return Unknown("length")
    return size if key == slice(None) else Unknown("length")


def host_store(m: Machine, value: HostArray, key: Any, new: Any) -> None:
    if isinstance(new, HostArray) and new.view_of is not None:
        view_read(m, new)
    if value.view_of is not None:
        view_write(m, value)
    sources = merge_sources(value, new)
    if len(sources) != len(value.sources):
        m.set(value, "sources", sources)


_ = ast
