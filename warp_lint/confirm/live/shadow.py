"""The shadow tape: a backward run again on private gradient buffers, with repairs switched on or off.

With every repair off it must reproduce the gradient that `Tape.backward` left, bit for bit. With every
repair on, each adjoint sees what its launch saw, and each floating-point region has one gradient:
the *ideal* gradient. What lies between the two is the effect of the repairs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np

from warp_lint.confirm.live.internals import Argument, Warp, descriptor_span
from warp_lint.confirm.live.memory import locate, merged, raw, read, write
from warp_lint.confirm.live.steps import Step, Touch
from warp_lint.confirm.live.window import External, Region, Stale, Unfit, Window

Group = tuple[Any, ...]
Key = tuple[int, Any]
SHARED = "*"


class Everything(frozenset[Any]):
    """The set of all repairs, less some."""

    def __new__(cls, less: Iterable[Group] = ()) -> Everything:
        self = super().__new__(cls)
        self.less = frozenset(less)
        return self

    less: frozenset[Group]

    def __contains__(self, group: object) -> bool:
        return group not in self.less


NOTHING: frozenset[Group] = frozenset()


class Shadow:
    """Sweeps over one window. `live_params(step)` packs the launch's arguments as they are now.

    Gradients are bytes per key: `(region, "*")` where all live arrays over a region share one gradient,
    else `(region, delta)`.
    """

    def __init__(self, warp: Warp, window: Window) -> None:
        self.warp = warp
        self.window = window
        self.live: dict[int, list[Any]] = {}
        self.adjoints: dict[int, list[Any]] = {}
        self.mutated: dict[int, bool] = {}
        self.disabled: list[Step] = []
        self._pack()
        self._gradients()
        self.stale: list[Stale] = window.stale()
        self._stale_by_step: dict[int, list[Stale]] = {}
        for item in self.stale:
            self._stale_by_step.setdefault(id(item.step), []).append(item)
        self.seeds: dict[Key, Any] = {}
        self.start: dict[Key, Any] = {}
        self.groups: dict[Group, list[Any]] = {}
        self.replayed: set[str] = set()

    # What Warp would use now

    def _pack(self) -> None:
        record = self.window.record
        for step in self.window.entries:
            if step.kind != "launch":
                continue
            kernel, dim, _max_blocks, inputs, outputs, _device, _block_dim = step.entry[:7]
            command = self.warp.command(kernel, dim, inputs, outputs, **step.options)
            if command is None:
                raise Unfit("a launch can't be packed again")
            count = len(step.params)
            params = [self.warp.copied(p) for p in command.params[:count]]
            self.live[id(step)] = params
            adjoints = []
            for value, packed in zip((*inputs, *outputs), params[1:], strict=True):
                adjoint = record.tape.get_adjoint(value) if self.warp.is_struct(value) else None
                adjoints.append(adjoint.__ctype__() if adjoint is not None else self.warp.blank(packed))
            self.adjoints[id(step)] = adjoints
            self.mutated[id(step)] = any(
                _data_only(self.warp, a) != _data_only(self.warp, b)
                for a, b in zip(params[1:], step.params[1:], strict=True)
            )
            if not self.warp.has_adjoint(kernel, step.command):
                self.disabled.append(step)

    def _gradients(self) -> None:
        """Which gradient memory the live arrays over each region have."""
        window = self.window
        self.live_touches: list[tuple[Step, Touch]] = []
        for step in window.entries:
            if step.kind == "launch":
                for argument in self.warp.arguments(step.kernel, self.live[id(step)]):
                    low, high = descriptor_span(argument.descriptor, argument.element.size)
                    if high <= low or locate(window.extents, low) < 0:
                        continue
                    d = argument.descriptor
                    n = d.ndim
                    delta = int(d.grad) - int(d.data) if d.grad else self._struct_delta(step, argument)
                    touch = Touch(argument.path, low, high, int(d.data), tuple(d.shape[:n]), tuple(d.strides[:n]),
                                  argument.element, delta, bool(d.flags & 1))  # fmt: skip
                    self.live_touches.append((step, touch))
            else:
                for touch, array in zip(step.touches, step.keep, strict=False):
                    grad = getattr(array, "grad", None)
                    delta = grad.ptr - array.ptr if grad is not None and grad.ptr and array.ptr else None
                    live = Touch(touch.path, touch.low, touch.high, touch.pointer, touch.shape, touch.strides,
                                 touch.element, delta, bool(getattr(array, "retain_grad", False)))  # fmt: skip
                    self.live_touches.append((step, live))
        for item in window.timeline:
            if (
                isinstance(item, Step)
                and id(item) not in window.taped
                and (item.tape is not None or item in window.prefix)
            ):
                self.live_touches.extend((item, touch) for touch in item.touches if item.kind == "launch")
        for _, touch in self.live_touches:
            if touch.element.carries:
                window.region(touch.low).deltas.add(touch.delta)

    def _struct_delta(self, step: Step, argument: Argument) -> int | None:
        """A struct packs its members when they are assigned; their gradient may have come later."""
        if len(argument.path) < 2:
            return None
        found = _member(self.adjoints[id(step)][argument.position], argument.path[1:])
        data = getattr(found, "data", 0)
        return int(data) - int(argument.descriptor.data) if data else None

    # Keys

    def key(self, region: Region, delta: int | None, on: Any) -> Key | None:
        """Where the gradient of an array over `region` lives; None if it has none."""
        if not region.carries:
            return None
        deltas = region.deltas
        if len(deltas) == 1 and None not in deltas:
            return (region.index, SHARED)
        if ("gradient", region.index) in on:
            return (region.index, SHARED)
        return (region.index, delta) if delta is not None else None

    def user_key(self, region: Region, delta: int, on: Any) -> Key:
        return self.key(region, delta, on) or (region.index, delta)

    def inconsistent(self) -> list[Region]:
        return [r for r in self.window.regions if r.carries and r.deltas and (len(r.deltas) > 1 or None in r.deltas)]

    # Sweeps

    def sweep(self, on: Any, leaves_from_zero: bool = True) -> dict[Key, Any]:
        """Gradients after a backward with the repairs `on`. Memory is left as it was found."""
        window = self.window
        gradients: dict[Key, Any] = {}

        def gradient(key: Key) -> Any:
            found = gradients.get(key)
            if found is None:
                found = gradients[key] = np.zeros(window.regions[key[0]].size + 8, np.uint8)[
                    : window.regions[key[0]].size
                ]
            return found

        for (index, delta), (low, content, _) in self.start.items():
            region = window.regions[index]
            if ("leftover", index) in on or (leaves_from_zero and region.leaf and not region.written):
                continue
            key = self.user_key(region, delta, on)
            part = gradient(key)[low - region.low : low - region.low + content.size]
            part[:] = content
        for (index, delta), (low, content, mask) in self.seeds.items():
            region = window.regions[index]
            key = self.user_key(region, delta, on)
            part = gradient(key)[low - region.low : low - region.low + content.size]
            part[mask] = content[mask]

        skipped = self.skipped if ("reentered",) in on else 0
        active = {id(s) for s in window.entries[skipped:]}
        start = window.entries[skipped].index if skipped else -1
        ideal_undo = ("replay",) in on
        for item in reversed(window.timeline):
            if isinstance(item, External):
                self._clear(item, gradients, on)
                continue
            taped = id(item) in window.taped
            if item.index < start:
                break
            if self.skipped and not skipped and item.tape is None:
                continue
            if taped and id(item) not in active:
                continue
            if item.kind == "launch" and (taped or self._unrecorded(item, on)):
                self._launch(item, gradient, on, ideal_undo, taped)
            elif item.kind == "copy":
                self._copy(item, gradient, gradients, on, taped)
            elif item.kind == "function" and taped:
                self._function(item, gradient, gradients, on)
            elif item.kind in ("fill", "launch", "call") and not taped:
                self._clear_step(item, gradients, on)
        return gradients

    skipped = 0
    watch: Any = None  # called before and after each adjoint, with what `_launch` has

    def _unrecorded(self, step: Step, on: Any) -> bool:
        if step.detail in ("record_tape", "command") and step.tape is not None:
            return ("unrecorded", step.site, step.name) in on and self.warp.has_adjoint(step.kernel, step.command)
        if step in self.window.prefix:
            return ("prefix",) in on and self.warp.has_adjoint(step.kernel, step.command)
        return False

    def _clear(self, item: External, gradients: dict[Key, Any], on: Any) -> None:
        region = self.window.region(item.low)
        if ("clear", "external", region.index) not in on:
            return
        for key, content in gradients.items():
            if key[0] == region.index:
                part = content[item.low - region.low : item.low - region.low + item.mask.size]
                _clear_elements(part, item.mask, region)

    def _clear_step(self, step: Step, gradients: dict[Key, Any], on: Any) -> None:
        for touch in step.touches:
            if touch.after is None and step.kind != "fill":
                continue
            region = self.window.region(touch.low)
            if ("clear", step.site, step.name, region.index) not in on:
                continue
            for key, content in gradients.items():
                if key[0] != region.index:
                    continue
                if step.kind == "fill":
                    touch.view(content.ctypes.data - region.low)[...] = 0
                elif touch.before is not None and touch.after is not None:
                    part = content[touch.low - region.low : touch.high - region.low]
                    _clear_elements(part, touch.before != touch.after, region)

    def _launch(self, step: Step, gradient: Any, on: Any, undo: bool, taped: bool) -> None:
        warp, window = self.warp, self.window
        command = step.command
        if taped and step in self.disabled:
            return
        recorded = not taped or (("mutated", step.site, step.name) in on)
        params = [warp.copied(p) for p in (step.params if recorded else self.live[id(step)])]
        adjoints = [warp.blank(p) for p in params[1:]]
        for position, packed in enumerate(params[1:]):
            if isinstance(packed, ctypes.Structure) and not hasattr(packed, "strides"):
                adjoints[position] = warp.copied(packed)
        arguments = warp.arguments(step.kernel, params)
        adjoint_arguments = warp.arguments(step.kernel, [params[0], *adjoints])
        by_path = {a.path: a for a in adjoint_arguments}
        for argument in arguments:
            d = argument.descriptor
            low, high = descriptor_span(d, argument.element.size)
            index = locate(window.extents, low)
            pointer = 0
            if index >= 0 and high > low and argument.element.carries:
                region = window.regions[index]
                delta = int(d.grad) - int(d.data) if d.grad else None
                if delta is None and taped and not recorded:
                    delta = self._struct_delta(step, argument)
                key = self.key(region, delta, on)
                if key is not None:
                    pointer = gradient(key).ctypes.data + int(d.data) - region.low
                if ("retain", index) in on:
                    d.flags = d.flags & ~1
            d.grad = pointer
            target = by_path.get(argument.path)
            if len(argument.path) == 1 and not argument.indexed:
                adjoint = type(d)()
                if pointer:
                    ctypes.memmove(ctypes.byref(adjoint), ctypes.byref(d), ctypes.sizeof(d))
                    adjoint.data, adjoint.grad, adjoint.flags = pointer, 0, 0
                adjoints[argument.position] = adjoint
            elif target is not None:
                target.descriptor.data, target.descriptor.grad = pointer, 0
        rebuilt = self._rebuilt(step, on)
        restored = [s for s in self._stale_by_step.get(id(step), ()) if s.group in on]
        extents: list[tuple[int, int]] = [(s.touch.low, s.touch.high) for s in restored]
        if undo or restored or not taped:
            extents.extend((t.low, t.high) for t in step.touches)
        kept = [(low, read(low, high)) for low, high in merged(extents)] if extents else []
        if not taped:
            for touch in step.touches:
                content = window.needed(step, touch)
                if content is not None:
                    write(touch.low, content)
        for item in restored:
            write(item.touch.low, item.content)
        watch = self.watch
        arriving = watch(step, gradient, on, True) if watch is not None else None
        warp.run(command, [*params, *adjoints], True)
        if rebuilt:
            window.states.back()
        if watch is not None and arriving:
            watch(step, gradient, on, False)
        if undo or restored or not taped:
            for low, content in kept:
                if undo and not restored and taped and not np.array_equal(raw(low, low + content.size), content):
                    self.replayed.add(step.name)
                write(low, content)

    def _rebuilt(self, step: Step, on: Any) -> bool:
        """Give the grids and trees that a launch queried the state that it saw."""
        found = False
        for number, build in self.window.states.wanted(step).items():
            if ("rebuilt", number) in on:
                found |= self.window.states.put(number, build)
        return found

    def _copy(self, step: Step, gradient: Any, gradients: dict[Key, Any], on: Any, taped: bool) -> None:
        destination, source = step.touches[0], step.touches[1]
        if not destination.element.floating or not source.element.floating:
            return
        if taped and ("copy-adjoint",) not in on:
            self._function(step, gradient, gradients, on)
            return
        if not taped:
            if not self.window.flows(step):
                self._clear_copy(step, gradients, on)
                return
            if ("unrecorded", step.site, step.name) not in on:
                if destination.delta is None or source.delta is not None:
                    return
                self._clear_copy(step, gradients, on)
                return
        window = self.window
        target, origin = window.region(destination.low), window.region(source.low)
        keys = self.key(target, destination.delta, on), self.key(origin, source.delta, on)
        if keys[0] is None:
            return
        arriving = destination.view(gradient(keys[0]).ctypes.data - target.low)
        flow = arriving.copy()
        if destination.retain is False or ("retain", target.index) in on:
            arriving[...] = 0
        if keys[1] is not None:
            leaving = source.view(gradient(keys[1]).ctypes.data - origin.low)
            leaving += flow.reshape(leaving.shape) if flow.shape != leaving.shape else flow

    def _clear_copy(self, step: Step, gradients: dict[Key, Any], on: Any) -> None:
        destination = step.touches[0]
        region = self.window.region(destination.low)
        if ("clear", step.site, step.name, region.index) in on:
            for key, content in gradients.items():
                if key[0] == region.index:
                    destination.view(content.ctypes.data - region.low)[...] = 0

    def _function(self, step: Step, gradient: Any, gradients: dict[Key, Any], on: Any) -> None:
        """Run the tape's own function on the user's gradient memory, holding our gradients."""
        window = self.window
        places: list[tuple[int, int, Any, int]] = []
        for owner, touch in self.live_touches:
            if owner is step and touch.delta is not None and touch.element.carries:
                region = window.region(touch.low)
                key = self.user_key(region, touch.delta, on)
                places.append(
                    (touch.low + touch.delta, touch.high + touch.delta, gradient(key), touch.low - region.low)
                )
        if step.kind == "function":
            for key, content in gradients.items():
                region = window.regions[key[0]]
                if key[1] == SHARED and len(region.deltas) == 1 and None not in region.deltas:
                    delta = next(iter(region.deltas))
                    if delta is not None and self._whole(region, delta):
                        places.append((region.low + delta, region.high + delta, content, 0))
        saved = [(low, read(low, high)) for low, high, _, _ in places]
        restored = [s for s in self._stale_by_step.get(id(step), ()) if s.group in on]
        data = [(s.touch.low, read(s.touch.low, s.touch.high)) for s in restored]
        for low, high, content, offset in places:
            write(low, content[offset : offset + high - low])
        for item in restored:
            write(item.touch.low, item.content)
        try:
            step.entry()
            for low, high, content, offset in places:
                content[offset : offset + high - low] = raw(low, high)
        finally:
            for low, content in (*data, *reversed(saved)):
                write(low, content)

    def _whole(self, region: Region, delta: int) -> bool:
        return any(t.low == region.low and t.high == region.high and t.delta == delta for _, t in self.live_touches)


def _clear_elements(part: Any, mask: Any, region: Region) -> None:
    """Clear whole scalars of which any byte changed."""
    size = region.element().dtype.itemsize
    if part.size % size == 0:
        changed = mask.reshape(-1, size).any(axis=1)
        part.reshape(-1, size)[changed] = 0
    else:
        part[mask] = 0


def _member(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = getattr(value, name, None)
    return value


def _data_only(warp: Warp, param: Any) -> bytes:
    """A parameter without its gradient pointers and flags, which may change freely."""
    copy = warp.copied(param)
    if not isinstance(copy, ctypes._SimpleCData | ctypes.Structure | ctypes.Array):
        return repr(copy).encode()
    _strip(warp, copy)
    return bytes(copy)


def _strip(warp: Warp, value: Any) -> None:
    if isinstance(value, warp.types.array_t):
        value.grad = 0
        value.flags = 0
    elif isinstance(value, ctypes.Structure):
        for name, *_ in value._fields_:
            member = getattr(value, name)
            if isinstance(member, ctypes.Structure):
                _strip(warp, member)
