"""Branches whose condition isn't known: both arms, an undo journal, and a merge."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from warp_lint.host.machine import Frame, Machine, RaisedError
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    ClassValue,
    FunctionValue,
    HostArray,
    Instance,
    KernelValue,
    LazyList,
    Native,
    SetValue,
    TapeValue,
    Unknown,
)
from warp_lint.syntax.project import External
from warp_lint.trace.model import Guard

BREAK, CONTINUE, RETURN, RAISE = 1, 2, 3, 4

_FALSE_WORDS = frozenset(
    [
        "graph",
        "graphs",
        "capture",
        "capturing",
        "cuda",
        "gpu",
        "render",
        "rendering",
        "renderer",
        "viewer",
        "verbose",
        "debug",
        "save",
        "plot",
        "profile",
        "usd",
        "stage",
        "headless",
        "video",
        "visualize",
        "visualise",
        "gui",
        "screenshot",
        "export",
    ]
)
_TRUE_WORDS = frozenset(["requires_grad", "differentiable", "requires_gradient", "with_grad", "compute_grad"])
_WORD = re.compile(r"[A-Za-z][a-z0-9]*|[A-Z]+(?![a-z])")


def guess(test: ast.expr) -> bool | None:
    """What an unknown flag most likely is, by its name."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = guess(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        if isinstance(right, ast.Constant) and right.value is None:
            if isinstance(test.ops[0], (ast.Is, ast.Eq)):
                return _flag(test.left) is False
            if isinstance(test.ops[0], (ast.IsNot, ast.NotEq)):
                return _flag(test.left) is not False
        return None
    return _flag(test)


def _flag(test: ast.expr) -> bool | None:
    while isinstance(test, ast.Call):
        test = test.func
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    if name in _TRUE_WORDS:
        return True
    words = {word.lower() for word in _WORD.findall(name)}
    if words & _FALSE_WORDS:
        return False
    return None


def is_positive_guess(test: ast.expr) -> bool:
    """Is the guess about a gradient flag (an assumption that findings should mention)?"""
    if isinstance(test, ast.UnaryOp):
        return is_positive_guess(test.operand)
    return _flag(test) is True


def only_exits(body: list[ast.stmt]) -> bool:
    """Does an arm do nothing but raise, exit or skip?"""
    if not body or len(body) > 4:
        return False
    last = body[-1]
    if isinstance(last, ast.Raise):
        leaves = True
    elif isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        function = last.value.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        leaves = name in ("exit", "_exit", "quit", "skipTest", "skip", "fail")
    else:
        leaves = False
    return leaves and all(isinstance(s, (ast.Expr, ast.Assign)) for s in body[:-1])


def truth(m: Machine, value: Any) -> Any:
    """True, False, or the unknown that decides."""
    if value is True or value is False:
        return value
    if value is None:
        return False
    if isinstance(value, (int, float, str, tuple, list, dict, range, bytes)):
        return bool(value)
    if isinstance(value, Unknown):
        known = m.truths.get(value)
        if known is not None:
            return known
        lower = value.at_least()
        if lower is not None and lower > 0:
            return True
        return value
    if isinstance(value, SetValue):
        return bool(value.items)
    if isinstance(value, LazyList) and isinstance(value.length, int):
        return value.length > 0
    return True


def negate(m: Machine, value: Any) -> Any:
    decided = truth(m, value)
    if decided is True or decided is False:
        return not decided
    return negation(decided)


def negation(condition: Unknown) -> Unknown:
    """`not condition`, the same object each time, and back."""
    found: Unknown | None = condition.memo.get(("not",))
    if found is None:
        found = Unknown(f"not {condition.text}", condition.sources)
        condition.memo[("not",)] = found
        found.memo[("not",)] = condition
    return found


def assume(m: Machine, condition: Unknown, value: bool) -> None:
    m.truths = {**m.truths, condition: value, negation(condition): not value}


Change = tuple[int, Any, Any, Any, Any]


def _key(kind: int, container: Any, key: Any) -> tuple[Any, ...]:
    if kind in (2, 3, 4):
        return ("list", id(container))
    if kind == 1:
        return ("attribute", id(container), key)
    return ("dict", id(container), key)


def _take_back(m: Machine, mark: int) -> dict[tuple[Any, ...], Change]:
    """Undo everything since `mark`; what was changed, with old and new values."""
    after: dict[tuple[Any, ...], tuple[int, Any, Any, Any]] = {}
    for kind, container, key, old in m.touched(mark):
        if kind == 5:
            for name in [*old, *container]:
                after.setdefault(_key(0, container, name), (0, container, name, container.get(name, MISSING)))
        elif kind == 0:
            after.setdefault(_key(0, container, key), (0, container, key, container.get(key, MISSING)))
        elif kind == 1:
            after.setdefault(_key(1, container, key), (1, container, key, getattr(container, key)))
        else:
            after.setdefault(_key(4, container, None), (4, container, None, list(container)))
    m.undo(mark)
    changes: dict[tuple[Any, ...], Change] = {}
    for identity, (kind, container, key, new) in after.items():
        if kind == 0:
            before: Any = container.get(key, MISSING)
        elif kind == 1:
            before = getattr(container, key)
        else:
            before = list(container)
        changes[identity] = (kind, container, key, before, new)
    return changes


def _apply(m: Machine, change: Change, value: Any) -> None:
    kind, container, key, _, _ = change
    if kind == 0:
        if value is MISSING:
            m.remove(container, key)
        elif container.get(key, MISSING) is not value:
            m.put(container, key, value)
    elif kind == 1:
        m.set(container, key, value)
    else:
        m.keep_list(container)
        container[:] = value


