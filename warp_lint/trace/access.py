"""Which memory a launch touches: indices of the kernel model put onto the arrays that were bound."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from warp_lint.kernels.effects import Access, Affine, Component, Effects, Index, Path
from warp_lint.trace.model import Array, Copy, Extent, Launch, Overlap, Region, Root, covers, overlap
from warp_lint.trace.regions import WHOLE, normal

UNKNOWN_KERNEL_LIMIT = 64
COMPONENT_AXIS = 4  # arrays have four dimensions at most; components of elements come after them


@dataclass(frozen=True, slots=True)
class Place:
    """Memory that is accessed: every element of `region` (`full`), or some of it that aren't known."""

    region: Region
    full: bool = True


@dataclass(frozen=True, slots=True)
class Write:
    """A write by a launch: `clears` if a store reaches every element of the place, unconditionally.

    `store_first`: the kernel stores before it accumulates there. `in_place`: the new value depends on
    the old one.
    """

    place: Place
    kind: Access
    clears: bool
    guarded: bool = False
    in_place: bool = False
    differentiable: bool = True


@dataclass(slots=True)
class Binding:
    """Reads and writes of one launch by kernel path.

    `inner`: paths that are read after the launch has written them. `renewed`: paths whose first access
    is a store to all of what is read, so the value from before the launch is not used.
    """

    reads: dict[Path, tuple[Place, ...]]
    writes: dict[Path, tuple[Write, ...]]
    known: bool
    inner: frozenset[Path] = frozenset()
    renewed: frozenset[Path] = frozenset()


def place_overlap(a: Place, b: Place) -> Overlap:
    """Whether two accesses meet; an access to unknown elements meets one that covers its region."""
    shared = overlap(a.region, b.region)
    if shared is not Overlap.YES or (a.full and b.full):
        return shared
    if a.full and covers(a.region, b.region):
        return Overlap.YES
    if b.full and covers(b.region, a.region):
        return Overlap.YES
    return Overlap.MAYBE


def whole(array: Array) -> Place:
    return Place(array.region, True)


def _interval(form: Affine | None, scalars: dict[Path, object], dim: tuple[int | None, ...]) -> tuple[Extent, bool]:
    """Elements along one dimension that an index takes over all threads and iterations."""
    if form is None:
        return WHOLE, False
    constant = form.constant
    moving: list[tuple[str, int]] = []
    for symbol, coefficient in form.terms:
        if symbol.startswith("arg:"):
            value = scalars.get(tuple(symbol[4:].split(".")))
            if not isinstance(value, int):
                return WHOLE, False
            constant += coefficient * int(value)
        else:
            moving.append((symbol, coefficient))
    if not moving:
        if constant < 0:  # counted from the end
            return WHOLE, False
        return Extent(constant, constant + 1), True
    if any(coefficient < 0 for _, coefficient in moving):
        return WHOLE, len(moving) == 1 and moving[0][1] == -1
    if len(moving) == 1 and moving[0][1] == 1:
        symbol = moving[0][0]
        length = _length(symbol, dim)
        if length is not None and constant >= 0:
            return Extent(constant, constant + length), True
        return (Extent(constant, None), True) if constant >= 0 else (WHOLE, True)
    return WHOLE, constant == 0 and any(coefficient == 1 for _, coefficient in moving)


def _length(symbol: str, dim: tuple[int | None, ...]) -> int | None:
    if symbol.startswith("tid") and symbol[3:].isdigit():
        axis = int(symbol[3:])
        if axis < len(dim):
            return dim[axis]
    return None


def _kept_axes(array: Array, ndim: int, root: Root | None) -> tuple[int, ...] | None:
    """For each dimension of an array object the dimension of the allocation it runs over."""
    if hasattr(array, "axes"):
        axes: tuple[int, ...] | None = array.axes
        return axes if axes is None or len(axes) >= ndim else None
    extents = array.region.extents
    if not extents:
        if root is not None and root.shape is not None and ndim and len(root.shape) != ndim:
            return None
        return tuple(range(ndim))
    total = len(root.shape) if root is not None and root.shape is not None else None
    singles = [k for k, e in enumerate(extents) if e.symbol or (e.stop is not None and e.stop - e.start == 1)]
    dropped = total - ndim if total is not None else max(0, min(len(singles), len(extents) + 1 - ndim))
    if dropped < 0 or dropped > len(singles):
        return None
    gone = set(singles[:dropped])
    kept = [k for k in range(max(len(extents), ndim + dropped)) if k not in gone]
    return tuple(kept[:ndim])


