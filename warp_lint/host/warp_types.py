"""Element types by canonical name."""

from __future__ import annotations

from typing import Any

from warp_lint.host.values import ClassValue, DataType, Unknown
from warp_lint.syntax.project import External

_SCALARS = {
    "float": "float32",
    "int": "int32",
    "bool": "bool",
    "float16": "float16",
    "float32": "float32",
    "float64": "float64",
    "int8": "int8",
    "uint8": "uint8",
    "int16": "int16",
    "uint16": "uint16",
    "int32": "int32",
    "uint32": "uint32",
    "int64": "int64",
    "uint64": "uint64",
}
_COMPOSITE = (
    "vec2",
    "vec3",
    "vec4",
    "mat22",
    "mat33",
    "mat44",
    "quat",
    "transform",
    "spatial_vector",
    "spatial_matrix",
)


def dtype_name(name: str) -> str | None:
    """Canonical name of an element type given by its dotted name, or None if it isn't one."""
    head, _, short = name.rpartition(".")
    if head == "builtins":
        return _SCALARS.get(short) if short in ("float", "int", "bool") else None
    if head.startswith(("numpy", "torch", "jax")):
        return _SCALARS.get(short)
    if head != "warp":
        return None
    if short in _SCALARS:
        return _SCALARS[short]
    if short in _COMPOSITE:
        return short + "f"
    if short.startswith(_COMPOSITE):
        return short
    return None


def dtype_of(value: Any) -> DataType | None:
    """The element type that a host value stands for; None if it isn't known."""
    if isinstance(value, DataType):
        return value
    if isinstance(value, External):
        name = dtype_name(value.name)
        return DataType(name) if name is not None else None
    if isinstance(value, ClassValue):
        return DataType(value.name, value if value.kind == "struct" else None)
    if isinstance(value, Unknown) and value.text.startswith(("vec", "mat")):
        return DataType(value.text)
    return None
