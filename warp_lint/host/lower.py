"""Statements and functions, compiled once to closures over a frame.

A statement returns None, or a signal: BREAK, CONTINUE, RETURN (the value is in `frame.result`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from warp_lint.host import arrays, branches, containers, contexts, definitions, imports, loops, objects, operators
from warp_lint.host.branches import BREAK, CONTINUE, RETURN
from warp_lint.host.lower_expressions import ExpressionLowerer
from warp_lint.host.machine import Frame, LeaveGeneratorError, Machine, RaisedError
from warp_lint.host.values import ArrayValue, Instance, Unknown
from warp_lint.syntax.module import Module

Statement = Callable[[Frame], "int | None"]
Store = Callable[[Frame, Any], None]


class Code:
    """A compiled function: its parameters and its body."""

    __slots__ = ("body", "generator", "kw_only", "kwarg", "name", "node", "params", "vararg")

    def __init__(self, node: ast.AST, name: str, args: ast.arguments, body: Statement, generator: bool) -> None:
        self.node = node
        self.name = name
        self.params = [a.arg for a in [*args.posonlyargs, *args.args]]
        self.kw_only = [a.arg for a in args.kwonlyargs]
        self.vararg = args.vararg.arg if args.vararg else None
        self.kwarg = args.kwarg.arg if args.kwarg else None
        self.body = body
        self.generator = generator


def code_of(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, module: Module) -> Code:
    found = m.codes.get(node)
    if found is None:
        lowerer = Lowerer(m, module)
        if isinstance(node, ast.Lambda):
            value = lowerer.expression(node.body)

            def body(frame: Frame) -> int | None:
                frame.result = value(frame)
                return RETURN

            found = Code(node, "<lambda>", node.args, body, False)
        else:
            block = lowerer.block(node.body)
            found = Code(node, node.name, node.args, block, lowerer.yields)
        m.codes[node] = found
        m.code_owners.setdefault(module, []).append(node)
    return found


class Lowerer(ExpressionLowerer):
    def __init__(self, machine: Machine, module: Module) -> None:
        super().__init__(machine, module)
        self._statements: dict[type, Callable[[Any], Statement]] = {
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Expr: self._expression_statement,
            ast.If: self._if_statement,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Try: self._try,
            ast.Return: self._return,
            ast.Raise: self._raise,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Assert: self._assert,
            ast.Delete: self._delete,
            ast.Global: self._declare,
            ast.Nonlocal: self._declare,
            ast.Match: self._match,
        }
        try_star = getattr(ast, "TryStar", None)
        if try_star is not None:
            self._statements[try_star] = self._try

    def block(self, body: list[ast.stmt]) -> Statement:
        m = self.m
        pairs = tuple((_header(node), self.statement(node)) for node in body if not isinstance(node, ast.Pass))

        def run(frame: Frame) -> int | None:
            for node, step in pairs:
                frame.node = node
                m.steps += 1
                if m.steps > m.limit:
                    m.overrun()
                signal = step(frame)
                if signal is not None:
                    return signal
            return None

        return run

    def statement(self, node: ast.stmt) -> Statement:
        if isinstance(node, ast.Break):
            return lambda frame: BREAK
        if isinstance(node, ast.Continue):
            return lambda frame: CONTINUE
        method = self._statements.get(type(node))
        if method is None:
            return lambda frame: None
        return method(node)

    # Assignment

    def store(self, target: ast.expr) -> Store:
        m = self.m
        if isinstance(target, ast.Name):
            name = target.id
            store_name = objects.store_name

            def to_name(frame: Frame, value: Any) -> None:
                if frame.declared is None:
                    frame.vars[name] = value
                else:
                    store_name(m, frame, name, value)

            return to_name
        if isinstance(target, ast.Attribute):
            base, attribute = self.expression(target.value), target.attr
            return lambda frame, value: objects.set_attribute(m, base(frame), attribute, value)
        if isinstance(target, ast.Subscript):
            base, index = self.expression(target.value), self.expression(target.slice)
            return lambda frame, value: containers.set_item(m, base(frame), index(frame), value)
        if isinstance(target, (ast.Tuple, ast.List)):
            star = next((i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)), None)
            parts = [self.store(e.value if isinstance(e, ast.Starred) else e) for e in target.elts]
            names = [_target_hint(e) for e in target.elts]

            def unpack(frame: Frame, value: Any) -> None:
                for part, name, element in zip(
                    parts, names, containers.unpack(m, value, len(parts), star), strict=True
                ):
                    if type(element) is ArrayValue and not element.name:
                        arrays.give_name(m, element, name)
                    part(frame, element)

            return unpack
        return lambda frame, value: None

    def _assign(self, node: ast.Assign) -> Statement:
        m = self.m
        hint = _target_hint(node.targets[0])
        value_of = self.expression(node.value, hint=hint, kept=True)
        stores = [self.store(t) for t in node.targets]
        rebinds = self._rebinds(node)
        names_call = isinstance(node.value, ast.Call) and bool(hint)

        def run(frame: Frame) -> int | None:
            value = value_of(frame)
            if names_call and type(value) is ArrayValue and not value.name:
                arrays.give_name(m, value, hint)
            if rebinds is not None:
                rebinds(frame, value)
            for store in stores:
                store(frame, value)
            return None

        if len(stores) == 1 and rebinds is None:
            store = stores[0]
            if isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id

                def simple(frame: Frame) -> int | None:
                    value = value_of(frame)
                    if names_call and type(value) is ArrayValue and not value.name:
                        arrays.give_name(m, value, hint)
                    if frame.declared is None:
                        frame.vars[name] = value
                    else:
                        store(frame, value)
                    return None

                return simple
        return run

    def _rebinds(self, node: ast.Assign) -> Callable[[Frame, Any], None] | None:
        """Does the statement make a slot the same object as another slot? Then a closure that says so."""
        m = self.m
        pairs: list[tuple[ast.expr, ast.expr, int | None]] = []
        targets = [ast.unparse(t) for t in _leaves(node.targets)] if _may_rebind(node) else []
        for target in node.targets:
            if isinstance(target, (ast.Attribute, ast.Subscript)) and isinstance(
                node.value, (ast.Attribute, ast.Subscript)
            ):
                pairs.append((target, node.value, None))
            elif (
                isinstance(target, ast.Tuple)
                and isinstance(node.value, ast.Tuple)
                and len(target.elts) == len(node.value.elts)
            ):
                for i, (t, v) in enumerate(zip(target.elts, node.value.elts, strict=True)):
                    if isinstance(t, (ast.Attribute, ast.Subscript)) and isinstance(v, (ast.Attribute, ast.Subscript)):
                        pairs.append((t, v, i))
        pairs = [p for p in pairs if ast.unparse(p[1]) not in targets]
        if not pairs:
            return None
        slots = [
            (
                self.expression(t.value),  # type: ignore[attr-defined]
                t.attr if isinstance(t, ast.Attribute) else self.expression(t.slice),  # type: ignore[attr-defined]
                self.module.segment(t),
                self.module.segment(v),
                i,
            )
            for t, v, i in pairs
        ]

        def run(frame: Frame, value: Any) -> None:
            for base, key, target, source, index in slots:
                given = value if index is None else value[index]
                if isinstance(given, (ArrayValue, Instance)):
                    objects.rebind(m, base(frame), key if isinstance(key, str) else key(frame), target, source, given)

        return run

    def _annotated(self, node: ast.AnnAssign) -> Statement:
        if node.value is None:
            return lambda frame: None
        value_of = self.expression(node.value, hint=_target_hint(node.target), kept=True)
        store = self.store(node.target)

        def run(frame: Frame) -> int | None:
            store(frame, value_of(frame))
            return None

        return run

    def _augmented(self, node: ast.AugAssign) -> Statement:
        m = self.m
        operator = type(node.op)
        value_of = self.expression(node.value)
        target = node.target
        hint = _target_hint(target)
        if isinstance(target, ast.Name):
            load, store = (
                self.expression(ast.copy_location(ast.Name(target.id, ast.Load()), target)),
                self.store(target),
            )

            def to_name(frame: Frame) -> int | None:
                store(frame, operators.inplace(m, operator, load(frame), value_of(frame), hint))
                return None

            return to_name
        if isinstance(target, ast.Attribute):
            base, attribute = self.expression(target.value), target.attr

            def to_attribute(frame: Frame) -> int | None:
                owner = base(frame)
                old = objects.get_attribute(m, owner, attribute)
                new = operators.inplace(m, operator, old, value_of(frame), hint)
                if new is not old:
                    objects.set_attribute(m, owner, attribute, new)
                return None

            return to_attribute
        base, index = self.expression(target.value), self.expression(target.slice)

        def to_item(frame: Frame) -> int | None:
            owner, key = base(frame), index(frame)
            old = containers.get_item(m, owner, key)
            new = operators.inplace(m, operator, old, value_of(frame), hint)
            if new is not old:
                containers.set_item(m, owner, key, new)
            return None

        return to_item

    def _delete(self, node: ast.Delete) -> Statement:
        m = self.m
        removals: list[Callable[[Frame], None]] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                name = target.id
                removals.append(lambda frame, name=name: frame.vars.pop(name, None))  # type: ignore[misc]
            elif isinstance(target, ast.Attribute):
                owner, attribute = self.expression(target.value), target.attr
                removals.append(
                    lambda frame, owner=owner, attribute=attribute: objects.delete_attribute(m, owner(frame), attribute)  # type: ignore[misc]
                )
            elif isinstance(target, ast.Subscript):
                base, index = self.expression(target.value), self.expression(target.slice)
                removals.append(
                    lambda frame, base=base, index=index: containers.delete_item(m, base(frame), index(frame))  # type: ignore[misc]
                )

        def run(frame: Frame) -> int | None:
            for removal in removals:
                removal(frame)
            return None

        return run

    def _declare(self, node: ast.Global | ast.Nonlocal) -> Statement:
        kind = "global" if isinstance(node, ast.Global) else "nonlocal"

        def run(frame: Frame) -> int | None:
            declared = dict(frame.declared or {})
            declared.update(dict.fromkeys(node.names, kind))
            frame.declared = declared
            return None

        return run

    # Control flow

    def _expression_statement(self, node: ast.Expr) -> Statement:
        if isinstance(node.value, ast.Constant):
            return lambda frame: None
        value_of = self.expression(node.value)

        def run(frame: Frame) -> int | None:
            value_of(frame)
            return None

        return run

    def _if_statement(self, node: ast.If) -> Statement:
        m = self.m
        test = self.condition(node.test)
        body = self.block(node.body)
        other = self.block(node.orelse) if node.orelse else None
        likely = branches.guess(node.test)
        assumes = branches.is_positive_guess(node.test)
        body_exits, other_exits = branches.only_exits(node.body), branches.only_exits(node.orelse)
        text = self.module.segment(node.test)
        # Nothing would catch it and end well: a check that fails here fails by our imprecision.
        body_raises = body_exits and isinstance(node.body[-1], ast.Raise)

        def run(frame: Frame) -> int | None:
            if m.forced:
                wanted = m.forced.get(text)
                if wanted is not None:
                    test(frame)
                    return contexts.assumed(m, frame, body if wanted else other)
            value = test(frame)
            if value is True and not (body_raises and m.try_depth == 0):
                return body(frame)
            if value is True or value is False:
                return other(frame) if other is not None else None
            if body_exits and not other_exits:
                branches.assume(m, value, False)
                return other(frame) if other is not None else None
            if other_exits and not body_exits:
                branches.assume(m, value, True)
                return body(frame)
            if likely is not None:
                arm = body if likely else other
                return contexts.assumed(m, frame, arm) if assumes else arm(frame) if arm is not None else None
            return branches.both(m, frame, value, body, other)

        return run

    def _for(self, node: ast.For | ast.AsyncFor) -> Statement:
        return loops.for_loop(
            self.m,
            node,
            self.expression(node.iter),
            self.store(node.target),
            self.block(node.body),
            self.block(node.orelse) if node.orelse else None,
        )

    def _while(self, node: ast.While) -> Statement:
        return loops.while_loop(
            self.m,
            node,
            self.condition(node.test),
            self.block(node.body),
            self.block(node.orelse) if node.orelse else None,
        )

    def _with(self, node: ast.With | ast.AsyncWith) -> Statement:
        body = self.block(node.body)
        for item in reversed(node.items):
            hint = _target_hint(item.optional_vars) if item.optional_vars is not None else ""
            store = self.store(item.optional_vars) if item.optional_vars is not None else None
            body = contexts.with_item(
                self.m, node, item.context_expr, self.expression(item.context_expr, hint=hint), store, body
            )
        return body

    def _try(self, node: ast.Try) -> Statement:
        m = self.m
        body, orelse = self.block(node.body), self.block(node.orelse)
        final = self.block(node.finalbody) if node.finalbody else None
        handlers = [
            (self.expression(h.type) if h.type is not None else None, h.name, self.block(h.body)) for h in node.handlers
        ]

        def guarded(frame: Frame) -> int | None:
            depth = m.try_depth
            m.try_depth += 1 if handlers else 0
            try:
                signal = body(frame)
            except RaisedError as error:
                m.try_depth = depth
                m.frame = frame
                for kind, name, handler in handlers:
                    if kind is None or objects.catches(m, kind(frame), error.value):
                        if name:
                            frame.vars[name] = error.value if error.value is not None else Unknown(name)
                        return handler(frame)
                raise
            finally:
                m.try_depth = depth
            return orelse(frame) if signal is None else signal

        if final is None:
            return guarded

        def run(frame: Frame) -> int | None:
            try:
                signal = guarded(frame)
            except (RaisedError, LeaveGeneratorError):
                m.frame = frame
                after = final(frame)
                if after is not None:
                    return after
                raise
            result = frame.result
            after = final(frame)
            if after is not None:
                return after
            frame.result = result
            return signal

        return run

    def _return(self, node: ast.Return) -> Statement:
        if node.value is None:

            def nothing(frame: Frame) -> int | None:
                frame.result = None
                return RETURN

            return nothing
        value_of = self.expression(node.value)

        def run(frame: Frame) -> int | None:
            frame.result = value_of(frame)
            return RETURN

        return run

    def _raise(self, node: ast.Raise) -> Statement:
        m = self.m
        value_of = self.expression(node.exc) if node.exc is not None else None

        def run(frame: Frame) -> int | None:
            raise RaisedError(objects.exception(m, value_of(frame)) if value_of is not None else None)

        return run

    def _assert(self, node: ast.Assert) -> Statement:
        m = self.m
        test = self.condition(node.test)

        def run(frame: Frame) -> int | None:
            value = test(frame)
            if isinstance(value, Unknown):
                branches.assume(m, value, True)
            return None

        return run

    def _match(self, node: ast.Match) -> Statement:
        m = self.m
        subject = self.expression(node.subject)
        cases = [
            (self._pattern(c.pattern), self.condition(c.guard) if c.guard else None, self.block(c.body))
            for c in node.cases
        ]

        def run(frame: Frame) -> int | None:
            value = subject(frame)

            def attempt(index: int, inner: Frame) -> int | None:
                for position in range(index, len(cases)):
                    pattern, guard, body = cases[position]
                    outcome = pattern(inner, value)
                    if outcome is True and guard is not None:
                        outcome = guard(inner)
                    if outcome is True:
                        return body(inner)
                    if outcome is not False:
                        condition = outcome if isinstance(outcome, Unknown) else Unknown("match")
                        rest = position + 1
                        return branches.both(m, inner, condition, body, _later(attempt, rest))
                return None

            return attempt(0, frame)

        return run

    def _pattern(self, pattern: ast.pattern) -> Callable[[Frame, Any], Any]:
        """Closure that says whether a value matches: True, False or an unknown."""
        m = self.m
        if isinstance(pattern, ast.MatchValue):
            value_of = self.expression(pattern.value)
            return lambda frame, value: branches.truth(m, operators.compare(m, ast.Eq, value, value_of(frame)))
        if isinstance(pattern, ast.MatchSingleton):
            wanted = pattern.value
            return lambda frame, value: branches.truth(m, operators.compare(m, ast.Is, value, wanted))
        if isinstance(pattern, ast.MatchOr):
            parts = [self._pattern(p) for p in pattern.patterns]

            def either(frame: Frame, value: Any) -> Any:
                outcomes = [p(frame, value) for p in parts]
                if any(o is True for o in outcomes):
                    return True
                return next((o for o in outcomes if o is not False), False)

            return either
        if isinstance(pattern, ast.MatchAs):
            inner = self._pattern(pattern.pattern) if pattern.pattern is not None else None
            name = pattern.name

            def bind(frame: Frame, value: Any) -> Any:
                if name is not None:
                    frame.vars[name] = value
                return True if inner is None else inner(frame, value)

            return bind
        if isinstance(pattern, ast.MatchClass) and not pattern.patterns and not pattern.kwd_patterns:
            kind = self.expression(pattern.cls)
            return lambda frame, value: branches.truth(m, objects.is_instance(m, value, kind(frame)))
        return lambda frame, value: Unknown("match")

    # Definitions

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Statement:
        defaults = [self.expression(d) for d in node.args.defaults]
        kw_defaults = [
            (a.arg, self.expression(d)) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d
        ]
        decorators = [(d, self.expression(d)) for d in node.decorator_list]
        return definitions.function_statement(self.m, self.module, node, defaults, kw_defaults, decorators)

    def _class(self, node: ast.ClassDef) -> Statement:
        bases = [self.expression(b) for b in node.bases]
        decorators = [(d, self.expression(d)) for d in node.decorator_list]
        return definitions.class_statement(self.m, self.module, node, bases, decorators, self.block(node.body))

    def _import(self, node: ast.Import | ast.ImportFrom) -> Statement:
        m = self.m

        def run(frame: Frame) -> int | None:
            imports.execute(m, frame, node)
            return None

        return run


def _header(node: ast.stmt) -> ast.AST:
    """The part of a statement that an event inside it should point at."""
    if isinstance(node, (ast.If, ast.While)):
        return node.test
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return node.iter
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return node.items[0].context_expr
    return node


def _target_hint(target: ast.expr | None) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript):
        return _target_hint(target.value)
    return ""


def _leaves(targets: list[ast.expr]) -> list[ast.expr]:
    result: list[ast.expr] = []
    for target in targets:
        result.extend(_leaves(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target])
    return result


def _may_rebind(node: ast.Assign) -> bool:
    slot = (ast.Attribute, ast.Subscript)
    if isinstance(node.value, slot):
        return any(isinstance(t, slot) for t in node.targets)
    return isinstance(node.value, ast.Tuple) and any(isinstance(e, slot) for e in node.value.elts)


def _later(attempt: Callable[[int, Frame], int | None], position: int) -> Statement:
    return lambda frame: attempt(position, frame)
