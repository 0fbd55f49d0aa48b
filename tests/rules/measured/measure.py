"""Measures kernels under Warp: `measure.py FILE…` prints those whose marks don't fit their gradients.

Float64 arrays of `SIZE` elements per dimension are drawn at random (as structs of floats if need be), integers come
from the file's `INTS` by parameter name, and the launch has `DIM` threads (`SIZE` unless the file says else), or one
block of `TILED` threads. A
gradient is wrong if autodiff and central differences disagree at one of three random points.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

SIZE = 6


def wrong_inputs(kernel: Any, ints: dict[str, Any], dim: Any, seed: int, tiled: int = 0) -> set[str]:
    """Names of the parameters whose gradient is wrong at one random point."""
    import warp as wp

    random = np.random.default_rng(seed)
    values: list[Any] = []
    types: list[Any] = []
    for argument in kernel.adj.args:
        kind = argument.type
        if not isinstance(kind, wp.array):
            values.append(ints[argument.label])
            types.append(None)
            continue
        types.append(kind.dtype)
        if kind.dtype in (int, wp.int32):
            values.append(np.array(ints[argument.label], dtype=np.int32))
        else:
            shape = (SIZE,) * kind.ndim + tuple(getattr(kind.dtype, "_shape_", ()))
            values.append(random.uniform(-1.5, 1.5, shape))
    floats = [k for k, value in enumerate(values) if types[k] is not None and value.dtype == np.float64]
    seeds = {k: random.uniform(0.5, 1.5, values[k].shape) for k in floats}

    def launch(inputs: list[Any]) -> list[Any]:
        made = [
            value if dtype is None else wp.array(value, dtype=dtype, requires_grad=k in floats, device="cpu")
            for k, (value, dtype) in enumerate(zip(inputs, types, strict=True))
        ]
        if tiled:
            wp.launch_tiled(kernel, dim=[1], inputs=made, block_dim=tiled, device="cpu")
        else:
            wp.launch(kernel, dim=dim, inputs=made, device="cpu")
        return made

    def loss(inputs: list[Any]) -> float:
        made = launch(inputs)
        return float(sum((seeds[k] * made[k].numpy()).sum() for k in floats))

    tape = wp.Tape()
    with tape:
        arrays = launch(values)
    tape.backward(grads={arrays[k]: wp.array(seeds[k], dtype=types[k], device="cpu") for k in floats})
    found = set()
    for k in floats:
        adjoint = arrays[k].grad.numpy().copy()
        for at in np.ndindex(values[k].shape):
            slopes = []
            for step in (1e-4, 5e-5):
                ends = []
                for sign in (1.0, -1.0):
                    moved = list(values)
                    moved[k] = values[k].copy()
                    moved[k][at] += sign * step
                    ends.append(loss(moved))
                slopes.append((ends[0] - ends[1]) / (2.0 * step))
            best = (4.0 * slopes[1] - slopes[0]) / 3.0
            smooth = abs(slopes[0] - slopes[1]) < 1e-4 * (1.0 + abs(best))
            if smooth and not abs(adjoint[at] - best) < 1e-5 * (1.0 + abs(best)):
                found.add(kernel.adj.args[k].label)
    return found


def marked(file: Path) -> set[str]:
    """Names of the kernels whose findings are marked in their lines or in those of the funcs they call."""
    from packaging.version import Version

    from tests.rules.test_kernel_measured import findings_by_kernel

    return {name for name, found in findings_by_kernel(file, Version("1.19.0")).items() if found}


def main(files: list[str]) -> int:
    import warp as wp

    wp.config.quiet = True
    wp.init()
    disagreements = 0
    for name in files:
        path = Path(name).resolve()
        specification = importlib.util.spec_from_file_location(f"measured_{path.stem}", path)
        assert specification is not None and specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        sys.modules[specification.name] = module
        specification.loader.exec_module(module)
        wp.set_module_options({"optimization_level": 0}, module=module)
        wrong = {
            kernel.key
            for kernel in vars(module).values()
            if isinstance(kernel, wp.Kernel)
            and any(
                wrong_inputs(kernel, module.INTS, getattr(module, "DIM", SIZE), seed, getattr(module, "TILED", 0))
                for seed in range(3)
            )
        }
        for kernel in sorted(wrong ^ marked(path)):
            disagreements += 1
            print(f"{path.name}: `{kernel}` is {'wrong' if kernel in wrong else 'right'}")
    return int(disagreements > 0)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    sys.exit(main(sys.argv[1:]))
