"""Abstract values of host code.

Plain Python values stand for themselves: None, bool, int, float, str, bytes, tuple, list, dict, range, slice.
Everything else is one of the classes here. Unknown values have memoised children: an attribute, item or
arithmetic result of an unknown is the same object each time it is asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from warp_lint.findings import Location
from warp_lint.syntax.module import Definition, Module
from warp_lint.syntax.project import External
from warp_lint.trace.model import Array, Region

if TYPE_CHECKING:
    from warp_lint.host.machine import Frame

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING", "__slots__": ()})()


MAX_TEXT = 160  # characters that say where an unknown comes from


class Unknown:
    """A value that isn't known. `text` says where it came from.

    `base` and `offset`: an unknown integer `base + offset`. `lower`: a lower bound of it, if one is known.
    `sources`: arrays it was computed from on the host. `memo` holds children by ("attr", name),
    ("item", key), (operator, operand), …; assigned attributes and items live there too.
    """

    __slots__ = ("annotation", "base", "lower", "memo", "offset", "sources", "tag", "text")

    def __init__(self, text: str = "", sources: tuple[Array, ...] = ()) -> None:
        # Sums over long loops would grow without end.
        self.text = text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."
        self.sources = sources
        self.memo: dict[Any, Any] = {}
        self.base: Unknown = self
        self.offset = 0
        self.lower: int | None = None
        self.tag = ""
        self.annotation: Any = None

    def child(self, key: Any, text: str) -> Any:
        found = self.memo.get(key)
        if found is None and key not in self.memo:
            found = self.memo[key] = Unknown(text, self.sources)
        return found

    def attribute(self, name: str) -> Any:
        return self.child(("attr", name), f"{self.text}.{name}" if self.text else name)

    def item(self, key: Any) -> Any:
        return self.child(("item", hashable(key)), f"{self.text}[{brief(key)}]")

    def shift(self, by: int) -> Unknown:
        """This integer plus a constant; the same object for the same sum."""
        total = self.offset + by
        if total == 0:
            return self.base
        base = self.base
        found: Unknown | None = base.memo.get(("shift", total))
        if found is None:
            found = Unknown(f"{base.text} {'+' if total > 0 else '-'} {abs(total)}", base.sources)
            found.base, found.offset = base, total
            base.memo[("shift", total)] = found
        return found

    def derived(self, operator: str, operand: Any, text: str) -> Any:
        key = (operator, hashable(operand))
        found = self.memo.get(key)
        if found is None:
            sources = merge_sources(self, operand)
            found = self.memo[key] = Unknown(text, sources)
        return found

    def at_least(self) -> int | None:
        lower = self.base.lower
        return None if lower is None else lower + self.offset

    def __repr__(self) -> str:
        return f"<unknown {self.text}>"


class HostArray(Unknown):
    """A NumPy array or torch tensor: unknown values, shape if known.

    `view_of`: it shares memory with this Warp array (CPU `.numpy()`, `to_torch`). `made`: statement that made it.
    """

    __slots__ = ("kind", "made", "shape", "view_of")

    def __init__(
        self,
        text: str = "",
        sources: tuple[Array, ...] = (),
        shape: tuple[Any, ...] | None = None,
        kind: str = "numpy",
        view_of: ArrayValue | None = None,
    ) -> None:
        super().__init__(text, sources)
        self.shape = shape
        self.kind = kind
        self.view_of = view_of
        self.made: ast.AST | None = None


class ArrayValue(Array):
    """A Warp array. `shape`: lengths per dimension (ints or unknowns), None if not known.

    `axes[d]` is the dimension of the root that dimension d of this array runs over; None after a
    reshape that mixes them. `grad_now`: `requires_grad` as it is at this point of the run.
    """

    __slots__ = ("attributes", "axes", "dtype_value", "grad_now", "gradient", "shape")

    def __init__(
        self,
        id: int,
        region: Region,
        name: str,
        requires_grad: bool | None,
        *,
        literal: bool = False,
        grad_root: int | None = None,
        retain_grad: bool = False,
        dtype: str = "",
        gradient_of: Array | None = None,
        location: Location | None = None,
        shape: tuple[Any, ...] | None = None,
        axes: tuple[int, ...] | None = (0, 1, 2, 3),
        dtype_value: Any = None,
    ) -> None:
        super().__init__(id, region, name, requires_grad, literal, grad_root, retain_grad, dtype, gradient_of, location)
        self.shape = shape
        self.axes = axes
        self.grad_now = requires_grad
        self.gradient: ArrayValue | None = None
        self.dtype_value = dtype_value
        self.attributes: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<array {self.name} {self.region}>"


class Pointer:
    """`array.ptr`."""

    __slots__ = ("array",)

    def __init__(self, array: ArrayValue) -> None:
        self.array = array


class Address(Unknown):
    """A pointer as a number: that of `array` plus `bytes`, or plus something unknown (None)."""

    __slots__ = ("array", "bytes")

    def __init__(self, array: ArrayValue, bytes: int | None = 0) -> None:
        super().__init__(f"{array.name}.ptr")
        self.array = array
        self.bytes = bytes


class ModuleValue:
    """A project module that has been (or is being) executed."""

    __slots__ = ("is_main", "module", "namespace", "state")

    def __init__(self, module: Module, is_main: bool = False) -> None:
        self.module = module
        self.namespace: dict[str, Any] = {}
        self.state = "new"
        self.is_main = is_main


class ClassValue:
    """A class of the project. `kind`: "plain", "struct", "dataclass", "enum", "namedtuple", "exception"."""

    __slots__ = (
        "annotations",
        "bases",
        "definition",
        "kind",
        "module",
        "mro",
        "name",
        "namespace",
        "options",
        "qualname",
    )

    def __init__(self, name: str, module: Module, definition: Definition | None, bases: list[Any]) -> None:
        self.name = name
        self.qualname = name
        self.module = module
        self.definition = definition
        self.bases = bases
        self.namespace: dict[str, Any] = {}
        self.kind = "plain"
        self.options: dict[str, Any] = {}
        self.annotations: dict[str, ast.expr] = {}
        self.mro: list[Any] = _linearise(self)

    def lookup(self, name: str) -> Any:
        for base in self.mro:
            if isinstance(base, ClassValue):
                found = base.namespace.get(name, MISSING)
                if found is not MISSING:
                    return found
        return MISSING

    def external_bases(self) -> list[str]:
        return [base.name for base in self.mro if isinstance(base, External)]

    @property
    def open(self) -> bool:
        """Has a base that can't be seen."""
        return any(not isinstance(base, ClassValue) and base != External("builtins.object") for base in self.mro)

    def __repr__(self) -> str:
        return f"<class {self.name}>"


