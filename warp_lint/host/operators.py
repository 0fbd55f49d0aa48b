"""Operators on abstract values."""

from __future__ import annotations

import ast
import operator as op
from collections.abc import Callable
from typing import Any

from warp_lint.host import array_operators, calls, containers, elements, externals
from warp_lint.host.machine import Machine
from warp_lint.host.values import (
    MISSING,
    Address,
    ArrayValue,
    FunctionValue,
    HostArray,
    Instance,
    LazyList,
    Pointer,
    SetValue,
    Unknown,
    brief,
    hashable,
    merge_sources,
)
from warp_lint.syntax.project import External

FAST: dict[type, Callable[[Any, Any], Any]] = {ast.Add: op.add, ast.Sub: op.sub}

_PYTHON: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: op.add,
    ast.Sub: op.sub,
    ast.Mult: op.mul,
    ast.Div: op.truediv,
    ast.FloorDiv: op.floordiv,
    ast.Mod: op.mod,
    ast.BitAnd: op.and_,
    ast.BitOr: op.or_,
    ast.BitXor: op.xor,
    ast.LShift: op.lshift,
    ast.RShift: op.rshift,
}
_SYMBOL: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_DUNDER: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_NUMBER = (int, float)
MAX_LENGTH = 4096
MAX_BITS = 4096


def use(m: Machine, value: Any) -> None:
    """A host value is used: if it still shares memory with a Warp array, that memory is read."""
    if isinstance(value, HostArray) and value.view_of is not None:
        externals.view_read(m, value)


def binary(m: Machine, operator: type, left: Any, right: Any) -> Any:
    """`left op right`."""
    if isinstance(left, (Pointer, Address)) or isinstance(right, (Pointer, Address)):
        found = _address(operator, left, right)
        if found is not None:
            return found
    if isinstance(left, _NUMBER) and isinstance(right, _NUMBER):
        return _numbers(operator, left, right)
    arrays_only = not isinstance(left, HostArray) and not isinstance(right, HostArray)
    if arrays_only and (isinstance(left, ArrayValue) or isinstance(right, ArrayValue)):
        return array_operators.operator(m, _SYMBOL.get(operator, "?"), left, right)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _unknown(m, operator, left, right)
    if isinstance(left, Instance) or isinstance(right, Instance):
        numbers = number_of(left), number_of(right)
        if isinstance(numbers[0], _NUMBER) and isinstance(numbers[1], _NUMBER):
            return _numbers(operator, *numbers)
        found = _dunder(m, operator, left, right)
        if found is not MISSING:
            return found
    try:
        if operator is ast.Add:
            if isinstance(left, (list, LazyList)) and isinstance(right, (list, LazyList)):
                return containers.concatenate(left, right)
            same = isinstance(left, (tuple, str, bytes)) and type(left) is type(right)
            if same and len(left) + len(right) <= containers.MAX_SIZE:
                return op.add(left, right)
        elif operator is ast.Mult:
            if isinstance(right, (list, tuple, str)) and isinstance(left, int):
                left, right = right, left
            if isinstance(left, (list, tuple, str)) and isinstance(right, int):
                if len(left) * max(right, 0) <= MAX_LENGTH:
                    return left * right
                base = list(left)
                return LazyList(len(left) * right, lambda i: base[i % len(base)] if isinstance(i, int) else base[0])
        elif operator is ast.Mod and isinstance(left, str):
            if len(left) <= containers.MAX_SIZE and not containers.may_be_wide(left):
                return left % right
        elif operator is ast.BitOr and isinstance(left, dict) and isinstance(right, dict):
            return {**left, **right}
        elif isinstance(left, SetValue) and isinstance(right, SetValue):
            return _sets(operator, left, right)
    except Exception:
        pass
    return Unknown("", merge_sources(left, right))


def _address(operator: type, left: Any, right: Any) -> Address | None:
    """A pointer moved by a number."""
    if operator is ast.Add and not isinstance(left, (Pointer, Address)):
        left, right = right, left
    if operator not in (ast.Add, ast.Sub) or isinstance(right, (Pointer, Address)):
        return None
    moved = left if isinstance(left, Address) else Address(left.array)
    if moved.bytes is None or not isinstance(right, int):
        return Address(moved.array, None)
    return Address(moved.array, moved.bytes + (right if operator is ast.Add else -right))


def _numbers(operator: type, left: Any, right: Any) -> Any:
    try:
        if operator is ast.Pow:
            if isinstance(left, int) and isinstance(right, int) and abs(right) * max(left.bit_length(), 1) > MAX_BITS:
                return Unknown("number")
            result = left**right
            return result if isinstance(result, _NUMBER) else Unknown("number")
        if operator is ast.LShift and right > MAX_BITS:
            return Unknown("number")
        function = _PYTHON.get(operator)
        if function is None:
            return Unknown("number")
        if (
            operator is ast.Mult
            and isinstance(left, int)
            and isinstance(right, int)
            and left.bit_length() + right.bit_length() > MAX_BITS
        ):
            return Unknown("number")
        return function(left, right)
    except Exception:
        return Unknown("number")