def _restore_vars(frame: Frame, saved: dict[str, Any]) -> dict[str, Any]:
    current = dict(frame.vars)
    frame.vars.clear()
    frame.vars.update(saved)
    return current


def both(
    m: Machine,
    frame: Frame,
    condition: Unknown,
    then: Callable[[Frame], int | None],
    other: Callable[[Frame], int | None] | None,
) -> int | None:
    """Run both arms one after the other and merge what they leave behind. Returns the signal."""
    positive, polarity = condition, True
    twin = condition.memo.get(("not",))
    if condition not in m.branch_ids and twin is not None and twin in m.branch_ids:
        positive, polarity = twin, False
    branch = m.branch_ids.get(positive)
    if branch is None:
        branch = m.branch_ids[positive] = len(m.branch_ids) + 1
    guards, truths = m.guards, m.truths
    saved = dict(frame.vars)
    mark = len(m.journal)
    first, second = Guard(branch, polarity), Guard(branch, not polarity)

    m.guards = (*guards, first)
    assume(m, condition, True)
    signal_one = _arm(frame, then)
    result_one = frame.result
    vars_one = _restore_vars(frame, saved)
    changes_one = _take_back(m, mark)

    m.guards = (*guards, second)
    m.truths = truths
    assume(m, condition, False)
    signal_two = _arm(frame, other) if other is not None else None
    truths_two = m.truths
    m.guards, m.truths = guards, truths
    if signal_one == BREAK or signal_two == BREAK:
        m.loop_breaks += 1

    if signal_one is not None and signal_two is not None:
        if signal_one == RETURN and signal_two == RETURN:
            frame.result = merge(m, result_one, frame.result)
            return RETURN
        if signal_one == RAISE and signal_two == RAISE:
            raise RaisedError(None)
        if signal_one == RETURN:
            _add_return(frame, result_one)
        if signal_two == RETURN:
            _add_return(frame, frame.result)
        weaker = [s for s in (signal_one, signal_two) if s in (BREAK, CONTINUE)]
        if weaker:
            return CONTINUE if CONTINUE in weaker else BREAK
        # One arm returns, the other raises.
        kept = first if signal_one == RETURN else second
        m.guards = (*guards, kept)
        return RETURN if frame.returns is None else _last_return(frame)
    if signal_one is not None:
        if signal_one == RETURN:
            _add_return(frame, result_one)
        _stay(m, frame, guards, second, signal_one)
        m.truths = truths_two
        return None
    vars_two = _restore_vars(frame, saved)
    changes_two = _take_back(m, mark)
    if signal_two is not None:
        if signal_two == RETURN:
            _add_return(frame, frame.result)
        frame.vars.clear()
        frame.vars.update(vars_one)
        for change in changes_one.values():
            _apply(m, change, change[4])
        _stay(m, frame, guards, first, signal_two)
        assume(m, condition, True)
        return None
    for name in [*vars_one, *(n for n in vars_two if n not in vars_one)]:
        one, two = vars_one.get(name, MISSING), vars_two.get(name, MISSING)
        frame.vars[name] = one if one is two else merge(m, one, two)
    for identity in [*changes_one, *(k for k in changes_two if k not in changes_one)]:
        left, right = changes_one.get(identity), changes_two.get(identity)
        either = left if left is not None else right
        assert either is not None
        one = left[4] if left is not None else either[3]
        two = right[4] if right is not None else either[3]
        _apply(m, either, merge_lists(m, one, two) if either[0] == 4 else merge(m, one, two))
    return None


def _arm(frame: Frame, run: Callable[[Frame], int | None]) -> int | None:
    try:
        return run(frame)
    except RaisedError:
        return RAISE


def _add_return(frame: Frame, value: Any) -> None:
    if frame.returns is None:
        frame.returns = []
    frame.returns.append(value)


def _last_return(frame: Frame) -> int:
    assert frame.returns is not None
    frame.result = frame.returns.pop()
    return RETURN


def _stay(m: Machine, frame: Frame, guards: tuple[Guard, ...], guard: Guard, signal: int) -> None:
    m.guards = (*guards, guard)
    if signal in (RETURN, RAISE):
        frame.kept = (*frame.kept, guard)


def _rank(value: Any) -> int:
    if value is MISSING:
        return 0
    if value is None:
        return 1
    if isinstance(value, HostArray):
        return 3
    if isinstance(value, Unknown):
        return 2
    if isinstance(value, TapeValue):
        return 7
    if isinstance(value, ArrayValue):
        return 6
    if isinstance(
        value,
        (Instance, Native, list, tuple, dict, LazyList, SetValue, FunctionValue, KernelValue, ClassValue, External),
    ):
        return 5
    return 4


def merge(m: Machine, one: Any, two: Any) -> Any:
    """What a name holds after two arms: equal values stay, else the more informative one, and
    different scalars become unknown."""
    if one is two:
        return one
    rank_one, rank_two = _rank(one), _rank(two)
    if rank_one != rank_two:
        return one if rank_one > rank_two else two
    if rank_one == 4:
        try:
            if type(one) is type(two) and one == two:
                return one
        except Exception:
            return one
        return Unknown("")
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        return tuple(merge(m, a, b) for a, b in zip(one, two, strict=True))
    if isinstance(one, list) and isinstance(two, list) and len(two) > len(one):
        return two
    return one


def merge_lists(m: Machine, one: list[Any], two: list[Any]) -> list[Any]:
    if len(one) != len(two):
        return list(one if len(one) > len(two) else two)
    return [merge(m, a, b) for a, b in zip(one, two, strict=True)]


def words_false(name: str) -> bool:
    """Does a dotted name speak of drawing, logging and the like?"""
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(
        words
        & {"render", "renderer", "rendering", "viewer", "plot", "plt", "log", "logger", "save", "usd", "stage", "print"}
    )
