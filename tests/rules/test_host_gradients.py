"""ADJ304, ADJ402, ADJ407, ADJ410 and graphs, from source: checks of zeros, leftovers of constructors, replays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.test_host_entries import check
from warp_lint.findings import Severity

TWO_STEPS = """
class Example:
    def __init__(self):
        self.x, self.y = leaf(), leaf()
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.tape = wp.Tape()
        with wp.ScopedCapture() as capture:
            {captured}
        self.graph = capture.graph

    def forward(self):
        wp.launch(square, dim=N, inputs=[self.x], outputs=[self.y])
        wp.launch(total, dim=N, inputs=[self.y], outputs=[self.loss])

    def forward_backward(self):
        self.tape = wp.Tape()
        with self.tape:
            self.forward()
        self.tape.backward(self.loss)

    def update(self):
        wp.launch(scale, dim=N, inputs=[self.x.grad], outputs=[self.x]){mark}

def main():
    example = Example()
    for _ in range(3):
        {step}
        example.update()
        example.tape.zero()

if __name__ == "__main__":
    main()
"""


def test_a_graph_that_holds_the_forward_part_computes_it_again(tmp_path: Path) -> None:
    """Parameters may change between launches: what backward needs is computed anew."""
    step = "wp.capture_launch(example.graph)"
    check(tmp_path, TWO_STEPS.format(captured="self.forward_backward()", step=step, mark=""))


def test_a_graph_that_holds_backward_only_uses_what_changed(tmp_path: Path) -> None:
    body = TWO_STEPS.format(captured="self.tape.backward(self.loss)", step="STEP", mark="  # ADJ304")
    body = body.replace(
        "        with wp.ScopedCapture()",
        "        with self.tape:\n            self.forward()\n        with wp.ScopedCapture()",
    )
    check(tmp_path, body.replace("STEP", "wp.capture_launch(example.graph)"))


CLEARED = """
def main():
    x, k, y = leaf(), leaf(), leaf()
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(multiply, dim=N, inputs=[x, k], outputs=[y])
        wp.launch(total, dim=N, inputs=[y], outputs=[loss])
    tape.backward(loss)
    {before}
    tape.zero(){mark}
    {after}

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("before", "after", "mark"),
    [
        # Read before, and again: a check that they are zero.
        ("print(x.grad.numpy())", "print(x.grad.numpy())", ""),
        # Two read at one place, of which one was known before: a check of both.
        ("print(x.grad.numpy())", "print(x.grad.numpy(), k.grad.numpy())", ""),
        # Only read after the clearing: too late.
        ("pass", "print(x.grad.numpy())", "  # ADJ407"),
        ("print(x.grad.numpy())", "print(k.grad.numpy())", "  # ADJ407"),
    ],
)
def test_gradients_read_after_the_clearing(tmp_path: Path, before: str, after: str, mark: str) -> None:
    check(tmp_path, CLEARED.format(before=before, after=after, mark=mark))


def test_integers_have_no_gradient_to_consume(tmp_path: Path) -> None:
    body = """
    @wp.kernel
    def count(x: wp.array(dtype=float), n: wp.array(dtype=int)):
        i = wp.tid()
        n[i] = int(x[i])

    def main():
        x, y = leaf(), leaf()
        n = wp.zeros(N, dtype=int, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(count, dim=N, inputs=[x], outputs=[n])
            wp.launch(square, dim=N, inputs=[x], outputs=[y])
            wp.launch(total, dim=N, inputs=[y], outputs=[loss])
        tape.backward(loss)
        print(x.grad.numpy(), n.grad.numpy())

    if __name__ == "__main__":
        main()
    """
    check(tmp_path, body)


CONSTRUCTED = """
class Trainer:
    def __init__(self, rate):
        self.x, self.y = leaf(), leaf()
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)
        {warm_up}

    def step(self):
        tape = wp.Tape()
        with tape:
            wp.launch(square, dim=N, inputs=[self.x], outputs=[self.y])
            wp.launch(total, dim=N, inputs=[self.y], outputs=[self.loss])
        tape.backward(self.loss){mark}
        print(self.x.grad.numpy())
        {end}

    def clear(self):
        self.x.grad.zero_()
"""


