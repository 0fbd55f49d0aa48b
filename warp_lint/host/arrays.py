"""Warp arrays on the host: allocation, views, gradients, methods, operators."""

from __future__ import annotations

from typing import Any

from warp_lint.host import deciding, externals
from warp_lint.host.machine import Machine
from warp_lint.host.values import (
    ArrayValue,
    DataType,
    HostArray,
    NativeMethod,
    Pointer,
    Unknown,
    brief,
    sources_of,
)
from warp_lint.trace import model
from warp_lint.trace.model import Extent, Region

# Methods that tell that an unknown value is a Warp array.
TELLING_METHODS = frozenset(["zero_", "fill_", "assign", "numpy"])

# Making arrays


def new_root(m: Machine, name: str, origin: str, dtype: str = "", shape: tuple[Any, ...] | None = None) -> int:
    location, path, _, _ = m.where()
    known = None if shape is None else tuple(n if isinstance(n, int) else None for n in shape)
    count: int | None = None
    if known is not None and all(n is not None for n in known):
        count = 1
        for n in known:
            count *= n or 0
    identity = m.fresh()
    m.roots[identity] = model.Root(identity, name, location, path, origin, dtype, count, known)
    return identity


def allocate(
    m: Machine,
    *,
    name: str = "",
    origin: str = "unknown",
    dtype: Any = None,
    shape: tuple[Any, ...] | None = None,
    requires_grad: bool | None = False,
    literal: bool = False,
    retain_grad: bool = False,
    source_arrays: tuple[model.Array, ...] = (),
    quiet: bool = False,
    site: Any = None,
    value: float | None = None,
) -> ArrayValue:
    """A new array with memory of its own, and the event for it. `site`: the call, if its arguments say whether the
    array has a gradient. `value`: what all elements are."""
    kind = dtype.name if isinstance(dtype, DataType) else dtype if isinstance(dtype, str) else ""
    root = new_root(m, name, origin, kind, shape)
    m.roots[root].value = value
    grad_root = None
    if requires_grad is not False:
        grad_root = new_root(m, f"{name}.grad", "gradient", kind, shape)
    array = ArrayValue(
        m.fresh(),
        Region(root),
        name,
        requires_grad,
        literal=literal,
        grad_root=grad_root,
        retain_grad=retain_grad,
        dtype=kind,
        location=m.where()[0],
        shape=shape,
        axes=tuple(range(len(shape))) if shape else (0, 1, 2, 3),
        dtype_value=dtype,
    )
    if requires_grad is False and site is not None:
        array.decided = deciding.decided_at(m, site)
    if not quiet:
        m.emit(model.Allocate, array=array, source_arrays=source_arrays)
    return array


def give_name(m: Machine, array: ArrayValue, name: str) -> None:
    """An array made by a helper is called what it is first assigned to."""
    array.name = name
    for identity, label in ((array.region.root, name), (array.grad_root, f"{name}.grad")):
        root = m.roots.get(identity) if identity is not None else None
        if root is not None and not root.name.removesuffix(".grad"):
            root.name = label


def as_array(m: Machine, value: Any) -> ArrayValue:
    """The array that an unknown value turns out to be, the same one each time."""
    if isinstance(value, ArrayValue):
        return value
    if not isinstance(value, Unknown):
        return allocate(m, name=brief(value), origin="external", requires_grad=None, quiet=True)
    found: ArrayValue | None = value.memo.get(("array",))
    if found is None:
        if isinstance(value, HostArray):
            if value.view_of is not None:
                return value.view_of
            grad = None if value.kind == "torch" else False
            found = allocate(m, name=value.text, origin="external", shape=value.shape, requires_grad=grad, quiet=True)
        else:
            found = allocate(m, name=value.text, origin="unknown", requires_grad=None, quiet=True)
        value.memo[("array",)] = found
    return found


