"""Symbolic evaluation of kernel expressions, except calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from warp_lint.kernels import types as t
from warp_lint.kernels.builtins import lookup
from warp_lint.kernels.constants import evaluate
from warp_lint.kernels.graph import Guard, Key, Value
from warp_lint.kernels.machine import Machine, Place
from warp_lint.kernels.objects import AXES
from warp_lint.kernels.types import Type
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import External, ModuleRef
from warp_lint.syntax.project import Value as Bound

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "bit_and",
    ast.BitOr: "bit_or",
    ast.BitXor: "bit_xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Not: "unot",
    ast.Invert: "invert",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne", "unot"))
_ARRAY_ATTRIBUTES = frozenset(("shape", "size", "ndim", "strides", "ptr", "dtype", "device", "grad", "requires_grad"))


class Expressions(Machine):
    """Evaluates expressions to values."""

    def evaluate(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name):
            value = self.env.get(node.id)
            if value is not None:
                return self.current(value)
            return self.captured(node)
        if isinstance(node, ast.Constant):
            return self.const(node.value, node)
        if isinstance(node, ast.BinOp):
            return self.binary(OPERATORS[type(node.op)], self.evaluate(node.left), self.evaluate(node.right), node)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            return self.access(node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            return self.compare(node)
        if isinstance(node, ast.BoolOp):
            return self._boolean(node)
        if isinstance(node, ast.IfExp):
            return self.conditional(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            items = [self.evaluate(element) for element in node.elts if not isinstance(element, ast.Starred)]
            return self.make("tuple", Type("tuple"), items, node)
        if isinstance(node, ast.NamedExpr):
            value = self.evaluate(node.value)
            self.env[node.target.id] = value
            return value
        if isinstance(node, ast.JoinedStr):
            return self.const("", node)
        return self.opaque(node, why=f"expression `{self.frame.module.segment(node)[:60]}`")

    # Names

    def captured(self, node: ast.Name | ast.Attribute) -> Value:
        """A name from outside the kernel: a constant, a function, a type, a module."""
        known = self._captured.get(node)
        if known is not None:
            value = self.make(known.op, known.type, (), node)
            value.const, value.extra, value.name = known.const, known.extra, known.name
            return value
        value = self._captured[node] = self._resolve(node)
        return value

    def _resolve(self, node: ast.Name | ast.Attribute) -> Value:
        found = self.closure(node)
        if found is None:
            found = self.project.resolve(self.frame.module, self.scope, node)
        if isinstance(found, (bool, int, float)):
            return self.const(found, node)
        if isinstance(found, Definition):
            if isinstance(found.node, ast.ClassDef):
                value = self.make("type", self.reader.class_type(found), (), node)
            else:
                value = self.make("function", Type("function"), (), node)
            value.extra = found
            return value
        if isinstance(found, External):
            number = evaluate(self.project, self.frame.module, self.scope, node)
            if number is not None:
                return self.const(number, node)
            value = self.make("function", Type("function"), (), node)
            value.extra = found.name
            return value
        if isinstance(found, Bound):
            return self._bound(found, node)
        if isinstance(found, ModuleRef):
            return self.make("module", t.UNKNOWN, (), node)
        value = self.make("const", t.UNKNOWN, (), node)  # captured from a closure: static, but not known
        value.name = "captured"
        return value

    def closure(self, node: ast.AST) -> Any:
        """What the host knows of a name that belongs to a function around the kernel, else None."""
        if not self.scalars or not isinstance(node, ast.Name):
            return None
        bound = self.scope.find(node.id)
        if bound is None or bound[0] is self.scope or not isinstance(bound[0].node, ast.FunctionDef):
            return None
        return self.scalars.get((node.id,))

    def _bound(self, found: Bound, node: ast.expr) -> Value:
        number = evaluate(self.project, found.module, found.scope, found.expression)
        for index in found.unpack:
            ok = isinstance(number, tuple) and -len(number) <= index < len(number)
            number = number[index] if ok else None
        if isinstance(number, (int, float, str)):
            return self.const(number, node)
        type = t.UNKNOWN if found.unpack else self.reader.annotation(found.module, found.scope, found.expression)
        if type.kind != "unknown" and isinstance(found.expression, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            head = found.expression.func if isinstance(found.expression, ast.Call) else None
            name = head.attr if isinstance(head, ast.Attribute) else getattr(head, "id", "")
            if head is None or name in ("vector", "matrix", "vec", "mat", "quaternion", "transformation", "array"):
                value = self.make("type", type, (), node)
                return value
        value = self.make("const", self._constant_type(found), (), node)
        value.name = "captured"
        return value

    def _constant_type(self, found: Bound) -> Type:
        """Type of a captured constant like `G = wp.constant(wp.vec3(0.0, -9.8, 0.0))`."""
        node = found.expression
        for _ in range(3):
            if not isinstance(node, ast.Call):
                break
            target = self.project.resolve(found.module, found.scope, node.func)
            if isinstance(target, External):
                short = target.name.rpartition(".")[2]
                if short in ("constant", "static") and node.args:
                    node = node.args[0]
                    continue
                return t.named_type(short) or t.UNKNOWN
            break
        return t.UNKNOWN

    # Operators

    def binary(self, name: str, left: Value, right: Value, node: ast.AST) -> Value:
        user = self._overload(name, left, right)
        if user is not None:
            return self.inline(user, [left, right], {}, node)
        value = self.make("call", self.join(name, left.type, right.type), (left, right), node)
        value.name = name
        entry = lookup(name)
        if entry is not None:
            value.entry = entry.of(left.type.type_class, right.type.type_class).at(self.target)
            value.bound = (0, 1)
        if left.const is not None and right.const is not None:
            value.const = _fold(name, left.const, right.const)
        return value

    def _overload(self, name: str, left: Value, right: Value) -> Definition | None:
        """A user-defined operator: a func with the operator's name in scope and a struct operand."""
        if left.type.kind != "struct" and right.type.kind != "struct":
            return None
        found = self.project.resolve_name(self.frame.module, self.scope, name)
        return found if isinstance(found, Definition) and isinstance(found.node, ast.FunctionDef) else None

    @staticmethod
    def join(name: str, left: Type, right: Type) -> Type:
        if name in _COMPARISONS:
            return t.BOOL
        if left.kind == "mat" and right.kind == "mat":
            return Type("mat", left.scalar, (left.shape[:1] or (-1,)) + (right.shape[1:] or (-1,)))
        if left.kind == "mat" and right.kind == "vec":
            return Type("vec", left.scalar, left.shape[:1])
        if left.kind == "vec" and right.kind == "mat":
            return Type("vec", left.scalar, right.shape[1:])
        if left.kind == "tile" or right.kind == "tile":
            return left if left.kind == "tile" else right
        if left.is_object:
            return left
        if right.is_object:
            return right
        if left.kind == "unknown" or right.kind == "unknown":
            return left if left.kind == "float" else right if right.kind == "float" else t.UNKNOWN
        if left.kind == "float" or right.kind == "float":
            return left if left.kind == "float" else right
        return left

    def unary(self, node: ast.UnaryOp) -> Value:
        operand = self.evaluate(node.operand)
        name = OPERATORS[type(node.op)]
        if operand.op == "const" and operand.const is not None and name in ("neg", "pos") and _number(operand.const):
            value = self.const(-operand.const if name == "neg" else operand.const, node)
            value.type = operand.type
            return value
        value = self.make("call", t.BOOL if name == "unot" else operand.type, (operand,), node)
        value.name = name
        value.entry = lookup(name)
        value.bound = (0,)
        if operand.const is not None and name == "unot":
            value.const = not operand.const
        return value

    def compare(self, node: ast.Compare) -> Value:
        left = self.evaluate(node.left)
        parts: list[Value] = []
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(comparator)
            value = self.make("call", t.BOOL, (left, right), node)
            value.name = OPERATORS.get(type(op), "eq")
            value.const = _fold(value.name, left.const, right.const)
            parts.append(value)
            left = right
        return parts[0] if len(parts) == 1 else self.make("call", t.BOOL, parts, node)

    def _boolean(self, node: ast.BoolOp) -> Value:
        parts = [self.evaluate(value) for value in node.values]
        result = self.make("call", t.BOOL, parts, node)
        result.name = "and" if isinstance(node.op, ast.And) else "or"
        known = [bool(part.const) for part in parts if isinstance(part.const, (bool, int))]
        decisive = result.name == "or"
        if decisive in known:
            result.const = decisive
        elif len(known) == len(parts):
            result.const = not decisive
        return result

    def conditional(self, node: ast.IfExp) -> Value:
        condition = self.evaluate(node.test)
        if condition.op == "const" and condition.const is not None:
            return self.evaluate(node.body if condition.const else node.orelse)
        branch, outer = self.new_branch(), self.guards
        self.guards = (*outer, Guard(condition, True, branch))
        body = self.evaluate(node.body)
        self.guards = (*outer, Guard(condition, False, branch))
        other = self.evaluate(node.orelse)
        self.guards = outer
        return self.make(
            "phi", body.type if body.type.kind != "unknown" else other.type, (condition, body, other), node
        )

    # Access chains

    def access(self, node: ast.Subscript | ast.Attribute) -> Value:
        place = self.place(node)
        if place is None:
            return self.captured(node) if isinstance(node, ast.Attribute) else self.opaque(node)
        return self.fetch(place, node)

    def fetch(self, place: Place, node: ast.AST) -> Value:
        if place.adjoint:
            return self.opaque(node)
        if place.array is not None:
            return self.load(place, node) if place.indices or place.key else place.array
        assert place.value is not None
        if not place.key:
            return self.current(place.value)
        return self.component(self.current(place.value), place.key, node, place.dynamic)

    def component(self, owner: Value, key: Key, node: ast.AST, dynamic: tuple[Value, ...] = ()) -> Value:
        """Component of a local object; fields of structs one by one."""
        if owner.op == "tuple" and isinstance(key[0], int) and -len(owner.args) <= key[0] < len(owner.args):
            inner = owner.args[key[0]]
            return inner if len(key) == 1 else self.component(inner, key[1:], node)
        while key and owner.type.kind == "struct" and isinstance(key[0], str):
            owner = self.field(owner, key[0], node)
            key = key[1:]
        return self.read(owner, key, self.place_type(owner.type, key), node, dynamic) if key else owner

    def place(self, node: ast.expr) -> Place | None:
        """Resolve an access chain; None for names of modules and their members."""
        if isinstance(node, ast.Name):
            value = self.env.get(node.id)
            if value is None:
                value = self.captured(node)
                if value.op in ("module", "function", "type"):
                    return None
            value = self.current(value)
            if value.op == "array":
                return self._whole(value)
            return Place(value.type, name=node.id, value=value)
        if isinstance(node, ast.Attribute):
            base = self.place(node.value)
            return None if base is None else self._attribute(base, node)
        if isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Attribute) and node.value.attr == "adjoint":
                return Place(t.UNKNOWN, adjoint=True)
            base = self.place(node.value)
            if base is None:
                return None
            return base if base.adjoint else self._subscript(base, node)
        value = self.evaluate(node)
        if value.op == "array":
            return self._whole(value)
        if value.op in ("module", "function", "type"):
            return None
        return Place(value.type, value=value)

    def _whole(self, array: Value) -> Place:
        element = array.type.element or t.UNKNOWN
        return Place(element, array=array, indices=array.prefix)

    def _complete(self, place: Place) -> bool:
        """Does the chain designate one element already?"""
        if place.array is None:
            return False
        ndim = place.array.type.ndim or 1
        full = len(place.indices) >= ndim and not any(i is not None and i.op == "slice" for i in place.indices)
        return full or bool(place.key)

    def _attribute(self, base: Place, node: ast.Attribute) -> Place | None:
        name = node.attr
        if base.array is not None and not self._complete(base):
            if name in _ARRAY_ATTRIBUTES:
                return self._array_attribute(base.array, name, node)
            if base.indices != base.array.prefix or name not in AXES:
                return Place(t.UNKNOWN, value=self.opaque(node))
        if name in AXES and base.type.kind in ("vec", "quat", "transform", "unknown"):
            key: Key = (*base.key, AXES[name])
        elif base.type.kind == "unknown" and base.value is not None and base.value.op == "opaque":
            return Place(t.UNKNOWN, value=self.opaque(node, (base.value,)))
        else:
            key = (*base.key, name)
        if base.type.kind == "struct" and base.array is None and base.value is not None and not base.key:
            field = self.field(self.current(base.value), name, node)
            if field.op == "array":
                return self._whole(field)
            if field.op == "param":
                return Place(field.type, name=base.name, value=field, holder=base.value)
        if base.type.kind == "struct" and base.array is not None:
            type = self.place_type(base.type, (name,))
            if type.kind == "array":
                held = self.make("array", type, (), node)
                held.path, held.name = (*base.array.path, name), name
                held.prefix = tuple(i for i in base.indices if i is not None)
                self.graph.arrays.setdefault(held.path, type)
                return self._whole(held)
            return Place(type, base.array, base.indices, key)
        type = self.place_type(base.type, (key[-1],))
        return Place(type, base.array, base.indices, key, base.name, base.value, dynamic=base.dynamic)

    def _array_attribute(self, array: Value, name: str, node: ast.AST) -> Place:
        if name == "grad":
            value = self.make("array", array.type, (), node)
            value.path = (*array.path, "grad") if array.path else ()
            value.prefix = array.prefix
            return self._whole(value)
        value = self.make("call", Type("tuple") if name in ("shape", "strides") else t.INT, (), node)
        whole = not array.prefix and array.extra != "slice"
        value.name = f"{'.'.join(array.path)}{'' if whole else f'#{array.id}'}.{name}"
        value.extra = "shape"
        return Place(value.type, value=value)

    def _subscript(self, base: Place, node: ast.Subscript) -> Place:
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices: list[Value | None] = []
        for part in parts:
            if isinstance(part, ast.Slice):
                indices.append(self._slice(part))
            else:
                value = self.evaluate(part)
                if value.type.kind == "tuple" and value.op == "tuple":
                    indices.extend(value.args)
                elif value.type.kind == "vec":
                    indices.extend([None] * max(value.type.shape[0] if value.type.shape else 1, 1))
                else:
                    indices.append(value)
        if base.array is not None and not self._complete(base):
            if base.array.extra == "slice":
                indices = [None for _ in indices]
            return Place(base.type, base.array, self.indexed(base.indices, indices, node), base.key)
        if base.value is not None and base.value.extra == "shape":
            value = self.make("call", t.INT, (base.value,), node)
            value.name = f"{base.value.name}[{self._static(indices)}]"
            return Place(t.INT, value=value)
        if base.type.kind == "unknown" and base.value is not None and base.value.op in ("opaque", "const"):
            known = [i for i in indices if i is not None]
            return Place(t.UNKNOWN, value=self.opaque(node, (base.value, *known)))
        shape = base.type.shape
        key = [*base.key]
        for at, index in enumerate(indices):
            if index is not None and index.op == "slice":
                index = None
            key.append(self.index_key(index, shape[at] if at < len(shape) else None))
        dynamic = (*base.dynamic, *(i for i in indices if i is not None and i.const is None and i.op != "slice"))
        type = self.place_type(base.type, tuple(key[len(base.key) :]))
        return Place(type, base.array, base.indices, tuple(key), base.name, base.value, dynamic=dynamic)

    def _slice(self, node: ast.Slice) -> Value | None:
        """A slice that starts at a known place and takes every element: "slice" of its start."""
        bounds = [None if bound is None else self.evaluate(bound) for bound in (node.lower, node.upper, node.step)]
        start = bounds[0] or self.const(0, node)
        if bounds[2] is not None or (isinstance(start.const, int) and start.const < 0):
            return None
        return self.make("slice", t.INT, (start,), node)

    def indexed(
        self, before: tuple[Value | None, ...], indices: Sequence[Value | None], node: ast.AST
    ) -> tuple[Value | None, ...]:
        """Indices into the root array, of indices into a view of it."""
        pending = list(indices)
        found: list[Value | None] = []
        for entry in before:
            if entry is None or entry.op != "slice" or not pending:
                found.append(entry)
                continue
            index = pending.pop(0)
            if index is None or (isinstance(index.const, int) and index.const < 0):
                found.append(None)
                continue
            start = entry.args[0]
            inner = index.args[0] if index.op == "slice" else index
            moved = inner if start.const == 0 else self.binary("add", start, inner, node)
            found.append(self.make("slice", t.INT, (moved,), node) if index.op == "slice" else moved)
        return (*found, *pending)

    @staticmethod
    def _static(indices: list[Value | None]) -> Any:
        return indices[0].const if indices and indices[0] is not None else None


def _number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _fold(name: str, left: Any, right: Any) -> Any:
    """Result of an operator on known numbers; None if not known."""
    if not _number(left) or not _number(right):
        return None
    try:
        if name == "add":
            return left + right
        if name == "sub":
            return left - right
        if name == "mul":
            return left * right
        if name == "div":
            return left / right if right else None
        if name == "floordiv":
            return left // right if right else None
        if name == "mod":
            return left % right if right else None
        if name == "lt":
            return left < right
        if name == "le":
            return left <= right
        if name == "gt":
            return left > right
        if name == "ge":
            return left >= right
        if name == "eq":
            return left == right
        if name == "ne":
            return left != right
    except (ArithmeticError, TypeError, ValueError):
        return None
    return None