def test_what_a_constructor_leaves_says_nothing_of_a_method(tmp_path: Path) -> None:
    """Other methods may be called in between."""
    left = CONSTRUCTED.format(warm_up="self.once()", mark="", end="tape.zero()")
    left += "\n    def once(self):\n        tape = wp.Tape()\n        with tape:\n"
    left += "            wp.launch(square, dim=N, inputs=[self.x], outputs=[self.y])\n"
    left += "            wp.launch(total, dim=N, inputs=[self.y], outputs=[self.loss])\n"
    left += "        tape.backward(self.loss)\n"
    check(tmp_path, left)


def test_a_method_called_twice_without_clearing(tmp_path: Path) -> None:
    body = CONSTRUCTED.format(warm_up="self.rate = rate", mark="  # ADJ402", end="pass")
    check(tmp_path, body, Severity.WARNING)


SEEDED = """
def main():
    x, y, seed = leaf(), leaf(), wp.ones(N, dtype=float)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=N, inputs=[x], outputs=[y])
        {late}
    for _ in range(2):
        y.grad = seed{mark}
        tape.backward()
        print(x.grad.numpy())
        {end}

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("late", "mark", "end"),
    [
        ("pass", "  # ADJ410", "tape.zero()"),
        ("pass", "", "tape.zero()\n        seed.fill_(1.0)"),
        ("wp.launch(scale, dim=N, inputs=[y], outputs=[x])  # ADJ401", "", "x.grad.zero_(); seed.fill_(1.0)"),
    ],
)
def test_seeds(tmp_path: Path, late: str, mark: str, end: str) -> None:
    check(tmp_path, SEEDED.format(late=late, mark=mark, end=end))


def test_a_test_runs_once(tmp_path: Path) -> None:
    body = CONSTRUCTED.format(warm_up="self.rate = rate", mark="", end="pass").replace("def step", "def test_final")
    check(tmp_path, body)


GATHERED = """
class Selection:
    def __init__(self, source):
        self.source = source

    def values(self):
        if {shares}:
            found = wp.array(ptr=self.source.ptr, dtype=float, shape=(N,))
            found.grad = self.source.grad
            return found
        return self.source


def main():
    x = leaf()
    x.grad = wp.zeros_like(x, requires_grad=False)
    selection = Selection(x)
    for _ in range(2):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        y = selection.values()
        tape = wp.Tape()
        with tape:
            wp.launch(scale, dim=N, inputs=[x], outputs=[y])
            wp.launch(total, dim=N, inputs=[y], outputs=[loss])
        tape.backward(loss)
        print(x.grad.numpy())
        x.grad.zero_()

if __name__ == "__main__":
    main()
"""


def test_memory_for_a_gradient_is_no_seed(tmp_path: Path) -> None:
    """A gradient that a handle shares is consumed where the handle is written, and starts as zeros anyway."""
    check(tmp_path, GATHERED.format(shares="True"))


ONES = """
def main():
    x, y = leaf(), {start}
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch({reader}, dim=N, inputs=[y], outputs=[x])
        {write}
        wp.launch(total, dim=N, inputs=[x], outputs=[loss])
    tape.backward(loss)
    print(y.grad.numpy())

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("start", "write"),
    [
        ("wp.ones(N, dtype=float, requires_grad=True)", "y.zero_()  # ADJ303"),
        ("wp.ones(N, dtype=float, requires_grad=True)", "y.fill_(1.0)"),
        ("wp.full(N, 2.0, dtype=float, requires_grad=True)", "y.fill_(2.0)"),
        ("wp.full(N, value=2.0, dtype=float, requires_grad=True)", "y.fill_(1.0)  # ADJ303"),
        ("wp.zeros(N, dtype=float, requires_grad=True)", "y.zero_()"),
        ("wp.zeros(N, dtype=float, requires_grad=True)", "y.fill_(1.0)  # ADJ303"),
        ("wp.zeros(N, dtype=float, requires_grad=True)", "wp.launch(scale, dim=N, inputs=[x], outputs=[y])  # ADJ301"),
        (
            "wp.zeros(N, dtype=float, requires_grad=True)",
            "wp.launch(scale, dim=N, inputs=[x], outputs=[y])\n        y.zero_()",
        ),
        (
            "wp.zeros(N, dtype=float, requires_grad=True)",
            "wp.launch(scale, dim=N, inputs=[x], outputs=[y])  # ADJ301\n        y.fill_(1.0)",
        ),
    ],
)
def test_what_an_array_holds_again_was_not_overwritten(tmp_path: Path, start: str, write: str) -> None:
    check(tmp_path, ONES.format(start=start, reader="square", write=write))


