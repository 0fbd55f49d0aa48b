"""The program in double precision: Warp's single precision types stand for double ones before the program sees them.

The unmodified script then computes in float64, and finite differences no longer drown in rounding. What exists in
single precision only (queries of meshes and volumes) does not compile then. Like `internals`, this knows Warp's
private names.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

STEMS = ("vec2", "vec3", "vec4", "mat22", "mat33", "mat44", "quat", "transform", "spatial_vector", "spatial_matrix")
TABLE_OF_BUILTINS = "warp._src.builtins"


def promote(warp: Any, cache: str = "") -> None:
    """Rebind the types of a freshly imported Warp. `cache`: folder for kernels, which must not be shared."""
    types, context = (importlib.import_module(f"warp._src.{name}") for name in ("types", "context"))
    single, double = types.float32, types.float64
    pairs = {single: double}
    pairs.update({getattr(types, f"{s}f"): getattr(types, f"{s}d") for s in STEMS if hasattr(types, f"{s}f")})
    functions = _functions(types, double)
    for module in _modules():
        for name, value in list(vars(module).items()):
            new: Any = None
            if isinstance(value, type) and module.__name__ != TABLE_OF_BUILTINS:
                new = pairs.get(value)
            elif callable(value):
                new = next((n for old, n in functions if value is old), None)
            if new is not None:
                setattr(module, name, new)
    for key in (np.float32, np.dtype(np.float32)):
        types.np_dtype_to_warp_type[key] = double
    types._type_size_cache[float] = 8
    known = context.builtin_functions
    for name in ("float", "float32", *STEMS, *(f"{stem}f" for stem in STEMS)):
        target = "float64" if name in ("float", "float32") else name.removesuffix("f") + "d"
        if name in known and target in known:
            known[name] = known[target]
    _own_hashes(context)
    _converted(types)
    if cache:
        warp.config.kernel_cache_dir = cache


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

    return [(typestr, new_typestr), (short_name, new_short_name), (type_ctype, new_ctype)]


def _converted(types: Any) -> None:
    """Arrays made of single precision data hold double precision."""
    original = types.array.__init__

    def init(self: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
        if isinstance(data, np.ndarray) and data.dtype == np.float32:
            data = data.astype(np.float64)
        original(self, data, *args, **kwargs)

    types.array.__init__ = init


def _own_hashes(context: Any) -> None:
    """Kernels of one text have other hashes than in single precision, whatever folder they are kept in."""
    original = context.ModuleHasher.get_hash

    def get_hash(self: Any) -> bytes:
        return hashlib.sha256(original(self) + b"double").digest()

    context.ModuleHasher.get_hash = get_hash
