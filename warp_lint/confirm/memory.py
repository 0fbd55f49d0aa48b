"""Arguments for a kernel, over memory that the harness owns.

All arrays lie in one block of bytes, their gradients in a second block of the same layout, so that
saving, restoring and perturbing everything a launch can touch is a few copies. Every array sits
inside valid padding: small out-of-bounds reads are harmless and writes are seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

Array = np.ndarray[Any, np.dtype[Any]]

MAX_DIMENSIONS = 4
ALIGNMENT = 256
GUARD = 1 << 18  # bytes around each array that a launch shouldn't write
TABLE = 64  # elements before and after an array of structs that hold arrays
MARGIN = 1 << 24  # bytes around everything that it may read


class UnsupportedError(Exception):
    """An argument that can't be made."""


@dataclass(slots=True)
class Leaf:
    """Numbers of one kind in one array: the array itself, or one field of its struct elements.

    `values` and `grads` are views of shape (elements, components), padding included; `first` is the
    first element inside the array proper and `shape` the array's shape.
    """

    label: str
    suffix: str
    kind: str  # "float", "int" or "bool"
    values: Array
    grads: Array | None
    first: int
    shape: tuple[int, ...]
    rotation: int | None = None  # first component of a quaternion
    matrix: int = 0  # size of a square matrix element
    group: int = 0  # number of the array

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    def where(self, element: int, component: int) -> str:
        """Text for one number, as the user would index it."""
        at = element - self.first
        if 0 <= at < self.count:
            index = ", ".join(str(int(k)) for k in np.unravel_index(at, self.shape))
        else:
            index = f"{at}, outside the array"
        text = f"{self.label}[{index}]{self.suffix}"
        components = self.values.shape[1]
        if self.matrix:
            return f"{text}[{component // self.matrix}, {component % self.matrix}]"
        return f"{text}[{component}]" if components > 1 else text


@dataclass(slots=True)
class _Plan:
    label: str
    dtype: Any
    shape: tuple[int, ...]
    before: int
    after: int
    layout: np.dtype[Any]
    offset: int = 0

    @property
    def elements(self) -> int:
        return self.before + int(np.prod(self.shape)) + self.after


@dataclass(slots=True)
class Sizes:
    """Extents of arrays by number of dimensions."""

    side: int = 10

    def shape(self, dimensions: int) -> tuple[int, ...]:
        return (self.side if dimensions < 3 else min(self.side, 10 if dimensions == 3 else 8),) * dimensions


