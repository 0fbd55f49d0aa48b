"""ADJ404, 405, 408, 409, 411: where the gradient's path ends."""

from __future__ import annotations

from tests.unit.trace.build import ADD, MULTIPLY, SCALE, SQUARE, SUM, Kernel, Program, at, findings, found
from warp_lint.findings import Severity
from warp_lint.trace.model import RecordFunction

DISABLED = Kernel("disabled", {"dst": "src"}, (("src", "src", "dst"),), backward=False, line=50)
SCALED = Kernel("scaled", {"dst": "src"}, scalars="c", scalar_needs=(("c", "src", "dst"),))


def path(first: Kernel = SQUARE, y_grad: bool | None = True, late: str = "", **more) -> tuple[Program, dict[str, int]]:
    p = Program()
    lines: dict[str, int] = {}
    a, out = p.array("a"), p.array("out")
    y = p.array("y", y_grad, **more)
    lines["y"] = p.line
    tape = p.tape()
    with p.on(tape):
        if late == "before":
            p.require(y)
        lines["launch"] = p.launch(first, src=a, dst=y)
        p.launch(SQUARE, src=y, dst=out)
        if late == "after":
            p.require(y)
        loss = p.array("loss")
        p.launch(SUM, x=out, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    return p, lines


def test_missing_requires_grad() -> None:
    p, lines = path(y_grad=False)
    assert found(p) == {("ADJ404", lines["y"])}
    assert findings(p)[0].severity is Severity.ERROR
    for late in ("before", "after"):
        assert found(path(y_grad=False, late=late)[0]) == set()
    assert found(path()[0]) == found(path(y_grad=None)[0]) == set()


def test_what_a_cut_hides() -> None:
    """The scratch has no gradient, and it is overwritten too; so is the next one in the chain."""
    p = Program()
    a, out1, out2 = p.array("a"), p.array("out1"), p.array("out2")
    y = p.array("y", False)
    first = p.line
    z = p.array("z", False)
    second = p.line
    tape = p.tape()
    with p.on(tape):
        p.launch(SCALE, src=a, dst=y)
        p.launch(SQUARE, src=y, dst=z)
        p.launch(SQUARE, src=z, dst=out1)
        line = p.launch(SQUARE, src=a, dst=y)
        p.launch(SCALE, src=y, dst=out2)
        loss = p.array("loss")
        p.launch(SUM, x=out1, loss=loss)
        p.launch(SUM, x=out2, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ404", first), ("ADJ404", second), ("ADJ301", line)}


def test_helper_that_allocates_with_and_without() -> None:
    """The call decides, not the `zeros` in the helper."""
    p = Program()
    a, out, loss = p.array("a"), p.array("out"), p.array("loss")
    line = p.line + 5
    y = p.array("y", False, line=700)
    p.trace.roots[y.region.root].call_path = (at(line),)
    z = p.array("z", line=700)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SQUARE, src=y, dst=z)
        p.launch(SQUARE, src=z, dst=out)
        p.launch(SUM, x=out, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ404", line)}


def test_literal_false_is_an_intention() -> None:
    """One of two ways to the loss is left out; a leaf whose gradient is read and gets nothing is another matter."""
    p = Program()
    a, loss = p.array("a"), p.array("loss")
    y = p.array("y", False, literal=True)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
        p.launch(SUM, x=a, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert [f.severity for f in findings(p)] == [Severity.INFO]

    p, lines = path(y_grad=False, literal=True)
    assert [(f.location.line, f.severity) for f in findings(p)] == [(lines["y"], Severity.WARNING)]


def test_constant_without_gradient() -> None:
    p = Program()
    a, c, out, loss = p.array("a"), p.array("c", False), p.array("out"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(MULTIPLY, src=a, k=c, dst=out)
        p.launch(SUM, x=out, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_array_without_gradient_off_the_path() -> None:
    p = Program()
    a, shown, loss = p.array("a"), p.array("shown", False), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SCALE, src=a, dst=shown)
        p.launch(SUM, x=a, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_view_made_before_requires_grad() -> None:
    p = Program()
    a, out = p.array("a"), p.array("out")
    y = p.array("y", False)
    f = p.view(y, 0, 3, late=False)
    line = f.location.line
    p.require(y)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=f)
        p.launch(SQUARE, src=y, dst=out)
        loss = p.array("loss")
        p.launch(SUM, x=out, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ404", line)}


def test_kernel_without_adjoint() -> None:
    p, _ = path(DISABLED)
    assert found(p) == {("ADJ405", 49)}


def test_kernel_without_adjoint_that_feeds_a_constant() -> None:
    p = Program()
    a, c, out, loss = p.array("a"), p.array("c", False), p.array("out"), p.array("loss")
    n = p.array("n", False)
    tape = p.tape()
    with p.on(tape):
        p.launch(DISABLED, src=n, dst=c)
        p.launch(MULTIPLY, src=a, k=c, dst=out)
        p.launch(SUM, x=out, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_unrecorded_launch() -> None:
    for reason in ("record_tape", "command"):
        p = Program()
        a, y, loss = p.array("a"), p.array("y"), p.array("loss")
        tape = p.tape()
        with p.on(tape):
            line = p.launch(SQUARE, src=a, dst=y, reason=reason)
            p.launch(SUM, x=y, loss=loss)
        p.backward(tape, loss)
        p.read(a)
        assert found(p) == {("ADJ405", line)}


def test_forward_outside_the_tape() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    line = p.launch(SQUARE, src=a, dst=y)
    tape = p.tape()
    with p.on(tape):
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ411", line)}


def test_loss_computed_after_the_tape() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
    line = p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ411", line)}


def test_initial_state_from_constants_outside_the_tape() -> None:
    p = Program()
    a, c, x, loss = p.array("a"), p.array("c", False), p.array("x"), p.array("loss")
    p.launch(SCALE, src=c, dst=x)
    tape = p.tape()
    with p.on(tape):
        y = p.array("y")
        p.launch(MULTIPLY, src=x, k=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def round_trip(how: str) -> tuple[Program, int]:
    p = Program()
    a, y, out = p.array("a"), p.array("y"), p.array("out")
    tape, line = p.tape(), 0
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        if how == "constructor":
            z = p.array("z", origin="array", sources=(y,))
            line = p.line
        elif how == "assign":
            z = p.array("z")
            line = p.line + 1
            p.host_read(y)
            p.line -= 1
            p.fill(z, "assign", source_arrays=(y,))
        elif how == "scalar":
            z = p.array("z")
            line = p.host_read(y)
            p.launch(SCALED, src=y, dst=z, scalar_sources={("c",): (y,)})
        else:
            z = p.array("z")
            line = p.call("wp.utils.array_scan", (y,), (z,))
        p.launch(SQUARE, src=z, dst=out)
        loss = p.array("loss")
        p.launch(SUM, x=out, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    return p, line


def test_host_round_trip() -> None:
    for how in ("constructor", "assign", "scalar", "call"):
        p, line = round_trip(how)
        assert found(p) == {("ADJ408", line)}, how


def test_host_read_that_feeds_nothing() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.host_read(y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def steps(shared_state: bool = True, chain: bool = False, fresh: bool = False) -> tuple[Program, int]:
    """A tape per step; the state is carried from one to the next."""
    p = Program()
    k = p.array("k", shape=(1,))
    states = [p.array("s") for _ in range(4)]
    line = 0
    for t in p.loop(3):
        tape = p.tape()
        if fresh:
            p.fill(states[t], "assign")
        with p.on(tape):
            loss = p.array("loss")
            p.launch(MULTIPLY, src=states[t], k=k, dst=states[t + 1])
            p.launch(SUM, x=states[t + 1], loss=loss)
        if chain:
            p.write_gradient(states[t + 1], "copy")
        line = p.backward(tape, loss)
        p.read(k)
        p.zero(tape)
    return p, line


def test_truncated_horizon() -> None:
    p, line = steps()
    assert found(p) == {("ADJ409", line)}
    assert findings(p)[0].severity is Severity.WARNING
    assert found(steps(fresh=True)[0]) == set()
    assert found(steps(chain=True)[0]) == set()


def test_sums_into_one_array() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        for _ in p.loop(3):
            part = p.array("part")
            p.launch(SQUARE, src=a, dst=part)
            p.launch(ADD, src=part, dst=y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_array_that_gets_its_gradient_as_a_seed() -> None:
    p = Program()
    a, y, seed = p.array("a"), p.array("y", False), p.array("seed", False)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
    p.backward(tape, seeds=((y, seed),))
    p.read(a)
    assert found(p) == set()


def test_adjoint_written_by_hand() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y, reason="record_tape")
        p.add(RecordFunction, arrays=(a, y))
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_rollout_before_the_tape_that_the_tape_repeats() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    p.launch(SQUARE, src=a, dst=y)
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_kernel_without_adjoint_into_an_array_without_gradient_is_detached_on_purpose() -> None:
    p, _ = path(DISABLED, y_grad=False)
    assert found(p) == set()


def test_window_that_moves_on() -> None:
    """Receding horizon: the next window starts, outside the tape, from what the last one computed."""
    p = Program()
    k = p.array("k", shape=(1,))
    first, last = p.array("s0"), p.array("s1")
    for _ in p.loop(2):
        tape = p.tape()
        with p.on(tape):
            loss = p.array("loss")
            p.launch(MULTIPLY, src=first, k=k, dst=last)
            p.launch(SUM, x=last, loss=loss)
        p.backward(tape, loss)
        p.read(k)
        p.zero(tape)
        p.copy(first, last)
    assert found(p) == set()


def test_checkpoints_through_the_host() -> None:
    p = Program()
    k = p.array("k", shape=(1,))
    start, end = p.array("start"), p.array("end")
    p.launch(MULTIPLY, src=start, k=k, dst=end)
    p.host_read(end)
    checkpoint = p.array("checkpoint", origin="array", sources=(end,))
    tape = p.tape()
    with p.on(tape):
        loss, y = p.array("loss"), p.array("y")
        p.launch(MULTIPLY, src=checkpoint, k=k, dst=y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(k)
    assert found(p) == set()
