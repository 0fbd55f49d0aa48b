"""Measures programs of this folder: `measure.py NAME...` prints a line of JSON each, with the wrong gradients."""

import importlib
import json
import sys

import numpy as np


def slopes(program, values, which, element):
    import warp as wp

    found = []
    for step in (1e-4, 5e-5):
        ends = []
        for sign in (1.0, -1.0):
            moved = [v.copy() for v in values]
            moved[which][element] += sign * step
            ends.append(float(program.value(*(wp.array(v, dtype=wp.float64, requires_grad=True) for v in moved))))
        found.append((ends[0] - ends[1]) / (2.0 * step))
    return (4.0 * found[1] - found[0]) / 3.0


def measure(program):
    from common import leaves

    gradients = [np.array(g, dtype=float) for g in program.main()]
    values = [leaf.numpy().copy() for leaf in leaves()]
    wrong = {}
    for which, name in enumerate("ak"[: len(gradients)]):
        expected = np.array([slopes(program, values, which, e) for e in range(len(values[which]))])
        if not np.all(np.abs(gradients[which] - expected) <= 1e-6 * (1.0 + np.abs(expected))):
            wrong[name] = [gradients[which].tolist(), expected.tolist()]
    return wrong


if __name__ == "__main__":
    import warp as wp

    wp.config.quiet = True
    wp.init()
    for name in sys.argv[1:]:
        print(json.dumps({"name": name, "wrong": measure(importlib.import_module(name))}), flush=True)
