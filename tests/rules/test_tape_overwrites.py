"""ADJ301-ADJ308, ADJ401: writes that break a gradient, on traces made by hand."""

from __future__ import annotations

import pytest

from tests.unit.trace.build import (
    ADD,
    ADD_SQUARE,
    CONSTANT,
    DOUBLE,
    LENGTH,
    MULTIPLY,
    SCALE,
    SQUARE,
    SUM,
    Kernel,
    Program,
    findings,
    found,
    row,
)
from warp_lint.findings import Severity

OLD, CLEARING, COPYING = "1.12.0", "1.13.0", "1.17.0"


def finish(p: Program, tape: int, x, *leaves) -> None:
    """Close with a loss over x inside the tape's scope that is open already."""
    loss = p.array("loss")
    p.launch(SUM, x=x, loss=loss)
    p.trace_loss = loss  # type: ignore[attr-defined]


def run(p: Program, tape: int, *leaves) -> None:
    p.backward(tape, p.trace_loss)  # type: ignore[attr-defined]
    p.read(*leaves)


def ping_pong(kernel: Kernel, steps: int, with_k: bool = True) -> tuple[Program, int]:
    p = Program()
    a, k = p.array("a"), p.array("k", shape=(1,))
    tape, line = p.tape(), 0
    with p.on(tape):
        x = p.clone("x", a)
        y = p.array("y")
        for _ in p.loop(steps):
            line = p.launch(kernel, src=x, dst=y, k=k)
            x, y = y, x
        finish(p, tape, x)
    run(p, tape, a, k)
    return p, line


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_linear_ping_pong_is_exact(steps: int) -> None:
    p, line = ping_pong(SCALE, steps)
    assert found(p) == set()
    assert found(p, OLD) == ({("ADJ308", line)} if steps > 1 else set())


@pytest.mark.parametrize("steps", [2, 3, 4])
@pytest.mark.parametrize("kernel", [SQUARE, MULTIPLY], ids=lambda k: k.effects.name)
def test_ping_pong_needs_overwritten_values(kernel: Kernel, steps: int) -> None:
    p, line = ping_pong(kernel, steps)
    assert found(p) == {("ADJ301", line)}
    (finding,) = findings(p)
    assert finding.severity is Severity.ERROR
    assert any(note.message.startswith("iterations") for note in finding.notes)


def test_one_step_of_ping_pong_is_exact() -> None:
    p, _ = ping_pong(MULTIPLY, 1)
    assert found(p) == set()


def test_linear_product_is_exact_without_gradient_of_the_factor() -> None:
    p = Program()
    a, k = p.array("a"), p.array("k", False, shape=(1,))
    tape = p.tape()
    with p.on(tape):
        x, y = p.clone("x", a), p.array("y")
        for _ in range(3):
            p.launch(MULTIPLY, src=x, k=k, dst=y)
            x, y = y, x
        finish(p, tape, x)
    run(p, tape, a)
    assert found(p) == set()


def reuse(first: Kernel, second: Kernel, again: Kernel = SQUARE) -> tuple[Program, int]:
    """Scratch y: written, read by `first`, written again, read by `second`."""
    p = Program()
    a, y, out1, out2 = p.array("a"), p.array("y"), p.array("out1"), p.array("out2")
    tape = p.tape()
    with p.on(tape):
        p.launch(SCALE, src=a, dst=y)
        p.launch(first, src=y, dst=out1)
        line = p.launch(again, src=a, dst=y)
        p.launch(second, src=y, dst=out2)
        loss = p.array("loss")
        p.launch(SUM, x=out1, loss=loss)
        p.launch(SUM, x=out2, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    return p, line


def test_scratch_reused() -> None:
    assert found(reuse(SCALE, SCALE)[0]) == set()
    assert found(reuse(SCALE, SQUARE)[0]) == set()
    p, line = reuse(SQUARE, SCALE)
    assert found(p) == {("ADJ301", line)}
    p, line = reuse(SCALE, SCALE)
    assert found(p, OLD) == {("ADJ308", line)}


def test_writing_the_same_values_again_changes_nothing() -> None:
    p, _ = reuse(SQUARE, SCALE, SCALE)
    assert found(p) == set()


def test_in_place_state_that_another_kernel_needs() -> None:
    move = Kernel("move", {"x": "x v"})
    p = Program()
    a, v, f = p.array("a"), p.array("v"), p.array("f")
    tape, line = p.tape(), 0
    with p.on(tape):
        x = p.clone("x", a)
        for _ in p.loop(3):
            p.launch(SQUARE, src=x, dst=f)
            p.launch(Kernel("kick", {"v": "v f"}), v=v, f=f)
            line = p.launch(move, x=x, v=v)
        finish(p, tape, x)
    run(p, tape, a)
    assert found(p) == {("ADJ301", line)}


def test_disjoint_slices_and_rows() -> None:
    p = Program()
    a, y, out = p.array("a"), p.array("y", shape=(6,)), p.array("out")
    low, high = p.view(y, 0, 3), p.view(y, 3, 6)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=low)
        p.launch(SQUARE, src=low, dst=out)
        p.launch(SCALE, src=a, dst=high)
        finish(p, tape, out)
    run(p, tape, a)
    assert found(p) == set()


