"""Symbolic execution of kernel statements: assignments, branches, unrolled and rolled loops."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from packaging.version import Version

from warp_lint.kernels import types as t
from warp_lint.kernels.builtins import draws
from warp_lint.kernels.calls import Calls
from warp_lint.kernels.detect import Options, kernel_kind
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.expressions import OPERATORS
from warp_lint.kernels.graph import Cell, Exit, Graph, Guard, Loop, Value
from warp_lint.kernels.machine import Budget, Context, Machine, Place
from warp_lint.kernels.types import Type, TypeReader
from warp_lint.settings import NEWEST_KNOWN
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import Project

UNKNOWN_TRIPS = 3  # trips executed of an unrolled loop whose static bound is not known
# Levels of Python calls; a func inlined in a func takes a dozen. Before 3.11 each costs C stack as well.
_RECURSION = 6_000 if sys.version_info >= (3, 11) else 2_500
Cells = dict[int, tuple[Cell, Value | None]]


class Executor(Calls):
    """Executes statements."""

    def run(self, body: list[ast.stmt]) -> bool:
        """Execute statements; True if every path leaves the block early."""
        for node in body:  # noqa: SIM110 (a generator would cost a level of the interpreter's own stack)
            if self.statement(node):
                return True
        return False

    def statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Assign):
            self._assign(node)
        elif isinstance(node, ast.AugAssign):
            self._augmented(node)
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                self.evaluate(node.value)
        elif isinstance(node, ast.If):
            return self._if(node)
        elif isinstance(node, ast.For):
            return self._for(node)
        elif isinstance(node, ast.While):
            self._while(node)
        elif isinstance(node, ast.Return):
            return self._return(node)
        elif isinstance(node, (ast.Break, ast.Continue)):
            return self._leave(node)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._bind(node.target, self.evaluate(node.value), node)
        elif isinstance(node, (ast.Pass, ast.Assert, ast.Import, ast.ImportFrom)):
            pass
        else:
            self.note(f"statement `{type(node).__name__.lower()}`")
        return False

    # Assignments

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)):
            self.expected = len(target.elts)
        value = self.evaluate(node.value)
        self.expected = None
        if isinstance(target, ast.Name) and isinstance(node.value, (ast.Name, ast.Constant)):
            value = self._copied(value, node)
        elif isinstance(target, ast.Name) and value.op == "tuple":
            value = self._kept(value, node)
        for name in node.targets:
            self._bind(name, value, node)

    def _kept(self, value: Value, node: ast.AST) -> Value:
        """`t = (a, b)`: a tuple that is an object has no adjoint; one that is unpacked at once never is."""
        items = []
        for item in value.args:
            if item.type.floating and item.type.kind != "array" and item.op not in ("array", "function", "type"):
                kept = self.severed("tuple", [item], node, item.type)
                kept.const = item.const
                items.append(kept)
            else:
                items.append(item)
        return self.make("tuple", value.type, items, node)

    def _copied(self, value: Value, node: ast.AST) -> Value:
        """`w = v` makes a new variable; arrays and functions are handles, tiles share their storage."""
        if value.op in ("array", "function", "type", "module") or (
            value.op == "const" and isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        ):
            return value
        copy = self.make("copy", value.type, (value,), node)
        copy.const = value.const
        if value.type.kind == "tile":
            self.share(value, copy)
        return copy

    def _bind(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = list(value.args) if value.op == "tuple" else []
            for k, element in enumerate(target.elts):
                part = parts[k] if k < len(parts) else self._element(value, k, node)
                self._bind(element, part, node)
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            place = self.place(target)
            if place is None or place.adjoint:
                return
            self._store(place, value, node)

    def _element(self, value: Value, k: int, node: ast.AST) -> Value:
        """One result of a builtin with several results."""
        if value.op == "array" or value.extra == "shape":
            return self.make("opaque", t.INT, (), node)
        part = self.make("index", t.UNKNOWN, (value,), node)
        part.key = (k,)
        return part

    def _store(self, place: Place, value: Value, node: ast.AST, augmented: str = "") -> None:
        if place.array is not None:
            if not place.indices and not place.key:
                return
            self.write(place, value, Access.STORE, node, augmented)
        elif place.key:
            self.mutate(place, value, "set", node)
        elif place.holder is not None and place.value is not None:
            field = (place.value.path[-1],)
            self.mutate(Place(place.holder.type, key=field, name=place.name, value=place.holder), value, "set", node)

    def _augmented(self, node: ast.AugAssign) -> None:
        name = OPERATORS.get(type(node.op), "add")
        target = node.target
        if isinstance(target, ast.Name):
            operand = self.evaluate(node.value)
            current = self.evaluate(target)
            if current.type.kind == "tile" and operand.type.kind == "tile" and name in ("add", "sub"):
                if name == "sub":
                    operand = self.unary_minus(operand, node)
                self.mutate(Place(current.type, name=target.id, value=current), operand, "add", node)
                return
            self.env[target.id] = self.binary(name, current, operand, node)
            return
        place = self.place(target)
        operand = self.evaluate(node.value)
        if place is None or place.adjoint:
            return
        if place.array is not None:
            if not place.indices and not place.key:
                return
            if name in ("add", "sub"):
                if name == "sub":
                    operand = self.unary_minus(operand, node)
                self.write(place, operand, Access.ACCUMULATE, node, augmented=name)
                return
            old = self.load(place, node)
            assert old.event is not None or old.op == "array"
            self.write(place, self.binary(name, old, operand, node), Access.STORE, node, augmented=name)
            return
        assert place.value is not None
        owner = self.current(place.value)
        vectorial = owner.type.kind in ("vec", "mat", "quat", "transform", "tile") and len(place.key) >= 1
        if name in ("add", "sub") and vectorial and isinstance(target, ast.Subscript):
            if name == "sub":
                operand = self.unary_minus(operand, node)
            self.mutate(place, operand, "add", node)
            return
        old = self.fetch(place, node)
        self._store(place, self.binary(name, old, operand, node), node)

    def unary_minus(self, value: Value, node: ast.AST) -> Value:
        from warp_lint.kernels.builtins import lookup

        result = self.make("call", value.type, (value,), node)
        result.name, result.entry, result.bound = "neg", lookup("neg"), (0,)
        return result

    # Leaving

    def _return(self, node: ast.Return) -> bool:
        value = self.evaluate(node.value) if node.value is not None else None
        self.returned.append((value, self.guards))
        if self.loops and self.loops[-1].frame is self.frame:
            for loop in self.loops:
                if loop.frame is self.frame:
                    loop.exits.append(Exit("return", node, len(self.graph.values), self.guards))
        return True

    def _leave(self, node: ast.Break | ast.Continue) -> bool:
        context = self.contexts[-1] if self.contexts else None
        if context is None:
            return True
        snapshot = (dict(self.env), self._cells())
        kind = "break" if isinstance(node, ast.Break) else "continue"
        (context.breaks if kind == "break" else context.continues).append(snapshot)
        if context.loop is not None:
            changed = self._changed(context.loop)
            context.loop.exits.append(Exit(kind, node, len(self.graph.values), self.guards, changed))
        return True

    def _changed(self, loop: Loop) -> tuple[Value, ...]:
        found = []
        for name, head in loop.carried.items():
            value = head.cell.current if head.cell is not None else self.env.get(name)
            if value is not None and not _unchanged(self.current(value), head):
                found.append(self.current(value))
        return tuple(found)

    def _cells(self) -> Cells:
        journal = self.journals[-1] if self.journals else {}
        return {key: (cell, cell.current) for key, (cell, _) in journal.items()}

    # Branches

    def _if(self, node: ast.If) -> bool:
        condition = self.evaluate(node.test)
        if isinstance(condition.const, (bool, int, float)):
            return self.run(node.body if condition.const else node.orelse)
        branch, outer, before = self.new_branch(), self.guards, dict(self.env)
        self.guards = (*outer, Guard(condition, True, branch))
        then_env, then_cells, then_ends, then_guards = self._arm(node.body, before)
        self.guards = (*outer, Guard(condition, False, branch))
        else_env, else_cells, else_ends, else_guards = self._arm(node.orelse, before)
        self.guards = outer
        if then_ends and else_ends:
            self.env = before
            return True
        if then_ends or else_ends:
            self.env = else_env if then_ends else then_env
            for cell, current in (else_cells if then_ends else then_cells).values():
                self.journal(cell)
                cell.current = current
            # What follows runs only if the leaving arm was not taken.
            self.guards = else_guards if then_ends else then_guards
            return False
        self.env = self._merge(condition, then_env, else_env, node)
        self._merge_cells(condition, then_cells, else_cells, node)
        return False

    def _arm(
        self, body: list[ast.stmt], before: dict[str, Value]
    ) -> tuple[dict[str, Value], Cells, bool, tuple[Guard, ...]]:
        self.env = dict(before)
        journal: Cells = {}
        self.journals.append(journal)
        ends = self.run(body)
        self.journals.pop()
        changed = {key: (cell, cell.current) for key, (cell, _) in journal.items()}
        for cell, previous in journal.values():
            cell.current = previous
        return self.env, changed, ends, self.guards

    def _merge(
        self, condition: Value, left: dict[str, Value], right: dict[str, Value], node: ast.AST
    ) -> dict[str, Value]:
        merged = dict(left)
        for name, value in right.items():
            other = merged.get(name)
            if other is None or other is value:
                merged[name] = value
            else:
                merged[name] = self._phi(condition, other, value, node)
        return merged

    def _phi(self, condition: Value, left: Value, right: Value, node: ast.AST) -> Value:
        if left.op in ("array", "function", "type") or right.op in ("array", "function", "type"):
            if left.op == right.op == "array" and left.path == right.path:
                both = self.make("array", left.type, (), node)
                both.path, both.name, both.extra = left.path, left.name, "slice"
                return both
            return self.make("array", left.type, (), node) if left.op == "array" else left
        kind = left.type if left.type.kind != "unknown" else right.type
        left, right = self.current(left), self.current(right)
        return self.make("phi", kind, (condition, left, right), node)

    def _merge_cells(self, condition: Value, left: Cells, right: Cells, node: ast.AST) -> None:
        for key in {**left, **right}:
            cell = (left.get(key) or right[key])[0]
            one = left[key][1] if key in left else cell.current
            two = right[key][1] if key in right else cell.current
            self.journal(cell)
            if one is two or one is None or two is None:
                cell.current = one or two
                continue
            phi = self.make("phi", one.type, (condition, one, two), node)
            phi.cell = cell
            cell.current = phi

    # Loops

    def _for(self, node: ast.For) -> bool:
        if not isinstance(node.target, ast.Name):
            self.note("loop over several targets")
            return False
        arguments: list[Value] | None = None
        call = node.iter
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range":
            arguments = [self.evaluate(a) for a in call.args]
            if _never(arguments):
                return False
            trips = self._unrolled(node, arguments)
            if trips is not None:
                return self._unroll(node, trips)
        elif isinstance(call, (ast.Tuple, ast.List)):
            return self._unroll_over(node, call.elts)
        step: int | None = 1
        kind = "for"
        if arguments is None:
            iterated = self.evaluate(call)
            arguments, kind, step = [iterated], "query", None
        elif len(arguments) == 3:
            step = arguments[2].const if isinstance(arguments[2].const, int) else None
        loop = self._new_loop(kind, node, tuple(arguments), step)
        self._rolled(loop, node, None)
        return False

    def _unrolled(self, node: ast.For, arguments: list[Value]) -> Sequence[int] | None:
        """Trips of a loop that Warp unrolls, by its own rules; None if it rolls the loop."""
        if not arguments or any(a.op != "const" for a in arguments):
            return None
        if _controls(node.body, ast.Break) or (self.options.continue_rolls and _controls(node.body, ast.Continue)):
            return None
        numbers = [a.const for a in arguments]
        if any(n is None for n in numbers):
            return range(UNKNOWN_TRIPS)
        if any(not isinstance(n, int) for n in numbers) or (len(numbers) == 3 and numbers[2] == 0):
            return None
        trips = range(*[int(n) for n in numbers[:3]])
        if len(trips) > self.options.max_unroll and not self._static_inside(node):
            return None
        return trips

    def _static_inside(self, node: ast.For) -> bool:
        """A `wp.static` that depends on the loop variable (others are replaced before loops are looked at)."""
        variable = node.target.id if isinstance(node.target, ast.Name) else ""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and isinstance(inner.func, (ast.Attribute, ast.Name)):
                name = inner.func.attr if isinstance(inner.func, ast.Attribute) else inner.func.id
                if name == "static" and any(isinstance(n, ast.Name) and n.id == variable for n in ast.walk(inner)):
                    return True
        return False

    def _unroll(self, node: ast.For, trips: Sequence[int]) -> bool:
        assert isinstance(node.target, ast.Name)
        for k in trips:
            self.env[node.target.id] = self.const(k, node.target)
            if self._pass(node.body):
                return True
        return False

    def _unroll_over(self, node: ast.For, items: list[ast.expr]) -> bool:
        assert isinstance(node.target, ast.Name)
        for item in items:
            self.env[node.target.id] = self.evaluate(item)
            if self._pass(node.body):
                return True
        return False

    def _pass(self, body: list[ast.stmt]) -> bool:
        """One pass of an unrolled loop: `continue` guards the rest of the pass only."""
        outer = self.guards
        context = Context(None)
        self.contexts.append(context)
        journal: Cells = {}
        self.journals.append(journal)
        ends = self.run(body)
        self.journals.pop()
        self.contexts.pop()
        if context.continues:
            self._join(context.continues, ends, body[0])
            self.guards = outer
            return False
        return ends

    def _join(self, snapshots: list[tuple[dict[str, Value], Cells]], dead: bool, node: ast.AST) -> None:
        """Merge environments left by continues or breaks with the present one."""
        outer = self.guards
        self.guards = ()
        environments = [env for env, _ in snapshots]
        if not dead:
            environments.append(self.env)
        names = dict.fromkeys(name for env in environments for name in env)
        merged: dict[str, Value] = {}
        for name in names:
            values = list(dict.fromkeys(env[name] for env in environments if name in env))
            merged[name] = values[0] if len(values) == 1 else self._joined(values, node)
        touched: dict[int, Cell] = {}
        for _, cells in snapshots:
            touched.update({key: cell for key, (cell, _) in cells.items()})
        for key, cell in touched.items():
            held = [cells[key][1] for _, cells in snapshots if key in cells]
            if not dead:
                held.append(cell.current)
            present = list(dict.fromkeys(v for v in held if v is not None))
            if len(present) > 1:
                self.journal(cell)
                joined = self.make("join", present[0].type, present, node)
                joined.cell = cell
                cell.current = joined
        self.env = merged
        self.guards = outer

    def _joined(self, values: list[Value], node: ast.AST) -> Value:
        first = values[0]
        if first.op in ("array", "function", "type"):
            return first
        return self.make("join", first.type, [self.current(v) for v in values], node)

    def _new_loop(self, kind: str, node: ast.For | ast.While, bounds: tuple[Value, ...], step: int | None) -> Loop:
        loop = Loop(len(self.graph.loops), kind, node, self.frame, self.guards, len(self.graph.values), bounds, step)
        self.graph.loops.append(loop)
        return loop

    def _while(self, node: ast.While) -> None:
        if isinstance(node.test, ast.Compare) and self.evaluate(node.test).const is False:
            return
        loop = self._new_loop("while", node, (), None)
        self._rolled(loop, node, node.test)

    def _rolled(self, loop: Loop, node: ast.For | ast.While, test: ast.expr | None) -> None:
        outer_loops, outer_guards = self.loops, self.guards
        before = dict(self.env)
        known = self._written.get(node)
        if known is None:
            known = self._written[node] = _written_names(node)
        assigned, touched, rebound = dict(known[0]), known[1], known[2]
        self.loops = (*outer_loops, loop)
        if self.options.component_overwrites:
            # A component assignment makes a new variable, so it counts as one of the name.
            for name in touched:
                held = before.get(name)
                if held is not None and held.type.kind in ("vec", "mat", "quat", "transform"):
                    assigned[name] = None
        heads: dict[str, tuple[Value, Value, bool]] = {}
        done: dict[int, Value] = {}
        for name in dict.fromkeys((*assigned, *touched)):
            initial = before.get(name)
            if initial is None or initial.op in ("array", "function", "type", "module", "tuple"):
                continue
            in_place = name not in assigned or (initial.type.kind == "tile" and name not in rebound)
            if in_place and not initial.type.is_object and initial.type.kind != "unknown":
                continue
            newest = self.current(initial)
            if in_place and initial.cell is not None and id(initial.cell) in done:
                continue
            head = self.make("carry", newest.type, (newest,), node)
            head.name, head.extra = name, loop
            if in_place:
                if initial.cell is None:
                    initial.cell = Cell(name, newest)
                self.journal(initial.cell)
                head.cell = initial.cell
                initial.cell.current = head
                done[id(initial.cell)] = head
            else:
                self.env[name] = head
            heads[name] = (initial, head, in_place)
            loop.carried[name] = head
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            loop.variable = self.make("loopvar", t.INT if loop.kind == "for" else t.UNKNOWN, (), node.target)
            loop.variable.name = node.target.id
            self.env[node.target.id] = loop.variable
        if test is not None:
            self._condition(loop, test)
        context = Context(loop)
        self.contexts.append(context)
        journal: Cells = {}
        self.journals.append(journal)
        ends = self.run(node.body)
        if context.continues:
            self._join(context.continues, ends, node)
        end_env = self.env
        backs = {
            name: self.current(head.cell.current or head)
            if in_place and head.cell is not None
            else self.current(end_env.get(name, head))
            for name, (_, head, in_place) in heads.items()
        }
        if context.breaks:
            self._join(context.breaks, False, node)
        self.journals.pop()
        self.contexts.pop()
        loop.end = len(self.graph.values)
        self.guards = outer_guards
        self.loops = outer_loops
        self._after(loop, node, before, heads, backs)

    def _condition(self, loop: Loop, test: ast.expr) -> None:
        condition = self.evaluate(test)
        loop.condition = condition
        if isinstance(test, ast.Call):
            for argument in test.args:
                if isinstance(argument, ast.Name) and argument.id in self.env and len(test.args) > 1:
                    fresh = self.env[argument.id]
                    if fresh.op == "carry" or fresh.type.kind == "int":
                        # wp.…_query_next(query, index) writes its index at every pass
                        fresh = self.make("loopvar", t.INT, (), test)
                        fresh.name = argument.id
                        self.env[argument.id] = fresh
                        loop.carried.pop(argument.id, None)
                        loop.variable = fresh
        if not (isinstance(test, ast.Constant) or condition.op == "const"):
            self.guards = (*self.guards, Guard(condition, True, self.new_branch()))

    def _after(
        self,
        loop: Loop,
        node: ast.AST,
        before: dict[str, Value],
        heads: dict[str, tuple[Value, Value, bool]],
        backs: dict[str, Value],
    ) -> None:
        """Close the cycle of carried values, and bind the names to what they are behind the loop."""
        after = dict(before)
        for name, (_, head, in_place) in heads.items():
            back = backs[name]
            if name not in loop.carried:  # the index of a query
                after[name] = self.make("opaque", head.type, (), node)
                continue
            if _unchanged(back, head):
                loop.carried.pop(name, None)
                head.extra = None
                if in_place and head.cell is not None:
                    head.cell.current = head.args[0]
                continue
            head.args.append(back)
            # A value that doesn't depend on the one before is the last pass's (of one pass at least).
            whole = depends(back, head) or loop.kind == "while"
            value = self.make("after", head.type, (back, head.args[0]) if whole else (back,), node)
            value.name, value.extra = name, loop
            if in_place and head.cell is not None:
                value.cell = head.cell
                self.journal(head.cell)
                head.cell.current = value
            else:
                after[name] = value
        for name, value in self.env.items():
            if name in before or value.op in ("array", "function", "type", "const", "module"):
                continue
            leaked = self.make("after", value.type, (self.current(value),), node)
            leaked.name, leaked.extra, leaked.key = name, loop, ("body",)
            after[name] = leaked
        self.env = after


def _never(arguments: list[Value]) -> bool:
    """A range that is known to be empty."""
    numbers = [a.const for a in arguments]
    if not 1 <= len(numbers) <= 3 or any(not isinstance(n, int) for n in numbers):
        return False
    return not (len(numbers) == 3 and numbers[2] == 0) and not range(*numbers)


def depends(value: Value, on: Value) -> bool:
    """Is a value computed from another (conditions included)?"""
    seen: set[int] = set()
    pending = [value]
    while pending:
        node = pending.pop()
        if node is on:
            return True
        if node.id in seen or node.id < on.id:
            continue
        seen.add(node.id)
        pending.extend(node.args)
    return False


def _unchanged(back: Value, head: Value) -> bool:
    while back.op == "copy" and back is not head:
        back = back.args[0]
    return back is head


def _controls(body: list[ast.stmt], kind: type[ast.stmt]) -> bool:
    """A `break` or `continue` that targets this loop, not one inside it."""
    for statement in body:
        if isinstance(statement, kind):
            return True
        if isinstance(statement, ast.If) and (_controls(statement.body, kind) or _controls(statement.orelse, kind)):
            return True
    return False


def drawn_from(call: ast.Call) -> str:
    """Name of the state that `wp.randf(state)` advances, if that is what a call does."""
    head = call.func
    name = head.attr if isinstance(head, ast.Attribute) else head.id if isinstance(head, ast.Name) else ""
    first = call.args[0] if call.args else None
    return first.id if isinstance(first, ast.Name) and draws(name) else ""


def _written_names(loop: ast.For | ast.While) -> tuple[dict[str, None], dict[str, None], set[str]]:
    """Names a loop assigns, names whose components (or whole, by a builtin) it may write, and the assigned ones that
    not only `+=` and `-=` do (which change a tile in place)."""
    assigned: dict[str, None] = {}
    touched: dict[str, None] = {}
    augmented: dict[ast.expr, None] = {}
    rebound: set[str] = set()
    nodes: list[ast.AST] = list(loop.body)
    if isinstance(loop, ast.While):
        nodes.append(loop.test)
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.AugAssign):
                if isinstance(node.op, (ast.Add, ast.Sub)):
                    augmented[node.target] = None
            elif isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    assigned[node.id] = None
                    if node not in augmented:
                        rebound.add(node.id)
            elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                root: ast.expr = node
                while isinstance(root, (ast.Subscript, ast.Attribute)):
                    root = root.value
                if isinstance(root, ast.Name):
                    touched[root.id] = None
            elif isinstance(node, ast.Call):
                state = drawn_from(node)
                if state:
                    assigned[state] = None
                    rebound.add(state)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                for argument in node.value.args:
                    if isinstance(argument, ast.Name):
                        touched[argument.id] = None
            elif isinstance(node, ast.While):
                pass
    if isinstance(loop, ast.While) and isinstance(loop.test, ast.Call):
        for argument in loop.test.args:
            if isinstance(argument, ast.Name):
                assigned.setdefault(argument.id, None)
    return assigned, touched, rebound


def execute(
    project: Project,
    reader: TypeReader,
    definition: Definition,
    options: Options,
    scalars: Mapping[Path, Any] | None = None,
    target: Version = NEWEST_KNOWN,
) -> Graph:
    """Execute a kernel (or a func by itself) symbolically. Never raises on any source."""
    machine = Executor(project, reader, definition, options, scalars or {}, target)
    graph = machine.graph
    assert not isinstance(definition.node, ast.ClassDef)
    arguments = definition.node.args
    for parameter in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        kind = reader.annotation(definition.module, definition.scope, parameter.annotation)
        value = machine.parameter((parameter.arg,), kind, parameter)
        machine.env[parameter.arg] = value
        graph.parameters[parameter.arg] = value
    machine.contexts.append(Context(None))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        machine.run(definition.node.body)
    except Budget:
        machine.note("kernel too large")
    except RecursionError:
        machine.note("expression nested too deeply")
    finally:
        sys.setrecursionlimit(limit)
    graph.returns = [value for value, _ in machine.returned if value is not None]
    if kernel_kind(project, definition) == "kernel":
        graph.returns = []
    return graph


__all__ = ["Executor", "Machine", "Type", "execute"]
