"""Launch contexts for the kernel rules."""

from __future__ import annotations

import time

from tests.unit.trace.build import CONSTANT, MULTIPLY, SCALE, SQUARE, SUM, Kernel, Program, found, row
from warp_lint.kernels.activity import KernelActivity
from warp_lint.settings import Settings
from warp_lint.trace.activity import launch_contexts


def contexts(*programs: Program) -> dict[str, KernelActivity]:
    result = launch_contexts([p.trace for p in programs], Settings())
    return {location.path.removesuffix(".py"): activity for location, activity in result.items()}


def test_status() -> None:
    p = Program()
    a, k, y, shown, loss = p.array("a"), p.array("k", False, shape=(1,)), p.array("y"), p.array("s"), p.array("loss")
    p.launch(CONSTANT, dst=shown)
    tape = p.tape()
    with p.on(tape):
        p.launch(MULTIPLY, src=a, k=k, dst=y)
        p.launch(SQUARE, src=a, dst=shown)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    found_ = contexts(p)
    assert found_["constant"].status == "inactive"
    assert found_["multiply"].status == "active"
    (context,) = found_["multiply"].contexts
    assert context.active == {("src",), ("dst",)}
    assert context.useful == {("dst",)}
    assert context.varied == {("src",)}
    (context,) = found_["square"].contexts
    assert context.useful == frozenset()


def test_recorded_without_backward_is_unknown() -> None:
    p = Program()
    a, y = p.array("a"), p.array("y")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
    assert contexts(p)["square"].status == "unknown"


def test_one_differentiated_launch_in_any_trace_makes_it_active() -> None:
    p, q = Program(), Program()
    p.launch(SQUARE, src=p.array("a"), dst=p.array("y"))
    a, y, loss = q.array("a"), q.array("y"), q.array("loss")
    tape = q.tape()
    with q.on(tape):
        q.launch(SQUARE, src=a, dst=y)
        q.launch(SUM, x=y, loss=loss)
    q.backward(tape, loss)
    q.read(a)
    assert contexts(p)["square"].status == "inactive"
    assert contexts(p, q) == contexts(q, p)
    assert contexts(p, q)["square"].status == "active"


def test_kernel_behind_a_cut() -> None:
    p = Program()
    a, y, out, loss = p.array("a"), p.array("y", False), p.array("out"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SCALE, src=y, dst=out)
        p.launch(SUM, x=out, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    (context,) = contexts(p)["square"].contexts
    assert context.useful == {("dst",)}
    (context,) = contexts(p)["scale"].contexts
    assert context.active == {("src",), ("dst",)}


def test_aliased_arguments() -> None:
    p = Program()
    a, loss = p.array("a"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        x = p.clone("x", a)
        p.launch(SCALE, src=x, dst=x)
        p.launch(SUM, x=x, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert contexts(p)["scale"].contexts[0].aliases == (frozenset({("src",), ("dst",)}),)


def test_thousands_of_launches() -> None:
    """Near-linear: a long trajectory, one row per launch, and a long ping-pong."""
    advance = Kernel(
        "advance", {"y": "x"}, (("x", "x", "y"),), index={"x": row(), "y=": row(1), "y": row(1)}, scalars="t"
    )
    steps = 3000
    p = Program()
    a, x = p.array("a"), p.array("x", shape=(steps + 1, 3))
    u, v, k = p.array("u"), p.array("v"), p.array("k", shape=(1,))
    loss = p.array("loss")
    tape = p.tape()
    with p.on(tape):
        for t in range(steps):
            p.line = 50
            p.launch(advance, x=x, y=x, t=t)
            p.launch(MULTIPLY, src=u, k=k, dst=v)
            u, v = v, u
        p.launch(SUM, x=u, loss=loss)
        p.launch(SUM, x=x, loss=loss)
    p.backward(tape, loss)
    p.read(a, x, k)
    start = time.process_time()
    assert found(p) == {("ADJ301", 52)}
    assert time.process_time() - start < 5.0