def gradient(m: Machine, array: ArrayValue) -> ArrayValue:
    """`array.grad`."""
    if array.gradient is None:
        if array.grad_root is None:
            array.grad_root = new_root(m, f"{array.name}.grad", "gradient", array.dtype, array.shape)
        array.gradient = ArrayValue(
            m.fresh(),
            Region(array.grad_root, array.region.extents),
            f"{array.name}.grad",
            False,
            dtype=array.dtype,
            gradient_of=array,
            location=array.location,
            shape=array.shape,
            axes=array.axes,
            dtype_value=array.dtype_value,
        )
    return array.gradient


def make_view(
    m: Machine,
    base: ArrayValue,
    extents: tuple[Extent, ...],
    shape: tuple[Any, ...] | None,
    axes: tuple[int, ...] | None,
    name: str,
    quiet: bool = False,
) -> ArrayValue:
    """Another array over (part of) the memory and the gradient of `base`. It doesn't inherit `retain_grad`."""
    view = ArrayValue(
        m.fresh(),
        Region(base.region.root, extents),
        name,
        base.grad_now,
        grad_root=base.grad_root if base.grad_now is not False else None,
        dtype=base.dtype,
        gradient_of=base.gradient_of,
        location=m.where()[0],
        shape=shape,
        axes=axes,
        dtype_value=base.dtype_value,
    )
    if not quiet:
        m.emit(model.View, view=view, base=base)
    return view


def dimension(m: Machine, array: ArrayValue, axis: int) -> Any:
    if array.shape is not None:
        return array.shape[axis] if -len(array.shape) <= axis < len(array.shape) else Unknown("dimension")
    key = f"shape[{axis}]"
    found = array.attributes.get(key)
    if found is None:
        found = array.attributes[key] = Unknown(f"{array.name}.{key}")
    return found


# Slices


def item(m: Machine, array: ArrayValue, key: Any) -> Any:
    """`array[key]` on the host: a view."""
    region = _index(m, array, key)
    return make_view(m, array, *region, name=f"{array.name}[{brief(key)}]")


def _index(
    m: Machine, array: ArrayValue, key: Any
) -> tuple[tuple[Extent, ...], tuple[Any, ...] | None, tuple[int, ...] | None]:
    keys = key if isinstance(key, tuple) else (key,)
    if array.axes is None or any(not isinstance(k, (int, slice, Unknown)) or isinstance(k, HostArray) for k in keys):
        flat = _flat(m, array, key) or _row(m, array, key)
        if flat is not None:
            return flat
        # Elements picked by an index array, or through a reshape: somewhere in here.
        symbol = f"part#{m.fresh()}"
        return (*array.region.extents, Extent(0, None, symbol)), None, None
    extents = list(array.region.extents)
    shape: list[Any] = []
    axes: list[int] = []
    for j, axis in enumerate(array.axes):
        size = array.shape[j] if array.shape is not None and j < len(array.shape) else None
        if j >= len(keys):
            if array.shape is not None and j < len(array.shape):
                shape.append(array.shape[j])
            axes.append(axis)
            continue
        while len(extents) <= axis:
            extents.append(Extent())
        k = keys[j]
        extents[axis], length = _narrow(m, extents[axis], k, size)
        if isinstance(k, slice):
            shape.append(length)
            axes.append(axis)
    while extents and extents[-1] == Extent():
        extents.pop()
    known = tuple(shape) if array.shape is not None else None
    return tuple(extents), known, tuple(axes)


