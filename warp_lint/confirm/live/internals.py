"""Warp's private names, all of them, behind one place that knows the versions.

Supported: 1.13 to 1.19, where the names below are the same. A newer Warp is tried with a warning.
"""

from __future__ import annotations

import ctypes
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Version = tuple[int, int]

OLDEST = (1, 13)
NEWEST = (1, 19)
# Since this version the adjoint of a copy adds to the source's gradient; before, it replaced it.
COPY_ACCUMULATES = (1, 17)
RETAIN_FLAG = 1


class Unsupported(Exception):
    """The installed Warp can't be recorded."""


@dataclass(frozen=True, slots=True)
class Element:
    """Element type of an array: NumPy scalar type, inner shape, size in bytes, floating point or not. A struct
    counts as a vector if all its members are floating point of one type; else it is bytes, of which some may
    `carry` gradients."""

    dtype: Any
    inner: tuple[int, ...]
    size: int
    floating: bool
    name: str
    carries: bool = False


@dataclass(slots=True)
class Argument:
    """An array in a packed kernel argument. `descriptor` aliases the packed memory: writing its fields
    changes the argument."""

    path: tuple[str, ...]
    descriptor: Any
    element: Element
    position: int
    indexed: bool = False


def release(text: str) -> Version:
    """Major and minor number; the recorded program's environment need not have `packaging`."""
    numbers = re.findall(r"\d+", text)
    return (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 else (0, 0)


class Warp:
    """The imported Warp, with what the recorder and the replay need of it."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.name = str(module.__version__)
        self.version = release(self.name)
        if self.version < OLDEST:
            raise Unsupported(f"Warp {self.name} is older than 1.13, the oldest that can be recorded")
        try:
            self.context = importlib.import_module("warp._src.context")
            self.types = importlib.import_module("warp._src.types")
            self.codegen = importlib.import_module("warp._src.codegen")
            self.utils = importlib.import_module("warp._src.utils")
            self.tape = importlib.import_module("warp._src.tape")
            self.array = module.array
            self.launch: Callable[..., Any] = self.context.launch
            self.copy: Callable[..., Any] = self.context.copy
            self._descriptor: Any = self.types.array_t
            self._indexed: Any = self.types.indexedarray_t
        except (ImportError, AttributeError) as error:
            raise Unsupported(f"Warp {self.name} lacks a name that the recorder needs ({error})") from error
        self._elements: dict[Any, Element] = {}
        allocator = getattr(self.context, "CpuDefaultAllocator", None)
        self.allocator: Any = allocator if hasattr(allocator, "deallocate") else None

    @property
    def untried(self) -> bool:
        return self.version > NEWEST

    @property
    def copy_accumulates(self) -> bool:
        return self.version >= COPY_ACCUMULATES

    def active_tape(self) -> Any:
        runtime = self.context.runtime
        return runtime.tape if runtime is not None else None

    def suspend_tape(self) -> Any:
        """Take the active tape away; give it back with `resume_tape`."""
        runtime = self.context.runtime
        tape, runtime.tape = runtime.tape, None
        return tape

    def resume_tape(self, tape: Any) -> None:
        self.context.runtime.tape = tape

    # Launches

    def command(self, kernel: Any, dim: Any, inputs: Sequence[Any], outputs: Sequence[Any], **options: Any) -> Any:
        """A `Launch` with packed parameters, or None if there is nothing to launch (no threads)."""
        return self.launch(
            kernel, dim, inputs=inputs, outputs=outputs, record_cmd=True, record_tape=False, adjoint=False, **options
        )

    def run(self, command: Any, params: Sequence[Any], adjoint: bool) -> None:
        """Launch with these packed parameters. Raises RuntimeError without an adjoint to run."""
        if adjoint and command.hooks.backward is None:
            raise RuntimeError("the kernel has no adjoint")
        saved = command.params, command.adjoint
        try:
            command.params = list(params)
            command.adjoint = adjoint
            self._launch_command(command)
        finally:
            command.params, command.adjoint = saved

    def _launch_command(self, command: Any) -> None:
        method = getattr(type(command).launch, "__wrapped__", type(command).launch)
        method(command)

    def has_adjoint(self, kernel: Any, command: Any) -> bool:
        """Whether Warp would run this launch's adjoint in `Tape.backward`."""
        enabled = kernel.options.get("enable_backward")
        if enabled is None:
            enabled = kernel.module.options.get("enable_backward")
        return bool(enabled) and command.hooks.backward is not None

    def copied(self, param: Any) -> Any:
        """A packed parameter of its own memory."""
        if isinstance(param, ctypes._SimpleCData | ctypes.Structure | ctypes.Array):
            return type(param).from_buffer_copy(param)
        return param

    def blank(self, param: Any) -> Any:
        """The adjoint of a parameter that has none."""
        return type(param)() if isinstance(param, ctypes._SimpleCData | ctypes.Structure | ctypes.Array) else param

    def arguments(self, kernel: Any, params: Sequence[Any]) -> list[Argument]:
        """Every array in packed parameters (`params[0]` is the launch bounds), struct members included."""
        result: list[Argument] = []
        for position, declared in enumerate(kernel.adj.args):
            self._collect(params[position + 1], declared.type, (declared.label,), position, result)
        return result

    def _collect(self, value: Any, kind: Any, path: tuple[str, ...], position: int, out: list[Argument]) -> None:
        if isinstance(value, self._descriptor):
            if value.data and value.ndim:
                out.append(Argument(path, value, self.element(getattr(kind, "dtype", None)), position))
        elif isinstance(value, self._indexed):
            if value.data.data:
                out.append(Argument(path, value.data, self.element(getattr(kind, "dtype", None)), position, True))
        elif isinstance(kind, self.codegen.Struct):
            for name, variable in kind.vars.items():
                member = getattr(value, name, None)
                if member is not None:
                    self._collect(member, variable.type, (*path, name), position, out)

    def numbers(self, kernel: Any, params: Sequence[Any]) -> set[int]:
        """Values of the 64-bit unsigned integers among packed parameters, struct members included."""
        result: set[int] = set()
        for position, declared in enumerate(kernel.adj.args):
            self._numbers(params[position + 1], declared.type, result)
        return result

    def _numbers(self, value: Any, kind: Any, out: set[int]) -> None:
        if kind is self.types.uint64:
            out.add(int(getattr(value, "value", value)))
        elif isinstance(kind, self.codegen.Struct):
            for name, variable in kind.vars.items():
                member = getattr(value, name, None)
                if member is not None:
                    self._numbers(member, variable.type, out)

    def struct_arrays(self, value: Any) -> Iterator[Any]:
        """The array objects in a struct instance, nested ones too."""
        cls = getattr(value, "_cls", None)
        if cls is None or not hasattr(cls, "vars"):
            return
        for name in cls.vars:
            member = getattr(value, name, None)
            if self.types.is_array(member):
                yield member
            elif hasattr(member, "_cls"):
                yield from self.struct_arrays(member)

    def is_array(self, value: Any) -> bool:
        return bool(self.types.is_array(value))

    def is_struct(self, value: Any) -> bool:
        return bool(self.types.is_struct(value))

    def struct_instances(self, value: Any) -> Iterator[Any]:
        """A struct instance and those nested in it; nothing for other values."""
        if self.is_struct(value) and hasattr(value, "_cls"):
            yield value
            for name in value._cls.vars:
                yield from self.struct_instances(getattr(value, name, None))

    def element(self, dtype: Any) -> Element:
        """Describe a Warp element type."""
        try:
            found = self._elements.get(dtype)
        except TypeError:
            return self._describe(dtype)
        if found is None:
            found = self._elements[dtype] = self._describe(dtype)
        return found

    def _describe(self, dtype: Any) -> Element:
        size = int(self.types.type_size_in_bytes(dtype)) if dtype is not None else 1
        name = getattr(dtype, "__name__", None) or getattr(dtype, "key", None) or str(dtype)
        if isinstance(dtype, self.codegen.Struct):
            return self._describe_struct(dtype, size, str(name))
        scalar = self._scalar(dtype)
        numpy_type = self.types.warp_type_to_np_dtype.get(scalar)
        if numpy_type is None:
            return Element(np.dtype(np.uint8), (size,), size, False, str(name))
        dtype_np = np.dtype(numpy_type)
        floating = dtype_np.kind == "f"
        if not floating and getattr(scalar, "__name__", "") == "bfloat16":
            return Element(np.dtype(np.uint8), (size,), size, False, str(name))
        inner = tuple(int(n) for n in getattr(dtype, "_shape_", ()))
        return Element(dtype_np, inner, size, floating, str(name), floating)

    def _scalar(self, dtype: Any) -> Any:
        scalar = getattr(dtype, "_wp_scalar_type_", dtype)
        plain = {float: self.module.float32, int: self.module.int32, bool: self.module.bool}
        return plain.get(scalar, scalar)

    def _describe_struct(self, dtype: Any, size: int, name: str) -> Element:
        members = [self.types.warp_type_to_np_dtype.get(self._scalar(member)) for member in self._members(dtype)]
        kinds = {np.dtype(kind) for kind in members if kind is not None}
        carries = any(kind.kind == "f" for kind in kinds)
        if None not in members and len(kinds) == 1 and carries:
            kind = kinds.pop()
            taken = sum(int(self.types.type_size_in_bytes(member)) for member in self._members(dtype))
            if taken == size:  # no padding
                return Element(kind, (size // kind.itemsize,), size, True, name, True)
        return Element(np.dtype(np.uint8), (size,), size, False, name, carries)

    def _members(self, dtype: Any) -> list[Any]:
        """Types of a struct's members, those of inner structs in their place."""
        found: list[Any] = []
        for member in dtype.vars.values():
            kind = member.type
            found += self._members(kind) if isinstance(kind, self.codegen.Struct) else [kind]
        return found

    # Arrays

    def extent(self, array: Any) -> tuple[int, int]:
        """Bytes `[lo, hi)` that an array object can reach; (0, 0) if it has no memory."""
        if not getattr(array, "ptr", None):
            return (0, 0)
        return span(array.ptr, array.shape, array.strides, self.element(array.dtype).size)

    def on_cpu(self, array: Any) -> bool:
        return bool(array.device is not None and array.device.is_cpu)


def span(pointer: int, shape: Sequence[int], strides: Sequence[int], size: int) -> tuple[int, int]:
    """Bytes `[lo, hi)` of a strided array; (pointer, pointer) if it has no elements."""
    low = high = 0
    for n, stride in zip(shape, strides, strict=False):
        if n <= 0:
            return (pointer, pointer)
        if stride >= 0:
            high += (n - 1) * stride
        else:
            low += (n - 1) * stride
    return (pointer + low, pointer + high + size)


def descriptor_span(descriptor: Any, size: int) -> tuple[int, int]:
    """Bytes `[lo, hi)` of a packed array."""
    n = descriptor.ndim
    return span(descriptor.data, descriptor.shape[:n], descriptor.strides[:n], size)
