"""Warp's builtins as the reverse pass sees them: which primals each adjoint reads, and where it fails.

The data is in `builtins_table.py`, one line per builtin; this module gives it types. Entries are parsed
on first use, so importing costs nothing.

Names are without `warp.`. Operators have Warp's own names: `add sub mul div floordiv mod pow neg pos
unot bit_and bit_or bit_xor invert lshift rshift`; `@` is `mul`; comparisons are `lt le gt ge eq ne`.
Component access and array access are not operators here: `extract`, `load`, `array_store` stand for them.
"""

from __future__ import annotations

import enum
import functools
import re
from dataclasses import dataclass, field, replace
from typing import Final

from packaging.version import Version

from warp_lint.kernels.builtins_table import ALIASES, TABLE

# Stands for the primal of the result in `Operand.reads`.
RESULT: Final = -1


class Gradient(enum.Enum):
    """What the adjoint adds to an operand's adjoint."""

    EXACT = "exact"  # the derivative, if the primals it reads are still there
    FLAT = "flat"  # zero, and the derivative is zero almost everywhere
    LOST = "lost"  # zero although the derivative is not: no adjoint where one is due
    LEAKED = "leaked"  # changed in place, and the adjoint of the new value flows on as that of the old one
    WRONG = "wrong"  # neither zero nor the derivative: the adjoint is mistaken
    NONE = "none"  # not differentiable by nature: indices, integers, booleans, handles, shapes


class Use(enum.Enum):
    """What a builtin does to the memory or object behind an operand."""

    VALUE = "value"  # taken by value
    READ = "read"  # array, read at the `INDEX` operands
    STORE = "store"  # array or local object, element or whole object overwritten
    ACCUMULATE = "accumulate"  # added to or subtracted from, adjoint is a plain read of the gradient
    EXTREMUM = "extremum"  # atomic_min, atomic_max
    EXCHANGE = "exchange"  # atomic_cas, atomic_exch and bitwise atomics: no gradient
    INDEX = "index"  # index or offset into the array operand
    STATIC = "static"  # known at compile time: shape, dtype, storage, axis, op
    HANDLE = "handle"  # mesh, bvh, volume, hash grid, texture, query, random state


@dataclass(frozen=True, slots=True)
class Operand:
    """A formal operand. `reads`: operand positions (or `RESULT`) whose primal the adjoint of this operand reads;
    they matter only if this operand is active. `variadic`: takes any number of arguments."""

    name: str
    gradient: Gradient
    reads: frozenset[int] = frozenset()
    use: Use = Use.VALUE
    variadic: bool = False
    aliases: tuple[str, ...] = ()  # names in other overloads
    optional: bool = False  # left out by some overloads, though arguments follow


@dataclass(frozen=True, slots=True)
class Singular:
    """A point where the derivative does not exist or overflows.

    `where`: "zero", "negative", "zero-vector", "overflow" (large absolute value), "unit" (absolute value one),
    "both-zero" (atan2), "singular-matrix", "repeated" (eigen- or singular values), "equal" (two operands).
    `guarded`: Warp returns a finite gradient there. `detail` narrows it ("power < 1").
    """

    operand: int
    where: str
    guarded: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """Before `version`, the adjoint did `gradient` to an operand instead of what the entry says.
    `detail`: only in this case; empty: always."""

    version: Version
    operand: int
    gradient: Gradient
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Builtin:
    """One builtin.

    `result` is "first" (type of operand 0), "second", "join" (by the rules of arithmetic on scalars and vectors),
    "component" (scalar type of operand 0), "element" (element type of the array operand 0), "int", "bool", "none",
    "tile", "tuple", "array", "query", "dtype" (the operand of that name), a type name such as "float32", a type
    family such as "quat", "vec3", "mat33", "transform" (with the scalar type of the operands), or "unknown".
    `variants` holds the entries that differ by the type classes of the first operands: use `of`.
    `since`/`until`: first Warp version that has it, first that has not; None: all supported ones.
    """

    name: str
    operands: tuple[Operand, ...]
    result: str = "unknown"
    singular: tuple[Singular, ...] = ()
    variants: tuple[tuple[str, Builtin], ...] = field(default=())
    since: str | None = None
    until: str | None = None
    earlier: tuple[Earlier, ...] = ()

    def at(self, version: Version) -> Builtin:
        """The entry as it was in a Warp version, without what held in special cases only."""
        changed = {e.operand: e.gradient for e in self.earlier if version < e.version and not e.detail}
        if not changed:
            return self
        operands = [
            replace(operand, gradient=changed[k], reads=frozenset()) if k in changed else operand
            for k, operand in enumerate(self.operands)
        ]
        return replace(self, operands=tuple(operands))

    @property
    def differentiable(self) -> bool:
        """Does any operand get a gradient?"""
        return any(operand.gradient is Gradient.EXACT for operand in self.operands)

    @property
    def changes(self) -> tuple[int, ...]:
        """Positions of operands whose memory or object is changed."""
        changing = (Use.STORE, Use.ACCUMULATE, Use.EXTREMUM, Use.EXCHANGE)
        return tuple(k for k, operand in enumerate(self.operands) if operand.use in changing)

    def of(self, *classes: str | None) -> Builtin:
        """The entry for operands of these type classes: "scalar", "vec", "mat", "quat", "transform", "tile", "array".
        None: not known. The general entry if they make no difference. Give all there are: the number counts."""
        for pattern, entry in self.variants:
            wanted = pattern.split(",")
            given = (*classes, *["-"] * len(wanted))
            if all(want == "*" or (has or "?") in want.split("|") for want, has in zip(wanted, given, strict=False)):
                return entry
        return self

    def bind(self, positional: int, keywords: tuple[str, ...] = ()) -> tuple[int | None, ...]:
        """Operand position of each actual argument, positional ones first; None: no such operand.

        A variadic operand takes what the operands after it leave over, so `atomic_add(a, i, j, v)` binds
        `v` to the last operand. Optional operands and those known at compile time bind by name only there.
        """
        names = {name: k for k, operand in enumerate(self.operands) for name in (operand.name, *operand.aliases)}
        taken = {names.get(key) for key in keywords}
        free = [k for k in range(len(self.operands)) if k not in taken]
        bound: list[int | None] = []
        spread = next((k for k in free if self.operands[k].variadic), None)
        if spread is None:
            bound.extend(free[:positional])
        else:
            at = free.index(spread)
            operands = self.operands
            tail = [k for k in free[at + 1 :] if operands[k].use is not Use.STATIC and not operands[k].optional]
            middle = max(positional - at - len(tail), 0)
            bound.extend([*free[:at], *[spread] * middle, *tail][:positional])
        bound += [None] * (positional - len(bound))
        return (*bound, *(names.get(key) for key in keywords))


