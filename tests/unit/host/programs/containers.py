# ruff: noqa
"""Lists, dicts, slices, negative indices, concatenation, comprehensions, defaultdict, strings as keys."""

import argparse
from collections import defaultdict, deque
from types import SimpleNamespace

import _kernels as k
import numpy as np
import warp as wp


def make(n=4):
    return wp.array(np.zeros(n), dtype=float, requires_grad=True)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--swap", action="store_true")
    parser.add_argument("--no-loss", dest="loss", action="store_false")
    return parser.parse_known_args()[0]


def main():
    args = parse()
    states = [make() for _ in range(args.steps + 1)]
    named = {f"layer_{i}": make() for i in range(2)}
    table = {"square": k.square, "sum": k.total}
    grid = [[make() for _ in range(2)] for _ in range(2)]
    queue = deque(make() for _ in range(2))
    groups = defaultdict(list)
    for i, s in enumerate(states):
        groups[i % 2].append(s)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for t in range(args.steps):
            wp.launch(table["square"], dim=4, inputs=[states[t]], outputs=[states[t + 1]])
        for key, value in named.items():
            wp.launch(k.add, dim=4, inputs=[states[-1], value] + [named["layer_1" if key.endswith("0") else "layer_0"]])
        for row in grid:
            for left, right in zip(row[:-1], row[1:]):
                wp.launch(k.square, dim=4, inputs=[left, right])
        first, *others = groups[0] + groups[1][::-1]
        for o in others:
            wp.launch(k.square, dim=4, inputs=(first,), outputs=(o,))
        if args.swap:
            states[0], states[-1] = states[-1], states[0]
        else:
            states[0], states[1] = states[1], states[0]
        wp.launch(k.square, dim=4, inputs=[states[0]], outputs=[states[1]])
        queue.append(states.pop())
        while len(queue) > 1:
            wp.launch(k.square, dim=4, inputs=[queue[0]], outputs=[queue[-1]])
            queue.popleft() if hasattr(queue, "popleft") else queue.pop(0)
        bag = SimpleNamespace(x=states[0], y=make())
        bag.z = bag.x if args.loss else bag.y
        wp.launch(k.square, dim=bag.z.shape[0], inputs=[bag.z], outputs=[bag.y])
        outputs = []
        outputs += [bag.y]
        outputs.extend(states[1:3])
        for out in sorted(range(len(outputs)), reverse=True):
            wp.launch(table.get("sum"), dim=4, inputs=[outputs[out]], outputs=[loss])
    grads = {loss: wp.ones(1, dtype=float)}
    tape.backward(grads=grads)
    values = [np.array(s.grad.numpy()) for s in states if s.requires_grad]
    print(len(values))
    tape.reset()


if __name__ == "__main__":
    main()
