"""Traces by hand: a small language of the statements that traces are made of, one line per statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from warp_lint.findings import Location
from warp_lint.kernels.effects import Access, Affine, Effects, Index, Need, Parameter, Path, ScalarNeed, Touch
from warp_lint.settings import Settings
from warp_lint.trace.model import (
    Allocate,
    Array,
    Backward,
    Copy,
    Extent,
    Fill,
    GradientRead,
    GradientWrite,
    Guard,
    HostRead,
    Launch,
    LoopStep,
    Mutate,
    Opaque,
    OptimizerStep,
    Rebind,
    Region,
    RequiresGrad,
    Root,
    Tape,
    TapeEvent,
    Trace,
    UnrecordedCall,
    View,
)

TID: Index = (Affine((("tid0", 1),)),)
FIRST: Index = (Affine((), 0),)
LENGTH = 3


def at(line: int, path: str = "program.py") -> Location:
    return Location(path, line, 1, line, 2)


def row(constant: int = 0, scalar: str = "t") -> Index:
    """`x[t + constant, i]`."""
    return (Affine(((f"arg:{scalar}", 1),), constant), Affine((("tid0", 1),)))


class Kernel:
    """Effects of a kernel in which `outputs[name]` are the inputs its value flows from.

    `needs` are (needed, partners, output) triples; `accumulate` names outputs that are added to.
    """

    def __init__(
        self,
        name: str,
        outputs: dict[str, str],
        needs: tuple[tuple[str, str, str], ...] = (),
        accumulate: str = "",
        index: dict[str, Index] | None = None,
        scalars: str = "",
        scalar_needs: tuple[tuple[str, str, str], ...] = (),
        own: str = "",
        integers: str = "",
        backward: bool = True,
        line: int = 900,
    ) -> None:
        index = index or {}
        place = at(line, f"{name}.py")
        reads = {p for sources in outputs.values() for p in sources.split()} | {n for n, _, _ in needs}
        touches = [Touch(self.path(p), Access.READ, index.get(p, TID), place) for p in sorted(reads)]
        for out, sources in outputs.items():
            kind = Access.ACCUMULATE if out in accumulate.split() else Access.STORE
            in_place = out in sources.split()
            key = f"{out}=" if f"{out}=" in index else out
            touches.append(Touch(self.path(out), kind, index.get(key, TID), place, from_self=in_place))
        names = sorted({p.split(".")[0] for p in reads | set(outputs)})
        self.effects = Effects(
            name,
            place,
            tuple(Parameter(n, "array", "int32" if n in integers.split() else "float64", 1) for n in names)
            + tuple(Parameter(n, "scalar", "float64") for n in scalars.split()),
            tuple(touches),
            tuple(
                Need(
                    self.path(needed),
                    frozenset(map(self.path, partners.split())),
                    frozenset({self.path(out)}),
                    index.get(needed, TID),
                    place,
                    "nonlinear",
                )
                for needed, partners, out in needs
            ),
            tuple(
                ScalarNeed(self.path(s), frozenset(map(self.path, partners.split())), frozenset({self.path(o)}), place)
                for s, partners, o in scalar_needs
            ),
            {self.path(o): frozenset(map(self.path, sources.split())) for o, sources in outputs.items()},
            {self.path(o): frozenset(map(self.path, sources.split())) for o, sources in outputs.items()},
            backward,
            None if backward else at(line - 1, f"{name}.py"),
            own_defects=frozenset(map(self.path, own.split())),
        )

    def __repr__(self) -> str:
        return self.effects.name  # stable test ids

    @staticmethod
    def path(name: str) -> Path:
        return tuple(name.split("."))


SCALE = Kernel("scale", {"dst": "src"})
SQUARE = Kernel("square", {"dst": "src"}, (("src", "src", "dst"),))
MULTIPLY = Kernel("multiply", {"dst": "src k"}, (("src", "k", "dst"), ("k", "src", "dst")), index={"k": FIRST})
ADD = Kernel("add", {"dst": "src"}, accumulate="dst")
ADD_SQUARE = Kernel("add_square", {"dst": "src"}, (("src", "src", "dst"),), accumulate="dst")
SUM = Kernel("total", {"loss": "x"}, accumulate="loss", index={"loss": FIRST})
STORE_LOSS = Kernel("store_loss", {"loss": "x"}, index={"loss": FIRST, "x": FIRST})
CONSTANT = Kernel("constant", {"dst": ""})
DOUBLE = Kernel("double", {"y": "y"})


class Program:
    """Collects events; every statement gets the next line."""

    def __init__(self) -> None:
        self.trace = Trace(at(1))
        self.line = 1
        self._ids = 0
        self._open: list[int] = []
        self._loops: list[LoopStep] = []
        self._guards: list[Guard] = []
        self.assumed = False

    def new(self) -> int:
        self._ids += 1
        return self._ids

    def _common(self, line: int | None) -> dict[str, Any]:
        if line is None:
            self.line += 1
            line = self.line
        return {
            "location": at(line),
            "tape": self._open[-1] if self._open else None,
            "loops": tuple(self._loops),
            "guards": tuple(self._guards),
            "assumed": self.assumed,
        }

    def add(self, make: Any, line: int | None = None, /, **fields: Any) -> Any:
        event = make(**self._common(line), **fields)
        self.trace.events.append(event)
        return event

    def array(
        self,
        name: str,
        grad: bool | None = True,
        *,
        retain: bool = False,
        shape: tuple[int, ...] = (LENGTH,),
        dtype: str = "float64",
        literal: bool = False,
        origin: str = "zeros",
        sources: tuple[Array, ...] = (),
        line: int | None = None,
    ) -> Array:
        root = self.new()
        array = Array(root, Region(root), name, grad, literal, root if grad is not False else None, retain, dtype)
        event = self.add(Allocate, line, array=array, source_arrays=sources)
        array.location = event.location
        self.trace.roots[root] = Root(root, name, event.location, (), origin, dtype, shape[0], shape)
        return array

    def view(self, base: Array, start: int, stop: int | None, *, pointer: bool = False, late: bool = True) -> Array:
        """`base[start:stop]`. `late` False: made before `requires_grad` was set on the base."""
        grad_root = base.grad_root if late and not pointer else None
        array = Array(
            self.new(),
            Region(base.region.root, (Extent(start, stop),)),
            f"{base.name}[{start}:{stop}]",
            base.requires_grad if late else False,
            False,
            self.new() if pointer else grad_root,
            dtype=base.dtype,
        )
        event = self.add(View, view=array, base=base, pointer=pointer)
        array.location = event.location
        return array

    def tape(self, line: int | None = None) -> int:
        tape = self.new()
        if line is None:
            self.line += 1
        self.trace.tapes[tape] = Tape(tape, at(line or self.line))
        return tape

    @contextmanager
    def on(self, tape: int, line: int | None = None) -> Iterator[None]:
        self.add(TapeEvent, line, target=tape, action="enter")
        self._open.append(tape)
        yield
        self._open.pop()
        self.add(TapeEvent, self.line, target=tape, action="exit")

    @contextmanager
    def step(self, loop: int, iteration: int) -> Iterator[None]:
        self._loops.append(LoopStep(loop, iteration, at(loop)))
        yield
        self._loops.pop()

    def loop(self, count: int) -> Iterator[int]:
        """Iterations of a `for` statement; its body has the same lines each time."""
        self.line += 1
        start = self.line
        for k in range(count):
            self.line = start
            with self.step(start, k):
                yield k

    @contextmanager
    def arm(self, branch: int, arm: bool) -> Iterator[None]:
        self._guards.append(Guard(branch, arm))
        yield
        self._guards.pop()

    def launch(self, kernel: Kernel | None, dim: int = LENGTH, **arguments: Any) -> int:
        """Returns the line. Arguments `scalar_…` are scalars, `structs=`, `reason=` as in the model."""
        structs = arguments.pop("structs", {})
        reason = arguments.pop("reason", "")
        sources = arguments.pop("scalar_sources", {})
        arrays = {tuple(k.split("__")): v for k, v in arguments.items() if isinstance(v, Array)}
        scalars = {(k,): v for k, v in arguments.items() if not isinstance(v, Array)}
        self.add(
            Launch,
            kernel=kernel.effects.name if kernel else "unknown",
            effects=kernel.effects if kernel else None,
            arguments=arrays,
            scalars=scalars,
            dim=(dim,),
            recorded=bool(self._open) and not reason,
            unrecorded_reason=reason,
            structs=structs,
            scalar_sources=sources,
        )
        return self.line

    def copy(self, destination: Array, source: Array, kind: str = "copy") -> int:
        recorded = bool(self._open) and source.requires_grad is not False and destination.requires_grad is not False
        self.add(Copy, destination=destination, source=source, kind=kind, recorded=recorded)
        return self.line

    def clone(self, name: str, source: Array) -> Array:
        array = self.array(name, source.requires_grad, origin="clone")
        recorded = bool(self._open) and source.requires_grad is not False
        self.add(Copy, self.line, destination=array, source=source, kind="clone", recorded=recorded)
        return array

    def fill(self, array: Array, kind: str = "zero", value: float | None = None, **more: Any) -> int:
        self.add(Fill, array=array, kind=kind, value=0.0 if kind == "zero" else value, **more)
        return self.line

    def backward(self, tape: int, loss: Array | None = None, line: int | None = None, **more: Any) -> int:
        event = self.add(Backward, line, target=tape, loss=loss, **more)
        return int(event.location.line)

    def zero(self, tape: int) -> int:
        self.add(TapeEvent, target=tape, action="zero")
        return self.line

    def reset(self, tape: int) -> int:
        self.add(TapeEvent, target=tape, action="reset")
        return self.line

    def read(self, *arrays: Array, kind: str = "numpy", keeps_view: bool = False) -> int:
        self.line += 1
        for array in arrays:
            self.add(GradientRead, self.line, array=array, kind=kind, keeps_view=keeps_view)
        return self.line

    def write_gradient(self, array: Array, kind: str = "zero", source: Array | None = None) -> int:
        self.add(GradientWrite, array=array, kind=kind, source=source)
        return self.line

    def host_read(self, array: Array, **more: Any) -> int:
        self.add(HostRead, array=array, **more)
        return self.line

    def call(self, function: str, inputs: tuple[Array, ...], outputs: tuple[Array, ...]) -> int:
        self.add(UnrecordedCall, function=function, inputs=inputs, outputs=outputs)
        return self.line

    def step_optimizer(self, *parameters: Array) -> int:
        self.read(*parameters, kind="optimizer")
        self.add(OptimizerStep, self.line, parameters=parameters, gradients=())
        return self.line

    def mutate(self, owner: int, member: str, kind: str) -> int:
        self.add(Mutate, owner=owner, member=(member,) if member else (), kind=kind, name=member)
        return self.line

    def rebind(self, array: Array, target: str, source: str, previous: Array | None = None) -> int:
        self.add(Rebind, array=array, target=target, source=source, previous=previous)
        return self.line

    def opaque(self, *arrays: Array, tapes: tuple[int, ...] = ()) -> int:
        self.add(Opaque, function="helper", arrays=arrays, tapes=tapes)
        return self.line

    def require(self, array: Array, value: bool | None = True) -> int:
        self.add(RequiresGrad, array=array, value=value)
        if value and array.grad_root is None:
            array.grad_root = array.region.root
        return self.line


def found(program: Program, version: str = "1.19.0") -> set[tuple[str, int]]:
    """Findings as (code, line)."""
    return {(f.code, f.location.line) for f in findings(program, version)}


def findings(program: Program, version: str = "1.19.0") -> list[Any]:
    from packaging.version import Version

    from warp_lint.rules.tape import check_traces

    return check_traces([program.trace], Settings(target=Version(version)))