def _linearise(cls: ClassValue) -> list[Any]:
    """C3, or depth first where the bases don't allow it."""
    sequences = [list(b.mro) if isinstance(b, ClassValue) else [b] for b in cls.bases] + [list(cls.bases)]
    result: list[Any] = [cls]
    while sequences := [s for s in sequences if s]:
        for sequence in sequences:
            head = sequence[0]
            if not any(any(head is x or (head == x and isinstance(x, External)) for x in s[1:]) for s in sequences):
                break
        else:
            head = sequences[0][0]
        result.append(head)
        sequences = [[x for x in s if not (x is head or (isinstance(x, External) and x == head))] for s in sequences]
    return result


class Instance:
    """An object of a project class (or a plain namespace: class None). `id` numbers instances."""

    __slots__ = ("attributes", "cls", "id", "name", "native", "unknowns")

    def __init__(self, cls: ClassValue | None, id: int, name: str = "") -> None:
        self.cls = cls
        self.id = id
        self.name = name
        self.attributes: dict[str, Any] = {}
        self.unknowns: dict[str, Unknown] = {}
        self.native: Any = None  # the part that a base class outside the project provides (a tape)

    def __repr__(self) -> str:
        return f"<{self.cls.name if self.cls else 'namespace'} object {self.id}>"


class FunctionValue:
    """A function, method or lambda with its closure. `kind`: "plain", "static", "class", "property",
    "context" (`@contextmanager`), "func" (`@wp.func`), "integrand"."""

    __slots__ = (
        "attributes",
        "defaults",
        "definition",
        "home",
        "kind",
        "kw_defaults",
        "lexical",
        "module",
        "name",
        "node",
        "owner",
    )

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        home: ModuleValue,
        lexical: Frame | None,
        name: str,
    ) -> None:
        self.node = node
        self.home = home
        self.module = home.module
        self.lexical = lexical
        self.name = name
        self.defaults: list[Any] = []
        self.kw_defaults: dict[str, Any] = {}
        self.kind = "plain"
        self.owner: ClassValue | None = None
        self.attributes: dict[str, Any] | None = None
        self.definition: Definition | None = None

    def __repr__(self) -> str:
        return f"<function {self.name}>"


class PropertyValue:
    __slots__ = ("getter", "setter")

    def __init__(self, getter: Any, setter: Any = None) -> None:
        self.getter = getter
        self.setter = setter


class BoundMethod:
    __slots__ = ("function", "receiver")

    def __init__(self, function: Any, receiver: Any) -> None:
        self.function = function
        self.receiver = receiver


class SuperValue:
    __slots__ = ("after", "receiver")

    def __init__(self, after: ClassValue, receiver: Any) -> None:
        self.after = after
        self.receiver = receiver