def _flat(
    m: Machine, array: ArrayValue, key: Any
) -> tuple[tuple[Extent, ...], tuple[Any, ...], tuple[int, ...] | None] | None:
    """A slice of a flattened allocation that is whole rows of it, or part of one row of a matrix."""
    root = m.roots.get(array.region.root)
    if root is None or root.shape is None or array.region.extents or len(root.shape) < 2 or not isinstance(key, slice):
        return None
    if array.shape is None or array.shape != (root.length,) or root.length is None:
        return None
    if any(not (bound is None or isinstance(bound, int)) for bound in (key.start, key.stop, key.step)):
        return None
    start, stop, step = key.indices(root.length)
    row = root.length // root.shape[0] if root.shape[0] else 0
    if step != 1 or stop <= start or not row:
        return None
    first, last = start // row, (stop - 1) // row
    rows = Extent(first, last + 1)
    axes = (1,) if first == last and len(root.shape) == 2 else None
    if start % row == 0 and stop % row == 0:
        return (rows,), (stop - start,), axes
    return ((rows, Extent(start % row, (stop - 1) % row + 1)), (stop - start,), axes) if axes is not None else None


def _row(
    m: Machine, array: ArrayValue, key: Any
) -> tuple[tuple[Extent, ...], tuple[Any, ...], tuple[int, ...] | None] | None:
    """A row of a flat allocation that was reshaped to a matrix."""
    root, shape = m.roots.get(array.region.root), array.shape
    if root is None or root.shape is None or len(root.shape) != 1 or array.region.extents or type(key) is not int:
        return None
    if shape is None or len(shape) != 2 or any(not isinstance(n, int) for n in shape):
        return None
    if shape[0] * shape[1] != root.length or not -shape[0] <= key < shape[0]:
        return None
    start = (key % shape[0]) * shape[1]
    return (Extent(start, start + shape[1]),), (shape[1],), (0,)


def _narrow(m: Machine, old: Extent, key: Any, size: Any) -> tuple[Extent, Any]:
    """One dimension: the extent of `key` within `old`, and its length."""
    if isinstance(key, int):
        start, symbol = _place(m, key, size)
        return _shifted(old, start, start + 1, symbol), 1
    if isinstance(key, Unknown):
        return _shifted(old, key.offset, key.offset + 1, m.symbol(key)), 1
    if not isinstance(key, slice):
        return old, None
    if key.step not in (None, 1):
        return _shifted(old, 0, None, f"step#{m.fresh()}"), None
    if key.start is None and key.stop is None:
        return old, size
    start, symbol = _place(m, 0 if key.start is None else key.start, size)
    if key.stop is None:
        length = size - start if isinstance(size, int) and not symbol else None
        return _shifted(old, start, None, symbol, end=old.stop), length
    stop, stop_symbol = _place(m, key.stop, size)
    if stop_symbol != symbol:
        # Starts at a known place and ends somewhere, or the other way round.
        return _shifted(old, start, None, symbol or f"to {brief(key.stop)}#{stop_symbol}"), None
    if not symbol and isinstance(size, int):
        stop = min(stop, size)
        if start == 0 and stop == size:
            return old, size
    return _shifted(old, start, stop, symbol), stop - start


def _place(m: Machine, value: Any, size: Any) -> tuple[int, str]:
    if isinstance(value, bool) or not isinstance(value, (int, Unknown)):
        return 0, f"place#{m.fresh()}"
    if isinstance(value, Unknown):
        return value.offset, m.symbol(value)
    if value >= 0:
        return value, ""
    if isinstance(size, int):
        return value + size, ""
    if isinstance(size, Unknown):
        return size.offset + value, m.symbol(size)
    return value, "end"


def _shifted(old: Extent, start: int, stop: int | None, symbol: str, end: int | None = None) -> Extent:
    if not old.symbol and not symbol:
        return Extent(old.start + start, end if stop is None else old.start + stop)
    if old.symbol and symbol:
        return Extent(start, stop, f"{old.symbol}+{old.start}+{symbol}")
    return Extent(old.start + start, None if stop is None else old.start + stop, old.symbol or symbol)


def part(m: Machine, array: ArrayValue, start: Any, count: Any) -> ArrayValue | None:
    """`count` elements of a one-dimensional array from `start`, without an event; None if not known."""
    if not isinstance(start, int) or not isinstance(count, int) or array.axes is None:
        return None
    if array.shape is not None and len(array.shape) == 1 and start == 0 and count == array.shape[0]:
        return array
    region = _index(m, array, slice(start, start + count))
    return make_view(m, array, *region, name=f"{array.name}[{start}:{start + count}]", quiet=True)


