"""Measures the gradients of generated kernels under Warp: autodiff against finite differences.

Run as a script: `measure.py FILE NAME...` prints one JSON object per kernel, `{"name", "verdict"}`,
where the verdict is "right", "wrong" or "unclear" (only kinks and overflow were seen), with the
worst mismatch `ad`, `fd`, `where`.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

try:
    from tests.property.generator import ARRAYS, COLUMNS, ROWS
except ImportError:  # run as a script
    from generator import ARRAYS, COLUMNS, ROWS  # type: ignore[import-not-found, no-redef]


def inputs(seed: int) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    random = np.random.default_rng(seed)
    arrays = {name: random.uniform(-1.6, 1.6, (ROWS, COLUMNS)) for name in ARRAYS}
    counts = np.array([(2, 3, 4, 3)[k % 4] for k in range(ROWS)], dtype=np.int32)
    seeds = {name: random.uniform(0.5, 1.5, (ROWS, COLUMNS)) for name in ARRAYS}
    return arrays, counts, seeds


def measure(kernel: Any, seed: int) -> dict[str, Any]:
    """Verdict on one kernel at one random point per row."""
    import warp as wp

    arrays, counts, seeds = inputs(seed)
    count = wp.array(counts, dtype=int, device="cpu")
    table = np.stack([np.random.default_rng(row).permutation(COLUMNS) for row in range(ROWS)])
    integers = [count, wp.array(table, dtype=int, device="cpu")][: len(kernel.adj.args) - len(ARRAYS)]

    def forward(values: dict[str, Any]) -> Any:
        arguments = {k: wp.array(v, dtype=wp.float64, device="cpu") for k, v in values.items()}
        wp.launch(kernel, dim=ROWS, inputs=[*arguments.values(), *integers], device="cpu")
        return sum((seeds[k] * arguments[k].numpy()).sum(axis=1) for k in ARRAYS)

    tracked = {k: wp.array(v, dtype=wp.float64, requires_grad=True, device="cpu") for k, v in arrays.items()}
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=ROWS, inputs=[*tracked.values(), *integers], device="cpu")
    tape.backward(grads={tracked[k]: wp.array(seeds[k], dtype=wp.float64, device="cpu") for k in ARRAYS})
    # Seeds are copied into the gradients, so what is left there is the gradient of the inputs.
    gradients = {k: tracked[k].grad.numpy() for k in ARRAYS}

    worst: dict[str, Any] | None = None
    checked = 0
    for name in ARRAYS:
        for column in range(COLUMNS):
            slope, trusted = derivative(forward, arrays, name, column)
            adjoint = gradients[name][:, column]
            checked += int(trusted.sum())
            error = np.abs(adjoint - slope) / (1.0 + np.abs(slope))
            error = np.where(np.isfinite(adjoint), error, np.inf)
            for row in np.flatnonzero(trusted & ~(error < 1e-5)):
                if worst is None or error[row] > worst["error"]:
                    where = f"{name}[{row}, {column}]"
                    worst = {
                        "error": float(error[row]),
                        "ad": float(adjoint[row]),
                        "fd": float(slope[row]),
                        "where": where,
                    }
    if worst is not None:
        return {"verdict": "wrong", **worst}
    return {"verdict": "right" if checked >= ROWS * COLUMNS else "unclear"}


def derivative(
    forward: Callable[[dict[str, Any]], Any], arrays: dict[str, Any], name: str, column: int
) -> tuple[Any, Any]:
    """Central difference per row, shape (ROWS,), and whether it can be trusted there."""
    slopes = []
    sides = []
    middle = forward(arrays)
    for step in (1e-4, 5e-5, 1e-6):
        values = []
        for sign in (1.0, -1.0):
            moved = {k: v.copy() for k, v in arrays.items()}
            moved[name][:, column] += sign * step
            values.append(forward(moved))
        slopes.append((values[0] - values[1]) / (2.0 * step))
        sides.append((values[0] - middle) / step - (middle - values[1]) / step)
    best = (4.0 * slopes[1] - slopes[0]) / 3.0
    scale = 1.0 + np.abs(best)
    smooth = (np.abs(slopes[0] - slopes[1]) < 1e-4 * scale) & (np.abs(slopes[2] - best) < 1e-6 * scale)
    smooth &= np.abs(sides[0]) < 2.5 * np.abs(sides[1]) + 1e-6 * scale  # a kink keeps its jump
    smooth &= np.isfinite(best) & (np.abs(best) < 1e8)
    return best, smooth


def main(file: str, names: list[str]) -> None:
    import warp as wp

    wp.config.quiet = True
    wp.config.log_level = getattr(wp, "LOG_ERROR", 40)
    wp.init()
    specification = importlib.util.spec_from_file_location("generated_kernels", file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["generated_kernels"] = module
    specification.loader.exec_module(module)
    wp.set_module_options({"optimization_level": 0}, module=module)
    for name in names:
        result = measure(getattr(module, name), 1)
        if result["verdict"] == "right":
            result = measure(getattr(module, name), 2)
        print(json.dumps({"name": name, **result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