def _unknown(m: Machine, operator: type, left: Any, right: Any) -> Any:
    use(m, left)
    use(m, right)
    symbol = _SYMBOL.get(operator, "?")
    if isinstance(left, HostArray) or isinstance(right, HostArray):
        kind = left.kind if isinstance(left, HostArray) else right.kind
        shape = externals.broadcast(externals.shape_of(left), externals.shape_of(right))
        return HostArray("", merge_sources(left, right), shape, kind)
    if isinstance(left, Unknown):
        if type(right) is int and operator is ast.Add:
            return left.shift(right)
        if type(right) is int and operator is ast.Sub:
            return left.shift(-right)
        if isinstance(right, Unknown) and operator is ast.Sub and left.base is right.base:
            return left.offset - right.offset
        if operator is ast.Mod and isinstance(left.text, str) and isinstance(right, tuple):
            return Unknown("string")
        if type(right) is int:
            if operator is ast.Mod and right > 0:
                return elements.residue(left, right)
            if operator is ast.BitXor and right == 1:
                return elements.minus(1, left)
        if operator in (ast.Add, ast.Mult) and isinstance(right, Unknown):
            found = right.memo.get((symbol, hashable(left)))
            if found is not None:
                return found
        if isinstance(right, (list, tuple, LazyList)) and operator is ast.Add:
            return Unknown(left.text, merge_sources(left, right))
        result = left.derived(symbol, right, f"{left.text} {symbol} {brief(right)}")
        _bound(operator, left, right, result)
        return result
    if operator in (ast.Add, ast.Mult) and type(left) in (int, float):
        return _unknown(m, operator, right, left)
    if isinstance(left, (list, tuple)) and operator is ast.Mult and isinstance(right, Unknown) and left:
        base = list(left)
        return LazyList(
            right if len(base) == 1 else right.derived("*", len(base), f"{right.text} * {len(base)}"), lambda i: base[0]
        )
    if isinstance(left, str):
        return Unknown("string")
    if operator is ast.Sub and type(left) is int and isinstance(right, Unknown):
        return elements.minus(left, right)
    if isinstance(right, Unknown):
        return right.derived("r" + symbol, left, f"{brief(left)} {symbol} {right.text}")
    return Unknown("")


def _bound(operator: type, left: Unknown, right: Any, result: Unknown) -> None:
    lower = left.at_least()
    if lower is None or result.lower is not None:
        return
    if operator is ast.Mult and type(right) is int and right > 0:
        result.lower = lower * right


def _dunder(m: Machine, operator: type, left: Any, right: Any) -> Any:
    name = _DUNDER.get(operator)
    if name is None:
        return MISSING
    for value, method, other in ((left, f"__{name}__", right), (right, f"__r{name}__", left)):
        if isinstance(value, Instance) and value.cls is not None:
            found = value.cls.lookup(method)
            if isinstance(found, FunctionValue):
                return calls.call_function(m, found, [value, other], {})
    return MISSING


def _sets(operator: type, left: SetValue, right: SetValue) -> Any:
    if operator is ast.BitOr:
        return SetValue({**left.items, **right.items})
    if operator is ast.BitAnd:
        return SetValue({k: v for k, v in left.items.items() if k in right.items})
    if operator is ast.Sub:
        return SetValue({k: v for k, v in left.items.items() if k not in right.items})
    return Unknown("set")


def unary(m: Machine, operator: type, value: Any) -> Any:
    if isinstance(value, _NUMBER):
        if operator is ast.USub:
            return -value
        if operator is ast.UAdd:
            return +value
        if isinstance(value, int):
            return ~value
        return Unknown("number")
    if isinstance(value, ArrayValue):
        return array_operators.operator(m, "neg", value, None)
    if isinstance(value, HostArray):
        use(m, value)
        return HostArray("", value.sources, value.shape, value.kind)
    if isinstance(value, Unknown):
        return value.derived(f"u{operator.__name__}", 0, f"-{value.text}")
    if isinstance(value, Instance) and value.cls is not None:
        found = value.cls.lookup("__neg__")
        if isinstance(found, FunctionValue):
            return calls.call_function(m, found, [value], {})
    return Unknown("")


def inplace(m: Machine, operator: type, left: Any, right: Any, hint: str) -> Any:
    """`left op= right`: the new value of the target; the same object if it is changed in place."""
    if isinstance(left, ArrayValue):
        return array_operators.inplace(m, _SYMBOL.get(operator, "?"), left, right)
    if isinstance(left, list) and operator is ast.Add:
        elements = containers.known_elements(m, right)
        if elements is not None:
            m.keep_list(left)
            containers.grow(left, elements)
            return left
    if isinstance(left, HostArray):
        use(m, right)
        if left.view_of is not None:
            externals.view_write(m, left)
            return left
        left.sources = merge_sources(left, right)
        return left
    if isinstance(left, Instance) and left.cls is not None:
        name = _DUNDER.get(operator)
        found = left.cls.lookup(f"__i{name}__") if name else MISSING
        if isinstance(found, FunctionValue):
            return calls.call_function(m, found, [left, right], {})
    return binary(m, operator, left, right)


