"""Inputs for a kernel from nothing but its signature, and a handful of kinds of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from warp_lint.confirm.memory import Leaf, Memory, UnsupportedError, is_array, kind_of, scalar_type

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`floats`: "signed", "positive", "wide", "unit", "literals" or a constant. `bound`: what limits
    of loops are set to. `integers`: contents of integer arrays."""

    floats: str
    bound: int
    integers: str
    side: int = 10
    constant: float | None = None
    scalars_too: bool = False
    zero_leaf: int | None = None


# Loops run several times, once, more than Warp unrolls, and not at all.
REGULAR = (
    Scenario("signed", 5, "sorted"),
    Scenario("positive", 3, "distinct"),
    Scenario("wide", 1, "identity"),
    Scenario("positive", 20, "distinct", side=24),
    Scenario("literals", 4, "repeated"),
    Scenario("unit", 7, "distinct"),
    Scenario("signed", 2, "small"),
    Scenario("unit", 17, "identity", side=24),
    Scenario("literals", 6, "distinct"),
    Scenario("wide", 6, "sorted"),
    Scenario("positive", 0, "zero"),
)

CHOICE = 64  # constants above are no kinds of things

SINGULAR_VALUES = (0.0, 1.0, -1.0, 1e2, -1e2, 8e2, 1e4, -1e4, 1e-30)


def singular(literals: list[float], leaves: int) -> Iterator[Scenario]:
    """Points where derivatives tend to be singular."""
    for value in SINGULAR_VALUES:
        yield Scenario("constant", 3, "distinct", constant=value)
        yield Scenario("constant", 3, "distinct", constant=value, scalars_too=True)
    yield Scenario("equal", 3, "distinct")
    yield Scenario("equal", 3, "identity")
    for leaf in range(min(leaves, 8)):
        yield Scenario("positive", 3, "distinct", zero_leaf=leaf)
        yield Scenario("signed", 3, "distinct", zero_leaf=leaf)
    # A literal may be what a value is compared with or subtracted from; an offset only ever guards.
    for value in [v for v in literals if 1e-3 <= abs(v) <= 1e4][:8]:
        yield Scenario("constant", 3, "distinct", constant=value)
    yield Scenario("wide", 3, "distinct")
    yield Scenario("signed", 3, "distinct")


@dataclass(slots=True)
class Facts:
    """What the static side says of a kernel (see `describe`)."""

    threads: int = 1
    tiled: bool = False
    roles: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[int]] = field(default_factory=dict)
    handles: dict[str, str] = field(default_factory=dict)
    small: int = 0
    extremes: bool = False
    normalizes: bool = False
    nonzero: bool = False
    chains: int = 0  # 1 or 2: integers that a loop may follow until they are negative, or zero
    follows: bool = False
    kinds: list[str] = field(default_factory=list)
    literals: list[float] = field(default_factory=list)


# Names of limits from below, which must stay under those from above.
_LOWER = ("start", "begin", "lo", "first", "min", "offset")
_LOWER_END = ("_start", "_begin", "_lo", "_first", "_min", "_offset")