def _rows(array: Array, intervals: list[tuple[Extent, bool]], root: Root | None) -> Extent | None:
    """Whole rows, or part of one row of a matrix, of a flat allocation that the array object reshapes."""
    shape = getattr(array, "shape", None)
    if root is None or root.shape is None or len(root.shape) != 1 or array.region.extents or shape is None:
        return None
    if len(shape) != len(intervals) or any(not isinstance(n, int) for n in shape) or prod(shape) != root.length:
        return None
    first, row = intervals[0][0], prod(shape[1:])
    if all(e.start == 0 and e.stop in (None, n) for (e, _), n in zip(intervals[1:], shape[1:], strict=True)):
        return Extent(first.start * row, None if first.stop is None else first.stop * row)
    if len(shape) == 2 and first.stop == first.start + 1:
        column = intervals[1][0]
        return Extent(first.start * row + column.start, first.start * row + min(column.stop or row, row))
    return None


def place_of(array: Array, intervals: list[tuple[Extent, bool]], root: Root | None) -> Place:
    """The memory that an index form of a kernel addresses, for the array bound at this launch."""
    full = all(exact for _, exact in intervals)
    axes = _kept_axes(array, len(intervals), root)
    if axes is None:
        rows = _rows(array, intervals, root)
        if rows is not None:
            return Place(Region(array.region.root, (rows,)), full)
        covering = full and all(extent.start == 0 and _spans(extent) for extent, _ in intervals)
        return Place(array.region, covering)
    extents = list(array.region.extents)
    for position, (extent, _) in enumerate(intervals):
        axis = axes[position]
        while len(extents) <= axis:
            extents.append(WHOLE)
        base = extents[axis]
        if extent == WHOLE:
            continue
        if base.symbol:
            full = full and extent.start == 0 and _spans(extent)
            continue
        stop = None if extent.stop is None else base.start + extent.stop
        if base.stop is not None:
            stop = base.stop if stop is None else min(stop, base.stop)
        extents[axis] = Extent(base.start + extent.start, stop)
    while extents and extents[-1] == WHOLE:
        extents.pop()
    return Place(Region(array.region.root, tuple(extents)), full)


def _spans(extent: Extent) -> bool:
    return extent.stop is None or extent.stop - extent.start > 1


def shape_of(root: Root | None) -> tuple[int | None, ...] | None:
    """Lengths of an allocation, as far as they are known."""
    if root is None:
        return None
    return root.shape if root.shape is not None else (root.length,)


@dataclass(slots=True)
class _Plan:
    """The touches of a kernel without repetitions. `steps`: (path, access, number of the index form,
    guarded, in place, differentiable, part of an element that isn't known); `scalars`: what index forms depend on."""

    effects: Effects
    indices: list[tuple[Index, Component]]
    steps: list[tuple[Path, Access, int, bool, bool, bool, bool]]
    scalars: list[Path]
    inner: frozenset[Path]
    flowing: frozenset[Path]
    forms: dict[object, list[_Form]]


@dataclass(slots=True)
class _Form:
    """An index form for known scalars and dimensions. `whole`: all of the array."""

    intervals: list[tuple[Extent, bool]]
    full: bool
    whole: bool


def _plan(effects: Effects) -> _Plan:
    numbers: dict[tuple[Index, Component], int] = {}
    steps: dict[tuple[Path, Access, int, bool, bool, bool, bool], None] = {}
    written: set[Path] = set()
    inner: set[Path] = set()
    for touch in effects.touches:
        number = numbers.setdefault((touch.index, touch.component), len(numbers))
        if touch.access is not Access.READ:
            written.add(touch.path)
        elif touch.path in written:
            inner.add(touch.path)
        vague = touch.partial and not touch.component
        steps[(touch.path, touch.access, number, touch.guarded, touch.from_self, touch.differentiable, vague)] = None
    scalars = {
        tuple(symbol[4:].split("."))
        for index, _ in numbers
        for form in index
        if form is not None
        for symbol, _ in form.terms
        if symbol.startswith("arg:")
    }
    flowing = frozenset[Path]().union(*effects.flows.values()) if effects.flows else frozenset[Path]()
    return _Plan(effects, list(numbers), list(steps), sorted(scalars), frozenset(inner), flowing, {})