PARTS = """
def main():
    x, out, loss = leaf(), leaf(), wp.zeros(1, dtype=float, requires_grad=True)
    starts = wp.array([0, {second}], dtype=int)
    memory = wp.zeros(2 * N, dtype=float, requires_grad=True)
    a = wp.array(ptr={first}, dtype=float, shape=N, requires_grad=True)
    b = wp.array(ptr={other}, dtype=float, shape=N, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(scale, dim=N, inputs=[x], outputs=[a])
        wp.launch(square, dim=N, inputs=[a], outputs=[out])
        wp.launch(square, dim=N, inputs=[x], outputs=[b]){mark}
        wp.launch(total, dim=N, inputs=[out], outputs=[loss])
    tape.backward(loss)
    print(x.grad.numpy())

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("first", "other", "mark"),
    [
        ("memory.ptr", "memory.ptr + 4 * N", ""),
        ("memory.ptr", "memory.ptr", "  # ADJ301"),
        ("int(memory.ptr)", "4 * 2 + int(memory.ptr)", "  # ADJ301"),
        ("memory.ptr + 4 * N", "memory.ptr", ""),
        ("memory.ptr + 4 * N", "memory.ptr + 4 * N", "  # ADJ301"),
        ("memory.ptr", "memory.ptr + 4 * int(starts.numpy()[1])", ""),
    ],
)
def test_addresses_are_of_the_array_that_was_moved_in(tmp_path: Path, first: str, other: str, mark: str) -> None:
    check(tmp_path, PARTS.format(first=first, other=other, mark=mark, second="N"))


def test_an_address_is_not_of_the_array_that_held_an_offset(tmp_path: Path) -> None:
    """`starts` is only read for a number: nothing writes into it."""
    body = """
    def main(base):
        x, out, loss = leaf(), leaf(), wp.zeros(1, dtype=float, requires_grad=True)
        seeds = wp.ones(2, dtype=float)
        start = seeds.numpy()[0]
        for _ in range(2):
            y = leaf()
            y.grad = wp.array(ptr=int(base) + start * 4, dtype=float, shape=N)
            tape = wp.Tape()
            with tape:
                wp.launch(square, dim=N, inputs=[x], outputs=[y])
            tape.backward()
            print(x.grad.numpy())
            tape.zero()

    if __name__ == "__main__":
        main(load())
    """
    check(tmp_path, body)


CLEARED_TOGETHER = """
@wp.kernel
def add(x: wp.array(dtype=float), f: wp.array(dtype=float), g: wp.array(dtype=float)):
    i = wp.tid()
    f[i] += x[i] * x[i]
    g[i] += x[i]

def main():
    x, f, g, loss = leaf(), leaf(), leaf(), wp.zeros(1, dtype=float, requires_grad=True)
    first = x
    tape = wp.Tape()
    with tape:
        for _ in range(2):
            y = leaf()
            {clearing}
            wp.launch(add, dim=N, inputs=[x, f, g])
            wp.launch(multiply, dim=N, inputs=[f, g], outputs=[y])
            x = y
        wp.launch(total, dim=N, inputs=[x], outputs=[loss])
    tape.backward(loss)
    print(first.grad.numpy())

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    "clearing",
    [
        "f.zero_(); g.zero_()  # ADJ303",
        "f.zero_()  # ADJ303\n            g.zero_()  # ADJ303",
        "for a in (f, g):\n                a.zero_()  # ADJ303",
    ],
)
def test_one_finding_per_line(tmp_path: Path, clearing: str) -> None:
    check(tmp_path, CLEARED_TOGETHER.format(clearing=clearing))