_ORDER: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: op.lt,
    ast.LtE: op.le,
    ast.Gt: op.gt,
    ast.GtE: op.ge,
}
_MIRROR: dict[type, type] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
_COMPARISON: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def number_of(value: Any) -> Any:
    """The number that a member of an `IntEnum` is; other values as they are."""
    if isinstance(value, Instance) and value.cls is not None and value.cls.kind == "enum":
        number = value.attributes.get("value")
        bases = {name.rpartition(".")[2] for name in value.cls.external_bases()}
        if isinstance(number, int) and bases & {"IntEnum", "IntFlag", "int"}:
            return number
    return value


def compare(m: Machine, operator: type, left: Any, right: Any) -> Any:
    """`left op right`: True, False or an unknown."""
    if operator in (ast.Is, ast.IsNot):
        outcome = _identical(left, right)
        if isinstance(outcome, bool):
            return outcome if operator is ast.Is else not outcome
        return _memo(operator, left, right)
    if operator in (ast.In, ast.NotIn):
        outcome = containers.contains(m, right, left)
        if isinstance(outcome, bool):
            return outcome if operator is ast.In else not outcome
        return _memo(operator, left, right)
    if isinstance(left, _NUMBER) != isinstance(right, _NUMBER):
        left, right = number_of(left), number_of(right)
    if isinstance(left, _NUMBER) and isinstance(right, _NUMBER):
        if operator is ast.Eq:
            return left == right
        if operator is ast.NotEq:
            return left != right
        return _ORDER[operator](left, right)
    use(m, left)
    use(m, right)
    if isinstance(left, HostArray) or isinstance(right, HostArray):
        if left is None or right is None:
            return operator is ast.NotEq
        return HostArray("", merge_sources(left, right), None)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _compare_unknown(operator, left, right)
    if operator in (ast.Eq, ast.NotEq):
        same = _equal(m, left, right)
        if isinstance(same, bool):
            return same if operator is ast.Eq else not same
        return same
    try:
        if type(left) is type(right) and isinstance(left, (str, tuple)):
            return bool(_ORDER[operator](left, right))
    except Exception:
        pass
    return Unknown("comparison")


def _identical(left: Any, right: Any) -> Any:
    if left is right:
        return True
    if left is None or right is None:
        other = right if left is None else left
        if isinstance(other, Unknown) and not isinstance(other, HostArray) and ("array",) not in other.memo:
            return None
        return False
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    if isinstance(left, External) and isinstance(right, External):
        return left == right
    if isinstance(left, (int, float, str)) and type(left) is type(right):
        return left == right
    return False


def _equal(m: Machine, left: Any, right: Any) -> Any:
    if left is right:
        return True
    if isinstance(left, Instance) and left.cls is not None:
        found = left.cls.lookup("__eq__")
        if isinstance(found, FunctionValue):
            return calls.call_function(m, found, [left, right], {})
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        if len(left) != len(right):
            return False
        outcomes = [compare(m, ast.Eq, a, b) for a, b in zip(left, right, strict=True)]
        if all(o is True for o in outcomes):
            return True
        return False if any(o is False for o in outcomes) else Unknown("comparison")
    if isinstance(left, (str, bytes, External, range)) or left is None or right is None:
        try:
            return bool(left == right)
        except Exception:
            return Unknown("comparison")
    if isinstance(left, (Instance, ArrayValue)) or isinstance(right, (Instance, ArrayValue)):
        return False
    return Unknown("comparison") if type(left) is type(right) else False


def _compare_unknown(operator: type, left: Any, right: Any) -> Any:
    if not isinstance(left, Unknown):
        left, right, operator = right, left, _MIRROR[operator]
    if isinstance(right, Unknown) and left.base is right.base:
        a, b = left.offset, right.offset
        if operator is ast.Eq:
            return a == b
        if operator is ast.NotEq:
            return a != b
        return _ORDER[operator](a, b)
    lower = left.at_least()
    if lower is not None and isinstance(right, _NUMBER):
        if right < lower and operator in (ast.Gt, ast.GtE, ast.NotEq):
            return True
        if right < lower and operator in (ast.Lt, ast.LtE, ast.Eq):
            return False
        if right == lower and operator is ast.GtE:
            return True
        if right == lower and operator is ast.Lt:
            return False
    return _memo(operator, left, right)


_POSITIVE: dict[type, type] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}


def _memo(operator: type, left: Any, right: Any) -> Any:
    symbol = _COMPARISON[operator]
    if isinstance(left, Unknown):
        positive = _POSITIVE.get(operator)
        if positive is not None:
            from warp_lint.host.branches import negation

            return negation(_memo(positive, left, right))
        return left.derived(symbol, right, f"{left.text} {symbol} {brief(right)}")
    if isinstance(right, Unknown):
        return right.derived("r" + symbol, left, f"{brief(left)} {symbol} {right.text}")
    return Unknown("comparison")