def set_item(m: Machine, array: ArrayValue, key: Any, value: Any) -> None:
    """`array[key] = value` on the host."""
    if key == slice(None):
        target = array
    else:
        target = make_view(m, array, *_index(m, array, key), name=f"{array.name}[{brief(key)}]", quiet=True)
    write(m, target, value, "copy")


# Attributes


def attribute(m: Machine, array: ArrayValue, name: str) -> Any:
    if name == "grad":
        return gradient(m, array) if array.grad_now is not False else None
    if name == "requires_grad":
        if array.grad_now is not None:
            return array.grad_now
        return array.attributes.setdefault("requires_grad", Unknown(f"{array.name}.requires_grad"))
    if name == "shape":
        if array.shape is not None:
            return array.shape
        return array.attributes.setdefault("shape", _Shape(m, array))
    if name == "size":
        if array.shape is not None and all(isinstance(n, int) for n in array.shape):
            count = 1
            for n in array.shape:
                count *= n
            return count
        if array.shape is not None and len(array.shape) == 1:
            return array.shape[0]
        return array.attributes.setdefault("size", Unknown(f"{array.name}.size"))
    if name == "ndim" and array.shape is not None:
        return len(array.shape)
    if name == "dtype":
        return (
            array.dtype_value
            if array.dtype_value is not None
            else array.attributes.setdefault("dtype", Unknown("dtype"))
        )
    if name in ("ptr", "grad_ptr"):
        return Pointer(array if name == "ptr" else gradient(m, array))
    if name == "retain_grad":
        return array.retain_grad
    if name in array.attributes:
        return array.attributes[name]
    if name in _METHODS:
        return NativeMethod(array, name)
    if name == "T":
        return transpose(m, array, [], {})
    if name == "is_contiguous":
        return is_contiguous(m, array)
    return array.attributes.setdefault(name, Unknown(f"{array.name}.{name}"))


class _Shape(Unknown):
    """The shape of an array of unknown shape; its items are the array's dimensions."""

    __slots__ = ("array", "machine")

    def __init__(self, machine: Machine, array: ArrayValue) -> None:
        super().__init__(f"{array.name}.shape")
        self.array = array
        self.machine = machine

    def item(self, key: Any) -> Any:
        if isinstance(key, int):
            return dimension(self.machine, self.array, key)
        return super().item(key)


def set_attribute(m: Machine, array: ArrayValue, name: str, value: Any) -> None:
    if name == "requires_grad":
        wanted = value if isinstance(value, bool) else None
        if wanted is not False and array.grad_root is None:
            array.grad_root = new_root(m, f"{array.name}.grad", "gradient", array.dtype, array.shape)
        m.emit(model.RequiresGrad, array=array, value=wanted)
        m.set(array, "grad_now", wanted)
    elif name == "grad":
        if value is None:
            m.emit(model.GradientWrite, array=array, kind="zero")
            m.set(array, "grad_now", False)
            return
        if array.grad_now is False:
            m.set(array, "grad_now", True)
        source = value if isinstance(value, ArrayValue) else as_array(m, value) if isinstance(value, Unknown) else None
        m.emit(model.GradientWrite, array=array, kind="replace", source=source)
    elif name == "retain_grad":
        array.retain_grad = array.retain_grad or value is True  # the rules look at it after the run
    else:
        m.put(array.attributes, name, value)


# Methods


