"""Warp's host functions by canonical name."""

from __future__ import annotations

from typing import Any

from warp_lint.host import array_operators, arrays, calls, containers, definitions, externals, graphs, launch, natives
from warp_lint.host.machine import Machine
from warp_lint.host.map_needs import needs_of
from warp_lint.host.values import (
    Address,
    ArrayValue,
    BoundMethod,
    ClassValue,
    FunctionValue,
    HostArray,
    Instance,
    KernelValue,
    Pointer,
    TapeValue,
    Unknown,
    merge_sources,
    sources_of,
)
from warp_lint.host.warp_types import dtype_name, dtype_of
from warp_lint.syntax.project import External
from warp_lint.trace import model

_ARRAY = (
    "data",
    "dtype",
    "shape",
    "strides",
    "length",
    "ptr",
    "capacity",
    "device",
    "pinned",
    "copy",
    "owner",
    "deleter",
    "ndim",
    "grad",
    "requires_grad",
)


def _named(names: tuple[str, ...], args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    given = dict(zip(names, args, strict=False))
    given.update(kwargs)
    return given


def _shape(m: Machine, value: Any) -> tuple[Any, ...] | None:
    """A shape argument as a tuple of ints and unknowns."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return (value,)
    if isinstance(value, (list, tuple)):
        return tuple(v if isinstance(v, (int, Unknown)) else Unknown("dimension") for v in value)
    if isinstance(value, HostArray):
        return (value,) if value.shape == () else None
    if isinstance(value, Unknown):
        # A number or a whole shape: a name that speaks of a shape is one.
        return None if "shape" in value.text else (value,)
    return None


def _gradient_flag(value: Any) -> bool | None:
    if value is None:
        return False
    if isinstance(value, (bool, int)):
        return bool(value)
    return None


def _literal(site: Any) -> bool:
    return site is not None and "requires_grad" in site.literals


_ORIGINS = {"zeros": "zeros", "empty": "empty", "ones": "filled", "full": "filled"}


def _filled_with(short: str, given: dict[str, Any]) -> float | None:
    """What `ones` and `full` put into all elements, if it is a known number."""
    value = 1.0 if short.startswith("ones") else given.get("value") if short.startswith("full") else None
    return float(value) if isinstance(value, (bool, int, float)) else None


def _new(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`zeros`, `empty`, `ones`, `full`."""
    short = name.rpartition(".")[2]
    names = ("shape", "value", "dtype") if short == "full" else ("shape", "dtype", "device", "requires_grad", "pinned")
    given = _named(names, args, kwargs)
    shape = _shape(m, given.get("shape", given.get("n")))
    dtype = dtype_of(given.get("dtype", External("builtins.float") if short != "full" else None))
    return arrays.allocate(
        m,
        name=site.hint if site is not None else "",
        origin=_ORIGINS[short],
        value=_filled_with(short, given),
        dtype=dtype,
        shape=shape,
        requires_grad=_gradient_flag(given.get("requires_grad")),
        literal=_literal(site),
        retain_grad=given.get("retain_grad") is True,
        source_arrays=merge_sources(given.get("value")),
        site=site,
    )


def _like(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`zeros_like` and friends: inherit `requires_grad`."""
    short = name.rpartition(".")[2]
    names = (
        ("src", "value", "device", "requires_grad")
        if short == "full_like"
        else ("src", "device", "requires_grad", "pinned")
    )
    given = _named(names, args, kwargs)
    source = given.get("src")
    if isinstance(source, Unknown):
        source = arrays.as_array(m, source)
    if not isinstance(source, ArrayValue):
        return Unknown(f"{name}()")
    wanted = given.get("requires_grad")
    grad = source.grad_now if wanted is None else _gradient_flag(wanted)
    if source.gradient_of is not None and wanted is None:
        grad = False
    return arrays.allocate(
        m,
        name=site.hint if site is not None else "",
        origin=_ORIGINS[short.removesuffix("_like")],
        value=_filled_with(short, given),
        dtype=source.dtype_value or source.dtype,
        shape=source.shape,
        requires_grad=grad,
        literal=_literal(site) and wanted is not None,
        retain_grad=given.get("retain_grad") is True,
        source_arrays=merge_sources(given.get("value")),
        site=site,
    )


def _array(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`wp.array(...)` and `wp.from_numpy(...)`."""
    names: tuple[str, ...] = (
        _ARRAY if not name.endswith("from_numpy") else ("arr", "dtype", "shape", "device", "requires_grad")
    )
    given = _named(names, args, kwargs)
    data = given.get("data", given.get("arr"))
    dtype = dtype_of(given.get("dtype"))
    pointer = given.get("ptr")
    grad = _gradient_flag(given.get("requires_grad"))
    shape = _shape(m, given.get("shape", given.get("length")))
    hint = site.hint if site is not None else ""
    if pointer is not None:
        return _from_pointer(m, site, pointer, shape, dtype, grad, given.get("grad"))
    if isinstance(data, Unknown) and not isinstance(data, HostArray) and ("array",) in data.memo:
        data = data.memo[("array",)]
    if isinstance(data, ArrayValue):
        if data.gradient_of is not None:
            m.emit(model.GradientRead, array=data.gradient_of, kind="copy")
        if dtype is None:
            dtype = dtype_of(data.dtype_value)
    elif isinstance(data, HostArray) and data.view_of is not None:
        externals.view_read(m, data)
    if shape is None:
        shape = externals.shape_of(data)
        if shape is not None and dtype is not None and isinstance(data, (HostArray, list)):
            shape = _without_components(shape, dtype.name)
    if isinstance(data, HostArray) and shape is not None and len(shape) == 0:
        shape = (1,)
    shared = isinstance(data, HostArray) and data.view_of is not None and given.get("copy") is False
    if shared and isinstance(data, HostArray) and data.view_of is not None:
        base = data.view_of
        view = arrays.make_view(m, base, base.region.extents, shape, base.axes, hint, quiet=True)
        view.grad_root, view.requires_grad, view.grad_now = None, grad, grad
        m.emit(model.View, view=view, base=base, pointer=True)
        return view
    sources = tuple(dict.fromkeys(sources_of(data))) if data is not None else ()
    made = arrays.allocate(
        m,
        name=hint,
        origin="array",
        dtype=dtype,
        shape=shape,
        requires_grad=grad,
        literal=_literal(site),
        retain_grad=given.get("retain_grad") is True,
        source_arrays=sources,
        site=site,
    )
    own = given.get("grad")
    if isinstance(own, ArrayValue):
        arrays.set_attribute(m, made, "grad", own)
    return made


_COMPONENTS = {
    "vec2": 1,
    "vec3": 1,
    "vec4": 1,
    "quat": 1,
    "transform": 1,
    "spatial_vector": 1,
    "mat": 2,
    "spatial_matrix": 2,
}


def _without_components(shape: tuple[Any, ...], dtype: str) -> tuple[Any, ...]:
    """Shape of an array of vectors made from plain numbers."""
    for prefix, count in _COMPONENTS.items():
        if dtype.startswith(prefix):
            return shape[:-count] if len(shape) > count else shape
    return shape


_SIZES = {"float64": 8, "int64": 8, "uint64": 8, "float32": 4, "int32": 4, "uint32": 4, "float16": 2, "int8": 1}


def _element(address: Address) -> int | None:
    """The element of a flat array that an address points to."""
    array, size = address.array, _SIZES.get(address.array.dtype)
    if array.region.extents or array.shape is None or len(array.shape) != 1 or not size or address.bytes is None:
        return None
    return address.bytes // size if address.bytes >= 0 and address.bytes % size == 0 else None


def _from_pointer(
    m: Machine, site: Any, pointer: Any, shape: Any, dtype: Any, grad: bool | None, grad_pointer: Any
) -> ArrayValue:
    hint = site.hint if site is not None else ""
    if isinstance(pointer, Address) and pointer.bytes == 0:
        pointer = Pointer(pointer.array)
    base = pointer.array if isinstance(pointer, (Pointer, Address)) else None
    if not isinstance(base, ArrayValue):
        return arrays.allocate(
            m, name=hint, origin="external", dtype=dtype, shape=shape, requires_grad=grad, literal=_literal(site)
        )
    whole = isinstance(pointer, Pointer) and (shape is None or shape == base.shape or base.shape is None)
    extents = base.region.extents
    if (
        not whole
        and isinstance(pointer, Pointer)
        and shape is not None
        and len(shape) == 1
        and isinstance(shape[0], int)
    ):
        extents = (
            (*base.region.extents[:0], model.Extent(0, shape[0])) if not base.region.extents else base.region.extents
        )
    elif isinstance(pointer, Address) and (start := _element(pointer)) is not None:
        count = shape[0] if shape is not None and len(shape) == 1 else None
        extents = (model.Extent(start, start + count if isinstance(count, int) else None),)
    elif isinstance(pointer, Address):
        extents = (*extents, model.Extent(0, None, f"pointer#{m.fresh()}"))
    view = arrays.make_view(m, base, extents, shape if shape is not None else base.shape, base.axes, hint, quiet=True)
    view.requires_grad = view.grad_now = grad
    view.requires_grad_literal = _literal(site)
    view.grad_root = None
    if isinstance(grad_pointer, ArrayValue) and grad_pointer.gradient_of is not None:
        view.grad_root = grad_pointer.region.root
        view.grad_now = True
    elif grad is not False:
        view.grad_root = arrays.new_root(m, f"{hint}.grad", "gradient", view.dtype, shape)
    if dtype is not None:
        view.dtype, view.dtype_value = dtype.name, dtype
    m.emit(model.View, view=view, base=base, pointer=True)
    return view


def _clone(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    given = _named(("src", "device", "requires_grad", "pinned"), args, kwargs)
    source = given.get("src")
    if isinstance(source, Unknown):
        source = arrays.as_array(m, source)
    if not isinstance(source, ArrayValue):
        return Unknown("clone()", merge_sources(source))
    return arrays.clone(m, site, source, given.get("requires_grad"), _literal(site))


def _copy(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    given = _named(("dest", "src", "dest_offset", "src_offset", "count", "stream"), args, kwargs)
    destination, source = given.get("dest"), given.get("src")
    if isinstance(destination, Unknown):
        destination = arrays.as_array(m, destination)
    if isinstance(source, Unknown):
        source = arrays.as_array(m, source)
    if not isinstance(destination, ArrayValue) or not isinstance(source, ArrayValue):
        return None
    to, start, count = given.get("dest_offset", 0), given.get("src_offset", 0), given.get("count", 0)
    if to == 0 and start == 0 and (count == 0 or count is arrays.attribute(m, destination, "size")):
        arrays.copy(m, destination, source, "copy")
        return None
    if count == 0:
        size = arrays.attribute(m, source, "size")
        count = size - start if isinstance(size, int) and isinstance(start, int) else Unknown("count")
    target, origin = arrays.part(m, destination, to, count), arrays.part(m, source, start, count)
    shifted = isinstance(to, int) and isinstance(start, int) and to != start
    arrays.copy(m, target or destination, origin or source, "copy", target is not None, shifted)
    return None


def _tape(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return m.new_tape(site.hint if site is not None else "tape")


def _kernel(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`wp.kernel(...)`, `wp.func(...)`, `wp.struct(...)`, with a function or as a decorator factory."""
    if args and isinstance(args[0], (FunctionValue, ClassValue)) and name not in ("warp.func_grad", "warp.func_replay"):
        return definitions.decorate(m, External(name), args[0])
    return m.native("decorator", name, **{k: v for k, v in kwargs.items() if k.isidentifier()})


def _kernel_object(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    function = args[0] if args else kwargs.get("func")
    return definitions.make_kernel(function) if isinstance(function, FunctionValue) else Unknown("kernel")


def _overload(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    kernel = args[0] if args else kwargs.get("kernel")
    if isinstance(kernel, FunctionValue):
        return definitions.make_kernel(kernel)
    return kernel


def _map(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`wp.map(func, *inputs, out=None)`: recorded on the tape."""
    if not args:
        return Unknown("map()")
    function, inputs = args[0], args[1:]
    named = {f"arg{i}": v for i, v in enumerate(inputs) if isinstance(v, ArrayValue)}
    label = function.name if isinstance(function, (FunctionValue, External)) else "map"
    out = kwargs.get("out")
    results = (
        containers.known_elements(m, out) if isinstance(out, (list, tuple)) else [out] if out is not None else None
    )
    if results is None:
        first = next(iter(named.values()), None)
        grads = [v.grad_now for v in named.values()]
        grad = True if True in grads else None if None in grads else False
        made = arrays.allocate(
            m,
            name=site.hint if site is not None else "",
            origin="map",
            dtype=first.dtype_value or first.dtype if first is not None else None,
            shape=first.shape if first is not None else None,
            requires_grad=grad,
        )
        results = [made]
    title = f"map {label.rpartition('.')[2]}"
    found = needs_of(m.project, function)
    for index, result in enumerate(results):
        if not isinstance(result, ArrayValue):
            continue
        # An output that is an input too is one argument, updated in place.
        out_name = next((k for k, v in named.items() if v is result), f"out{index or ''}")
        known = None
        if found is not None:
            known = [
                (f"arg{p}", frozenset(f"arg{q}" for q in partners if f"arg{q}" in named))
                for p, partners in found
                if f"arg{p}" in named
            ]
        effects = array_operators.map_effects(m, title, list(named), out_name, known=known)
        arguments: dict[tuple[str, ...], ArrayValue] = {(k,): v for k, v in named.items()}
        arguments[(out_name,)] = result
        array_operators.emit_map(m, title, effects, arguments)
    return results[0] if len(results) == 1 else tuple(results)


def _to_torch(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value = args[0] if args else kwargs.get("a")
    if isinstance(value, Unknown):
        value = arrays.as_array(m, value)
    return (
        arrays.read(m, site, value, "to_torch")
        if isinstance(value, ArrayValue)
        else HostArray("tensor", (), None, "torch")
    )


def _from_torch(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    given = _named(("t", "dtype", "requires_grad", "grad", "return_ctype"), args, kwargs)
    tensor = given.get("t")
    if isinstance(tensor, HostArray) and tensor.view_of is not None:
        return tensor.view_of
    found = tensor.memo.get(("array",)) if isinstance(tensor, Unknown) else None
    wanted = given.get("requires_grad")
    if found is None:
        made = arrays.allocate(
            m,
            name=site.hint if site is not None else "",
            origin="external",
            dtype=dtype_of(given.get("dtype")),
            shape=externals.shape_of(tensor),
            requires_grad=_gradient_flag(wanted) if wanted is not None else None,
            literal=_literal(site),
            source_arrays=(),
        )
        if isinstance(tensor, Unknown):
            tensor.memo[("array",)] = made
        found = made
    own = given.get("grad")
    if isinstance(own, (ArrayValue, HostArray)):
        source = own if isinstance(own, ArrayValue) else arrays.as_array(m, own)
        m.emit(model.GradientWrite, array=found, kind="replace", source=source)
    return found


def _unrecorded(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Library calls that compute on arrays and are not on the tape."""
    short = name.rpartition(".")[2]
    values = [*args, *kwargs.values()]
    out = kwargs.get("out", kwargs.get("out_array", kwargs.get("y")))
    if short in ("array_scan",) and len(args) > 1:
        out = args[1]
    if short in ("array_inner",) and out is None and len(args) > 2:
        out = args[2]
    if short in ("array_sum",) and out is None and len(args) > 1:
        out = args[1]
    if short in ("bsr_mv",) and out is None and len(args) > 2:
        out = args[2]
    found: dict[int, ArrayValue] = {}
    for value in values:
        if value is not out:
            calls.reachable(value, found, {})
            if isinstance(value, Unknown):
                for array in value.sources:
                    if isinstance(array, ArrayValue):
                        found[id(array)] = array
    outputs = (out,) if isinstance(out, ArrayValue) else ()
    m.emit(model.UnrecordedCall, function=short, inputs=tuple(found.values()), outputs=outputs)
    if outputs:
        return out
    return HostArray(f"{short}()", tuple(found.values()), ())


def _array_cast(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    given = _named(("in_array", "out_array", "count"), args, kwargs)
    source, out = given.get("in_array"), given.get("out_array")
    if isinstance(source, ArrayValue) and isinstance(out, ArrayValue):
        effects = array_operators.map_effects(m, "array_cast", ["src"], "dest", True, False)
        array_operators.emit_map(m, "array_cast", effects, {("src",): source, ("dest",): out})
    return None


def _optimizer(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    params = args[0] if args else kwargs.get("params")
    short = name.rpartition(".")[2]
    return m.native("optimizer", short, params=natives.optimizer_parameters(m, params) if params is not None else [])


def _handle(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    short = name.rpartition(".")[2]
    given = _named(("points", "indices", "velocities") if short == "Mesh" else (), args, kwargs)
    made = m.native("mesh" if short == "Mesh" else "handle", site.hint if site is not None else "", type=short)
    if short == "Mesh":
        for key in ("points", "indices", "velocities"):
            if isinstance(given.get(key), (ArrayValue, Unknown)):
                made.state[key] = given[key]
    return made


def _scoped(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return m.native("capture" if name.endswith("ScopedCapture") else "scoped", site.hint if site is not None else "")


def _indexed(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    base = args[0] if args else kwargs.get("data")
    if isinstance(base, Unknown):
        base = arrays.as_array(m, base)
    if not isinstance(base, ArrayValue):
        return Unknown("indexedarray")
    part = model.Extent(0, None, f"indices#{m.fresh()}")
    return arrays.make_view(
        m, base, (*base.region.extents, part), None, None, site.hint if site is not None else base.name
    )


def _check(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`wp.autograd.*`: runs launches under tapes of its own."""
    for value in [*args, *kwargs.values()]:
        if isinstance(value, (FunctionValue, BoundMethod)):
            calls.run_callback(m, value)
    return Unknown(f"{name}()")


def _constant(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else Unknown("constant")


def generic(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Any other function of Warp."""
    short = name.rpartition(".")[2]
    if dtype_name(name) is not None or name.startswith("warp.types."):
        return _value(m, short, args, kwargs)
    if name.startswith(("warp.sparse.", "warp.utils.", "warp.fem.")) and short not in _NO_EFFECT:
        values = [*args, *kwargs.values()]
        if any(isinstance(v, (ArrayValue, TapeValue, Instance)) for v in values):
            if name.startswith("warp.sparse."):
                _unrecorded(m, site, name, args, kwargs)
                return Unknown(f"{short}()", merge_sources(*values))
            return calls.opaque(m, name, args, kwargs)
        return Unknown(f"{short}()", merge_sources(*values))
    return Unknown(f"{name}()", merge_sources(*args))


_NO_EFFECT = frozenset(
    ["radix_sort_pairs", "runlength_encode", "warn", "check_array_shape", "mem_report", "get_device"]
)


def _value(m: Machine, short: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A scalar, vector or matrix made on the host."""
    if (
        len(args) == 1
        and isinstance(args[0], (int, float))
        and not short.startswith(("vec", "mat", "quat", "transform", "spatial"))
    ):
        return (
            int(args[0])
            if short.startswith(("int", "uint"))
            else float(args[0])
            if short.startswith("float")
            else args[0]
        )
    for value in args:
        if isinstance(value, HostArray) and value.view_of is not None:
            externals.view_read(m, value)
    return Unknown(
        f"{short}()" if not short.startswith(("vec", "mat")) else short, merge_sources(*args, *kwargs.values())
    )


def _nothing(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return None


def _capture_begin(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    graphs.begin(m)
    return None


def _capture_end(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    graph = m.native("graph", site.hint if site is not None else "")
    graphs.end(m, graph)
    return graph


def _capture_launch(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    graphs.launch(m, args[0] if args else kwargs.get("graph"))
    return None


HANDLERS: dict[str, Any] = {
    **{f"warp.{n}": _new for n in ("zeros", "empty", "ones", "full")},
    **{f"warp.{n}": _like for n in ("zeros_like", "empty_like", "ones_like", "full_like")},
    **{f"warp.{n}": _array for n in ("array", "array1d", "array2d", "array3d", "array4d", "from_numpy", "from_ptr")},
    "warp.clone": _clone,
    "warp.copy": _copy,
    "warp.Tape": _tape,
    **{f"warp.{n}": _kernel for n in ("kernel", "func", "struct", "func_grad", "func_replay", "func_native")},
    "warp.Kernel": _kernel_object,
    "warp.overload": _overload,
    "warp.launch": launch.launch,
    "warp.launch_tiled": launch.launch,
    "warp.map": _map,
    "warp.to_torch": _to_torch,
    "warp.torch.to_torch": _to_torch,
    "warp.to_jax": _to_torch,
    "warp.jax.to_jax": _to_torch,
    "warp.from_torch": _from_torch,
    "warp.torch.from_torch": _from_torch,
    "warp.from_jax": _from_torch,
    "warp.jax.from_jax": _from_torch,
    "warp.from_dlpack": _from_torch,
    "warp.utils.array_sum": _unrecorded,
    "warp.utils.array_inner": _unrecorded,
    "warp.utils.array_scan": _unrecorded,
    "warp.utils.array_cast": _array_cast,
    "warp.sparse.bsr_mv": _unrecorded,
    "warp.optim.Adam": _optimizer,
    "warp.optim.SGD": _optimizer,
    "warp.optim.adam.Adam": _optimizer,
    "warp.optim.sgd.SGD": _optimizer,
    **{f"warp.{n}": _handle for n in ("HashGrid", "Mesh", "Bvh", "Volume", "MarchingCubes")},
    **{
        f"warp.{n}": _scoped
        for n in (
            "ScopedTimer",
            "ScopedDevice",
            "ScopedStream",
            "ScopedCapture",
            "ScopedMempool",
            "ScopedMempoolAccess",
            "ScopedMemoryTracker",
        )
    },
    "warp.utils.ScopedTimer": _scoped,
    "warp.indexedarray": _indexed,
    "warp.capture_begin": _capture_begin,
    "warp.capture_end": _capture_end,
    "warp.capture_launch": _capture_launch,
    "warp.init": _nothing,
    "warp.synchronize": _nothing,
    "warp.constant": _constant,
    "warp.static": _constant,
    **{
        f"warp.autograd.{n}": _check
        for n in ("gradcheck", "gradcheck_tape", "jacobian", "jacobian_fd", "plot_kernel_jacobians")
    },
    "warp.set_module_options": _nothing,
}

_ = KernelValue
