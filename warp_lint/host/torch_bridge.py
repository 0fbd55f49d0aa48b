"""`torch.autograd.Function`: `apply` runs forward; torch's `backward()` later runs backward, last first."""

from __future__ import annotations

from typing import Any

from warp_lint.host import calls
from warp_lint.host.machine import Machine
from warp_lint.host.values import ClassValue, FunctionValue, HostArray, Unknown, merge_sources


def context(m: Machine) -> Any:
    """The `ctx` of a custom function."""
    made = m.instance(None, "ctx")
    made.native = m.native("torch_context", "ctx", instance=made)
    return made


def apply(m: Machine, cls: ClassValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`Function.apply(...)`: forward now, backward when torch asks for it."""
    forward = cls.lookup("forward")
    if not isinstance(forward, FunctionValue):
        return Unknown(f"{cls.name}.apply()", merge_sources(*args))
    ctx = context(m)
    result = calls.call_function(m, forward, [ctx, *args], kwargs)
    outputs = len(result) if isinstance(result, tuple) else 1
    m.torch_calls = [*m.torch_calls, (cls, ctx, outputs)]
    return result


def backward(m: Machine, value: Unknown) -> None:
    """`tensor.backward()`: the custom functions applied since the last one, in reverse."""
    pending, m.torch_calls = m.torch_calls, []
    for cls, ctx, outputs in reversed(pending):
        run_backward(m, cls, ctx, outputs)


def run_backward(m: Machine, cls: ClassValue, ctx: Any, outputs: int) -> Any:
    function = cls.lookup("backward")
    if not isinstance(function, FunctionValue) or m.active.get(function.node):
        return None
    grads = [HostArray(f"grad_output{i or ''}", (), None, "torch") for i in range(max(outputs, 1))]
    return calls.call_function(m, function, [ctx, *grads], {})
