"""ADJ402, 403, 406, 407, 410, 412, 413: gradients over several backward passes."""

from __future__ import annotations

import pytest

from tests.unit.trace.build import (
    ADD_SQUARE,
    MULTIPLY,
    SCALE,
    SQUARE,
    STORE_LOSS,
    SUM,
    Kernel,
    Program,
    findings,
    found,
)

OLD = "1.12.0"


def training(
    *,
    inner: Kernel = SQUARE,
    shared_y: bool = False,
    shared_loss: bool = False,
    shared_tape: bool = False,
    before: str = "",
    after: str = "",
    optimizer: bool = False,
    read: bool = True,
    retain: bool = False,
    steps: int = 2,
) -> tuple[Program, dict[str, int]]:
    """The usual loop; lines by name."""
    p = Program()
    lines: dict[str, int] = {}
    a, y, loss = p.array("a"), p.array("y", retain=retain), p.array("loss")
    tape = p.tape()
    for _ in p.loop(steps):
        tape = tape if shared_tape else p.tape()
        for word in before.split():
            lines[word] = clear(p, word, tape, a, y, loss)
        with p.on(tape):
            lines["with"] = p.line
            if not shared_y:
                y = p.array("y", retain=retain)
            if not shared_loss:
                loss = p.array("loss")
            p.launch(inner, src=a, dst=y)
            lines["loss"] = p.launch(SUM, x=y, loss=loss)
        lines["backward"] = p.backward(tape, loss)
        if read:
            p.read(a)
        if optimizer:
            p.step_optimizer(a)
        for word in after.split():
            lines[word] = clear(p, word, tape, a, y, loss)
    return p, lines


def clear(p: Program, word: str, tape: int, a, y, loss) -> int:
    if word == "zero":
        return p.zero(tape)
    if word == "reset":
        return p.reset(tape)
    if word == "a.grad":
        return p.write_gradient(a)
    if word == "y.zero":
        return p.fill(y)
    assert word == "loss.zero"
    return p.fill(loss)


EXACT = [
    {"after": "zero"},
    {"after": "a.grad"},
    {"after": "a.grad", "shared_loss": True},
    {"after": "zero", "shared_y": True},
    {"after": "a.grad", "shared_y": True, "shared_loss": True},
    {"shared_tape": True, "before": "reset"},
    {"after": "zero", "shared_loss": True},
    {"after": "zero", "optimizer": True},
    {"after": "zero", "inner": ADD_SQUARE, "shared_y": True, "before": "y.zero"},
]


@pytest.mark.parametrize("options", EXACT, ids=str)
def test_cleared_in_time(options) -> None:
    assert found(training(**options)[0]) == set()


MISSING = [
    {},
    {"before": "zero"},
    {"optimizer": True},
    {"optimizer": True, "read": False},
    {"after": "a.grad", "inner": ADD_SQUARE, "shared_y": True, "before": "y.zero"},
]


@pytest.mark.parametrize("options", MISSING, ids=str)
def test_missing_zero(options) -> None:
    p, lines = training(**options)
    assert found(p) == {("ADJ402", lines["backward"])}


def test_missing_zero_names_the_pass_before() -> None:
    p = Program()
    a, y = p.array("a"), p.array("y")
    lines = []
    for _ in range(2):
        tape = p.tape()
        with p.on(tape):
            loss = p.array("loss")
            p.launch(SQUARE, src=a, dst=y)
            p.launch(SUM, x=y, loss=loss)
        lines.append(p.backward(tape, loss))
        p.read(a)
    (finding,) = findings(p)
    assert finding.location.line == lines[1]
    assert (finding.notes[0].location.line, finding.notes[0].message) == (lines[0], "the backward pass before")


def test_a_gradient_that_the_host_rewrote_names_the_write() -> None:
    p = Program()
    a, y = p.array("a"), p.array("y")
    for _ in p.loop(2):
        tape = p.tape()
        with p.on(tape):
            loss = p.array("loss")
            p.launch(SQUARE, src=a, dst=y)
            p.launch(SUM, x=y, loss=loss)
        p.backward(tape, loss)
        p.read(a)
        written = p.write_gradient(a, "assign")
        p.read(a)
    (finding,) = findings(p)
    assert [(n.location.line, n.message) for n in finding.notes[:1]] == [(written, "what it holds comes from here")]


def test_accumulation_that_nothing_reads_in_between_is_meant() -> None:
    p = Program()
    a, y = p.array("a"), p.array("y")
    for _ in p.loop(3):
        tape = p.tape()
        with p.on(tape):
            loss = p.array("loss")
            p.launch(SQUARE, src=a, dst=y)
            p.launch(SUM, x=y, loss=loss)
        p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def test_store_written_intermediate_before_113() -> None:
    p, lines = training(after="a.grad", shared_y=True, shared_loss=True)
    assert found(p, OLD) == {("ADJ402", lines["backward"])}


