# ruff: noqa
"""Loops, unpacking, closures, generators, context managers, exceptions."""

import contextlib
import functools
import itertools
from functools import partial

import _kernels as k
import warp as wp

N = 4


def make(n=N, *, grad=True):
    return wp.zeros(shape=n, dtype=float, requires_grad=grad)


@contextlib.contextmanager
def recording(tape, after=None):
    with tape:
        yield tape
    if after is not None:
        after()


class Section:
    def __init__(self, array):
        self.array = array

    def __enter__(self):
        self.array.zero_()
        return self

    def __exit__(self, *error):
        wp.launch(k.square, N, [self.array], [self.array])


def pairs(items):
    for i in range(len(items) - 1):
        yield i, items[i], items[i + 1]


def apply(function, *args, **kwargs):
    return function(*args, **kwargs)


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print("call", function.__name__)
        return function(*args, **kwargs)

    return wrapper


@logged
def step(x, y, kernel=k.square):
    wp.launch(kernel, dim=N, inputs=[x], outputs=[y])
    return y


def search(arrays, wanted):
    for i, a in enumerate(arrays):
        if i == wanted:
            found = a
            break
    else:
        found = None
    return found


def main():
    a, b = make(), make()
    *rest, c = [make() for _ in range(3)]
    loss = make(1)
    tape = wp.Tape()
    done = []
    with recording(tape, after=lambda: done.append(True)) as t:
        for _ in range(3):
            step(a, b)
            a, b = b, a
        for i, left, right in pairs([c, *rest]):
            if i % 2:
                continue
            step(left, right, kernel=k.square)
        for x, y in zip(rest, reversed(rest)):
            apply(wp.launch, k.add, dim=N, inputs=[x, y], outputs=[c])
        with Section(b) as section:
            step(section.array, a)
        try:
            values = {"x": a}
            target = values["missing"]
        except KeyError:
            target = values["x"]
        finally:
            step(c, target)
        run = partial(step, kernel=k.total)
        run(target, loss)
        n = 0
        while n < 2:
            n += 1
            step(rest[n - 1], rest[-n])
        if done:
            step(c, c)
        for x, y in itertools.product(rest, [a]):
            step(x, y)
        found = search(rest, 1)
        [step(r, found) for r in rest if r is not found]
        chain = functools.reduce(lambda p, q: step(p, q) and q, rest, a)
        match len(rest):
            case 1:
                step(a, a)
            case 2 | 3:
                step(b, chain)
            case _:
                step(c, c)
    t.backward(loss)
    if done:
        tape.zero()
    with contextlib.ExitStack() as stack:
        other = stack.enter_context(wp.Tape())
        loss.zero_()
        step(a, loss, k.total)
    other.backward(loss=loss)


if __name__ == "__main__":
    main()
