"""`with` statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from warp_lint.host import calls, natives
from warp_lint.host.machine import Frame, Machine, RaisedError
from warp_lint.host.values import MISSING, FunctionValue, GeneratorValue, Instance, Native, TapeValue, Unknown

Expression = Callable[[Frame], Any]
Statement = Callable[[Frame], "int | None"]
Store = Callable[[Frame, Any], None]


def assumed(m: Machine, frame: Frame, arm: Statement | None) -> int | None:
    """Run an arm that is taken on an assumption."""
    if arm is None:
        return None
    m.assumed += 1
    try:
        return arm(frame)
    finally:
        m.assumed -= 1


def with_item(
    m: Machine,
    node: ast.With | ast.AsyncWith,
    expr: ast.expr,
    value_of: Expression,
    store: Store | None,
    body: Statement,
) -> Statement:
    def run(frame: Frame) -> int | None:
        frame.node = expr
        value = value_of(frame)
        if isinstance(value, Unknown) and natives.names_tape(value.text):
            value = natives.as_tape(m, value)
        if isinstance(value, GeneratorValue):
            return _generator(m, frame, value, store, body)
        entered, leave = enter(m, frame, value, node)
        if store is not None:
            store(frame, entered)
        try:
            signal = body(frame)
        except RaisedError:
            m.frame = frame
            frame.node = expr
            if leave():
                return None
            raise
        except BaseException:
            m.frame = frame
            if isinstance(value, TapeValue) and value in m.tapes:
                natives.leave_tape(m, value)
            raise
        result = frame.result
        frame.node = expr
        leave()
        frame.result = result
        return signal

    return run


def enter(m: Machine, frame: Frame, value: Any, node: ast.AST | None) -> tuple[Any, Callable[[], bool]]:
    """What `as` binds, and the closure that leaves (True if it swallows an exception)."""

    def nothing() -> bool:
        return False

    if isinstance(value, TapeValue):
        if node is not None:
            m.reached.add(node)
        natives.enter_tape(m, value)

        def leave() -> bool:
            natives.leave_tape(m, value)
            return False

        return value, leave
    if isinstance(value, Instance):
        method = value.cls.lookup("__enter__") if value.cls is not None else MISSING
        if isinstance(method, FunctionValue):
            entered = calls.call_function(m, method, [value], {})

            def call_exit() -> bool:
                after = value.cls.lookup("__exit__") if value.cls is not None else MISSING
                if isinstance(after, FunctionValue):
                    return calls.call_function(m, after, [value, None, None, None], {}) is True
                return False

            return entered, call_exit
        if value.native is not None:
            entered, inner = enter(m, frame, value.native, node)
            return value, inner
        return value, nothing
    if isinstance(value, Native):
        entered, closing = natives.enter(m, value)
        if value.kind == "suppress":
            return entered, lambda: True
        return entered, closing
    if isinstance(value, Unknown):
        return value, nothing
    return value, nothing


def _generator(m: Machine, frame: Frame, generator: GeneratorValue, store: Store | None, body: Statement) -> int | None:
    """`with` over a `@contextmanager` function: run it with the body at its `yield`."""
    outcome: list[int | None] = []

    def at_yield(value: Any) -> Any:
        if outcome:
            return None
        inner, guards = m.frame, m.guards
        m.frame = frame
        try:
            if store is not None:
                store(frame, value)
            outcome.append(body(frame))
        finally:
            m.frame, m.guards = inner, guards
        return None

    result_before = frame.result
    generator.run(at_yield)
    m.frame = frame
    if not outcome:
        frame.result = result_before
        return body(frame)
    return outcome[0]
