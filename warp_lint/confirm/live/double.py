"""The program in double precision: Warp's types of single and half precision stand for double ones before the
program sees them.

The unmodified script then computes in float64, and finite differences no longer drown in rounding. Built-in functions
that exist in single precision only (random numbers, noise) get rounded arguments. Objects that do (meshes and volumes)
can't be made then. Like `internals`, this knows Warp's private names.
"""

from __future__ import annotations

import ast
import ctypes
import hashlib
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

NO_OVERLOAD = "Couldn't find function overload"
STEMS = ("vec2", "vec3", "vec4", "mat22", "mat33", "mat44", "quat", "transform", "spatial_vector", "spatial_matrix")

# Native objects that read memory as single precision, whatever the arrays say.
SINGLE_ONLY = ("Mesh", "Bvh", "Volume")


class SinglePrecisionOnly(TypeError):
    """The program makes an object that there is in single precision only."""


def promote(warp: Any, cache: str = "") -> None:
    """Rebind the types of a freshly imported Warp. `cache`: folder for kernels, which must not be shared."""
    types, context = (importlib.import_module(f"warp._src.{name}") for name in ("types", "context"))
    codegen = importlib.import_module("warp._src.codegen")
    single, double = types.float32, types.float64
    coarse = {single: double, types.float16: double}
    for stem in STEMS:
        for suffix in "fh":
            if hasattr(types, stem + suffix):
                coarse[getattr(types, stem + suffix)] = getattr(types, f"{stem}d")
    # Warp has code of its own for half precision: only the program's names for it change.
    inner = {kind: new for kind, new in coarse.items() if getattr(kind, "_wp_scalar_type_", kind) is single}
    known = context.builtin_functions
    _rounded_arguments(codegen, types, dict(known))
    functions = _functions(types, double)
    for module in _modules():
        for name, value in list(vars(module).items()):
            new: Any = None
            if isinstance(value, type):
                new = (inner if module.__name__.startswith("warp._src.") else coarse).get(value)
            elif callable(value):
                new = next((n for old, n in functions if value is old), None)
            if new is not None:
                setattr(module, name, new)
    for key in (np.float32, np.float16):
        types.np_dtype_to_warp_type[key] = types.np_dtype_to_warp_type[np.dtype(key)] = double
    types._type_size_cache[float] = 8
    types.simple_type_codes[float] = types.simple_type_codes[double]
    for name in ("float", "float32", "float16", *(f"{stem}{suffix}" for stem in STEMS for suffix in ("", "f", "h"))):
        stem = name if name in STEMS else name[:-1]
        target = "float64" if name.startswith("float") else f"{stem}d"
        if name in known and target in known:
            known[name] = known[target]
    for function in known.values():
        for overload in getattr(function, "overloads", ()):
            for name, value in overload.defaults.items():
                if isinstance(value, type) and value in coarse:
                    overload.defaults[name] = coarse[value]
                elif isinstance(value, float) and overload.input_types.get(name) is single:
                    overload.defaults[name] = single(value)
    _own_hashes(context)
    _converted(types)
    _identities(context, types)
    for name in SINGLE_ONLY:
        _refused(getattr(types, name))
    if cache:
        warp.config.kernel_cache_dir = cache


