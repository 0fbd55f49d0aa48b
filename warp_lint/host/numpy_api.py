"""NumPy and torch: unknown values, with shapes where they are cheap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warp_lint.host import calls, externals
from warp_lint.host.machine import Machine
from warp_lint.host.values import (
    ArrayValue,
    BoundMethod,
    FunctionValue,
    HostArray,
    LazyList,
    PartialValue,
    Sequence,
    Unknown,
    hashable,
    merge_sources,
)


def _kind(name: str) -> str:
    return "torch" if name.startswith("torch.") else "numpy"


def _read_all(m: Machine, values: list[Any]) -> None:
    for value in values:
        externals.read_on_host(m, value)


def _shape_value(value: Any) -> tuple[Any, ...] | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return (value,)
    if isinstance(value, (tuple, list)):
        return tuple(value)
    if isinstance(value, Unknown) and not isinstance(value, HostArray):
        return None if "shape" in value.text else (value,)
    return None


def _array(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`np.array(values)`, `np.asarray`, `torch.tensor`, `torch.from_numpy`."""
    value = args[0] if args else None
    short = name.rpartition(".")[2]
    if isinstance(value, HostArray):
        shares = short in ("asarray", "from_numpy", "as_tensor", "ascontiguousarray", "atleast_1d")
        if not shares:
            externals.view_read(m, value)
        made = HostArray(value.text, value.sources, value.shape, _kind(name), value.view_of if shares else None)
        made.made = value.made
        return made
    if isinstance(value, ArrayValue):
        externals.read_on_host(m, value)
    elif isinstance(value, (list, tuple)):
        _read_all(m, list(value))
    sources = merge_sources(value)
    shape = externals.shape_of(value)
    return HostArray(short, sources, shape, _kind(name))