class Binder:
    """Computes bindings of launches, remembering what repeats."""

    def __init__(self, roots: dict[int, Root], recorded: bool) -> None:
        self.roots = roots
        self.byte_regions = recorded
        self._memo: dict[object, Binding] = {}
        self._plans: dict[int, _Plan] = {}

    def bind(self, launch: Launch) -> Binding:
        """Reads and writes of a launch. An unknown kernel reads all its arrays; its writes are unknown."""
        effects = launch.effects
        if effects is None:
            reads: dict[Path, tuple[Place, ...]] = {path: (whole(array),) for path, array in launch.arguments.items()}
            return Binding(reads, {}, False)
        plan = self._plan(effects)
        values = tuple([launch.scalars.get(path) for path in plan.scalars])
        key = (id(effects), launch.dim, values, tuple([id(array) for array in launch.arguments.values()]))
        found = self._memo.get(key)
        if found is None:
            forms = plan.forms.get((launch.dim, values))
            if forms is None:
                forms = plan.forms[(launch.dim, values)] = [_form(index, launch) for index, _ in plan.indices]
            found = self._memo[key] = self._compute(launch, plan, forms)
        return found

    def place(self, launch: Launch, path: Path, index: Index, component: Component = ()) -> Place:
        return self._place(launch.arguments[path], component, _form(index, launch))

    def _plan(self, effects: Effects) -> _Plan:
        plan = self._plans.get(id(effects))
        if plan is None:
            plan = self._plans[id(effects)] = _plan(effects)
        return plan

    def _place(self, array: Array, component: Component, form: _Form) -> Place:
        place = self._element_place(array, form)
        if not component or self.byte_regions:
            return place
        extents = [*place.region.extents, *[WHOLE] * (COMPONENT_AXIS - len(place.region.extents))]
        extents += [Extent(start, stop) for start, stop in component]
        return Place(Region(place.region.root, tuple(extents)), place.full)

    def _element_place(self, array: Array, form: _Form) -> Place:
        if form.whole:
            return Place(array.region, form.full)
        if self.byte_regions:
            spanning = all(extent.start == 0 and _spans(extent) for extent, _ in form.intervals)
            return Place(array.region, form.full and spanning)
        root = self.roots.get(array.region.root)
        place = place_of(array, form.intervals, root)
        return Place(normal(place.region, shape_of(root)), place.full)

    def _compute(self, launch: Launch, plan: _Plan, forms: list[_Form]) -> Binding:
        reads: dict[Path, dict[Place, None]] = {}
        writes: dict[Path, dict[Write, None]] = {}
        stored: set[tuple[Path, Place]] = set()
        renewed: set[Path] = set()
        places: dict[tuple[Path, int], Place] = {}
        touched: set[Path] = set()
        for path, access, number, guarded, in_place, differentiable, vague in plan.steps:
            array = launch.arguments.get(path)
            if array is None:
                continue
            place = places.get((path, number))
            if place is None:
                place = places[(path, number)] = self._place(array, plan.indices[number][1], forms[number])
            if vague and access is not Access.READ:
                place = Place(place.region, False)
            first = path not in touched
            touched.add(path)
            if access is Access.READ:
                reads.setdefault(path, {})[place] = None
                continue
            store = access is Access.STORE
            clears = store and place.full and not guarded
            if first and clears and not plan.indices[number][1]:
                renewed.add(path)
            if store:
                stored.add((path, place))
            elif (path, place) in stored:
                continue  # the store before it decides
            writes.setdefault(path, {})[Write(place, access, clears, guarded, in_place, differentiable)] = None
        for path, found in writes.items():
            _merge(launch.arguments[path], found)
        for path, array in launch.arguments.items():
            if path in plan.flowing and path not in reads:
                reads[path] = {Place(array.region, False): None}
            if path in plan.effects.flows and path not in writes:
                writes[path] = {Write(Place(array.region, False), Access.STORE, False, True): None}
        return Binding(
            {path: tuple(found) for path, found in reads.items()},
            {path: tuple(found) for path, found in writes.items()},
            plan.effects.complete,
            plan.inner,
            frozenset(renewed),
        )


def _merge(array: Array, writes: dict[Write, None]) -> None:
    """Stores to all components of an element are a store of it."""
    parts: dict[tuple[object, ...], list[Write]] = {}
    for write in writes:
        extents = write.place.region.extents
        if write.clears and len(extents) == COMPONENT_AXIS + 1:
            parts.setdefault((extents[:COMPONENT_AXIS], write.differentiable), []).append(write)
    for found in parts.values():
        count = _components(array.dtype)
        covered = {k for w in found for k in _span(w.place.region.extents[-1])}
        if count and covered >= set(range(count)):
            for write in found:
                del writes[write]
            extents = found[0].place.region.extents[:COMPONENT_AXIS]
            while extents and extents[-1] == WHOLE:
                extents = extents[:-1]
            place = Place(Region(array.region.root, extents))
            in_place = any(w.in_place for w in found)
            writes[Write(place, Access.STORE, True, False, in_place, found[0].differentiable)] = None


def _span(extent: Extent) -> range:
    return range(extent.start, min(extent.stop if extent.stop is not None else extent.start, extent.start + 16))


_KINDS = {"quat": 4, "transform": 7, "spatial_vector": 6}
_VECTOR = re.compile(r"(?:vec|mat)(\d)")


def _components(dtype: str) -> int:
    """How many components an element type has (a matrix: rows); 0 if that isn't known."""
    found = _VECTOR.match(dtype)
    if found:
        return int(found[1])
    return next((count for kind, count in _KINDS.items() if dtype.startswith(kind)), 0)


def _form(index: Index, launch: Launch) -> _Form:
    intervals = [_interval(form, launch.scalars, launch.dim) for form in index]
    full = all(exact for _, exact in intervals)
    return _Form(intervals, full, all(extent == WHOLE for extent, _ in intervals))


def copy_places(event: Copy) -> tuple[Place, Place]:
    """Destination and source of a copy."""
    return Place(event.destination.region, event.whole), Place(event.source.region, event.whole)