def _rounded_arguments(codegen: Any, types: Any, functions: dict[str, Any]) -> None:
    """A built-in function without a version in double precision is called in single, and its result widened."""
    original = codegen.Adjoint.add_call
    single, double = types.float32, types.float64
    scalars = {single: functions["float32"], double: functions["float64"]}

    def converted(adj: Any, value: Any, source: Any, target: Any) -> Any:
        """A variable as `target` if it is, or consists of, `source`; else itself."""
        kind = codegen.strip_reference(getattr(value, "type", None))
        if kind is source or (kind is float and source is double):
            return original(adj, scalars[target], (value,), {}, {})
        if getattr(kind, "_wp_scalar_type_", None) is not source or not hasattr(kind, "_wp_constructor_"):
            return value
        return original(adj, functions[kind._wp_constructor_], (value,), {}, {**kind._wp_type_args_, "dtype": target})

    def rounded(adj: Any, func: Any, args: Any, kwargs: Any, *rest: Any, **options: Any) -> Any:
        try:
            return original(adj, func, args, kwargs, *rest, **options)
        except Exception as error:
            if not func.is_builtin() or NO_OVERLOAD not in str(error):
                raise
            less = [converted(adj, a, double, single) for a in args]
            less_named = {k: converted(adj, a, double, single) for k, a in kwargs.items()}
            if all(a is b for a, b in zip((*args, *kwargs.values()), (*less, *less_named.values()), strict=True)):
                raise
            try:
                return original(adj, func, tuple(less), less_named, *rest, **options)
            except Exception:
                raise

    def add_call(adj: Any, func: Any, *rest: Any, **options: Any) -> Any:
        result = rounded(adj, func, *rest, **options)
        if not func.is_builtin() or func.key == "load":
            return result
        if isinstance(result, list) or (isinstance(result, tuple) and not options.get("return_resolved")):
            return type(result)(converted(adj, r, single, double) for r in result)
        return converted(adj, result, single, double)

    attribute = codegen.Adjoint.emit_Attribute

    def emit_attribute(adj: Any, node: Any, **options: Any) -> Any:
        return converted(adj, attribute(adj, node, **options), single, double)

    codegen.Adjoint.add_call = add_call
    codegen.Adjoint.emit_Attribute = codegen.Adjoint.node_visitors[ast.Attribute] = emit_attribute


def _identities(context: Any, types: Any) -> None:
    """Called from Python without a type, some Warps run these functions' native versions in single precision."""
    original = context.Function.__call__
    values = {"quat_identity": lambda: types.quatd(0.0, 0.0, 0.0, 1.0)}
    values["transform_identity"] = lambda: types.transformd((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.key in values and self.is_builtin() and not args and not kwargs:
            return values[self.key]()
        return original(self, *args, **kwargs)

    context.Function.__call__ = call


def _refused(kind: Any) -> None:
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        raise SinglePrecisionOnly(f"wp.{kind.__name__} exists in single precision only")

    kind.__init__ = init


def _modules() -> list[Any]:
    return [m for n, m in list(sys.modules.items()) if m is not None and (n == "warp" or n.startswith("warp."))]


def _functions(types: Any, double: Any) -> list[tuple[Any, Callable[..., Any]]]:
    """Functions that ask for single precision first, or that know what `float` is; each with its replacement."""
    typestr, short_name, type_ctype = types.type_typestr, types.scalar_short_name, types.type_ctype

    def new_typestr(dtype: Any) -> Any:
        return "<f8" if dtype is double else typestr(dtype)

    def new_short_name(kind: Any) -> Any:
        return "d" if kind is double else short_name(kind)

    def new_ctype(dtype: Any) -> Any:
        return ctypes.c_double if dtype is float else type_ctype(dtype)

    def unchanged(value: Any) -> Any:  # doubles that stand for half precision are no bits
        return value

    result = [(typestr, new_typestr), (short_name, new_short_name), (type_ctype, new_ctype)]
    return [*result, (types.float_to_half_bits, unchanged), (types.half_bits_to_float, unchanged)]


def _converted(types: Any) -> None:
    """Arrays made of single precision data hold double precision."""
    original = types.array.__init__

    def init(self: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
        if isinstance(data, np.ndarray) and data.dtype in (np.float32, np.float16):
            data = data.astype(np.float64)
        original(self, data, *args, **kwargs)

    types.array.__init__ = init


def _own_hashes(context: Any) -> None:
    """Kernels of one text have other hashes than in single precision, whatever folder they are kept in."""
    original = context.ModuleHasher.get_hash

    def get_hash(self: Any) -> bytes:
        return hashlib.sha256(original(self) + b"double").digest()

    context.ModuleHasher.get_hash = get_hash
