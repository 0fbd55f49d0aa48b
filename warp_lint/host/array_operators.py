"""Python operators on Warp arrays, and other element-wise maps: launches that Warp records on the tape."""

from __future__ import annotations

from typing import Any

from warp_lint.host import arrays
from warp_lint.host.machine import Machine
from warp_lint.host.values import ArrayValue
from warp_lint.kernels.effects import Access, Affine, Effects, Need, Parameter, Touch
from warp_lint.trace import model

_LINEAR = frozenset(["+", "-", "neg"])
_ROW = (Affine((("tid0", 1),)),)


def map_effects(
    m: Machine,
    name: str,
    inputs: list[str],
    out: str,
    linear: bool = False,
    product: bool = False,
    known: list[tuple[str, frozenset[str]]] | None = None,
) -> Effects:
    """Effects of an element-wise operation `out = name(inputs)`. `known`: which inputs whose gradients read."""
    location = m.where()[0]
    paths = [(i,) for i in inputs]
    touches = [Touch(p, Access.READ, _ROW, location) for p in paths]
    touches.append(Touch((out,), Access.STORE, _ROW, location, from_self=(out,) in paths))
    outputs = frozenset([(out,)])
    needs: list[Need] = []
    if known is not None:
        needs = [
            Need((p,), frozenset((q,) for q in partners), outputs, _ROW, location, "nonlinear", name)
            for p, partners in known
        ]
    elif product and len(paths) == 2:
        needs = [
            Need(p, frozenset([q]), outputs, _ROW, location, "product", name)
            for p, q in ((paths[0], paths[1]), (paths[1], paths[0]))
        ]
    elif not linear:
        partners = frozenset(paths)
        needs = [Need(p, partners, outputs, _ROW, location, "nonlinear", name) for p in paths]
    names = list(dict.fromkeys([*inputs, out]))
    return Effects(
        name=name,
        location=location,
        parameters=tuple(Parameter(n, "array", "", 1) for n in names),
        touches=tuple(touches),
        needs=tuple(needs),
        flows={(out,): frozenset(paths)},
        values={(out,): frozenset(paths)},
    )


def operator(m: Machine, symbol: str, left: Any, right: Any) -> ArrayValue:
    """`left op right` with a Warp array among them: a new array, recorded on the tape."""
    operands = {name: v for name, v in (("a", left), ("b", right)) if isinstance(v, ArrayValue)}
    first = next(iter(operands.values()))
    grads = [v.grad_now for v in operands.values()]
    grad = True if True in grads else None if None in grads else False
    result = arrays.allocate(
        m, origin="map", dtype=first.dtype_value or first.dtype, shape=first.shape, requires_grad=grad
    )
    scalar = len(operands) == 1
    linear = symbol in _LINEAR or (scalar and (symbol == "*" or (symbol == "/" and isinstance(left, ArrayValue))))
    effects = map_effects(m, symbol, list(operands), "out", linear, symbol == "*" and not scalar)
    emit_map(m, symbol, effects, {**{(k,): v for k, v in operands.items()}, ("out",): result})
    return result


def inplace(m: Machine, symbol: str, left: ArrayValue, right: Any) -> ArrayValue:
    """`left op= right` on a Warp array."""
    operands: dict[str, ArrayValue] = {"a": left}
    if isinstance(right, ArrayValue):
        operands["b"] = right
    scalar = len(operands) == 1
    linear = symbol in _LINEAR or (scalar and symbol in ("*", "/"))
    effects = map_effects(m, symbol, list(operands), "a", linear, symbol == "*" and not scalar)
    emit_map(m, f"{symbol}=", effects, {(k,): v for k, v in operands.items()})
    return left


def emit_map(m: Machine, name: str, effects: Effects, arguments: dict[tuple[str, ...], ArrayValue]) -> None:
    for path, array in arguments.items():
        if array.gradient_of is not None and any(t.path == path and t.access is Access.READ for t in effects.touches):
            m.emit(model.GradientRead, array=array.gradient_of, kind="launch")
    m.emit(model.Launch, kernel=name, effects=effects, arguments=dict(arguments), recorded=bool(m.tapes))
    for path, array in arguments.items():
        if array.gradient_of is not None and any(
            t.path == path and t.access is not Access.READ for t in effects.touches
        ):
            m.emit(model.GradientWrite, array=array.gradient_of, kind="launch")