class Memory:
    """The arguments of one kernel. `scalar(path, type)` supplies values for non-array parameters."""

    def __init__(
        self,
        parameters: list[tuple[str, Any]],
        sizes: Sizes,
        scalar: Callable[[str, Any], Any],
    ) -> None:
        self.leaves: list[Leaf] = []
        self.labels: list[str] = []  # of the arrays
        self._plans: dict[str, _Plan] = {}
        self._tables: set[str] = set()  # arrays of structs that hold arrays
        self._sizes = sizes
        for name, kind in parameters:
            self._plan(name, kind)
        total = MARGIN
        for plan in self._plans.values():
            plan.offset = total + GUARD
            size = plan.elements * plan.layout.itemsize
            total = plan.offset + (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT + GUARD
        self.values, self.grads = _borrow(total + MARGIN)
        self.arrays: dict[str, Any] = {}
        for plan in self._plans.values():
            self._allocate(plan)
        self.floats = [leaf for leaf in self.leaves if leaf.kind == "float"]
        self._scalar = scalar
        self._parameters = parameters

    def arguments(self) -> list[Any]:
        """Values for `wp.launch`; call it once the arrays are filled (handles are built from them)."""
        return [self._argument(name, kind) for name, kind in self._parameters]

    # Layout

    def _plan(self, path: str, kind: Any) -> None:
        if is_struct(kind):
            for name, variable in kind.vars.items():
                self._plan(f"{path}.{name}", variable.type)
        elif is_array(kind):
            if type(kind).__name__ not in ("array", "_ArrayAnnotation"):
                raise UnsupportedError(f"`{path}` is an `{type(kind).__name__}`")
            dtype = kind.dtype
            if is_struct(dtype) and kind.ndim == 1 and _holds_arrays(dtype):
                self._tables.add(path)
                self._plan(path, dtype)
                return
            if not 1 <= kind.ndim <= MAX_DIMENSIONS:
                raise UnsupportedError(f"`{path}` has {kind.ndim} dimensions")
            shape = self._sizes.shape(kind.ndim)
            layout = layout_of(dtype, path)
            after = 512 if kind.ndim < 3 else 12 * shape[0] ** (kind.ndim - 1)
            self._plans[path] = _Plan(path, dtype, shape, 128, after, layout)

    def _allocate(self, plan: _Plan) -> None:
        size = plan.layout.itemsize
        end = plan.offset + plan.elements * size
        # numpy can't view bytes as elements with a shape of their own.
        layout = plan.layout.base
        values = self.values[plan.offset : end].view(layout)
        grads = self.grads[plan.offset : end].view(layout)
        start = plan.offset + plan.before * size
        differentiable = len(self.leaves)
        group = len(self.labels)
        self.labels.append(plan.label)
        self._leaf(plan, "", plan.dtype, values, grads, group)
        grad = None
        if any(leaf.kind == "float" for leaf in self.leaves[differentiable:]):
            pointer = self.grads.ctypes.data + start
            grad = wp.array(ptr=pointer, dtype=plan.dtype, shape=plan.shape, device="cpu")
        pointer = self.values.ctypes.data + start
        array = wp.array(ptr=pointer, dtype=plan.dtype, shape=plan.shape, device="cpu", grad=grad)
        self.arrays[plan.label] = array

    def _leaf(self, plan: _Plan, suffix: str, dtype: Any, values: Array, grads: Array, group: int) -> None:
        if is_struct(dtype):
            for name, variable in dtype.vars.items():
                self._leaf(plan, f"{suffix}.{name}", variable.type, values[name], grads[name], group)
            return
        elements = plan.elements
        scalar = scalar_type(dtype)
        kind = kind_of(scalar)
        flat = values.reshape(elements, -1)
        flat_grads = grads.reshape(elements, -1) if kind == "float" else None
        mark = getattr(dtype, "_wp_generic_type_str_", "")
        rotation = {"quat_t": 0, "transform_t": 3}.get(mark)
        shape: tuple[int, ...] = getattr(dtype, "_shape_", ())
        matrix = shape[1] if len(shape) == 2 else 0
        self.leaves.append(
            Leaf(plan.label, suffix, kind, flat, flat_grads, plan.before, plan.shape, rotation, matrix, group)
        )

    # Values

    def _argument(self, path: str, kind: Any) -> Any:
        if is_struct(kind):
            instance = kind()
            for name, variable in kind.vars.items():
                setattr(instance, name, self._argument(f"{path}.{name}", variable.type))
            return instance
        if path in self._tables and is_array(kind):
            # Structs that hold arrays can't be perturbed: every element is the same one.
            elements = wp.array(
                [self._argument(path, kind.dtype)] * (2 * TABLE + self._sizes.side), dtype=kind.dtype, device="cpu"
            )
            return elements[TABLE : TABLE + self._sizes.side]
        if is_array(kind):
            return self.arrays[path]
        return self._scalar(path, kind)

    def spans(self) -> list[slice]:
        """The bytes of each array, padding included."""
        plans = self._plans.values()
        return [slice(p.offset, p.offset + p.elements * p.layout.itemsize) for p in plans]

    def release(self) -> None:
        """Give the blocks back for the next memory, unless a launch wrote outside its arrays."""
        if not self.strayed():
            for span in self.spans():
                self.values[span] = 0
                self.grads[span] = 0
            _POOL.append((self.values, self.grads))

    def clear_grads(self) -> None:
        for span in self.spans():
            self.grads[span] = 0

    def strayed(self) -> bool:
        """Whether something was written far outside every array."""
        return any(
            bool(self.values[span.start - GUARD : span.start].view(np.uint64).any())
            or bool(self.values[(span.stop + 7) // 8 * 8 : span.stop + GUARD - 512].any())
            for span in self.spans()
        )

    def point_arrays(self) -> list[Leaf]:
        """Arrays of 3-vectors, which spatial structures are built over."""
        return [leaf for leaf in self.floats if leaf.values.shape[1] == 3]


# Blocks to use again: fresh ones cost a page fault for every page.
_POOL: list[tuple[Array, Array]] = []


def _borrow(size: int) -> tuple[Array, Array]:
    """Two zeroed blocks of at least `size` bytes. Pages that nothing touches cost nothing."""
    while _POOL:
        values, grads = _POOL.pop()
        if len(values) >= size:
            return values, grads
    size += size // 2
    return np.zeros(size, dtype=np.uint8), np.zeros(size, dtype=np.uint8)


def parameters_of(kernel: Any) -> list[tuple[str, Any]]:
    """Names and types of a kernel's parameters."""
    return [(variable.label, variable.type) for variable in kernel.adj.args]


def is_struct(kind: Any) -> bool:
    return type(kind).__name__ == "Struct"


def _holds_arrays(kind: Any) -> bool:
    fields = [variable.type for variable in kind.vars.values()]
    return any(is_array(f) or _is_object(f) or (is_struct(f) and _holds_arrays(f)) for f in fields)


def _is_object(kind: Any) -> bool:
    """Whether a type stands for something outside the kernel's memory."""
    return isinstance(kind, type) and kind.__name__.startswith("Texture")


def is_array(kind: Any) -> bool:
    return hasattr(kind, "dtype") and hasattr(kind, "ndim") and not isinstance(kind, type)


def scalar_type(dtype: Any) -> Any:
    return getattr(dtype, "_wp_scalar_type_", dtype)


def kind_of(scalar: Any) -> str:
    name = getattr(scalar, "__name__", str(scalar))
    if name.startswith("float"):
        return "float"
    if name.startswith(("int", "uint")):
        return "int"
    if name == "bool":
        return "bool"
    raise UnsupportedError(f"the type `{name}` isn't known")


def layout_of(dtype: Any, path: str) -> np.dtype[Any]:
    """The numpy layout of one element."""
    if is_struct(dtype):
        for name, variable in dtype.vars.items():
            if is_array(variable.type):
                raise UnsupportedError(f"`{path}` is an array of structs that hold arrays (`{name}`)")
        made: np.dtype[Any] = np.dtype(dtype.numpy_dtype())
        return made
    scalar = scalar_type(dtype)
    if getattr(scalar, "__name__", "") not in _NUMPY:
        raise UnsupportedError(f"`{path}` has elements of type `{getattr(dtype, '__name__', dtype)}`")
    base: np.dtype[Any] = np.dtype(_NUMPY[scalar.__name__])
    shape: tuple[int, ...] = tuple(getattr(dtype, "_shape_", ()))
    return np.dtype((base, shape)) if shape else base


_NUMPY: Mapping[str, str] = {
    **{
        name: name
        for name in [
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "float32",
            "float64",
        ]
    },
    "bool": "bool",
}


class Snapshot:
    """Saved contents of a memory's arrays."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.spans = memory.spans()
        self.saved = [memory.values[span].copy() for span in self.spans]

    def restore(self) -> None:
        for span, saved in zip(self.spans, self.saved, strict=True):
            self.memory.values[span] = saved

    def restore_groups(self, groups: set[int]) -> None:
        """Restore only some arrays."""
        for group in groups:
            self.memory.values[self.spans[group]] = self.saved[group]

    def differences(self) -> list[int]:
        """Numbers of the arrays that aren't as they were saved."""
        return [
            group
            for group, (span, saved) in enumerate(zip(self.spans, self.saved, strict=True))
            if not np.array_equal(self.memory.values[span], saved)
        ]