def test_overlapping_slices() -> None:
    p = Program()
    a, y, out = p.array("a"), p.array("y", shape=(6,)), p.array("out")
    low, middle = p.view(y, 0, 3), p.view(y, 2, 5)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=low)
        p.launch(SQUARE, src=low, dst=out)
        line = p.launch(SCALE, src=a, dst=middle)
        finish(p, tape, out)
    run(p, tape, a)
    assert found(p) == {("ADJ301", line)}


def trajectory(writes_next: bool) -> tuple[Program, int]:
    after = 1 if writes_next else 0
    advance = Kernel(
        "advance",
        {"y": "x"},
        (("x", "x", "y"),),
        index={"x": row(), "y": row(after), "y=": row(after)},
        scalars="t",
    )
    p = Program()
    a = p.array("a", shape=(4, LENGTH))
    tape, line = p.tape(), 0
    with p.on(tape):
        x = p.clone("x", a)
        x.region  # noqa: B018
        p.trace.roots[x.region.root].shape = (4, LENGTH)
        for t in p.loop(3):
            line = p.launch(advance, x=x, y=x, t=t)
        finish(p, tape, x)
    run(p, tape, a)
    return p, line


def test_one_row_per_step_of_one_array_is_exact() -> None:
    assert found(trajectory(True)[0]) == set()