class Filler:
    """Fills a memory, and supplies scalars and handles, for one scenario and seed."""

    def __init__(self, facts: Facts, scenario: Scenario, seed: int, index: int) -> None:
        self.facts = facts
        self.scenario = scenario
        self.index = index
        self.seed = seed
        self.random = np.random.default_rng((seed, index))
        self.keep: list[Any] = []  # objects that identifiers stand for
        self.memory: Memory | None = None
        self.scalars: dict[str, Any] = {}

    def fill(self, memory: Memory) -> None:
        self.memory = memory
        shared = self._floats((4096, 4), "signed")
        floats = 0
        for leaf in memory.leaves:
            if leaf.kind == "float":
                self._fill_floats(leaf, shared, floats)
                floats += 1
            elif leaf.kind == "bool":
                leaf.values[...] = self.random.integers(0, 2, leaf.values.shape).astype(bool)
            else:
                if leaf.values.dtype == np.uint64 and self._fill_handles(leaf):
                    continue
                values = self._integers(leaf)
                leaf.values[...] = np.maximum(values, 1) if self.facts.nonzero else values

    def _fill_floats(self, leaf: Leaf, shared: Array, position: int) -> None:
        scenario = self.scenario
        shape = leaf.values.shape
        if scenario.zero_leaf == position:
            leaf.values[...] = 0.0
            return
        if scenario.constant is not None:
            with np.errstate(over="ignore"):
                leaf.values[...] = scenario.constant
            return
        if scenario.floats == "equal":
            rows = np.resize(shared[:, :1], (shape[0], 1))
            leaf.values[...] = np.broadcast_to(rows, shape)
            return
        with np.errstate(over="ignore"):
            leaf.values[...] = self._floats(shape, scenario.floats)
        # Code that normalises gets quaternions that need it, too.
        if leaf.rotation is not None and not (self.facts.normalizes and self.index % 2 == 1):
            part = leaf.values[:, leaf.rotation : leaf.rotation + 4]
            part /= np.linalg.norm(part, axis=1, keepdims=True) + 1e-12
        if self.facts.tiled and len(leaf.shape) == 2 and shape[1] == 1 and scenario.integers == "distinct":
            self._make_definite(leaf)

    @staticmethod
    def _make_definite(leaf: Leaf) -> None:
        """Symmetric positive definite, for the factorisations that tiles are used with."""
        side = leaf.shape[0]
        block = leaf.values[leaf.first : leaf.first + side * side, 0].reshape(side, side)
        block[...] = 0.2 * (block + block.T) + np.eye(side) * 0.6 * side

    def _floats(self, shape: tuple[int, ...], mode: str) -> Array:
        random = self.random
        if mode == "positive":
            return random.uniform(0.3, 2.0, shape)
        if mode == "unit":
            return random.uniform(-0.95, 0.95, shape)
        sign = random.choice([-1.0, 1.0], shape)
        if mode == "wide":
            return np.asarray(sign * np.exp(random.uniform(np.log(0.05), np.log(100.0), shape)))
        values = sign * random.uniform(0.3, 2.0, shape)
        if mode == "literals" and self.facts.literals:
            near = random.choice(self.facts.literals, shape) * random.uniform(0.6, 1.5, shape)
            values = np.where(random.random(shape) < 0.6, near * random.choice([1.0, 1.0, 1.0, -1.0], shape), values)
        return np.asarray(values)

    def _chains(self, leaf: Leaf) -> Array:
        """Numbers of earlier elements, as of parents in a tree: loops that follow them come to an end."""
        rows, columns = leaf.values.shape
        number = np.arange(rows) - leaf.first
        last = leaf.shape[-1]
        column = number % last
        parent = column - 1 if self.index % 2 == 0 else (column - 1) // 2
        end = -1 if self.facts.chains == 1 else 0
        inside = (number >= 0) & (number < leaf.count)
        return np.asarray(np.where(inside, np.maximum(parent, end), end)[:, None] + np.zeros(columns, dtype=int))

    def _integers(self, leaf: Leaf) -> Array:
        choices = self.facts.choices.get(leaf.label + leaf.suffix, [])
        if self.facts.chains and not any(choice > 0 for choice in choices):
            return self._chains(leaf)
        values = self._plain_integers(leaf)
        values = values % self.facts.small if self.facts.small else values
        choices = [choice for choice in choices if abs(choice) <= CHOICE]
        if choices and self.index != 1:
            # What elements are compared with has to occur among them.
            chosen = self.random.choice(choices, values.shape)
            values = np.where(self.random.random(values.shape) < 0.5, chosen, values)
        return values

    def _plain_integers(self, leaf: Leaf) -> Array:
        rows, columns = leaf.values.shape
        wide = len(leaf.shape)
        mode = self.scenario.integers
        last = leaf.shape[-1] if wide > 1 else 1
        number = np.arange(rows) - leaf.first
        column = number % last if wide > 1 else np.zeros(rows, dtype=int)
        row = number // last if wide > 1 else number
        column = column[:, None] + np.arange(columns)[None, :]
        row = np.broadcast_to(row[:, None], column.shape)
        if mode == "zero":
            values = np.zeros(column.shape, dtype=int)
        elif mode == "identity":
            values = (row + column) % 8
        elif mode == "small":
            values = self.random.integers(0, 3, column.shape)
        elif mode == "repeated":
            values = self.random.integers(0, 8, column.shape)
        elif mode == "sorted":
            values = np.sort(self.random.integers(0, 9, rows))[:, None] + 0 * column
            inside = np.sort(self.random.integers(0, 9, leaf.count))
            values[leaf.first : leaf.first + leaf.count] = inside[:, None]
            if wide > 1:
                values = (values + column) % 8
        else:
            order = self.random.permutation(8)
            values = order[(row + 3 * column) % 8]
        return np.asarray(values)

    # Scalars

    def scalar(self, path: str, kind: Any) -> Any:
        """A value for a parameter, or a struct's field, that isn't an array."""
        if path not in self.scalars:
            self.scalars[path] = self._scalar(path, kind)
        return self.scalars[path]

    def _scalar(self, path: str, kind: Any) -> Any:
        base = scalar_type(kind)
        name = getattr(base, "__name__", str(base))
        if name.startswith("Texture"):
            return self._texture(path, kind)
        if is_array(kind) or (not isinstance(kind, type) and not hasattr(kind, "_shape_")):
            raise UnsupportedError(f"`{path}` is a `{type(kind).__name__}`")
        of = kind_of(base)
        random = np.random.default_rng((self.seed, self.index, zlib.crc32(path.encode())))
        if of == "bool":
            return bool((self.index + len(path)) % 2 == 0)
        if of == "int":
            if name == "uint64" or path in self.facts.handles:
                handle = self._handle(path)
                if handle is not None:
                    return handle
            value = self._integer(path, random)
            if self.facts.nonzero:
                value = value or 1
            small = self.facts.small
            if not small or path in self.facts.choices:
                return value
            return min(value, small if self.facts.roles.get(path) in ("bound", "limit") else small - 1)
        shape = tuple(getattr(kind, "_shape_", ()))
        count = int(np.prod(shape)) if shape else 1
        scenario = self.scenario
        if scenario.constant is not None and scenario.scalars_too:
            values = np.full(count, scenario.constant)
        else:
            values = random.uniform(0.2, 1.5, count)
            if scenario.floats in ("signed", "wide") and self.index % 4 == 2:
                values = values * random.choice([-1.0, 1.0], count)
        mark = getattr(kind, "_wp_generic_type_str_", "")
        if mark in ("quat_t", "transform_t"):
            values[-4:] /= np.linalg.norm(values[-4:]) + 1e-12
        if not shape:
            return float(values[0])
        return kind(*[float(v) for v in values])

    def _integer(self, path: str, random: np.random.Generator) -> int:
        choices = self.facts.choices.get(path)
        if choices and self.index % 2 == 0:
            return int(choices[(self.index // 2) % len(choices)])
        role = self.facts.roles.get(path)
        if role == "bound":
            return self.scenario.bound
        if role == "index":
            return int(random.integers(0, 8)) if self.index else 0
        if role == "limit":
            if path.rpartition(".")[2].lower().startswith(_LOWER) or path.lower().endswith(_LOWER_END):
                return int(self.index % 3 == 1)
            return 8 if self.index % 2 == 0 else max(self.scenario.bound, 1)
        return 8 if self.index % 3 != 1 else max(1, min(self.scenario.bound, 8))

    def _fill_handles(self, leaf: Leaf) -> bool:
        """An array of identifiers: all of one object."""
        handle = self._handle(leaf.label + leaf.suffix)
        if handle is not None:
            leaf.values[...] = handle
        return handle is not None

    def _handle(self, path: str) -> int | None:
        kind = self.facts.handles.get(path)
        if kind is None and len(self.facts.kinds) == 1:
            kind = self.facts.kinds[0]
        elif kind is None:
            kind = next((k for k in self.facts.kinds if k.replace("_", "") in path.lower().replace("_", "")), None)
        if kind is None:
            return None
        made = self._structure(kind, path)
        self.keep.append(made)
        return int(made.id)

    def _structure(self, kind: str, path: str) -> Any:
        random = np.random.default_rng((self.seed, 77))
        if kind == "mesh":
            points, triangles = _octahedron(random)
            return wp.Mesh(
                points=wp.array(points, dtype=wp.vec3, device="cpu"),
                indices=wp.array(triangles.ravel(), dtype=wp.int32, device="cpu"),
            )
        if kind == "hash_grid":
            grid = wp.HashGrid(8, 8, 8, device="cpu")
            points = self._points(random)
            grid.build(wp.array(points, dtype=wp.vec3, device="cpu"), 1.0)
            return grid
        if kind == "bvh":
            lower = random.uniform(-2.0, 1.0, (8, 3))
            upper = lower + random.uniform(0.2, 1.5, (8, 3))
            return wp.Bvh(wp.array(lower, dtype=wp.vec3, device="cpu"), wp.array(upper, dtype=wp.vec3, device="cpu"))
        if kind == "volume":
            try:
                return wp.Volume.load_from_numpy(
                    random.uniform(0.0, 1.0, (8, 8, 8)).astype(np.float32), (-2.0, -2.0, -2.0), 0.5, device="cpu"
                )
            except Exception as error:
                raise UnsupportedError(f"`{path}` is a volume, which can't be made here: {error}") from None
        raise UnsupportedError(f"`{path}` is a {kind}")

    def _texture(self, path: str, kind: Any) -> Any:
        dimensions = {"Texture1D": 1, "Texture2D": 2, "Texture3D": 3}.get(kind.__name__)
        if dimensions is None:
            raise UnsupportedError(f"`{path}` is a `{kind.__name__}`")
        random = np.random.default_rng((self.seed, self.index, 78))
        return kind(random.uniform(0.0, 1.0, (8,) * dimensions).astype(np.float32), device="cpu")

    def _points(self, random: np.random.Generator) -> Array:
        leaves = self.memory.point_arrays() if self.memory is not None else []
        if leaves:
            leaf = leaves[0]
            # Exactly the points that may be looked up by index: the array without its padding.
            return np.array(leaf.values[leaf.first : leaf.first + leaf.shape[0]], dtype=np.float32)
        return random.uniform(-1.0, 1.0, (10, 3)).astype(np.float32)


def _octahedron(random: np.random.Generator) -> tuple[Array, Array]:
    points = np.array(
        [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float32
    ) + random.uniform(-0.1, 0.1, (6, 3)).astype(np.float32)
    triangles = np.array(
        [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]], dtype=np.int32
    )
    return points, triangles
