"""Random host programs with structure: scratch of classes, lists that rotate, deques, dictionaries, structs, views,
nested helpers, adjoints by hand, seeds, Jacobian rows, chained tapes."""

from __future__ import annotations

from random import Random

from tests.property.programs import KERNELS

STRUCTURE_KERNELS = (
    KERNELS
    + """

@wp.struct
class Pair:
    u: wp.array(dtype=wp.float64)
    v: wp.array(dtype=wp.float64)


@wp.kernel
def pair_sine(p: Pair):
    i = wp.tid()
    p.v[i] = wp.sin(p.u[i])


@wp.kernel
def pair_add(p: Pair, dst: Array):
    i = wp.tid()
    dst[i] = p.u[i] + F(0.5) * p.v[i]


@wp.kernel
def add_scaled(g: Array, dst: Array):
    i = wp.tid()
    dst[i] = dst[i] + F(1.5) * g[i]


@wp.kernel
def add_product(g: Array, x: Array, dst: Array):
    i = wp.tid()
    dst[i] = dst[i] + F(2.0) * x[i] * g[i]


@wp.kernel
def square(src: Array, dst: Array):
    i = wp.tid()
    dst[i] = src[i] * src[i]


def make_power(gain, function):
    @wp.kernel(module="unique")
    def power(src: Array, dst: Array):
        i = wp.tid()
        dst[i] = function(src[i]) * F(gain)

    return power


@wp.func
def identity(x: F):
    return x


@wp.func
def cube(x: F):
    return x * x * x


linear = make_power(0.7, identity)
cubic = make_power(0.3, cube)
"""
)

UNARY = ("scale", "sine", "scatter", "scatter_square", "drift", "linear", "cubic", "square")
FRESH = "wp.zeros(4, dtype=wp.float64, requires_grad=True)"
FILLED = "wp.full(4, value=wp.float64(0.4), dtype=wp.float64, requires_grad=True)"
WITHOUT = "wp.zeros(4, dtype=wp.float64)"

HELPERS = """
class Simulation:
    def __init__(self, steps):
        self.steps = steps
        self.scratch = {scratch}
        self.current = 0
        self.fields = {{"x": {field}, "y": {field}}}
        self.states = [{state} for _ in range({count})]

    def step(self, src, dst):
        wp.launch({inner}, dim=4, inputs=[src], outputs=[self.scratch])
        wp.launch({outer}, dim=4, inputs=[self.scratch], outputs=[dst])

    def advance(self):
        target = (self.current + 1) % len(self.states)
        wp.launch({advance}, dim=4, inputs=[self.states[self.current]], outputs=[self.states[target]])
        self.current = target

    @property
    def state(self):
        return self.states[self.current]


def nested(src, dst, times):
    work = {work}

    def once(x, y):
        wp.launch({once}, dim=4, inputs=[x], outputs=[y])

    for n in range(times):
        once(src, work)
        once(work, dst)


def linear_by_hand(tape, src, dst):
    wp.launch(scale, dim=4, inputs=[src], outputs=[dst], record_tape=False)
    if tape is not None:

        def backward():
            wp.launch(add_scaled, dim=4, inputs=[dst.grad], outputs=[src.grad])
            dst.grad.zero_()

        tape.record_func(backward, arrays=[src, dst])


def square_by_hand(tape, src, dst):
    wp.launch(square, dim=4, inputs=[src], outputs=[dst], record_tape=False)
    if tape is not None:

        def backward():
            wp.launch(add_product, dim=4, inputs=[dst.grad, src], outputs=[src.grad])
            dst.grad.zero_()

        tape.record_func(backward, arrays=[src, dst])
"""

PLACES = (
    "y0",
    "y1",
    "sim.scratch",
    'sim.fields["x"]',
    'sim.fields["y"]',
    "states[0]",
    "states[1]",
    "states[-1]",
    "queue[0]",
    "queue[-1]",
    "pair.u",
    "pair.v",
    "grid[0]",
    "grid[1]",
    "big[0:4]",
    "big[4:8]",
    "sim.state",
)
REBOUND = ("y0", "y1", "sim.scratch", 'sim.fields["x"]', "states[0]", "states[-1]", "queue[0]")

