"""Random host programs: launches, copies, fills, swaps and loops over a few buffers on one tape."""

from __future__ import annotations

from random import Random

KERNELS = """import warp as wp

Array = wp.array(dtype=wp.float64)
F = wp.float64


@wp.kernel
def scale(src: Array, dst: Array):
    i = wp.tid()
    dst[i] = src[i] * F(1.5)


@wp.kernel
def multiply(src: Array, k: Array, dst: Array):
    i = wp.tid()
    dst[i] = src[i] * k[i]


@wp.kernel
def sine(src: Array, dst: Array):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def combine(src: Array, other: Array, dst: Array):
    i = wp.tid()
    dst[i] = src[i] + F(0.5) * other[i]


@wp.kernel
def scatter(src: Array, dst: Array):
    i = wp.tid()
    wp.atomic_add(dst, i, F(0.7) * src[i])


@wp.kernel
def scatter_square(src: Array, dst: Array):
    i = wp.tid()
    wp.atomic_add(dst, i, src[i] * src[i])


@wp.kernel
def drift(src: Array, dst: Array):
    i = wp.tid()
    dst[i] = dst[i] + F(0.1) * src[i]


@wp.kernel
def weighted_sum(x: Array, loss: Array):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (F(i) + F(1.0)))
"""

UNARY = ("scale", "sine", "scatter", "scatter_square", "drift")
LENGTH = 4
FRESH = f"wp.zeros({LENGTH}, dtype=wp.float64, requires_grad=True)"
FILLED = f"wp.full({LENGTH}, value=wp.float64(0.4), dtype=wp.float64, requires_grad=True)"
WITHOUT = f"wp.zeros({LENGTH}, dtype=wp.float64)"


class ProgramGenerator:
    """Writes one program from a source of randomness; `forward` gets the leaves and the buffers."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = random.randint(2, 4)
        self.buffers = [f"y{k}" for k in range(self.count)]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def operation(self, names: list[str]) -> list[str]:
        """One or two statements. `names` are buffers; leaves `a` and `k` are read only."""
        dst = self.random.choice(names)
        src = self.random.choice([n for n in names if n != dst] + ["a"])
        others = ["combine", "copy", "zero", "fill", "fresh", "clone", "swap"]
        kind = self.random.choice(["unary"] * 6 + ["multiply"] * 2 + others)
        if kind == "unary":
            return [self.launch(self.random.choice(UNARY), [src], dst)]
        if kind == "multiply":
            return [self.launch("multiply", [src, "k"], dst)]
        if kind == "combine":
            other = self.random.choice([n for n in names if n != dst] + ["k"])
            return [self.launch("combine", [src, other], dst)]
        if kind == "copy":
            return [self.random.choice([f"wp.copy({dst}, {src})", f"{dst}.assign({src})"])]
        if kind == "zero":
            return [f"{dst}.zero_()"]
        if kind == "fill":
            return [f"{dst}.fill_(0.3)"]
        if kind == "fresh":
            return [f"{dst} = {self.random.choice([f'wp.zeros_like({dst})', FRESH])}"]
        if kind == "clone":
            return [f"{dst} = wp.clone({src})"]
        other = self.random.choice([n for n in names if n != dst])
        return [f"{dst}, {other} = {other}, {dst}"]

    def launch(self, kernel: str, sources: list[str], dst: str) -> str:
        if self.chance(0.5):
            return f"wp.launch({kernel}, dim={LENGTH}, inputs=[{', '.join(sources)}], outputs=[{dst}])"
        return f"wp.launch({kernel}, dim={LENGTH}, inputs=[{', '.join([*sources, dst])}])"

    def body(self) -> list[str]:
        lines: list[str] = [self.launch(self.random.choice(("scale", "sine")), ["a"], self.buffers[0])]
        for _ in range(self.random.randint(2, 6)):
            if self.chance(0.25):
                lines.append(f"for _ in range({self.random.randint(2, 3)}):")
                for _ in range(self.random.randint(1, 3)):
                    lines += ["    " + line for line in self.operation(self.buffers)]
            else:
                lines += self.operation(self.buffers)
        return lines

    def program(self) -> str:
        buffers = ", ".join(self.buffers)
        kinds = [WITHOUT if self.chance(0.06) else self.random.choice([FRESH, FILLED]) for _ in self.buffers]
        allocations = [f"        {kind}," for kind in kinds]
        late = [f"    {self.random.choice(self.buffers)}.zero_()"] if self.chance(0.15) else []
        lines = [
            "import warp as wp",
            "from kernels import combine, drift, multiply, scale, scatter, scatter_square, sine, weighted_sum\n\n",
            "def allocate():",
            "    return (",
            *allocations,
            "    )\n\n",
            f"def forward(a, k, {buffers}):",
            *("    " + line for line in self.body()),
            "    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)",
            f"    wp.launch(weighted_sum, dim={LENGTH}, inputs=[{self.random.choice(self.buffers)}, loss])",
            "    return loss\n\n",
            "def main():",
            "    a = wp.array([0.3, 1.1, -0.7, 1.9], dtype=wp.float64, requires_grad=True)",
            "    k = wp.array([0.9, -1.3, 0.6, 1.2], dtype=wp.float64, requires_grad=True)",
            f"    {buffers} = allocate()",
            "    tape = wp.Tape()",
            "    with tape:",
            f"        loss = forward(a, k, {buffers})",
            *late,
            "    tape.backward(loss)",
            '    print("a.grad:", a.grad.numpy())',
            '    print("k.grad:", k.grad.numpy())',
            "    return a.grad.numpy(), k.grad.numpy()\n\n",
            'if __name__ == "__main__":',
            "    main()",
        ]
        return "\n".join(lines) + "\n"


def random_program(random: Random) -> str:
    """Source of one program; it imports its kernels from a file `kernels.py` beside it."""
    return ProgramGenerator(random).program()