def _filled(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    shape: Any = kwargs.get("shape", kwargs.get("size", args[0] if args else None))
    if name.startswith("torch.") and len(args) > 1 and all(isinstance(a, (int, Unknown)) for a in args):
        shape = tuple(args)
    return HostArray(name.rpartition(".")[2], (), _shape_value(shape), _kind(name))


def _like(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return HostArray(name.rpartition(".")[2], (), externals.shape_of(args[0]) if args else None, _kind(name))


def _arange(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    shape: tuple[Any, ...] | None = None
    if args and all(isinstance(a, int) for a in args):
        try:
            shape = (len(range(*args)),)
        except (TypeError, ValueError):
            shape = None
    elif len(args) == 1 and isinstance(args[0], Unknown):
        shape = (args[0],)
    return HostArray("arange", (), shape, _kind(name))


def _linspace(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    count = args[2] if len(args) > 2 else kwargs.get("num", 50)
    return HostArray(
        "linspace", merge_sources(*args), (count,) if isinstance(count, (int, Unknown)) else None, _kind(name)
    )


def _random(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    short = name.rpartition(".")[2]
    if short in ("rand", "randn") and all(isinstance(a, (int, Unknown)) for a in args):
        return HostArray(short, (), tuple(args), _kind(name))
    size = kwargs.get("size")
    if size is None and short in ("uniform", "normal", "randint") and len(args) > 2:
        size = args[2]
    if size is None and short in ("random", "random_sample", "standard_normal") and args:
        size = args[0]
    return HostArray(short, (), _shape_value(size) if size is not None else (), _kind(name))


def _ndindex(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    shape: Any = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else tuple(args)
    if isinstance(shape, (tuple, list)) and all(isinstance(n, int) for n in shape):
        total = 1
        for n in shape:
            total *= n

        def place(index: Any) -> Any:
            if not isinstance(index, int):
                return Unknown("index")
            result: list[int] = []
            for n in reversed(list(shape)):
                result.append(index % n)
                index //= n
            return tuple(reversed(result))

        return Sequence(total, place)
    return Sequence(None, lambda i: Unknown("index"))


def _same_shape(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    _read_all(m, args)
    short = name.rpartition(".")[2]
    if args and all(isinstance(a, (int, float)) for a in args) and not kwargs:
        return Unknown(short)
    return HostArray(
        short, merge_sources(*args, *kwargs.values()), externals.shape_of(args[0]) if args else None, _kind(name)
    )


def _joined(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    _read_all(m, args)
    parts = args[0] if args else None
    shape: tuple[Any, ...] | None = None
    if isinstance(parts, (list, tuple)) and parts:
        shapes = [externals.shape_of(p) for p in parts]
        short = name.rpartition(".")[2]
        if short == "stack":
            axis = kwargs.get("axis", kwargs.get("dim", args[1] if len(args) > 1 else 0))
            if shapes[0] is not None and isinstance(axis, int):
                place = axis if axis >= 0 else len(shapes[0]) + 1 + axis
                shape = (*shapes[0][:place], len(parts), *shapes[0][place:])
        elif kwargs.get("axis", args[1] if len(args) > 1 else 0) != 0:
            shape = None
        elif all(s is not None and s and isinstance(s[0], int) for s in shapes) and shapes[0] is not None:
            shape = (sum(s[0] for s in shapes if s), *shapes[0][1:])
    return HostArray(name.rpartition(".")[2], merge_sources(*args), shape, _kind(name))


def _scalar(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`np.float32(x)` and the like."""
    value = args[0] if args else 0
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, HostArray):
        externals.view_read(m, value)
        return HostArray(value.text, value.sources, value.shape, value.kind)
    return value if isinstance(value, Unknown) else Unknown("number", merge_sources(value))


def _tile(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    _read_all(m, args)
    return HostArray("tile", merge_sources(*args), None, _kind(name))


def _reshape(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], HostArray):
        return externals.host_method(m, site, args[0], "reshape", args[1:], kwargs)
    return HostArray("reshape", merge_sources(*args), _shape_value(args[1]) if len(args) > 1 else None, _kind(name))


def _meshgrid(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return tuple(HostArray("meshgrid", merge_sources(*args), None, _kind(name)) for _ in args)


def generic(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Any other function: reads its arguments, and calls the functions it is given."""
    values = [*args, *kwargs.values()]
    for value in values:
        if isinstance(value, (FunctionValue, BoundMethod, PartialValue)):
            calls.run_callback(m, value)
    _read_all(m, values)
    return HostArray(f"{name}()", merge_sources(*values), None, _kind(name))


def _unknown(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Unknown(f"{name}()", merge_sources(*args))


HANDLERS: dict[str, Callable[..., Any]] = {}
for _head in ("numpy", "torch", "jax.numpy"):
    for _name in (
        "array",
        "asarray",
        "tensor",
        "from_numpy",
        "as_tensor",
        "ascontiguousarray",
        "atleast_1d",
        "asfarray",
        "copy",
    ):
        HANDLERS[f"{_head}.{_name}"] = _array
    for _name in ("zeros", "ones", "empty", "full", "eye", "randn", "rand"):
        HANDLERS[f"{_head}.{_name}"] = _filled
    for _name in ("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"):
        HANDLERS[f"{_head}.{_name}"] = _like
    for _name in (
        "sin",
        "cos",
        "exp",
        "sqrt",
        "abs",
        "square",
        "maximum",
        "minimum",
        "clip",
        "tanh",
        "log",
        "flip",
        "sort",
        "cumsum",
        "clamp",
    ):
        HANDLERS[f"{_head}.{_name}"] = _same_shape
    for _name in ("concatenate", "stack", "vstack", "hstack", "cat"):
        HANDLERS[f"{_head}.{_name}"] = _joined
    for _name in (
        "float16",
        "float32",
        "float64",
        "int32",
        "int64",
        "uint32",
        "int8",
        "uint8",
        "int16",
        "uint64",
        "bool_",
    ):
        HANDLERS[f"{_head}.{_name}"] = _scalar
    HANDLERS[f"{_head}.arange"] = _arange
    HANDLERS[f"{_head}.linspace"] = _linspace
    HANDLERS[f"{_head}.reshape"] = _reshape
    HANDLERS[f"{_head}.tile"] = _tile
    HANDLERS[f"{_head}.repeat"] = _tile
    HANDLERS[f"{_head}.meshgrid"] = _meshgrid
for _name in ("rand", "randn", "random", "uniform", "normal", "randint", "random_sample", "standard_normal"):
    HANDLERS[f"numpy.random.{_name}"] = _random
HANDLERS["numpy.ndindex"] = _ndindex
for _name in (
    "torch.cuda.is_available",
    "torch.no_grad",
    "torch.device",
    "torch.manual_seed",
    "torch.enable_grad",
    "numpy.random.seed",
):
    HANDLERS[_name] = _unknown
for _name in ("numpy.random.default_rng", "numpy.random.RandomState"):
    HANDLERS[_name] = lambda m, site, name, args, kwargs: m.native("rng", "rng")

_ = (LazyList, hashable)