class PartialValue:
    __slots__ = ("args", "function", "kwargs")

    def __init__(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs


class KernelValue:
    """A `@wp.kernel`. `closure`: captured integers and flags that the kernel's code uses."""

    __slots__ = ("attributes", "closure", "definition", "function", "name", "switches")

    def __init__(self, name: str, definition: Definition | None, function: FunctionValue | None) -> None:
        self.name = name
        self.definition = definition
        self.function = function
        self.closure: dict[str, Any] | None = None
        self.switches: frozenset[str] | None = None
        self.attributes: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


class TapeValue:
    """A tape. `functions`: events of `record_func` with the functions recorded."""

    __slots__ = ("attributes", "functions", "id", "location", "name")

    def __init__(self, id: int, location: Location, name: str) -> None:
        self.id = id
        self.location = location
        self.name = name
        self.attributes: dict[str, Any] = {}
        self.functions: list[Any] = []

    def __repr__(self) -> str:
        return f"<tape {self.id}>"


class Native:
    """An object of a library with behaviour of its own here: optimizer, command, handle, graph, parser, …

    `kind` selects the behaviour; `state` is its data; `id` is its identity as a launch argument.
    """

    __slots__ = ("id", "kind", "name", "state")

    def __init__(self, kind: str, id: int, name: str = "", state: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.id = id
        self.name = name
        self.state: dict[str, Any] = state or {}

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id}>"


class NativeMethod:
    """A method of a value of this module, as a value."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Any, name: str) -> None:
        self.receiver = receiver
        self.name = name


class SetValue:
    """A set that keeps insertion order, so that results don't depend on hashes."""

    __slots__ = ("items",)

    def __init__(self, items: dict[Any, Any] | None = None) -> None:
        self.items: dict[Any, Any] = items or {}


class DequeValue(list[Any]):
    """A `collections.deque`; `maxlen` elements at most."""

    maxlen: int | None = None


class LazyList:
    """A list whose elements are made on demand. `length` may be unknown; `cells` by index (int or unknown)."""

    __slots__ = ("cells", "length", "make", "name")

    def __init__(self, length: Any, make: Callable[[Any], Any], name: str = "") -> None:
        self.length = length
        self.make = make
        self.cells: dict[Any, Any] = {}
        self.name = name

    def get(self, index: Any) -> Any:
        if isinstance(index, int) and index < 0:
            index = self.length + index if isinstance(self.length, int) else self.length.shift(index)
        if index not in self.cells:
            self.cells[index] = MISSING  # a recursive request sees nothing
            self.cells[index] = self.make(index)
        found = self.cells[index]
        return Unknown(f"{self.name}[{brief(index)}]") if found is MISSING else found


class Sequence:
    """Something to loop over: `length` is an int, an unknown integer, or None; `get(i)` its elements."""

    __slots__ = ("get", "length")

    def __init__(self, length: Any, get: Callable[[Any], Any]) -> None:
        self.length = length
        self.get = get


class GeneratorValue:
    """A call of a generator function that hasn't run: run it with a callback for what it yields."""

    __slots__ = ("context", "run", "started")

    def __init__(self, run: Callable[[Callable[[Any], Any]], Any], context: bool = False) -> None:
        self.run = run
        self.context = context
        self.started: list[Any] | None = None


class Cursor:
    """An iterator over known elements: `iter(...)`, `next(...)`."""

    __slots__ = ("position", "sequence")

    def __init__(self, sequence: Sequence) -> None:
        self.sequence = sequence
        self.position = 0


class Spread:
    """`*unknown` in a call: the rest of the positional arguments."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class DataType:
    """A Warp element type: `name` is canonical (`float32`, `vec3f`, …)."""

    __slots__ = ("name", "struct")

    def __init__(self, name: str, struct: ClassValue | None = None) -> None:
        self.name = name
        self.struct = struct


class _Identity:
    """Key of an unhashable object; holds it, so that its identity isn't used again."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def hashable(value: Any) -> Any:
    """A dictionary key that tells values apart: by value where that is known, else by identity."""
    if isinstance(value, (list, dict, bytearray)):
        return _Identity(value)
    if isinstance(value, slice):
        return ("slice", hashable(value.start), hashable(value.stop), hashable(value.step))
    if isinstance(value, tuple):
        return tuple(hashable(v) for v in value)
    if isinstance(value, (bool, float)):
        return (type(value).__name__, value)
    return value


def brief(value: Any) -> str:
    if isinstance(value, Unknown):
        return value.text
    if isinstance(value, slice):
        parts = ["" if v is None else brief(v) for v in (value.start, value.stop)]
        return ":".join(parts)
    if isinstance(value, tuple):
        return ", ".join(brief(v) for v in value)
    return repr(value) if isinstance(value, (int, str, float, bool)) or value is None else "…"


def sources_of(value: Any, depth: int = 0) -> Iterator[Array]:
    """Arrays whose host values a value was computed from (or that it is)."""
    if isinstance(value, Unknown):
        yield from value.sources
    elif isinstance(value, ArrayValue):
        yield value
    elif isinstance(value, (tuple, list)) and depth < 3:
        for element in value[:64]:
            yield from sources_of(element, depth + 1)
    elif isinstance(value, dict) and depth < 3:
        for element in list(value.values())[:64]:
            yield from sources_of(element, depth + 1)
    elif isinstance(value, LazyList) and depth < 3:
        for element in list(value.cells.values())[:64]:
            yield from sources_of(element, depth + 1)


def merge_sources(*values: Any) -> tuple[Array, ...]:
    """Union of the sources of several values, first seen first, at most 16."""
    result: dict[int, Array] = {}
    for value in values:
        if isinstance(value, Unknown):
            for array in value.sources:
                result[id(array)] = array
        elif isinstance(value, (tuple, list, dict, ArrayValue, LazyList)):
            for array in sources_of(value):
                result[id(array)] = array
    return tuple(result.values())[:16]
