"""Random kernels of more shapes: structs and funcs that change them, several results, atomic extrema, tables of
indices, matrices, quaternions, selections, early returns, loops with other bounds.

Threads own rows, as in `generator`. A table of indices is the only way to one array (`w`), because whether two
different indices meet can't be known.
"""

from __future__ import annotations

from random import Random

from tests.property.generator import COLUMNS, Generator, Names
from tests.property.generator import HEADER as NARROW
from tests.property.generator import SIGNATURE as ARGUMENTS

HEADER = (
    NARROW + "\n@wp.struct\nclass P:\n    a: wp.float64\n    b: wp.float64\n    v: wp.vec3d\n\n\n"
    "@wp.struct\nclass Q:\n    p: P\n    c: wp.float64\n\n\n"
)
SIGNATURE = ARGUMENTS + ", idx: wp.array2d(dtype=int)"
WORDS = ("matrix", "quat", "struct", "field", "pair", "where", "extremum", "return", "entry", "part", "nested")


class Wide(Generator):
    """Adds shapes to the generator. Every kernel uses a few of them, so that one mistake doesn't hide the others."""

    def __init__(self, random: Random, name: str) -> None:
        super().__init__(random, name)
        self.table = self.chance(0.25)
        self.words = random.sample(WORDS, 4)
        self.matrices: list[str] = []
        self.quats: list[str] = []
        self.structs: list[str] = []
        self.nests: list[str] = []
        self.changers: list[str] = []  # funcs with a struct parameter
        self.pairs: list[str] = []  # funcs with two results

    # expressions

    def element(self, names: Names) -> str:
        array = self.random.choice(["a", "b"] * 4 + ["w", "out"])
        return self.at(array, names)

    def at(self, array: str, names: Names) -> str:
        if array == "w" and self.table:
            return f"w[i, idx[i, {self.random.randrange(2)}]]"
        return f"{array}[i, {self.column(names)}]"

    def atom(self, names: Names) -> str:
        options = [""] * 8
        options += [f"{p}.{self.random.choice('ab')}" for p in self.structs]
        options += [f"{p}.v[{self.random.randrange(3)}]" for p in self.structs]
        options += [f"{q}.p.{self.random.choice('ab')}" for q in self.nests] + [f"{q}.c" for q in self.nests]
        options += [f"{m}[{self.random.randrange(2)}, {self.random.randrange(2)}]" for m in self.matrices]
        options += [f"{q}[{self.random.randrange(4)}]" for q in self.quats]
        return self.random.choice(options) or super().atom(names)

    def scalar(self, names: Names, depth: int = 2) -> str:
        if depth > 0 and self.chance(0.2):
            kinds = []
            if "where" in self.words:
                kinds += ["where", "either"]
            if "matrix" in self.words and self.matrices:
                kinds += ["determinant", "trace"]
            if "quat" in self.words and self.quats and names.vectors:
                kinds.append("rotate")
            if kinds:
                return self.extra(self.random.choice(kinds), names, depth)
        return super().scalar(names, depth)

    def condition(self, names: Names) -> str:
        """One that inputs decide."""
        varying = list(names.scalars) + ([self.element(names), self.element(names)] if names.arrays else [])
        if not varying:
            return super().condition(names)
        left = self.random.choice(varying)
        if self.chance(0.3):
            left = f"{left} * {self.random.choice(varying)}"
        return f"{left} {self.random.choice(['>', '<'])} {self.random.choice(['F(0.0)', 'F(0.3)', 'F(-0.4)'])}"

    def extra(self, kind: str, names: Names, depth: int) -> str:
        if kind in ("where", "either"):
            x, y = self.scalar(names, depth - 1), self.scalar(names, depth - 1)
            if kind == "where":
                return f"wp.where({self.condition(names)}, {x}, {y})"
            return f"({x} if {self.condition(names)} else {y})"
        if kind == "rotate":
            rotated = f"wp.quat_rotate({self.random.choice(self.quats)}, {self.random.choice(names.vectors)})"
            return f"wp.dot({rotated}, {self.random.choice(names.vectors)})"
        m = self.random.choice(self.matrices)
        if kind == "determinant":
            return f"wp.determinant({m})"
        return f"wp.trace({m} * {self.random.choice(self.matrices)})"

    # statements

    def block(self, names: Names, size: int, pad: str, depth: int, loop: bool = False) -> list[str]:
        """Objects made in a block are not known behind it."""
        lists = (self.matrices, self.quats, self.structs, self.nests)
        sizes = [len(found) for found in lists]
        size += 2 if pad == "    " and not self.in_func else 0
        lines = super().block(names, size, pad, depth, loop)
        if pad == "    " and not self.in_func:
            lines += self.sinks(names)
        for found, count in zip(lists, sizes, strict=True):
            del found[count:]
        return lines

    def sinks(self, names: Names) -> list[str]:
        """Uses of the objects at the end, so that few of them are idle."""
        sources = [f"{p}.{field}" for p in self.structs for field in "ab"]
        sources += [f"wp.length_sq({p}.v)" for p in self.structs] + [f"{q}.p.a" for q in self.nests]
        sources += [f"wp.determinant({m})" for m in self.matrices] + [f"wp.dot({q}, {q})" for q in self.quats]
        sources += [f"{v}[{self.random.randrange(3)}]" for v in names.vectors] + names.scalars
        chosen = self.random.sample(sources, min(len(sources), 3))
        return [f"    out[i, {self.random.randrange(COLUMNS)}] += {s} * {self.scalar(names, 1)}" for s in chosen]

    def statement(self, names: Names, pad: str, depth: int, loop: bool) -> list[str]:
        if self.chance(0.55):
            lines = self.wide(self.random.choice(self.words), names, pad, loop)
            if lines:
                return lines
        lines = super().statement(names, pad, depth, loop)
        return [self.routed(line) for line in lines]

    def routed(self, line: str) -> str:
        """Stores to `w` through the table, where there is one."""
        if not self.table:
            return line
        for column in (*map(str, range(COLUMNS)), *[f"j{k}" for k in range(1, self.count + 1)]):
            line = line.replace(f" w[i, {column}]", " w[i, idx[i, 0]]").replace(
                f"(w, i, {column},", "(w, i, idx[i, 1],"
            )
        return line

    def wide(self, word: str, names: Names, pad: str, loop: bool) -> list[str]:
        random = self.random
        if word == "matrix":
            entries = ", ".join(self.scalar(names, 1) for _ in range(4))
            self.matrices.append(name := self.fresh("m"))
            return [f"{pad}{name} = {random.choice([f'wp.mat22d({entries})'] * 3 + ['wp.mat22d()'])}"]
        if word == "entry" and self.matrices:
            target = f"{random.choice(self.matrices)}[{random.randrange(2)}, {random.randrange(2)}]"
            return [f"{pad}{target} {random.choice(['=', '=', '+='])} {self.scalar(names, 1)}"]
        if word == "quat":
            parts = ", ".join(self.scalar(names, 1) for _ in range(4))
            self.quats.append(name := self.fresh("q"))
            return [f"{pad}{name} = wp.quatd({parts})"]
        if word == "part" and self.quats:
            target = f"{random.choice(self.quats)}[{random.randrange(4)}]"
            return [f"{pad}{target} {random.choice(['=', '+='])} {self.scalar(names, 1)}"]
        if word == "struct":
            self.structs.append(name := self.fresh("g"))
            lines = [f"{pad}{name} = P()"]
            lines += [f"{pad}{name}.{field} = {self.scalar(names, 1)}" for field in "ab" if self.chance(0.9)]
            if self.chance(0.7):
                lines.append(f"{pad}{name}.v = wp.vec3d({', '.join(self.scalar(names, 1) for _ in range(3))})")
            return lines
        if word == "nested":
            self.nests.append(name := self.fresh("n"))
            fields = [field for field in ("p.a", "p.b", "c") if self.chance(0.8)]
            return [f"{pad}{name} = Q()", *[f"{pad}{name}.{field} = {self.scalar(names, 1)}" for field in fields]]
        if word == "field" and (self.structs or self.nests):
            return self.field(names, pad)
        if word == "pair" and self.pairs:
            call = f"{random.choice(self.pairs)}({self.scalar(names, 0)}, {self.scalar(names, 0)})"
            left, right = self.fresh("t"), self.fresh("t")
            names.scalars += [left, right]
            if pad == "    " and not loop and self.chance(0.15):
                kept = self.fresh("k")
                return [f"{pad}{kept} = {call}", f"{pad}{left}, {right} = {kept}"]
            return [f"{pad}{left}, {right} = {call}"]
        if word == "extremum" and names.arrays:
            array = random.choice(["out", "out", "a"])
            lines = [f"{pad}out[i, 1] = F(-4.0)"] if array == "out" and self.chance(0.5) else []
            column = "1" if lines else self.column(names)
            return [
                *lines,
                f"{pad}wp.atomic_{random.choice(['min', 'max'])}({array}, i, {column}, {self.scalar(names)})",
            ]
        if word == "return" and not loop and pad == "    " and names.arrays and not self.in_func:
            return [f"{pad}if {self.condition(names)}:", f"{pad}    return"]
        return []

    def field(self, names: Names, pad: str) -> list[str]:
        random = self.random
        if self.changers and self.structs and self.chance(0.4):
            call = f"{random.choice(self.changers)}({random.choice(self.structs)}, {self.scalar(names, 1)})"
            names.scalars.append(name := self.fresh("t"))
            return [f"{pad}{name} = {call}"]
        owner = random.choice(self.structs + [f"{q}.p" for q in self.nests])
        kind = random.choice(["number"] * 4 + ["vector", "component"])
        if kind == "number":
            return [
                f"{pad}{owner}.{random.choice('ab')} {random.choice(['=', '=', '+=', '*='])} {self.scalar(names, 1)}"
            ]
        if kind == "vector":
            return [f"{pad}{owner}.v = wp.vec3d({', '.join(self.scalar(names, 1) for _ in range(3))})"]
        return [f"{pad}{owner}.v[{random.randrange(3)}] = {self.scalar(names, 1)}"]

    def loop(self, kind: str, names: Names, pad: str, depth: int) -> list[str]:
        lines = super().loop(kind, names, pad, depth)
        if kind == "rolled" and self.chance(0.35):
            bounds = [
                f"1, {names.bound}",
                f"{names.bound} - 1",
                f"{names.bound} - 1, -1, -1",
                f"0, {names.bound}, 2",
                f"{names.bound} - 2, {names.bound}",
            ]
            lines[0] = lines[0].replace(f"range({names.bound})", f"range({self.random.choice(bounds)})")
        return lines

    # functions

    in_func = False

    def func(self) -> None:
        self.in_func = True
        saved = self.structs, self.matrices, self.quats, self.nests, self.table
        self.structs, self.matrices, self.quats, self.nests, self.table = [], [], [], [], False
        kind = self.random.choice(["plain", "pair", "changer"])
        if kind == "plain":
            super().func()
        else:
            self.other(kind)
        self.structs, self.matrices, self.quats, self.nests, self.table = saved
        self.in_func = False

    def other(self, kind: str) -> None:
        name = f"{self.name}_{kind[0]}{len(self.funcs)}"
        if kind == "pair":
            names = Names(scalars=["x", "y"], bound="3", arrays=False)
            lines = [f"@wp.func\ndef {name}(x: wp.float64, y: wp.float64):"]
            if self.chance(0.3):
                early = f"F(1.0) * {self.scalar(names, 1)}, F(1.0) * {self.scalar(names, 1)}"
                lines += [f"    if {self.condition(names)}:", f"        return {early}"]
            lines += self.block(names, self.random.randint(0, 2), "    ", 1)
            lines = [line for line in lines if line != "    pass"]
            lines.append(f"    return F(1.0) * {self.scalar(names, 1)}, F(1.0) * {self.scalar(names, 1)}\n\n")
            self.pairs.append(name)
        else:
            names = Names(scalars=["s"], bound="3", arrays=False, protected=frozenset(("s",)))
            self.structs.append("p")
            lines = [f"@wp.func\ndef {name}(p: P, s: wp.float64):"]
            lines += self.field_of("p", names)
            lines += self.block(names, self.random.randint(0, 1), "    ", 1)
            lines.append(f"    return F(1.0) * {self.scalar(names, 1)}\n\n")
            self.changers.append(name)
        self.funcs.append("\n".join(line for line in lines if line.strip() != "pass"))
        self.signatures.append((name, "-"))

    def field_of(self, owner: str, names: Names) -> list[str]:
        if self.chance(0.3):
            return []
        return [f"    {owner}.{self.random.choice('ab')} {self.random.choice(['=', '+='])} {self.scalar(names, 1)}"]

    def kernel(self) -> str:
        text = super().kernel()
        head = f"def {self.name}("
        start = text.index(head) + len(head)
        return text[:start] + SIGNATURE + text[text.index("):", start) :]


def random_kernel(random: Random, name: str) -> str:
    """Source of one random kernel called `name`, with the funcs it calls."""
    return Wide(random, name).kernel()
