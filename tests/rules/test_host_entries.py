"""Code whose surroundings aren't seen: attributes set elsewhere, elements at unknown places. Exact findings."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from packaging.version import Version

from tests.rules.programs import marks
from warp_lint.config import Overrides
from warp_lint.engine import Request, lint
from warp_lint.findings import Severity

PRELUDE = """
import random
import warp as wp

@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]

@wp.kernel
def scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * 0.5

@wp.kernel
def multiply(x: wp.array(dtype=float), k: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * k[0]

@wp.kernel
def total(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, x[wp.tid()])

N = 4

def leaf():
    return wp.ones(N, dtype=float, requires_grad=True)
"""


def check(tmp_path: Path, body: str, severity: Severity = Severity.ERROR, version: str = "1.19.0") -> None:
    file = tmp_path / "program.py"
    file.write_text(PRELUDE + textwrap.dedent(body))
    result = lint(Request([file], Overrides(target_warp=Version(version)), cache=False))
    assert not result.errors
    found = [f for f in result.findings if f.severity > Severity.INFO]
    assert sorted((f.code, f.location.line) for f in found) == marks(file)
    assert all(f.severity is severity for f in found)


SOLVER = """
class Solver:
    def __init__(self, n):
        self.n = n

    def step(self, x, y):
        wp.launch(square, dim=self.n, inputs=[x], outputs=[self.scratch])
        wp.launch(square, dim=self.n, inputs=[self.scratch], outputs=[y])


class Trainer:
    def __init__(self, solver: Solver):
        self.solver = solver
        self.x, self.y = leaf(), leaf()
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def train(self):
        tape = wp.Tape()
        with tape:
            self.solver.step(self.x, self.y)
            wp.launch(total, dim=N, inputs=[self.y], outputs=[self.loss])
        tape.backward(self.loss)
        print(self.x.grad.numpy())
        tape.zero()
"""


def test_scratch_given_from_outside(tmp_path: Path) -> None:
    body = """
    def make():
        solver = Solver(N)
        solver.scratch = wp.zeros(N, dtype=float)  # ADJ404
        return Trainer(solver)
    """
    check(tmp_path, SOLVER + textwrap.dedent(body))
    check(
        tmp_path, SOLVER + textwrap.dedent(body).replace("dtype=float)  # ADJ404", "dtype=float, requires_grad=True)")
    )


def test_scratch_whose_value_is_a_local_of_another_function(tmp_path: Path) -> None:
    body = """
    def make(scratch):
        solver = Solver(N)
        solver.scratch = scratch
        return Trainer(solver)
    """
    check(tmp_path, SOLVER + textwrap.dedent(body))


LOOP = """
def run(first, k):
    a = leaf()
    states = [leaf() for _ in range({count})]
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        {start}
        for i in range(first, first + 4):
            {body}
        wp.launch(total, dim=N, inputs=[states[(first + 4) % {count}]], outputs=[loss])
    tape.backward(loss)
    print(a.grad.numpy())
"""
STEP = "wp.launch({kernel}, dim=N, inputs=[{source}], outputs=[{target}]){mark}"


@pytest.mark.parametrize(
    ("count", "kernel", "source", "target", "mark"),
    [
        (2, "square", "states[i % 2]", "states[(i + 1) % 2]", "  # ADJ301"),
        (2, "square", "states[i % 2]", "states[1 - i % 2]", "  # ADJ301"),
        (2, "square", "states[i % 2]", "states[(i % 2) ^ 1]", "  # ADJ301"),
        (2, "scale", "states[i % 2]", "states[(i + 1) % 2]", ""),
        (3, "square", "states[i % 3]", "states[(i + 1) % 3]", "  # ADJ301"),
        (9, "square", "states[i]", "states[i + 1]", ""),
    ],
)
def test_states_at_an_unknown_place(
    tmp_path: Path, count: int, kernel: str, source: str, target: str, mark: str
) -> None:
    step = STEP.format(kernel=kernel, source=source, target=target, mark=mark)
    check(tmp_path, LOOP.format(count=count, start=f"wp.copy(states[first % {count}], a)", body=step))


def test_unrelated_places_say_nothing(tmp_path: Path) -> None:
    body = """
    def run(i, j):
        a = leaf()
        pool = [leaf() for _ in range(3)]
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(square, dim=N, inputs=[a], outputs=[pool[0]])
            wp.launch(square, dim=N, inputs=[pool[0]], outputs=[pool[i]])
            wp.launch(square, dim=N, inputs=[pool[i]], outputs=[pool[j]])
            wp.launch(square, dim=N, inputs=[pool[j]], outputs=[pool[random.randint(0, 2)]])
            wp.launch(total, dim=N, inputs=[pool[j]], outputs=[loss])
        tape.backward(loss)
        print(a.grad.numpy())
    """
    check(tmp_path, body)


def test_toggle_of_unknown_start(tmp_path: Path) -> None:
    body = """
    class Simulation:
        def __init__(self, current):
            self.current = current
            self.buffers = {"x": [leaf(), leaf()], "k": leaf()}

        def step(self):
            x = self.buffers["x"]
            source, target = x[self.current], x[1 - self.current]
            wp.launch(multiply, dim=N, inputs=[source, self.buffers["k"]], outputs=[target])  # ADJ301
            self.current = 1 - self.current

        def run(self):
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            tape = wp.Tape()
            with tape:
                for _ in range(4):
                    self.step()
                wp.launch(total, dim=N, inputs=[self.buffers["x"][self.current]], outputs=[loss])
            tape.backward(loss)
            print(self.buffers["k"].grad.numpy())
            tape.zero()
    """
    check(tmp_path, body)


def test_stored_at_an_unknown_place(tmp_path: Path) -> None:
    body = """
    def run(i):
        a = leaf()
        pool = [leaf() for _ in range(3)]
        pool[i] = a
        other = leaf()
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(square, dim=N, inputs=[pool[i]], outputs=[other])
            wp.launch(scale, dim=N, inputs=[other], outputs=[pool[i]])  # ADJ301
            wp.launch(total, dim=N, inputs=[pool[i]], outputs=[loss])
        tape.backward(loss)
        print(a.grad.numpy())
    """
    check(tmp_path, body)


@pytest.mark.parametrize(
    ("version", "arguments", "mark"),
    [
        ("1.13.0", "dest_offset=0, src_offset=1, count=2", "  # ADJ307"),
        ("1.13.0", "dest_offset=1, src_offset=1, count=2", ""),
        ("1.16.0", "dest_offset=0, src_offset=1, count=2", ""),
    ],
)
def test_copy_with_offsets(tmp_path: Path, version: str, arguments: str, mark: str) -> None:
    """Measured on 1.12, 1.13, 1.16: the adjoint of a copy swaps the offsets since 1.16."""
    body = f"""
    def run():
        a, y, out = leaf(), leaf(), leaf()
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.copy(y, a, {arguments}){mark}
            wp.launch(square, dim=N, inputs=[y], outputs=[out])
            wp.launch(total, dim=N, inputs=[out], outputs=[loss])
        tape.backward(loss)
        print(a.grad.numpy())

    if __name__ == "__main__":
        run()
    """
    check(tmp_path, body, version=version)


def test_the_call_that_decides_about_the_gradient(tmp_path: Path) -> None:
    body = """
    def scratch(n, differentiable=False):
        return wp.zeros(n, dtype=float, requires_grad=differentiable)

    def workspace(n, grad):
        return {"y": scratch(n, differentiable=grad)}

    class Pool:
        def __init__(self, n, grad=True):
            self.z = wp.zeros(n, dtype=float, requires_grad=grad)

    def run():
        a, out = leaf(), leaf()
        x = scratch(N)  # ADJ404
        y = workspace(N, False)["y"]  # ADJ404
        good = Pool(N).z
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(square, dim=N, inputs=[a], outputs=[x])
            wp.launch(square, dim=N, inputs=[x], outputs=[y])
            wp.launch(square, dim=N, inputs=[y], outputs=[good])
            wp.launch(square, dim=N, inputs=[good], outputs=[out])
            wp.launch(total, dim=N, inputs=[out], outputs=[loss])
        tape.backward(loss)
        print(a.grad.numpy())

    if __name__ == "__main__":
        run()
    """
    check(tmp_path, body)
    body = body.replace("scratch(N)  # ADJ404", "leaf()").replace("N, False)", "N, True)").replace("]  # ADJ404", "]")
    check(tmp_path, body.replace("Pool(N).z", "Pool(N, grad=False).z  # ADJ404"))


@pytest.mark.parametrize(
    "use", ["return self.x.grad", "return {'x': self.x.grad, 'k': 1}", "self.callback(self.x.grad)"]
)
def test_gradients_handed_on_are_read(tmp_path: Path, use: str) -> None:
    body = f"""
    class Problem:
        def __init__(self, callback):
            self.callback = callback
            self.x, self.k = leaf(), leaf()

        def gradient(self):
            self.x.grad.zero_()
            self.k.grad.zero_()
            a, b = leaf(), leaf()
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            tape = wp.Tape()
            with tape:
                wp.launch(square, dim=N, inputs=[self.x], outputs=[a])
                wp.launch(scale, dim=N, inputs=[a], outputs=[self.x])  # ADJ301
                wp.launch(multiply, dim=N, inputs=[a, self.k], outputs=[b])
                wp.launch(total, dim=N, inputs=[b], outputs=[loss])
            tape.backward(loss)
            print(self.k.grad.numpy())
            {use}
    """
    check(tmp_path, body)


@pytest.mark.parametrize(("gradient", "mark"), [("", ""), (", requires_grad=True", "  # ADJ405")])
def test_launch_kept_off_the_tape(tmp_path: Path, gradient: str, mark: str) -> None:
    """Into an array without gradient it is detached on purpose, at both ends."""
    body = f"""
    def run():
        a, y, out = leaf(), wp.zeros(N, dtype=float{gradient}), leaf()
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(square, dim=N, inputs=[a], outputs=[y], record_tape=False){mark}
            wp.launch(multiply, dim=N, inputs=[a, y], outputs=[out])
            wp.launch(total, dim=N, inputs=[out], outputs=[loss])
        tape.backward(loss)
        print(a.grad.numpy())

    if __name__ == "__main__":
        run()
    """
    check(tmp_path, body)


def test_the_same_launch_again_onto_a_slice(tmp_path: Path) -> None:
    """It stores the values that are there already."""
    body = """
    def run():
        a, k, big, out = leaf(), leaf(), wp.zeros(3 * N, dtype=float, requires_grad=True), leaf()
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            for _ in range(2):
                wp.launch(multiply, dim=N, inputs=[a, k], outputs=[big[0:4]])
                wp.launch(square, dim=N, inputs=[big[0:4]], outputs=[big[4:8]])
                wp.launch(total, dim=N, inputs=[big[4:8]], outputs=[loss])
        tape.backward(loss)
        print(a.grad.numpy(), k.grad.numpy())

    if __name__ == "__main__":
        run()
    """
    check(tmp_path, body)
    changed = body.replace("outputs=[big[4:8]])", "outputs=[big[4:8]])\n            a = big[8:12]", 1)
    changed = changed.replace("outputs=[big[0:4]])", "outputs=[big[0:4]])  # ADJ301", 1)
    check(tmp_path, changed.replace("            a = big", "                a = big"))


def test_a_view_of_a_gradient_is_no_seed(tmp_path: Path) -> None:
    body = """
    def view(x):
        made = wp.array(ptr=x.ptr, shape=x.shape, dtype=float)
        made.grad = wp.array(ptr=x.grad.ptr, shape=x.shape, dtype=float)
        return made

    def run():
        a, y = leaf(), leaf()
        for _ in range(2):
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            tape = wp.Tape()
            with tape:
                wp.launch(square, dim=N, inputs=[a], outputs=[view(y)])
                wp.launch(total, dim=N, inputs=[view(y)], outputs=[loss])
            tape.backward(loss)
            print(a.grad.numpy())
            tape.zero()

    if __name__ == "__main__":
        run()
    """
    check(tmp_path, body)


LOSS_OF_HOST = """
import numpy as np

def main():
    x, y = leaf(), leaf()
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=N, inputs=[x], outputs=[y])
    {made}
    tape.backward({start})
    print(x.grad.numpy())

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("made", "start"),
    [
        ("loss = wp.array([y.numpy().sum()], dtype=float, requires_grad=True)  # ADJ408", "loss"),
        ("loss.fill_(float(np.sum(y.numpy())))  # ADJ408", "loss"),
        ("loss.assign(y.numpy().sum(keepdims=True))  # ADJ408", "loss"),
        ("loss = wp.full(1, float(y.numpy().sum()), dtype=float, requires_grad=True)  # ADJ408", "loss"),
        ("seed = wp.array(2.0 * y.numpy(), dtype=float)", "grads={y: seed}"),
        ("y.grad = wp.array(2.0 * y.numpy(), dtype=float)", ""),
        ("print(float(y.numpy().sum()))", "y"),
    ],
)
def test_a_loss_that_the_host_computes(tmp_path: Path, made: str, start: str) -> None:
    check(tmp_path, LOSS_OF_HOST.format(made=made, start=start))
