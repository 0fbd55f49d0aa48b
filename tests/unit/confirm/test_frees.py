"""Memory that is freed while a recorder holds what was in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("warp")

import warp as wp

from warp_lint.confirm.live.internals import Warp
from warp_lint.confirm.live.recorder import Recorder


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    wp.init()
    made = Recorder(Warp(wp))
    made.install()
    yield made
    made.uninstall()


def release(array: wp.array) -> None:
    """What `warp.fem` does with its temporary arrays."""
    array.deleter(array.ptr, array.capacity)
    array.deleter = None


def test_freed_once_no_longer_held(recorder: Recorder) -> None:
    x = wp.ones(4, dtype=float, device="cpu", requires_grad=True)
    y = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
    scratch = wp.zeros(4, dtype=float, device="cpu")
    other = wp.empty(4, dtype=float, device="cpu")
    with wp.Tape() as tape:
        wp.launch(double, 4, inputs=[x], outputs=[y], device="cpu")
    wp.launch(double, 4, inputs=[y], outputs=[scratch], device="cpu")
    pointer = scratch.ptr
    release(scratch)
    release(other)
    assert [p for p, _, _ in recorder.postponed] == [pointer]
    tape.backward(grads={y: wp.ones(4, dtype=float, device="cpu")})
    recorder.release_before(recorder.counter)
    assert recorder.postponed == []
    assert not recorder.troubles


def test_freed_at_the_end(recorder: Recorder) -> None:
    x = wp.ones(4, dtype=float, device="cpu", requires_grad=True)
    scratch = wp.zeros(8, dtype=float, device="cpu")
    with wp.Tape():
        wp.launch(double, 4, inputs=[x], outputs=[scratch[4:]], device="cpu")
    release(scratch)
    assert len(recorder.postponed) == 1
    recorder.uninstall()
    assert recorder.postponed == []
