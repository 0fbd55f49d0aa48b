"""What the recorder keeps: one `Step` for each thing that happened to arrays, in program order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from warp_lint.confirm.live.internals import Element
from warp_lint.confirm.live.memory import Content, elements


@dataclass(frozen=True, slots=True)
class Site:
    """A line of a Python file."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


NOWHERE = Site("<unknown>", 0)


@dataclass(slots=True)
class Touch:
    """Memory that a step reads or writes: bytes `[low, high)` seen as an array.

    `delta`: address of the gradient minus address of the data (None: no gradient memory).
    `before`, `after`: contents around the step; `after` is None if it left them as they were.
    """

    path: tuple[str, ...]
    low: int
    high: int
    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element: Element
    delta: int | None = None
    retain: bool = False
    name: str = ""
    before: Content | None = None
    after: Content | None = None
    position: int = 0
    indexed: bool = False
    wrote: bool = False  # what `after` said, once contents are given up

    @property
    def label(self) -> str:
        return self.name or ".".join(self.path)

    def final(self) -> Content | None:
        """Contents after the step."""
        return self.after if self.after is not None else self.before

    def view(self, offset: int = 0) -> Any:
        """The memory (moved by `offset` bytes) as elements, writable."""
        return elements(self.pointer + offset, self.shape, self.strides, self.element)


@dataclass(slots=True, eq=False)
class Step:
    """`kind`: "launch", "copy", "fill", "function", "call", "read", "tape", "backward", "gradient-read",
    "gradient-write", "requires-grad", "handle" (a grid or tree built). `detail` refines it. `entry`: the
    tape's own record of it, if any.
    """

    index: int
    kind: str
    site: Site
    call_path: tuple[Site, ...] = ()
    library: Site | None = None
    detail: str = ""
    tape: int | None = None
    entry: Any = None
    touches: list[Touch] = field(default_factory=list)
    kernel: Any = None
    command: Any = None
    params: list[Any] = field(default_factory=list)
    inputs: Any = None
    outputs: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    scalars: dict[tuple[str, ...], Any] = field(default_factory=dict)
    structs: dict[tuple[str, ...], int] = field(default_factory=dict)
    keep: list[Any] = field(default_factory=list)
    handles: dict[int, Step | None] = field(default_factory=dict)  # grids and trees that a launch gets, by number
    value: Any = None
    # Contents are held. Without them a step can be reported but not run again.
    held: bool = False
    recorded: bool = False  # the tape holds it

    @property
    def name(self) -> str:
        if self.kernel is not None:
            return str(self.kernel.key)
        return self.detail or self.kind

    def release(self) -> None:
        """Give up contents and references."""
        self.held = False
        self.keep = []
        self.handles = {}
        self.inputs = self.outputs = self.command = self.entry = None
        self.params = []
        for touch in self.touches:
            touch.wrote = touch.wrote or touch.after is not None
            touch.before = touch.after = None


@dataclass(slots=True, eq=False)
class TapeRecord:
    """What is known of a `wp.Tape` object. `differentiated`: number of its entries that an earlier
    backward has run already."""

    id: int
    reference: Any  # weak reference to the tape
    site: Site
    name: str = "tape"
    enters: int = 0
    checked: bool = False
    entered_at: int = 0
    exited_at: int | None = None
    steps: dict[int, Step] = field(default_factory=dict)  # by id() of the tape's entry
    differentiated: int = 0
    backwards: int = 0
    probe: Any = None
    overflow: str = ""
    awaiting: bool = False  # entered, and not yet differentiated

    @property
    def tape(self) -> Any:
        """The tape object; None once the program has dropped it."""
        return self.reference()
