"""Random kernels: straight-line code, branches, loops, components, in-place updates, funcs.

Every thread owns row `i` of the arrays (float64, `COLUMNS` wide), so one launch is `ROWS` independent
samples and a finite difference can perturb one column of all rows at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

COLUMNS = 4
ROWS = 8
ARRAYS = ("a", "b", "w", "out")  # all carry a gradient
HEADER = "import warp as wp\n\nF = wp.float64\n\n"
OPERATORS = {"add": "+", "sub": "-", "mul": "*"}
SIGNATURE = ", ".join(f"{name}: wp.array2d(dtype=wp.float64)" for name in ARRAYS) + ", cnt: wp.array(dtype=int)"


@dataclass
class Names:
    """What may be used at a point of the program."""

    scalars: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)  # loop variables inside 0..COLUMNS-1
    bound: str = ""  # name of a runtime loop bound
    arrays: bool = True
    protected: frozenset[str] = frozenset()  # not to be assigned (counters)

    def child(self) -> Names:
        return Names(
            list(self.scalars), list(self.vectors), list(self.indices), self.bound, self.arrays, self.protected
        )


class Generator:
    """Writes one kernel (and its funcs) from a source of randomness."""

    def __init__(self, random: Random, name: str) -> None:
        self.random = random
        self.name = name
        self.count = 0
        self.funcs: list[str] = []
        self.signatures: list[tuple[str, str]] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # expressions

    def constant(self) -> str:
        return f"F({self.random.choice(['0.5', '1.5', '2.0', '-0.7', '0.3', '1.0'])})"

    def element(self, names: Names) -> str:
        array = self.random.choice(["a", "b"] * 4 + ["w", "out"])
        return f"{array}[i, {self.column(names)}]"

    def column(self, names: Names) -> str:
        if names.indices and self.chance(0.6):
            return self.random.choice(names.indices)
        return str(self.random.randrange(COLUMNS))

    def atom(self, names: Names) -> str:
        options = ["constant"]
        options += ["scalar"] * (4 if names.scalars else 0)
        options += ["element"] * (2 if names.arrays else 0)
        options += ["component"] * (1 if names.vectors else 0)
        kind = self.random.choice(options)
        if kind == "scalar":
            return self.random.choice(names.scalars)
        if kind == "element":
            return self.element(names)
        if kind == "component":
            return f"{self.random.choice(names.vectors)}[{self.random.randrange(3)}]"
        return self.constant()

    def scalar(self, names: Names, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.25):
            return self.atom(names)
        x = self.scalar(names, depth - 1)
        kind = self.random.choice(
            [
                "add",
                "sub",
                "mul",
                "mul",
                "scale",
                "neg",
                "sin",
                "tanh",
                "exp",
                "sqrt",
                "div",
                "max",
                "min",
                "vec",
                "call",
            ]
        )
        if kind in ("add", "sub", "mul", "max", "min", "div"):
            y = self.scalar(names, depth - 1)
            if kind == "max" or kind == "min":
                return f"wp.{kind}({x}, {y})"
            if kind == "div":
                return f"({x} / (F(1.0) + {y} * {y}))"
            return f"({x} {OPERATORS[kind]} {y})"
        if kind == "scale":
            return f"({x} * {self.constant()})"
        if kind == "neg":
            return f"(-{x})"
        if kind in ("sin", "tanh"):
            return f"wp.{kind}({x})"
        if kind == "exp":
            return f"wp.exp(wp.sin({x}))"
        if kind == "sqrt":
            return f"wp.sqrt(F(1.0) + {x} * {x})"
        if kind == "vec" and names.vectors:
            v, u = self.random.choice(names.vectors), self.random.choice(names.vectors)
            return self.random.choice([f"wp.dot({v}, {u})", f"wp.length_sq({v})", f"{v}[{self.random.randrange(3)}]"])
        callable = [signature for signature in self.signatures if signature[1] != "-"]
        if kind == "call" and callable:
            func, shape = self.random.choice(callable)
            if names.arrays or "A" not in shape:
                # A func with arrays gets all of them and the row; one without gets the loop bound.
                args = [self.scalar(names, 0) for c in shape if c == "s"]
                args.append("a, b, w, out, cnt, i" if "A" in shape else names.bound)
                return f"{func}({', '.join(args)})"
        return x

    def vector(self, names: Names) -> str:
        options = ["new", "new", "zero", "constant"] + (["scale", "add", "copy"] if names.vectors else [])
        kind = self.random.choice(options)
        if kind == "new":
            return f"wp.vec3d({', '.join(self.scalar(names, 1) for _ in range(3))})"
        if kind == "zero":
            return "wp.vec3d()"
        if kind == "constant":
            return "wp.vec3d(F(0.5), F(1.0), F(-1.0))"
        v = self.random.choice(names.vectors)
        if kind == "scale":
            return f"({v} * {self.scalar(names, 1)})"
        if kind == "copy":
            return v
        return f"({v} + {self.random.choice(names.vectors)})"

    def condition(self, names: Names) -> str:
        return f"{self.scalar(names, 1)} {self.random.choice(['>', '<'])} {self.constant()}"

    # statements

    def block(self, names: Names, size: int, pad: str, depth: int, loop: bool = False) -> list[str]:
        lines: list[str] = []
        for _ in range(size):
            lines += self.statement(names, pad, depth, loop)
        return lines or [f"{pad}pass"]

    def statement(self, names: Names, pad: str, depth: int, loop: bool) -> list[str]:
        kinds = ["new"] * 3 + ["vector"] * 2
        kinds += ["update"] * (4 if names.scalars else 0) + ["component"] * (3 if names.vectors else 0)
        kinds += ["store"] * (3 if names.arrays else 0)
        if depth > 0:
            kinds += ["if"] * 2 + ["unrolled", "rolled"] + (["while"] if self.chance(0.3) else [])
        if loop:
            kinds += ["exit"] if self.chance(0.4) else []
        kind = self.random.choice(kinds)
        if kind == "new":
            line = f"{pad}{(name := self.fresh('t'))} = {self.scalar(names)}"
            # A bare constant or alias could not be changed inside a rolled loop.
            line = line if "(" in line.partition("=")[2] else line.replace("= ", "= F(1.0) * ")
            names.scalars.append(name)
            return [line]
        if kind == "vector":
            line = f"{pad}{(name := self.fresh('v'))} = {self.vector(names)}"
            names.vectors.append(name)
            return [line]
        if kind == "update":
            free = [s for s in names.scalars if s not in names.protected]
            if not free:
                return []
            name = self.random.choice(free)
            operator = self.random.choice(["=", "=", "+=", "+=", "-=", "*="])
            value = self.scalar(names)
            if operator == "=":
                value = f"F(1.0) * {value}"
            return [f"{pad}{name} {operator} {value}"]
        if kind == "component":
            v = self.random.choice(names.vectors)
            operator = self.random.choice(["=", "=", "+=", "-="])
            return [f"{pad}{v}[{self.random.randrange(3)}] {operator} {self.scalar(names, 1)}"]
        if kind == "store":
            array = self.random.choice(["out"] * 5 + ["w", "a"])
            target = f"{array}[i, {self.column(names)}]"
            form = self.random.choice(["=", "=", "+=", "+=", "*=", "atomic", "atomic"])
            if form == "atomic":
                return [f"{pad}wp.atomic_add({array}, i, {self.column(names)}, {self.scalar(names)})"]
            return [f"{pad}{target} {form} {self.scalar(names)}"]
        if kind == "if":
            lines = [f"{pad}if {self.condition(names)}:"]
            lines += self.block(names.child(), self.random.randint(1, 2), pad + "    ", depth - 1, loop)
            if self.chance(0.4):
                lines += [f"{pad}else:", *self.block(names.child(), 1, pad + "    ", depth - 1, loop)]
            return lines
        if kind == "exit":
            word = self.random.choice(["break", "continue"])
            return [f"{pad}if {self.condition(names)}:", f"{pad}    {word}"]
        return self.loop(kind, names, pad, depth)

    def loop(self, kind: str, names: Names, pad: str, depth: int) -> list[str]:
        inner = names.child()
        j = self.fresh("j")
        inner.indices.append(j)
        size = self.random.randint(1, 3)
        if kind == "while":
            inner.protected = inner.protected | {j}
            body = self.block(inner, size, pad + "    ", depth - 1, loop=False)
            step = f"{pad}    {j} += 1"
            return [f"{pad}{j} = int(0)", f"{pad}while {j} < {names.bound}:", *body, step]
        bound = str(self.random.randint(2, 3)) if kind == "unrolled" else names.bound
        body = self.block(inner, size, pad + "    ", depth - 1, loop=True)
        return [f"{pad}for {j} in range({bound}):", *body]

    # functions

    def func(self) -> None:
        name = f"{self.name}_f{len(self.signatures)}"
        arrays = self.chance(0.4)
        count = self.random.randint(1, 2)
        params = [f"p{k}" for k in range(count)]
        text = [f"{p}: wp.float64" for p in params] + ([SIGNATURE + ", i: int"] if arrays else ["n: int"])
        names = Names(scalars=list(params), bound="n", arrays=arrays, protected=frozenset(params))
        lines = [f"@wp.func\ndef {name}({', '.join(text)}):"]
        if arrays:
            lines.append("    n = cnt[i]")
        lines += self.block(names, self.random.randint(1, 3), "    ", 1)
        lines.append(f"    return {self.scalar(names)}\n\n")
        self.funcs.append("\n".join(lines))
        self.signatures.append((name, "s" * count + ("A" if arrays else "N")))

    def kernel(self) -> str:
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            self.func()
        names = Names(bound="n")
        lines = [f"@wp.kernel\ndef {self.name}({SIGNATURE}):", "    i = wp.tid()", "    n = cnt[i]"]
        body = self.block(names, self.random.randint(2, 5), "    ", 2)
        last = f"    out[i, {self.random.randrange(COLUMNS)}] = {self.scalar(names)}"
        text = "\n".join([*lines, *body, last]) + "\n\n\n"
        for (name, _), source in reversed(list(zip(self.signatures, self.funcs, strict=True))):
            if f"{name}(" in text:  # nobody would measure a func that nothing calls
                text = source + text
        return text


def random_kernel(random: Random, name: str) -> str:
    """Source of one random kernel called `name`, with the funcs it calls."""
    return Generator(random, name).kernel()