MAIN = {
    "loss": """    tape = wp.Tape()
    with tape:
        loss = forward(a, k, tape)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()
""",
    "seed": """    tape = wp.Tape()
    with tape:
        out = output(a, k, tape)
    tape.backward(grads={{out: wp.array([1.0, 2.0, 3.0, 4.0], dtype=wp.float64)}})
    return a.grad.numpy(), k.grad.numpy()
""",
    "jacobian": """    tape = wp.Tape()
    with tape:
        out = output(a, k, tape)
    total_a, total_k = np.zeros(4), np.zeros(4)
    for row in range(4):
        unit = np.zeros(4)
        unit[row] = 1.0
        tape.backward(grads={{out: wp.array(unit, dtype=wp.float64)}})
        total_a += (row + 1.0) * a.grad.numpy()
        total_k += (row + 1.0) * k.grad.numpy()
        {zero}
    return total_a, total_k
""",
    "chained": """    first, second = wp.Tape(), wp.Tape()
    with first:
        middle = output(a, k, first)
    start = wp.clone(middle, requires_grad=True)
    end = wp.zeros(4, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with second:
        wp.launch(linear, dim=4, inputs=[start], outputs=[end])
        wp.launch(weighted_sum, dim=4, inputs=[end, loss])
    second.backward(loss)
    first.backward(grads={{middle: start.grad}})
    return a.grad.numpy(), k.grad.numpy()
""",
}


