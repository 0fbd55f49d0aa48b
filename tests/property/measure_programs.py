"""Measures generated host programs: `measure_programs.py FOLDER NAME...` prints a JSON line each.

`verdict`: "right", "wrong" or "error" (the program does not run), with the worst mismatch.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
from typing import Any

import numpy as np


def measure(module: Any) -> dict[str, Any]:
    import warp as wp

    with contextlib.redirect_stdout(io.StringIO()):
        gradients = [np.array(g) for g in module.main()]
    leaves = [np.array([0.3, 1.1, -0.7, 1.9]), np.array([0.9, -1.3, 0.6, 1.2])]

    def value(arrays: list[Any]) -> float:
        a, k = (wp.array(x, dtype=wp.float64, requires_grad=True) for x in arrays)
        return float(module.forward(a, k, *module.allocate()).numpy()[0])

    worst: dict[str, Any] | None = None
    for which, name in enumerate("ak"):
        for element in range(len(leaves[which])):
            slopes = []
            for step in (1e-4, 5e-5):
                ends = []
                for sign in (1.0, -1.0):
                    moved = [x.copy() for x in leaves]
                    moved[which][element] += sign * step
                    ends.append(value(moved))
                slopes.append((ends[0] - ends[1]) / (2.0 * step))
            fd = (4.0 * slopes[1] - slopes[0]) / 3.0
            ad = float(gradients[which][element])
            error = abs(ad - fd) / (1.0 + abs(fd))
            if not error < 1e-6 and (worst is None or error > worst["error"]):
                worst = {"error": error, "ad": ad, "fd": fd, "where": f"{name}[{element}]"}
    return {"verdict": "right"} if worst is None else {"verdict": "wrong", **worst}


def main(folder: str, names: list[str]) -> None:
    import warp as wp

    wp.config.quiet = True
    wp.init()
    sys.path.insert(0, folder)
    for name in names:
        try:
            result = measure(importlib.import_module(name))
        except Exception as error:
            result = {"verdict": "error", "reason": f"{type(error).__name__}: {error}"}
        print(json.dumps({"name": name, **result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