def twice(kernel: Kernel, retain: bool, clear_between: str) -> tuple[Program, int]:
    p = Program()
    a, y, loss = p.array("a"), p.array("y", retain=retain), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(kernel, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    if clear_between:
        clear(p, clear_between, tape, a, y, loss)
    line = p.backward(tape, loss)
    p.read(a)
    return p, line


def test_backward_twice() -> None:
    assert found(twice(SQUARE, False, "a.grad")[0]) == set()
    assert found(twice(ADD_SQUARE, False, "zero")[0]) == set()
    for kernel, retain, between, code in [
        (ADD_SQUARE, False, "", "ADJ402"),
        (SQUARE, False, "", "ADJ402"),
        (ADD_SQUARE, False, "a.grad", "ADJ402"),
        (SQUARE, True, "a.grad", "ADJ406"),
    ]:
        p, line = twice(kernel, retain, between)
        assert found(p) == {(code, line)}


def jacobian(zero: bool) -> tuple[Program, int]:
    p = Program()
    a, y, seed = p.array("a"), p.array("y"), p.array("seed", False)
    tape, line = p.tape(), 0
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
    for _ in p.loop(3):
        line = p.backward(tape, seeds=((y, seed),))
        p.read(a)
        if zero:
            p.zero(tape)
    return p, line


def test_jacobian_rows() -> None:
    assert found(jacobian(True)[0]) == set()
    p, line = jacobian(False)
    assert found(p) == {("ADJ402", line)}


def test_tape_entered_again() -> None:
    p, lines = training(shared_tape=True, shared_loss=True, before="loss.zero", after="zero")
    assert found(p) == {("ADJ403", lines["with"])}
    p, lines = training(shared_tape=True, shared_loss=True, shared_y=True, before="loss.zero", after="zero", steps=4)
    assert found(p) == {("ADJ403", lines["with"])}
    p, lines = training(shared_tape=True, shared_loss=True, after="zero")
    assert ("ADJ403", lines["with"]) in found(p)


def test_tape_entered_again_with_fresh_arrays_and_cleared_seeds_is_harmless() -> None:
    assert found(training(shared_tape=True, after="zero")[0]) == set()


def test_tape_entered_twice_before_backward() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
    with p.on(tape):
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == set()


def retained(*kernels: Kernel) -> tuple[Program, int]:
    p = Program()
    a, y, loss = p.array("a"), p.array("y", retain=True), p.array("loss")
    tape, line = p.tape(), 0
    with p.on(tape):
        for kernel in kernels:
            line = p.launch(kernel, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    return p, line


def test_retained_gradient() -> None:
    assert found(retained(SQUARE)[0]) == set()
    assert found(retained(ADD_SQUARE, ADD_SQUARE)[0]) == set()
    assert found(retained(SQUARE, ADD_SQUARE)[0]) == set()
    for kernels in ((ADD_SQUARE, SQUARE), (SQUARE, SCALE)):
        p, line = retained(*kernels)
        assert found(p) == {("ADJ406", line)}


def test_retained_array_copied_onto() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y", retain=True), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        z = p.clone("z", a)
        line = p.copy(y, z)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(a)
    assert found(p) == {("ADJ406", line)}


def single(end) -> tuple[Program, int]:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
    return p, end(p, tape, a, y, loss)


def test_gradient_read_after_zero() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        p.backward(tape, loss)
        line = p.zero(tape)
        p.read(a)
        return line

    p, line = single(end)
    assert found(p) == {("ADJ407", line)}


def test_gradient_read_before_and_after_zero() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        p.backward(tape, loss)
        p.read(a)
        p.zero(tape)
        return p.read(a)

    assert found(single(end)[0]) == set()


def test_gradient_read_before_backward() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        line = p.read(a)
        p.backward(tape, loss)
        return line

    p, line = single(end)
    assert found(p) == {("ADJ407", line)}


def test_host_view_zeroed() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        p.backward(tape, loss)
        p.read(a, keeps_view=True)
        line = p.zero(tape)
        p.read(a, kind="view")
        return line

    p, line = single(end)
    assert found(p) == {("ADJ407", line)}


def test_host_view_used_before_it_is_zeroed() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        p.backward(tape, loss)
        p.read(a, keeps_view=True)
        p.read(a, kind="view")
        return p.zero(tape)

    assert found(single(end)[0]) == set()


def test_gradient_of_an_intermediate_is_consumed() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        p.backward(tape, loss)
        return p.read(y)

    p, line = single(end)
    assert found(p) == {("ADJ407", line)}
    assert found(p, OLD) == set()


def test_gradient_of_a_retaining_intermediate() -> None:
    p = Program()
    a, y, loss = p.array("a"), p.array("y", retain=True), p.array("loss")
    tape = p.tape()
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
        p.launch(SUM, x=y, loss=loss)
    p.backward(tape, loss)
    p.read(y)
    assert found(p) == set()


def test_backward_without_seed() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        line = p.backward(tape)
        p.read(a)
        return line

    p, line = single(end)
    assert found(p) == {("ADJ410", line)}


def test_backward_with_gradient_set_by_hand() -> None:
    def end(p: Program, tape: int, a, y, loss) -> int:
        p.write_gradient(y, "assign")
        p.backward(tape)
        return p.read(a)

    assert found(single(end)[0]) == set()


def test_seed_handed_over_twice() -> None:
    p = Program()
    a, y, seed = p.array("a"), p.array("y"), p.array("seed", False, origin="ones")
    tape, line = p.tape(), 0
    with p.on(tape):
        p.launch(SQUARE, src=a, dst=y)
    for _ in p.loop(2):
        line = p.write_gradient(y, "replace", seed)
        p.backward(tape)
        p.read(a)
        p.write_gradient(a)
    assert found(p) == {("ADJ410", line)}


def chained(zero_between: bool) -> tuple[Program, int]:
    p = Program()
    a, y, loss = p.array("a"), p.array("y"), p.array("loss")
    first, second = p.tape(), p.tape()
    with p.on(first):
        p.launch(SQUARE, src=a, dst=y)
    with p.on(second):
        p.launch(SUM, x=y, loss=loss)
    p.backward(second, loss)
    line = p.zero(second) if zero_between else 0
    p.backward(first)
    p.read(a)
    return p, line


def test_chained_tapes() -> None:
    assert found(chained(False)[0]) == set()
    p, line = chained(True)
    assert found(p) == {("ADJ410", line)}


def test_bridge_accumulates() -> None:
    p = Program()
    a, y = p.array("a"), p.array("y")
    line = 0
    for _ in p.loop(2):
        tape = p.tape()
        with p.on(tape):
            loss = p.array("loss")
            p.launch(SQUARE, src=a, dst=y)
            p.launch(SUM, x=y, loss=loss)
        line = p.backward(tape, loss)
        p.read(a, kind="torch")
    assert found(p) == {("ADJ412", line)}


def test_loss_value_grows() -> None:
    p, lines = training(shared_loss=True, after="zero")
    assert found(p) == set()  # nobody looks at the value
    p.host_read(p.trace.events[2].array)  # type: ignore[attr-defined]
    assert found(p) == {("ADJ413", lines["loss"])}
    p, _ = training(shared_loss=True, after="zero loss.zero")
    p.host_read(p.trace.events[2].array)  # type: ignore[attr-defined]
    assert found(p) == set()


def test_opaque_call_may_have_zeroed() -> None:
    p = Program()
    a, y = p.array("a"), p.array("y")
    for _ in p.loop(2):
        tape = p.tape()
        with p.on(tape):
            loss = p.array("loss")
            p.launch(SQUARE, src=a, dst=y)
            p.launch(STORE_LOSS, x=y, loss=loss)
        p.backward(tape, loss)
        p.read(a)
        p.opaque(tapes=(tape,))
    assert found(p) == set()


def test_two_losses_on_one_tape() -> None:
    """The first loss keeps its seed of one, so the second pass differentiates it again."""
    p = Program()
    a, first, second = p.array("a"), p.array("first"), p.array("second")
    k = p.array("k", shape=(1,))
    y = p.array("y")
    tape = p.tape()
    with p.on(tape):
        p.launch(MULTIPLY, src=a, k=k, dst=y)
        p.launch(SUM, x=y, loss=first)
        p.launch(SUM, x=a, loss=second)
    p.backward(tape, first)
    line = p.backward(tape, second)
    p.read(a, k)
    assert found(p) == {("ADJ402", line)}


def test_read_in_an_earlier_pass_that_does_not_reach_it() -> None:
    """A loop over outputs: the gradient of `k` is zero in the first pass, which is read, and right."""
    p = Program()
    a, k = p.array("a"), p.array("k", shape=(1,))
    for step in p.loop(2):
        tape = p.tape()
        with p.on(tape):
            loss, y = p.array("loss"), p.array("y")
            if step:
                p.launch(MULTIPLY, src=a, k=k, dst=y)
            else:
                p.launch(SQUARE, src=a, dst=y)
            p.launch(SUM, x=y, loss=loss)
        p.backward(tape, loss)
        p.read(a, k)
        p.zero(tape)
    assert found(p) == set()