def call_method(m: Machine, site: Any, array: ArrayValue, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    method = _METHODS.get(name)
    if method is not None:
        return method(m, site, array, args, kwargs)
    if name in array.attributes:
        from warp_lint.host import calls

        return calls.call_value(m, site, array.attributes[name], args, kwargs)
    return Unknown(f"{array.name}.{name}()", (array,))


def _zero(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    write(m, array, 0.0, "zero_")
    return array


def _fill(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    write(m, array, args[0] if args else kwargs.get("value"), "fill_")
    return array


def _assign(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    write(m, array, args[0] if args else kwargs.get("src"), "assign")
    return array


def write(m: Machine, array: ArrayValue, value: Any, kind: str) -> None:
    """All of `array` gets a value from the host (or another array): `kind` is "zero_", "fill_", "assign", "copy"."""
    if isinstance(value, Unknown) and ("array",) in value.memo:
        value = value.memo[("array",)]
    if isinstance(value, HostArray) and value.view_of is not None:
        externals.view_read(m, value)
    if isinstance(value, ArrayValue):
        copy(m, array, value, "copy" if kind == "copy" else "assign")
        return
    constant = float(value) if isinstance(value, (int, float)) else None
    sources = tuple(dict.fromkeys(sources_of(value)))
    if array.gradient_of is not None:
        kinds = {"zero_": "zero", "fill_": "fill", "assign": "assign", "copy": "assign"}
        mode = "zero" if constant == 0.0 else kinds[kind]
        m.emit(model.GradientWrite, array=array.gradient_of, kind=mode)
        return
    if kind == "copy":
        kind = "fill_" if constant is not None else "assign"
    m.emit(model.Fill, array=array, kind=kind, value=constant, source_arrays=sources)


def copy(
    m: Machine, destination: ArrayValue, source: ArrayValue, kind: str, whole: bool = True, shifted: bool = False
) -> None:
    """`wp.copy(destination, source)` and what amounts to it."""
    if source.gradient_of is not None:
        m.emit(model.GradientRead, array=source.gradient_of, kind="copy" if kind != "assign" else "assign")
    if destination.gradient_of is not None:
        mode = "assign" if kind == "assign" else "copy"
        m.emit(model.GradientWrite, array=destination.gradient_of, kind=mode, source=source)
        return
    recorded = bool(m.tapes) and source.grad_now is not False and source.gradient_of is None
    remark = m.remark() if recorded else ""
    m.emit(
        model.Copy,
        destination=destination,
        source=source,
        kind=kind,
        recorded=recorded,
        whole=whole,
        remark=remark,
        shifted=shifted,
    )


def _numpy(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> HostArray:
    return read(m, site, array, "numpy")


def read(m: Machine, site: Any, array: ArrayValue, kind: str) -> HostArray:
    """The host sees the values: `.numpy()`, `to_torch`."""
    keeps = site is not None and site.kept
    if array.gradient_of is not None:
        m.emit(
            model.GradientRead,
            array=array.gradient_of,
            kind="torch" if kind == "to_torch" else "numpy",
            keeps_view=keeps,
        )
    else:
        m.emit(model.HostRead, array=array, kind=kind, keeps_view=keeps)
    result = HostArray(
        f"{array.name}.numpy()", (array,), array.shape, "torch" if kind == "to_torch" else "numpy", array
    )
    result.made = m.frame.node
    return result


def _list(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if array.gradient_of is not None:
        m.emit(model.GradientRead, array=array.gradient_of, kind="numpy")
    else:
        m.emit(model.HostRead, array=array, kind="list")
    return Unknown(f"{array.name}.list()", (array,))


def _shape_argument(args: list[Any], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    value: Any = kwargs.get("shape", args[0] if len(args) == 1 else tuple(args))
    if isinstance(value, list):
        value = tuple(value)
    if isinstance(value, int) or (isinstance(value, Unknown) and not isinstance(value, (HostArray, _Shape))):
        value = (value,)
    return value if isinstance(value, tuple) else None


def _reshape(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> ArrayValue:
    shape = _shape_argument(args, kwargs)
    axes: tuple[int, ...] | None = None
    if shape is not None and -1 in shape:
        total = attribute(m, array, "size")
        known = 1
        for n in shape:
            known = known * n if isinstance(n, int) and n > 0 and isinstance(known, int) else known
        missing = total // known if isinstance(total, int) and known else Unknown("dimension")
        if shape == (-1,):
            missing = total
        shape = tuple(missing if isinstance(n, int) and n == -1 else n for n in shape)
    if array.shape is not None and shape is not None and array.axes is not None:
        if shape == array.shape:
            axes = array.axes
        elif (shape and array.shape and shape[0] is array.shape[0]) or (
            shape and array.shape and shape[0] == array.shape[0]
        ):
            axes = array.axes[:1]
    return make_view(m, array, array.region.extents, shape, axes, array.name)


def _flatten(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> ArrayValue:
    if array.shape is not None and len(array.shape) == 1:
        return make_view(m, array, array.region.extents, array.shape, array.axes, array.name)
    size = attribute(m, array, "size")
    return make_view(m, array, array.region.extents, (size,), None, array.name)


def _view(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> ArrayValue:
    view = make_view(m, array, array.region.extents, array.shape, array.axes, array.name)
    from warp_lint.host.warp_types import dtype_of

    dtype = dtype_of(args[0] if args else kwargs.get("dtype"))
    if dtype is not None:
        view.dtype, view.dtype_value = dtype.name, dtype
    return view


def transpose(m: Machine, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> ArrayValue:
    order = args[0] if args else kwargs.get("axes")
    count = len(array.shape) if array.shape is not None else 2
    places = (
        order
        if isinstance(order, (list, tuple)) and all(isinstance(i, int) for i in order)
        else list(range(count))[::-1]
    )
    axes = array.axes
    if axes is None or max(places, default=0) >= len(axes):
        return make_view(m, array, array.region.extents, None, None, array.name)
    shape = tuple(array.shape[i] for i in places) if array.shape is not None else None
    return make_view(m, array, array.region.extents, shape, tuple(axes[i] for i in places), array.name)


def _transpose(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> ArrayValue:
    return transpose(m, array, args, kwargs)


def is_contiguous(m: Machine, array: ArrayValue) -> bool:
    """Are the array's elements one after the other in memory? Yes where it isn't known."""
    if array.axes is None:
        return not any(e.symbol.startswith(("part", "step", "indices")) for e in array.region.extents)
    axes, extents = array.axes, array.region.extents
    if any(extents[axis].symbol.startswith("step") for axis in axes if axis < len(extents)):
        return False
    shape = m.roots[array.region.root].shape
    if shape is None or not axes:
        return list(axes) == sorted(axes)
    whole = all(axis >= len(extents) or extents[axis] == Extent() for axis in axes[1:])
    return whole and list(axes) == list(range(len(shape) - len(axes), len(shape)))


def _contiguous(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> ArrayValue:
    return array if is_contiguous(m, array) else clone(m, site, array)


def clone(m: Machine, site: Any, array: ArrayValue, requires_grad: Any = None, literal: bool = False) -> ArrayValue:
    grad = requires_grad if isinstance(requires_grad, bool) else array.grad_now
    hint = site.hint if site is not None else ""
    made = allocate(
        m,
        name=hint,
        origin="clone",
        dtype=array.dtype_value or array.dtype,
        shape=array.shape,
        requires_grad=grad,
        literal=literal,
        site=site,
    )
    copy(m, made, array, "clone")
    return made


def _to(m: Machine, site: Any, array: ArrayValue, args: list[Any], kwargs: dict[str, Any]) -> ArrayValue:
    return array


_METHODS: dict[str, Any] = {
    "zero_": _zero,
    "fill_": _fill,
    "assign": _assign,
    "numpy": _numpy,
    "list": _list,
    "reshape": _reshape,
    "flatten": _flatten,
    "view": _view,
    "transpose": _transpose,
    "contiguous": _contiguous,
    "to": _to,
    "__getitem__": lambda m, site, array, args, kwargs: item(m, array, args[0]),
}