def test_struct_member_overwritten() -> None:
    use = Kernel("use", {"s.o": "s.q"}, (("s.q", "s.q", "s.o"),))
    refill = Kernel("refill", {"s.q": "z"})
    p = Program()
    a, o = p.array("a"), p.array("o")
    tape = p.tape()
    with p.on(tape):
        q = p.clone("q", a)
        p.launch(use, s__q=q, s__o=o)
        line = p.launch(refill, s__q=q, z=a)
        loss = p.array("loss")
        p.launch(SUM, x=o, loss=loss)
        p.launch(SUM, x=q, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ301", line)}


def test_index_array_overwritten() -> None:
    gather = Kernel("gather", {"out": "x"}, (("ix", "x", "out"),), integers="ix")
    reset = Kernel("reset", {"ix": ""}, integers="ix")
    p = Program()
    x, ix, out = p.array("x"), p.array("ix", False, dtype="int32", origin="array"), p.array("out")
    tape = p.tape()
    with p.on(tape):
        p.launch(gather, x=x, ix=ix, out=out)
        line = p.launch(reset, ix=ix)
        finish(p, tape, out)
    run(p, tape, x)
    assert found(p) == {("ADJ301", line)}


def test_kernel_that_needs_and_overwrites_is_its_own_finding() -> None:
    update = Kernel("update", {"lam": "lam x", "out": "x lam"}, (("lam", "x", "out"),), own="x lam")
    p = Program()
    a, lam = p.array("a"), p.array("lam")
    tape = p.tape()
    with p.on(tape):
        x = p.clone("x", a)
        for _ in p.loop(3):
            y = p.array("y")
            p.launch(update, lam=lam, x=x, out=y)
            x = y
        finish(p, tape, x)
    run(p, tape, a)
    assert found(p) == set()


def test_scratch_written_first_in_the_same_kernel_is_not_in_place() -> None:
    """The kernel fills `tmp`, then needs it; launched again, it overwrites what the first launch needs."""
    kernel = Kernel("both", {"dst": "tmp"}, (("tmp", "tmp", "dst"),))
    effects = kernel.effects
    from dataclasses import replace

    from warp_lint.kernels.effects import Access, Touch

    store = Touch(("tmp",), Access.STORE, effects.touches[0].index, effects.location)
    flows = {("dst",): frozenset({("tmp",), ("src",)}), ("tmp",): frozenset({("src",)})}
    read = Touch(("src",), Access.READ, effects.touches[0].index, effects.location)
    kernel.effects = replace(effects, touches=(read, store, *effects.touches), flows=flows, values=flows)
    p = Program()
    a, tmp = p.array("a"), p.array("tmp")
    tape, line = p.tape(), 0
    with p.on(tape):
        x = a
        for _ in p.loop(2):
            y = p.array("y")
            line = p.launch(kernel, src=x, tmp=tmp, dst=y)
            x = y
        finish(p, tape, x)
    run(p, tape, a)
    assert found(p) == {("ADJ301", line)}


def over_read(reader: Kernel, write, read_after: bool = False) -> tuple[Program, int]:
    p = Program()
    x = p.array("x", origin="array")
    tape = p.tape()
    with p.on(tape):
        x2, d = p.clone("x2", x), p.array("d")
        p.launch(reader, src=x2, dst=d)
        line = write(p, x2)
        loss = p.array("loss")
        p.launch(SUM, x=d, loss=loss)
        if read_after:
            p.launch(SUM, x=x2, loss=loss)
    p.backward(tape, loss)
    p.read(x)
    return p, line


WRITES = {
    "zero": (lambda p, x: p.fill(x), "ADJ303"),
    "fill": (lambda p, x: p.fill(x, "fill", 1.0), "ADJ303"),
    "assign": (lambda p, x: p.fill(x, "assign"), "ADJ303"),
    "copy": (lambda p, x: p.copy(x, p.array("ones", False, origin="ones")), "ADJ302"),
    "assign array": (lambda p, x: p.copy(x, p.array("ones", origin="ones"), "assign"), "ADJ302"),
    "launch": (lambda p, x: p.launch(CONSTANT, dst=x), "ADJ301"),
}


@pytest.mark.parametrize("name", WRITES)
def test_write_after_nonlinear_read(name: str) -> None:
    write, code = WRITES[name]
    p, line = over_read(SQUARE, write)
    assert found(p) == {(code, line)}


@pytest.mark.parametrize("name", WRITES)
def test_write_after_linear_read_is_exact_if_nothing_reads_again(name: str) -> None:
    p, _ = over_read(SCALE, WRITES[name][0])
    assert found(p) == set()


@pytest.mark.parametrize("name", ["zero", "fill", "assign", "copy"])
def test_gradient_runs_through_an_unrecorded_write(name: str) -> None:
    write, code = WRITES[name]
    p, line = over_read(SCALE, write, read_after=True)
    assert found(p) == {(code, line)}


def test_recorded_store_stops_the_gradient() -> None:
    p, line = over_read(SCALE, WRITES["launch"][0], read_after=True)
    assert found(p) == set()
    assert found(p, OLD) == {("ADJ308", line)}


def test_part_of_an_array_filled() -> None:
    p = Program()
    a, y, out = p.array("a"), p.array("y"), p.array("out")
    middle = p.view(y, 1, 2)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        line = p.fill(middle, "fill", 4.0)
        p.launch(SQUARE, src=y, dst=out)
        finish(p, tape, out)
    run(p, tape, a)
    assert found(p) == {("ADJ303", line)}


def force_buffer(steps: int, force: Kernel, clear: bool, fresh: bool = False) -> tuple[Program, int]:
    integrate = Kernel("integrate", {"x1": "x f"})
    p = Program()
    a = p.array("a")
    tape, line = p.tape(), 0
    with p.on(tape):
        x, f = p.clone("x", a), p.array("f")
        for _ in p.loop(steps):
            if fresh:
                f = p.array("f")
            if clear:
                line = p.fill(f)
            p.launch(force, src=x, dst=f)
            x1 = p.array("x1")
            p.launch(integrate, x=x, f=f, x1=x1)
            x = x1
        finish(p, tape, x)
    run(p, tape, a)
    return p, line


def test_buffer_cleared_and_accumulated_again() -> None:
    p, line = force_buffer(3, ADD_SQUARE, True)
    assert found(p) == {("ADJ303", line)}
    assert found(force_buffer(1, ADD_SQUARE, True)[0]) == set()
    assert found(force_buffer(3, ADD_SQUARE, True, fresh=True)[0]) == set()
    assert found(force_buffer(3, SQUARE, False)[0]) == set()
    assert found(force_buffer(3, SQUARE, True)[0]) == set()


def test_copy_below_117() -> None:
    """A copy whose source is read later; as the last use of its source it is exact."""
    p = Program()
    a, out1, out2 = p.array("a"), p.array("out1"), p.array("out2")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=out1)
        c = p.clone("c", a)
        line = c.location.line
        p.launch(SQUARE, src=c, dst=out2)
        loss = p.array("loss")
        p.launch(SUM, x=out1, loss=loss)
        p.launch(SUM, x=out2, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == found(p, CLEARING) == set()
    q = Program()
    a, out1, out2 = q.array("a"), q.array("out1"), q.array("out2")
    tape = q.tape()
    with q.on(tape):
        c = q.clone("c", a)
        line = c.location.line
        q.launch(SQUARE, src=c, dst=out1)
        q.launch(SQUARE, src=a, dst=out2)
        loss = q.array("loss")
        q.launch(SUM, x=out1, loss=loss)
        q.launch(SUM, x=out2, loss=loss)
    q.backward(tape, loss)
    q.read(a)
    assert found(q) == found(q, COPYING) == set()
    assert found(q, "1.16.0") == {("ADJ307", line)}


def test_copy_back_of_equal_values() -> None:
    p = Program()
    a, out = p.array("a"), p.array("out")
    tape = p.tape()
    with p.on(tape):
        q = p.clone("q", a)
        p.launch(SQUARE, src=q, dst=out)
        p.copy(q, a)
        finish(p, tape, out)
    run(p, tape, a)
    assert found(p) == set()


def off_tape(reader: Kernel, target: str, write=lambda p, x: p.fill(x)) -> tuple[Program, int]:
    p = Program()
    a, y, out = p.array("a", origin="array"), p.array("y"), p.array("out")
    tape = p.tape()
    with p.on(tape):
        p.launch(reader, src=a, dst=y)
        p.launch(reader, src=y, dst=out)
        finish(p, tape, out)
    line = write(p, {"a": a, "y": y, "out": out}[target])
    run(p, tape, a)
    p.fill(y)
    p.launch(CONSTANT, dst=a)
    return p, line


def test_write_between_tape_and_backward() -> None:
    for target in ("a", "y"):
        p, line = off_tape(SQUARE, target)
        assert found(p) == {("ADJ304", line)}
    p, line = off_tape(SQUARE, "a", lambda p, x: p.step_optimizer(x))
    assert ("ADJ304", line) in found(p)
    assert found(off_tape(SQUARE, "out")[0]) == set()
    assert found(off_tape(SCALE, "y")[0]) == set()


def test_loss_cleared_before_backward_is_harmless() -> None:
    p = Program()
    a, loss = p.array("a"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SUM, x=a, loss=loss)
    p.fill(loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_work_after_the_loss() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
        p.launch(CONSTANT, dst=y)
        line = p.launch(CONSTANT, dst=a)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ401", line)}


def test_update_by_gradients_that_are_still_zero() -> None:
    update = Kernel("update", {"x": "x"})
    from dataclasses import replace

    x_path, grad = ("x",), ("g",)
    update.effects = replace(update.effects, values={x_path: frozenset({x_path, grad})})
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    gradient = p.array("a.grad", False)
    gradient.gradient_of = a
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
        p.launch(update, x=a, g=gradient)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_rebound_states() -> None:
    """`states[0] = states[-1]`: the first step of the next rollout reads what its last step overwrites."""
    p = Program()
    k = p.array("k", shape=(1,))
    states = [p.array("s0"), p.array("s1"), p.array("s2")]
    line = p.rebind(states[2], "states[0]", "states[2]", states[0])
    states[0] = states[2]
    tape = p.tape()
    with p.on(tape):
        for step in p.loop(2):
            p.launch(MULTIPLY, src=states[step], k=k, dst=states[step + 1])
        finish(p, tape, states[-1])
    run(p, tape, k)
    assert found(p) == {("ADJ305", line)}


def test_pointer_handle_has_another_gradient() -> None:
    p = Program()
    a, y, out = p.array("a"), p.array("y"), p.array("out")
    tape = p.tape()
    with p.on(tape):
        z = p.view(y, 0, 3, pointer=True)
        line = z.location.line
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SQUARE, src=z, dst=out)
        finish(p, tape, out)
    run(p, tape, a)
    assert found(p) == {("ADJ305", line)}


def test_written_through_a_pointer_handle() -> None:
    for carries in (True, False):
        p = Program()
        a, y, out = p.array("a"), p.array("y"), p.array("out")
        z = p.view(y, 0, 3, pointer=True)
        z.requires_grad = carries
        z.grad_root = z.grad_root if carries else None
        line = z.location.line
        tape = p.tape()
        with p.on(tape):
            p.launch(SQUARE, src=a, dst=z)
            p.launch(SQUARE, src=y, dst=out)
            finish(p, tape, out)
        run(p, tape, a)
        assert found(p) == {("ADJ305", line)}


def mutated(kind: str, member: str, before: bool = False) -> tuple[Program, int]:
    use = Kernel("use", {"out": "s.q"}, scalar_needs=(("s.g", "s.q", "out"),))
    p = Program()
    a, out = p.array("a"), p.array("out")
    tape = p.tape()
    with p.on(tape):
        line = p.mutate(7, member, kind) if before else 0
        p.launch(use, s__q=a, out=out, structs={("s",): 7})
        line = line if before else p.mutate(7, member, kind)
        finish(p, tape, out)
    run(p, tape, a)
    return p, line


def test_launch_argument_changed() -> None:
    for kind, member in [("scalar", "g"), ("rebind", "q"), ("rebuild", "")]:
        p, line = mutated(kind, member)
        assert found(p) == {("ADJ306", line)}, kind
        assert found(mutated(kind, member, before=True)[0]) == set()
    assert found(mutated("scalar", "unused")[0]) == set()


def test_in_place_scaling_is_exact_since_113() -> None:
    p = Program()
    a, y = p.array("a"), p.array("y")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(DOUBLE, y=y)
        p.launch(ADD, src=a, dst=y)
        finish(p, tape, y)
    run(p, tape, a)
    assert found(p) == set()


def test_severity_by_certainty() -> None:
    p, _ = over_read(SQUARE, WRITES["launch"][0])
    assert [f.severity for f in findings(p)] == [Severity.ERROR]
    p, _ = over_read(SQUARE, lambda p, x: (p.opaque(x), p.launch(CONSTANT, dst=x))[1])
    assert [f.severity for f in findings(p)] == [Severity.WARNING]

    def assumed(p: Program, x) -> int:
        p.assumed = True
        line = p.launch(CONSTANT, dst=x)
        p.assumed = False
        return line

    p, _ = over_read(SQUARE, assumed)
    assert [f.severity for f in findings(p)] == [Severity.WARNING]
    p, _ = over_read(SQUARE, WRITES["launch"][0])
    p.trace.events = [e for e in p.trace.events if type(e).__name__ != "GradientRead"]
    assert [f.severity for f in findings(p)] == [Severity.WARNING]


def test_opposite_arms_do_not_meet() -> None:
    p = Program()
    x, d = p.array("x", origin="array"), p.array("d")
    tape = p.tape()
    with p.on(tape):
        x2 = p.clone("x2", x)
        with p.arm(1, True):
            p.launch(SQUARE, src=x2, dst=d)
        with p.arm(1, False):
            p.launch(CONSTANT, dst=x2)
        finish(p, tape, d)
    run(p, tape, x)
    assert found(p) == set()


def test_unknown_kernel_claims_nothing() -> None:
    p, _ = over_read(SQUARE, lambda p, x: p.launch(None, **{"#0": x}))
    assert found(p) == set()


def recorded_only(backward_elsewhere: bool = False) -> tuple[Program, int]:
    p = Program()
    a, b, c = p.array("a", origin="array"), p.array("b"), p.array("c", origin="array")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=b)
        line = p.launch(SCALE, src=c, dst=a)
    if backward_elsewhere:
        p.backward(tape, seeds=((a, None),))
        p.read(c)
    return p, line


def test_tape_whose_backward_pass_is_not_seen() -> None:
    p, line = recorded_only()
    assert found(p) == {("ADJ301", line)}
    assert findings(p)[0].severity is Severity.WARNING


def test_nothing_is_presumed_where_another_run_differentiates() -> None:
    from warp_lint.rules.tape import check_traces
    from warp_lint.settings import Settings

    p, q = recorded_only()[0], recorded_only(True)[0]
    assert check_traces([q.trace], Settings()) == []
    assert check_traces([p.trace, q.trace], Settings()) == []