class StructureGenerator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.kind = self.pick(["loss"] * 5 + ["seed", "jacobian", "jacobian", "chained"])
        self.few = random.sample(PLACES, 5)  # most statements use these, so that they have to do with each other
        self.written: list[str] = []

    def pick(self, values):  # type: ignore[no-untyped-def]
        return self.random.choice(values)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def buffer(self) -> str:
        return WITHOUT if self.chance(0.03) else self.pick((FILLED, FILLED, FRESH))

    def launch(self, kernel: str, sources: list[str], dst: str) -> str:
        if self.chance(0.5):
            return f"wp.launch({kernel}, dim=4, inputs=[{', '.join(sources)}], outputs=[{dst}])"
        return f"wp.launch({kernel}, dim=4, inputs=[{', '.join([*sources, dst])}])"

    def operation(self) -> list[str]:
        dst = self.pick(self.few if self.chance(0.85) else PLACES)
        known = [p for p in self.written[-4:] if p != dst]
        src = self.pick(known) if known and self.chance(0.85) else self.pick([p for p in self.few if p != dst] + ["a"])
        self.written.append(dst)
        kind = self.pick(
            ["unary"] * 6
            + ["multiply", "multiply", "combine", "copy", "offsets", "zero", "fresh", "swap", "rotate", "queue", "step"]
            + ["step", "advance", "advance", "nested", "hand", "hand", "pair", "pair", "index", "alias"]
        )
        if kind == "unary":
            return [self.launch(self.pick(UNARY), [src], dst)]
        if kind == "multiply":
            return [self.launch("multiply", [src, "k"], dst)]
        if kind == "combine":
            return [self.launch("combine", [src, self.pick([*PLACES, "k"])], dst)]
        if kind == "copy":
            return [self.pick([f"wp.copy({dst}, {src})", f"{dst}.assign({src})"])]
        if kind == "offsets":
            count = self.pick((1, 2, 3))
            to, start = self.random.randint(0, 4 - count), self.random.randint(0, 4 - count)
            return [f"wp.copy({dst}, {src}, dest_offset={to}, src_offset={start}, count={count})"]
        if kind == "zero":
            return [f"{dst}.zero_()"]
        if kind == "fresh":
            return [f"{self.pick(REBOUND)} = {self.pick([FRESH, f'wp.clone({src})', f'wp.zeros_like({src})'])}"]
        if kind == "swap":
            one, other = self.random.sample(REBOUND, 2)
            return [f"{one}, {other} = {other}, {one}"]
        if kind == "rotate":
            return [self.pick(["states = states[1:] + states[:1]", "states.append(states.pop(0))", "states.reverse()"])]
        if kind == "queue":
            return [self.pick(["queue.rotate(1)", "queue.append(queue.popleft())", f"queue.append({FRESH})"])]
        if kind == "step":
            return [f"sim.step({src}, {dst})"]
        if kind == "advance":
            return ["sim.advance()"]
        if kind == "nested":
            return [f"nested({src}, {dst}, {self.pick((1, 2))})"]
        if kind == "hand":
            return [f"{self.pick(('linear_by_hand', 'square_by_hand'))}(tape, {src}, {dst})"]
        if kind == "pair":
            return [self.pick(["wp.launch(pair_sine, dim=4, inputs=[pair])", self.launch("pair_add", ["pair"], dst)])]
        if kind == "index":
            n = self.pick((2, 3))
            kernel = self.pick(UNARY)
            return [
                f"for i in range({n}):",
                f"    wp.launch({kernel}, dim=4, inputs=[states[i % 3], states[(i + 1) % 3]])",
            ]
        return [f"alias = {dst}", self.launch(self.pick(UNARY), [src], "alias")]

    def body(self) -> list[str]:
        lines = []
        for place in self.random.sample(self.few, 2):
            self.written.append(place)
            lines.append(self.launch(self.pick(("scale", "sine")), ["a"], place))
        for _ in range(self.random.randint(4, 8)):
            if self.chance(0.2):
                lines.append(f"for n in range({self.pick((2, 3))}):")
                for _ in range(self.random.randint(1, 2)):
                    lines += ["    " + line for line in self.operation()]
            else:
                lines += self.operation()
        return lines

    def program(self) -> str:
        names = {
            "scratch": self.buffer(),
            "field": self.buffer(),
            "state": self.buffer(),
            "count": self.pick((2, 3)),
            "inner": self.pick(UNARY),
            "outer": self.pick(UNARY),
            "advance": self.pick(UNARY),
            "work": self.buffer(),
            "once": self.pick(UNARY),
        }
        body = self.body()
        zero = self.pick(["tape.zero()"] * 5 + ["a.grad.zero_(); k.grad.zero_()", "pass"])
        after = "linear" if self.kind == "chained" else ""
        lines = [
            "from collections import deque\n",
            "import numpy as np",
            "import warp as wp",
            "from structure_kernels import *\n",
            HELPERS.format(**names),
            "",
            "def allocate():",
            "    return ()\n\n",
            "def output(a, k, tape=None):",
            "    sim = Simulation(4)",
            f"    y0, y1 = {self.buffer()}, {self.buffer()}",
            f"    states = [{self.buffer()} for _ in range(3)]",
            f"    queue = deque([{FILLED}, {FILLED}], maxlen={self.pick((2, 3))})",
            "    pair = Pair()",
            f"    pair.u, pair.v = {FILLED}, {FILLED}",
            "    grid = wp.full((3, 4), value=wp.float64(0.3), dtype=wp.float64, requires_grad=True)",
            "    big = wp.full(12, value=wp.float64(0.6), dtype=wp.float64, requires_grad=True)",
            *("    " + line for line in body),
            f"    final = {FRESH}",
            f"    {self.launch('combine', [self.pick(self.written[-2:]), self.pick(self.written[-4:])], 'final')}",
            "    return final\n\n",
            "def forward(a, k, tape=None):",
            "    out = output(a, k, tape)",
        ]
        if after:
            lines += [
                f"    end = {FRESH}",
                "    wp.launch(linear, dim=4, inputs=[out], outputs=[end])",
                "    out = end",
            ]
        lines += [
            "    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)",
            "    wp.launch(weighted_sum, dim=4, inputs=[out, loss])",
            "    return loss\n\n",
            "def main():",
            "    a = wp.array([0.3, 1.1, -0.7, 1.9], dtype=wp.float64, requires_grad=True)",
            "    k = wp.array([0.9, -1.3, 0.6, 1.2], dtype=wp.float64, requires_grad=True)",
            MAIN[self.kind].format(zero=zero),
            "",
            'if __name__ == "__main__":',
            "    print(main())",
        ]
        return "\n".join(lines) + "\n"


def random_structure(random: Random) -> str:
    """Source of one program; it imports its kernels from a file `structure_kernels.py` beside it."""
    return StructureGenerator(random).program()
