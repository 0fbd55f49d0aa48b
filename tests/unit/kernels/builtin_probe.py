"""Measures what the adjoints of Warp's builtins read, with kernels that change one primal before the adjoint runs.

One kernel per overload:

    a, b = A[i], B[i]
    r = f(a, b)
    for _ in range(n[0]): a = a + DA[i]     # a rolled loop: the adjoint of f, which runs after the loop's,
    for _ in range(n[1]): b = b + DB[i]     # sees the changed variable; the result is the one of the old operands
    for _ in range(n[2]): r = r + DR[i]     # changes the result only; its adjoint passes through unchanged
    out[i] = r

With all trip counts zero the gradient is compared with central differences along random directions. With
one trip count set, a gradient that differs shows that the adjoint reads that primal. Tiles are changed in
place instead, which is simpler: they are one temporary.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import warp as wp

LANES = 16
RESULT = "="


@dataclass(frozen=True)
class Form:
    """A type as the generated source spells it. `kind`: "float", "int", "bool" or "opaque" (no gradient, no change)."""

    text: str
    kind: str
    shape: tuple[int, ...] = ()
    family: str = "scalar"
    numpy: str = "float64"

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.numpy)


def _forms() -> dict[str, Form]:
    forms = {}
    for suffix, scalar in (("d", "float64"), ("f", "float32")):
        forms[scalar] = Form(f"wp.{scalar}", "float", (), "scalar", scalar)
        for n in (2, 3, 4):
            forms[f"vec{n}{suffix}"] = Form(f"wp.vec{n}{suffix}", "float", (n,), "vec", scalar)
            forms[f"mat{n}{n}{suffix}"] = Form(f"wp.mat{n}{n}{suffix}", "float", (n, n), "mat", scalar)
        forms[f"vec6{suffix}"] = Form(f"wp.spatial_vector{suffix}", "float", (6,), "vec", scalar)
        forms[f"mat66{suffix}"] = Form(f"wp.spatial_matrix{suffix}", "float", (6, 6), "mat", scalar)
        forms[f"quat{suffix}"] = Form(f"wp.quat{suffix}", "float", (4,), "quat", scalar)
        forms[f"transform{suffix}"] = Form(f"wp.transform{suffix}", "float", (7,), "transform", scalar)
        for shape in ((1,), (4,), (4, 4), (1, 1), (2, 2), (2, 4), (4, 2), (2, 2, 4)):
            name = f"tile{'x'.join(map(str, shape))}{suffix}"
            forms[name] = Form(f"wp.{scalar}", "float", shape, "tile", scalar)
        forms[f"tile2x2vec2{suffix}"] = Form(f"wp.vec2{suffix}", "float", (2, 2, 2), "tile", scalar)
    forms["tile4i"] = Form("wp.int32", "int", (4,), "tile", "int32")
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        forms[name] = Form(f"wp.{name}", "int", numpy=name)
    forms["float16"] = Form("wp.float16", "float", numpy="float16")
    forms["bool"] = Form("wp.bool", "bool", numpy="bool")
    return forms


FORMS = _forms()


@dataclass
class Case:
    """One overload of a builtin. `body` computes the results `r0`, `r1`, … from the operands `x0`, `x1`, ….

    `names` are the builtin's names of the operands, `domain` bounds their samples. `sampler` is "uniform", "signed"
    (uniform, random sign), "rotation" or "spd" (matrices). `step` overrides the finite-difference step.
    """

    name: str
    names: tuple[str, ...]
    operands: tuple[str, ...]
    results: tuple[str, ...]
    body: str
    domain: tuple[tuple[float, float], ...] = ()
    sampler: str = "signed"
    step: float = 0.0
    prelude: str = ""
    direct: bool = False  # the body writes the result arrays `R0`, … itself; they are what is changed as the result
    kernel: Any = None

    @property
    def label(self) -> str:
        return f"{self.name}({', '.join(self.operands)})"

    @property
    def tiled(self) -> bool:
        return any(FORMS[name].family == "tile" for name in (*self.operands, *self.results))

    @property
    def lanes(self) -> int:
        return 1 if self.tiled else LANES

    @property
    def precise(self) -> bool:
        return all(FORMS[n].numpy == "float64" for n in (*self.operands, *self.results) if FORMS[n].kind == "float")


@dataclass
class Measured:
    """By operand name. `gradient`: "exact", "zero" (and so is the difference quotient), "lost" (it isn't) or "wrong".
    `reads`: what the adjoint reads. `infinite`: operands whose gradient isn't finite, by point ("x zero", "equal")."""

    gradient: dict[str, str] = field(default_factory=dict)
    reads: dict[str, list[str]] = field(default_factory=dict)
    infinite: dict[str, list[str]] = field(default_factory=dict)
    note: str = ""


# Special values tried for every float operand. Besides: "equal", all operands of one type hold the same random value,
# and "both-zero", all float operands are zero.
POINTS: dict[str, float] = {"zero": 0.0, "one": 1.0, "minus-one": -1.0, "huge": 1000.0}


def _annotation(name: str) -> str:
    form = FORMS[name]
    if form.family == "tile":
        return f"wp.array(dtype={form.text}, ndim={len(form.shape) - ('vec' in form.text)})"
    return f"wp.array(dtype={form.text})"


def _kernel(number: int, case: Case) -> list[str]:
    """Source lines of one kernel."""
    parameters = []
    for k, name in enumerate(case.operands):
        parameters += [f"X{k}: {_annotation(name)}", f"D{k}: {_annotation(name)}"]
    for k, name in enumerate(case.results):
        parameters += [f"R{k}: {_annotation(name)}", f"DR{k}: {_annotation(name)}"]
    parameters.append("n: wp.array(dtype=int)")
    lines = ["@wp.kernel", f"def k{number}({', '.join(parameters)}):"]
    if not case.tiled:
        lines += ["    i = wp.tid()"]

    def load(variable: str, array: str, name: str) -> str:
        form = FORMS[name]
        if form.family != "tile":
            return f"    {variable} = {array}[{'0' if case.tiled else 'i'}]"
        shape = form.shape[:-1] if "vec" in form.text else form.shape
        return f"    {variable} = wp.tile_load({array}, shape={shape})"

    def change(variable: str, array: str, name: str, count: int) -> list[str]:
        form = FORMS[name]
        if form.kind == "opaque":
            return []
        if form.family == "tile":
            return [
                load(f"d_{variable}", array, name),
                f"    if n[{count}] > 0:",
                f"        {variable} += d_{variable}",
            ]
        step = f"not {variable}" if form.kind == "bool" else f"{variable} + {array}[{'0' if case.tiled else 'i'}]"
        return [f"    for j_{variable} in range(n[{count}]):", f"        {variable} = {step}"]

    lines += [load(f"x{k}", f"X{k}", name) for k, name in enumerate(case.operands)]
    lines += [f"    {line}" for line in case.body.splitlines()]
    for k, name in enumerate(case.operands):
        lines += change(f"x{k}", f"D{k}", name, k)
    for k, name in enumerate(() if case.direct else case.results):
        if FORMS[name].kind == "float":
            lines += change(f"r{k}", f"DR{k}", name, len(case.operands))
        tiled = FORMS[name].family == "tile"
        lines += [f"    wp.tile_store(R{k}, r{k})" if tiled else f"    R{k}[{'0' if case.tiled else 'i'}] = r{k}"]
    return [*lines, ""]


def source(cases: list[Case]) -> str:
    """Source text of a module with one kernel per case, named `k0`, `k1`, …"""
    lines = ["import warp as wp", ""]
    for prelude in dict.fromkeys(case.prelude for case in cases if case.prelude):
        lines += [prelude, ""]
    for number, case in enumerate(cases):
        lines += _kernel(number, case)
    return "\n".join(lines)


def attach(cases: list[Case], folder: Path, name: str) -> ModuleType:
    """Write the cases' module, import it and attach each case's kernel. Warp compiles it on the first launch."""
    path = folder / f"{name}.py"
    text = source(cases)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    for number, case in enumerate(cases):
        case.kernel = getattr(module, f"k{number}")
    return module


def sample(form: Form, lanes: int, domain: tuple[float, float], sampler: str, rng: np.random.Generator) -> Any:
    """Random values, shape (lanes, *form.shape)."""
    low, high = domain
    shape = (lanes, *form.shape)
    if form.kind == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if form.kind == "int":
        return rng.integers(int(low), int(high) + 1, shape)
    values = rng.uniform(low, high, shape)
    if sampler == "signed":
        values *= rng.choice([-1.0, 1.0], shape)
    if form.family in ("quat", "transform"):
        quat = rng.normal(size=(lanes, 4))
        values[:, -4:] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    if sampler == "rotation":
        q = np.linalg.qr(rng.normal(size=(lanes, 3, 3)))[0]
        q *= np.sign(np.linalg.det(q))[:, None, None]
        values = np.zeros(shape)
        values[:, :3, :3] = q
        if form.shape[0] == 4:
            values[:, 3, 3] = 1.0
            values[:, :3, 3] = rng.normal(size=(lanes, 3))
    if sampler == "spd" and len(form.shape) == 2 and form.shape[0] == form.shape[1]:
        values = rng.normal(size=shape)
        values = values @ values.transpose(0, 2, 1) + np.diag(np.arange(1.0, form.shape[0] + 1))
    return values


class Runner:
    """Launches one case with given primals."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.forms = [FORMS[name] for name in case.operands]
        self.outputs = [FORMS[name] for name in case.results]
        self.rng = np.random.default_rng(7)
        self.weights = [self.rng.uniform(0.5, 1.5, (case.lanes, *form.shape)) for form in self.outputs]

    def _array(self, form: Form, values: Any) -> Any:
        values = np.asarray(values)
        if form.family == "tile":
            values = values[0]
        return wp.array(values.astype(form.dtype), dtype=eval(form.text, {"wp": wp}))

    def draw(self) -> list[Any]:
        """Random operands."""
        case = self.case
        domain = case.domain or ((0.3, 1.5),) * len(self.forms)
        return [
            sample(form, case.lanes, (1, 3) if form.kind == "int" and not case.domain else d, case.sampler, self.rng)
            for form, d in zip(self.forms, domain, strict=True)
        ]

    def run(self, values: list[Any], deltas: list[Any], trips: list[int], backward: bool) -> tuple[Any, list[Any]]:
        """Weighted outputs per lane, shape (lanes,), and gradients per operand (empty for one that has none)."""
        case = self.case
        inputs, adjoints, outputs = [], [], []
        for form, value, delta in zip(self.forms, values, deltas, strict=True):
            array = self._array(form, value)
            inputs += [array, self._array(form, delta)]
            adjoints += [wp.zeros_like(array) if form.kind == "float" else None, None]
        for form, weight in zip(self.outputs, self.weights, strict=True):
            outputs.append(self._array(form, np.zeros((case.lanes, *form.shape))))
            delta = 0.1 + 0.1 * weight if form.kind == "float" else np.ones_like(weight)
            inputs += [outputs[-1], self._array(form, delta)]
            adjoints += [self._array(form, weight) if form.kind == "float" else None, None]
        launch = wp.launch_tiled if case.tiled else wp.launch
        options: dict[str, Any] = {"dim": [1], "block_dim": 32} if case.tiled else {"dim": case.lanes}
        inputs.append(wp.array(trips, dtype=int))
        launch(case.kernel, inputs=inputs, **options)
        total = np.zeros(case.lanes)
        for array, weight in zip(outputs, self.weights, strict=True):
            value = array.numpy().astype(np.float64).reshape(weight.shape)
            total += (value * weight).reshape(case.lanes, -1).sum(axis=1)
        if not backward:
            return total, []
        if case.direct and trips[-1]:
            for array in outputs:
                array.assign(array.numpy() + 1.0)
        launch(case.kernel, inputs=inputs, adj_inputs=[*adjoints, None], adjoint=True, **options)
        gradients = []
        for k, form in enumerate(self.forms):
            adjoint = adjoints[2 * k]
            shape = (case.lanes, *form.shape)
            gradients.append(np.zeros(0) if adjoint is None else adjoint.numpy().astype(np.float64).reshape(shape))
        return total, gradients


def _compare(runner: Runner, draw: list[Any], deltas: list[Any], gradients: list[Any], found: Measured) -> None:
    """Compare gradients with central differences."""
    case = runner.case
    still = [0] * (len(case.operands) + 1)
    step, tolerance = (1e-6, 2e-6) if case.precise else (4e-3, 3e-2)
    step = case.step or step
    for k, form in enumerate(runner.forms):
        if form.kind != "float":
            continue
        direction = runner.rng.uniform(-1.0, 1.0, (case.lanes, *form.shape))
        if case.sampler == "spd" and len(form.shape) == 2 and form.shape[0] == form.shape[1]:
            direction = direction + direction.transpose(0, 2, 1)
        moved = []
        for sign in (1.0, -1.0):
            values = list(draw)
            values[k] = draw[k] + sign * step * direction
            moved.append(runner.run(values, deltas, still, False)[0])
        quotient = (moved[0] - moved[1]) / (2 * step)
        analytic = (gradients[k] * direction).reshape(case.lanes, -1).sum(axis=1)
        # One lane in eight may sit on a kink or a jump.
        bad = np.abs(analytic - quotient) > tolerance * np.maximum(np.abs(quotient), 1.0)
        none = not gradients[k].any()
        if bad.sum() <= case.lanes // 8:
            found.gradient[case.names[k]] = "zero" if none else "exact"
        else:
            found.gradient[case.names[k]] = "lost" if none else "wrong"
            lane = int(np.argmax(bad))
            found.note += f" {case.names[k]}: adjoint {analytic[lane]:.6g}, difference {quotient[lane]:.6g};"


def measure(case: Case) -> Measured:
    """Gradient kind, reads and singular points of every float operand of a case."""
    runner = Runner(case)
    count = len(case.operands)
    draw, other = runner.draw(), runner.draw()
    deltas = [
        np.ones_like(d) if f.kind in ("int", "bool") else o - d
        for f, d, o in zip(runner.forms, draw, other, strict=True)
    ]
    still = [0] * (count + 1)
    found = Measured()
    _, gradients = runner.run(draw, deltas, still, True)
    _compare(runner, draw, deltas, gradients, found)
    floats = [k for k, form in enumerate(runner.forms) if form.kind == "float"]
    found.reads = {case.names[k]: [] for k in floats}
    for k in range(count + 1):
        trips = list(still)
        trips[k] = 1
        _, changed = runner.run(draw, deltas, trips, True)
        for j in floats:
            if not np.allclose(changed[j], gradients[j], rtol=1e-5, atol=1e-7, equal_nan=True):
                read = RESULT if k == count else case.names[k]
                if read not in found.reads[case.names[j]]:
                    found.reads[case.names[j]].append(read)
    points = [(k, where) for k in floats for where in POINTS] + [(-1, "equal"), (-1, "both-zero")]
    for k, where in points:
        values = list(draw)
        if where == "equal":
            for j in floats[1:]:
                if case.operands[j] == case.operands[floats[0]]:
                    values[j] = values[floats[0]]
        elif where == "both-zero":
            for j in floats:
                values[j] = np.zeros_like(draw[j])
        else:
            values[k] = np.full_like(draw[k], POINTS[where])
        _, there = runner.run(values, deltas, still, True)
        bad = [case.names[j] for j in floats if not np.all(np.isfinite(there[j]))]
        if bad:
            found.infinite[f"{'' if k < 0 else case.names[k]} {where}".strip()] = list(dict.fromkeys(bad))
    return found
