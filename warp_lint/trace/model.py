"""A tape trace: what happens to arrays while tapes are recorded, differentiated and reused.

Plain data, the same for predicted traces (host interpreter) and recorded ones (`--confirm`);
knows neither Warp nor syntax trees. Events are in program order. Rules of families 3 and 4 are
functions over a `Trace`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from warp_lint.findings import Location
from warp_lint.kernels.effects import Effects, Path


class Overlap(enum.Enum):
    """Do two pieces of memory share elements?"""

    NONE = 0
    MAYBE = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Extent:
    """Half-open interval along one dimension. `symbol` marks an unknown start (`x[k]`, k unknown), to
    which `start` and `stop` are offsets (`x[k + 1]`): equal symbols compare by offset, different ones
    may be the same place. `stop` None: to the end."""

    start: int = 0
    stop: int | None = None
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """Part of a root allocation: one extent per leading dimension; none: all of it.

    A recorded trace uses one extent in bytes.
    """

    root: int
    extents: tuple[Extent, ...] = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.root, self.extents)))

    def __hash__(self) -> int:  # regions are keys of most tables
        return self._hash


@dataclass(slots=True)
class Root:
    """One execution of an allocation: memory that is distinct from every other root's.

    `origin`: how it came about: "zeros", "empty", "filled" (`ones`, `full`), "array" (from host data), "clone",
    "unknown" (not allocated in what was interpreted), "external" (pointer, torch, …). `length`: elements if known.
    `value`: what all elements are at first, if known.
    """

    id: int
    name: str
    location: Location
    call_path: tuple[Location, ...] = ()
    origin: str = "unknown"
    dtype: str = ""
    length: int | None = None
    shape: tuple[int | None, ...] | None = None
    value: float | None = None


@dataclass(slots=True, eq=False)
class Array:
    """One array object of the program. Views share the root; `grad_root` is where gradients live
    (None: no gradient memory). Identity is object identity.

    `requires_grad`: None if unknown. `requires_grad_literal`: the program says True or False
    literally at the allocation (an intention, not an oversight).
    `gradient_of`: this array *is* the `.grad` of that one.

    In a predicted trace `requires_grad` is the value when the object was made; `RequiresGrad` events
    change it later. `grad_root` is the one it has in the end.
    """

    id: int
    region: Region
    name: str
    requires_grad: bool | None
    requires_grad_literal: bool = False
    grad_root: int | None = None
    retain_grad: bool = False
    dtype: str = ""
    gradient_of: Array | None = None
    location: Location | None = None  # where this object (allocation or view) was made
    decided: Location | None = None  # the call that gave the allocation its `requires_grad`, if another decides

    @property
    def floating(self) -> bool:
        return not self.dtype.startswith(("int", "uint", "bool"))


@dataclass(slots=True)
class Tape:
    """A `wp.Tape` object."""

    id: int
    location: Location
    name: str = "tape"


@dataclass(frozen=True, slots=True)
class LoopStep:
    """The event happened in this iteration of this loop (outermost first in `Event.loops`)."""

    loop: int
    iteration: int
    location: Location


@dataclass(frozen=True, slots=True)
class Guard:
    """The event happened in one arm of a branch whose condition is unknown."""

    branch: int
    arm: bool


@dataclass(slots=True, kw_only=True)
class Event:
    """Base of all events.

    `location`: the statement in the innermost user frame to report at. `call_path`: call sites from
    the entry point down to that frame. `library`: the place inside a library, if it happened there.
    `tape`: id of the tape recording at that time, or None.
    """

    location: Location
    call_path: tuple[Location, ...] = ()
    library: Location | None = None
    tape: int | None = None
    loops: tuple[LoopStep, ...] = ()
    guards: tuple[Guard, ...] = ()
    text: str = ""  # source text of the statement, for messages
    assumed: bool = False  # reached through an assumption (unknown flag, second call, forced branch)


@dataclass(slots=True, kw_only=True)
class Allocate(Event):
    """`source_arrays`: arrays whose values, read on the host, the new one holds (`wp.array(y)`,
    `wp.array(y.numpy())`): their gradient ends here."""

    array: Array
    source_arrays: tuple[Array, ...] = ()


@dataclass(slots=True, kw_only=True)
class View(Event):
    """`view` is a slice, reshape, … of `base` (same memory), or a `ptr=` handle (`pointer`)."""

    view: Array
    base: Array
    pointer: bool = False


@dataclass(slots=True, kw_only=True)
class Launch(Event):
    """A kernel launch. `effects` None: unknown kernel.

    `arguments`: array by path (`("x",)`, `("state", "q")`); `scalars`: known scalar values by path.
    `recorded`: the tape holds it (a tape is open, `record_tape` not False, not a recorded command).
    `unrecorded_reason`: why it is not, if a tape is open: "record_tape", "command".
    `adjoint`: launched by hand with `adjoint=True`.
    """

    kernel: str
    effects: Effects | None
    arguments: dict[Path, Array]
    scalars: dict[Path, object] = field(default_factory=dict)
    dim: tuple[int | None, ...] = ()
    recorded: bool = True
    unrecorded_reason: str = ""
    adjoint: bool = False
    structs: dict[Path, int] = field(default_factory=dict)  # identity of struct and handle arguments
    # Arrays read on the host to compute a scalar argument, by the scalar's path.
    scalar_sources: dict[Path, tuple[Array, ...]] = field(default_factory=dict)
    texts: dict[Path, str] = field(default_factory=dict)  # arguments as the call writes them, where it does


@dataclass(slots=True, kw_only=True)
class Copy(Event):
    """`wp.copy`, `array.assign(array)`, and the copy of `wp.clone`. `kind`: "copy", "assign", "clone".

    `recorded`: the tape holds it (needs a gradient on the source).
    `whole`: it writes all of the destination. `remark`: the comments at the statement.
    `shifted`: `wp.copy` with offsets that differ.
    """

    destination: Array
    source: Array
    kind: str = "copy"
    recorded: bool = True
    whole: bool = True
    remark: str = ""
    shifted: bool = False


@dataclass(slots=True, kw_only=True)
class Fill(Event):
    """A write that no tape records: `zero_`, `fill_`, `assign(numpy)`, `from host`. `kind` says which.

    `value`: the constant, if known. `source_arrays`: arrays whose host values flow into it.
    """

    array: Array
    kind: str
    value: float | None = None
    source_arrays: tuple[Array, ...] = ()


@dataclass(slots=True, kw_only=True)
class HostRead(Event):
    """`.numpy()`, `.list()`, `to_torch`, item access from the host."""

    array: Array
    kind: str = "numpy"
    keeps_view: bool = False  # the result is kept and shares memory on CPU


@dataclass(slots=True, kw_only=True)
class UnrecordedCall(Event):
    """A library call that computes on arrays and is not on the tape (`array_sum`, `bsr_mv`, …)."""

    function: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]


@dataclass(slots=True, kw_only=True)
class RecordFunction(Event):
    """`tape.record_func(backward, arrays)`: a hand-written adjoint on the tape.

    `body`: what the function does when the backward pass runs it, in order; None if that isn't known.
    """

    arrays: tuple[Array, ...]
    body: tuple[Event, ...] | None = None


@dataclass(slots=True, kw_only=True)
class TapeEvent(Event):
    """`action`: "enter", "exit", "zero", "reset"."""

    target: int
    action: str


@dataclass(slots=True, kw_only=True)
class Backward(Event):
    """`tape.backward(loss)` or `tape.backward(grads={array: seed})`.

    `by_hand`: `.grad` seeds set before count as seeds (they are GradientWrite events).
    `remark`: comments and docstrings of the function that calls it.
    `replayed`: a later launch of a graph, which computes the forward launches anew as well.
    """

    target: int
    loss: Array | None = None
    seeds: tuple[tuple[Array, Array | None], ...] = ()
    unknown_arguments: bool = False
    remark: str = ""
    replayed: bool = False


@dataclass(slots=True, kw_only=True)
class GradientRead(Event):
    """A gradient is used: `kind` "numpy", "launch", "copy", "optimizer", "torch", "assign", "print",
    "return" (an entry hands it to its callers, who may do anything with it)."""

    array: Array  # the primal array whose gradient it is
    kind: str
    keeps_view: bool = False


@dataclass(slots=True, kw_only=True)
class GradientWrite(Event):
    """A gradient is changed by hand: `kind` "zero", "fill", "assign", "replace" (`x.grad = y`), "copy",
    "launch" (stored by a kernel), "accumulate" (added to by a kernel)."""

    array: Array
    kind: str
    source: Array | None = None


@dataclass(slots=True, kw_only=True)
class RequiresGrad(Event):
    """`x.requires_grad = value` after construction."""

    array: Array
    value: bool | None


@dataclass(slots=True, kw_only=True)
class OptimizerStep(Event):
    """`optimizer.step(gradients)`: reads gradients, writes parameters, off the tape if none is open."""

    parameters: tuple[Array, ...]
    gradients: tuple[Array, ...]


@dataclass(slots=True, kw_only=True)
class Mutate(Event):
    """A launch argument that is not an array changes: struct scalar set, struct array member rebound,
    `HashGrid.build`, `Mesh.refit`, `Bvh.rebuild`. `owner`: identity as in `Launch.structs`."""

    owner: int
    member: Path
    kind: str  # "scalar", "rebind", "rebuild"
    name: str = ""


@dataclass(slots=True, kw_only=True)
class Rebind(Event):
    """A Python assignment makes `target` (a container slot or attribute) the object `array` that is
    also reachable as `source`: two live states are one object. `owner` identifies the container."""

    array: Array
    target: str
    source: str
    previous: Array | None = None
    owner: int = 0


@dataclass(slots=True, kw_only=True)
class Opaque(Event):
    """A call that could not be followed and received arrays or tapes: it may read, write, zero."""

    function: str
    arrays: tuple[Array, ...] = ()
    tapes: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class Gap(Event):
    """Iterations of a loop were skipped here."""

    loop: int


@dataclass(slots=True)
class Trace:
    """One run (predicted or recorded) from an entry point."""

    entry: Location
    events: list[Event] = field(default_factory=list)
    roots: dict[int, Root] = field(default_factory=dict)
    tapes: dict[int, Tape] = field(default_factory=dict)
    recorded: bool = False
    complete: bool = True
    incomplete: list[tuple[Location, str]] = field(default_factory=list)
    second_call_from: int | None = None  # events from this index on belong to a second call


def overlap(a: Region, b: Region) -> Overlap:
    """Whether two regions share elements; unknown places of one root may."""
    if a.root != b.root:
        return Overlap.NONE
    if a is b:
        return Overlap.YES
    result = Overlap.YES
    for x, y in zip(a.extents, b.extents, strict=False):
        if x.symbol or y.symbol:
            if x.symbol == y.symbol:
                if x.start == y.start:
                    continue
                if x.stop is not None and y.stop is not None and (x.stop <= y.start or y.stop <= x.start):
                    return Overlap.NONE
            result = Overlap.MAYBE
            continue
        if (x.stop is not None and x.stop <= y.start) or (y.stop is not None and y.stop <= x.start):
            return Overlap.NONE
    return result


def covers(outer: Region, inner: Region) -> bool:
    """Whether every element of `inner` is certainly in `outer`."""
    if outer.root != inner.root or len(outer.extents) > len(inner.extents):
        return False
    for x, y in zip(outer.extents, inner.extents, strict=False):
        if x.symbol or y.symbol:
            if x != y:
                return False
            continue
        if x.start > y.start:
            return False
        if x.stop is not None and (y.stop is None or y.stop > x.stop):
            return False
    return True