_OPERAND = re.compile(
    r"(?P<star>\*?)(?P<use>[#%@]?)(?P<name>[\w/]+)(?P<optional>\??)(?P<access>\[[a-z+=]+\])?(?P<rest>[~!^]|:.*)?"
)
_USES = {"#": Use.INDEX, "%": Use.STATIC, "@": Use.HANDLE, "": Use.VALUE}
_ACCESS = {
    "[r]": Use.READ,
    "[=]": Use.STORE,
    "[+]": Use.ACCUMULATE,
    "[m]": Use.EXTREMUM,
    "[x]": Use.EXCHANGE,
}


def _parse(name: str, line: str) -> Builtin:
    """Parse a table line; the syntax is described in `builtins_table.py`."""
    signature, _, facts = line.partition("|")
    left, _, result = signature.partition("->")
    matches = [_OPERAND.fullmatch(word) for word in left.split()]
    names = {name: k for k, match in enumerate(matches) if match for name in match["name"].split("/")}
    operands = []
    for match in matches:
        if match is None:
            raise ValueError(f"bad operand in the table line of {name!r}: {line!r}")
        rest = match["rest"] or ""
        gradient, reads = Gradient.NONE, frozenset[int]()
        if rest == "~":
            gradient = Gradient.FLAT
        elif rest == "!":
            gradient = Gradient.LOST
        elif rest == "^":
            gradient = Gradient.LEAKED
        elif rest:
            gradient = Gradient.EXACT
            reads = frozenset(RESULT if word == "=" else names[word] for word in rest[1:].split(",") if word)
        use = _ACCESS[match["access"]] if match["access"] else _USES[match["use"]]
        first, *aliases = match["name"].split("/")
        operands.append(
            Operand(first, gradient, reads, use, bool(match["star"]), tuple(aliases), bool(match["optional"]))
        )
    singular, earlier = [], []
    versions: dict[str, str] = {}
    for fact in filter(None, (part.strip() for part in facts.split(";"))):
        key, _, value = fact.partition(" ")
        if key in ("since", "until"):
            versions[key] = value
        elif key in ("singular", "guarded"):
            operand, where, *detail = value.split(None, 2)
            singular.append(Singular(names[operand], where, key == "guarded", *detail))
        elif key == "before":
            version, operand, gradient_name, *detail = value.split(None, 3)
            earlier.append(Earlier(Version(version), names[operand], Gradient(gradient_name), *detail))
        else:
            raise ValueError(f"bad fact in the table line of {name!r}: {fact!r}")
    return Builtin(
        name,
        tuple(operands),
        result.strip() or "first",
        tuple(singular),
        since=versions.get("since"),
        until=versions.get("until"),
        earlier=tuple(earlier),
    )


def draws(name: str) -> bool:
    """Does a builtin take a random number from a state, which it advances?"""
    return name in ("randf", "randi", "randu", "randn", "poisson") or name.startswith("sample_")


@functools.cache
def lookup(name: str) -> Builtin | None:
    """The entry of a builtin, or None if Warp has none of that name (as far as the table knows)."""
    canonical = ALIASES.get(name, name)
    line = TABLE.get(canonical)
    if line is None:
        return None
    general = _parse(canonical, line)
    prefix = canonical + "/"
    variants = tuple((key[len(prefix) :], _parse(canonical, TABLE[key])) for key in TABLE if key.startswith(prefix))
    return replace(general, variants=variants) if variants else general
