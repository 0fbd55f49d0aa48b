"""Expressions, compiled once to closures over a frame."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from warp_lint.host import branches, calls, containers, objects, operators
from warp_lint.host.machine import EAGER_ELEMENTS, Frame, Machine
from warp_lint.host.values import (
    MISSING,
    FunctionValue,
    GeneratorValue,
    Instance,
    LazyList,
    SetValue,
    Spread,
    Unknown,
    hashable,
    merge_sources,
)
from warp_lint.syntax.module import Module

Expression = Callable[[Frame], Any]
MAX_COMPREHENSION = 400


class Site:
    """A call in the source: what handlers may want to know of it."""

    __slots__ = ("hint", "kept", "literals", "module", "node", "texts")

    def __init__(self, node: ast.Call, module: Module, hint: str, kept: bool) -> None:
        self.node = node
        self.module = module
        self.hint = hint
        self.kept = kept  # the result is bound to a name or put in a container as it is
        self.texts: tuple[str, ...] | None = None  # arguments as a launch writes them
        self.literals = frozenset(k.arg for k in node.keywords if k.arg and isinstance(k.value, ast.Constant))


class ExpressionLowerer:
    def __init__(self, machine: Machine, module: Module) -> None:
        self.m = machine
        self.module = module
        self.hint = ""
        self.kept = False
        self.yields = False  # something lowered so far is a `yield`
        self._table: dict[type, Callable[[Any], Expression]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._bool,
            ast.Compare: self._compare,
            ast.IfExp: self._if,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.Tuple: self._tuple,
            ast.List: self._list,
            ast.Dict: self._dict,
            ast.Set: self._set,
            ast.ListComp: self._list_comprehension,
            ast.GeneratorExp: self._list_comprehension,
            ast.SetComp: self._set_comprehension,
            ast.DictComp: self._dict_comprehension,
            ast.Lambda: self._lambda,
            ast.JoinedStr: self._joined,
            ast.FormattedValue: self._formatted,
            ast.NamedExpr: self._named,
            ast.Starred: self._starred,
            ast.Await: self._await,
            ast.Yield: self._yield,
            ast.YieldFrom: self._yield_from,
        }

    def expression(self, node: ast.expr, hint: str = "", kept: bool = False) -> Expression:
        outer, self.hint = self.hint, hint
        outer_kept, self.kept = self.kept, kept
        try:
            method = self._table.get(type(node))
            if method is None:
                return lambda frame: Unknown("")
            return method(node)
        finally:
            self.hint, self.kept = outer, outer_kept

    def condition(self, node: ast.expr) -> Expression:
        """Closure that gives True, False or the deciding unknown; guesses apply inside and/or."""
        m = self.m
        if isinstance(node, ast.BoolOp):
            parts = [(self.condition(v), branches.guess(v)) for v in node.values]
            stop = isinstance(node.op, ast.Or)

            def run(frame: Frame) -> Any:
                pending = None
                for part, likely in parts:
                    value = part(frame)
                    if value is not True and value is not False and likely is not None:
                        value = likely
                    if value is stop:
                        return stop
                    if value is not (not stop) and pending is None:
                        pending = value
                return (not stop) if pending is None else pending

            return run
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)

            def negated(frame: Frame) -> Any:
                value = inner(frame)
                if value is True or value is False:
                    return not value
                return branches.truth(m, branches.negation(value))

            return negated
        value_of = self.expression(node)
        truth = branches.truth
        return lambda frame: truth(m, value_of(frame))

    # Leaves

    def _constant(self, node: ast.Constant) -> Expression:
        value: Any = node.value
        if value is Ellipsis:
            value = slice(None)
        return lambda frame: value

    def _name(self, node: ast.Name) -> Expression:
        name = node.id
        m = self.m
        missing = MISSING
        lookup = objects.lookup_name

        def run(frame: Frame) -> Any:
            value = frame.vars.get(name, missing)
            if value is not missing:
                return value
            return lookup(m, frame, name)

        return run

    def _attribute(self, node: ast.Attribute) -> Expression:
        base = self.expression(node.value)
        name = node.attr
        m = self.m
        get = objects.get_attribute
        return lambda frame: get(m, base(frame), name)

    # Calls

    def _call(self, node: ast.Call) -> Expression:
        m = self.m
        site = Site(node, self.module, self.hint, self.kept)
        arguments = self._arguments(node)
        function = node.func
        if isinstance(function, ast.Attribute):
            base = self.expression(function.value)
            name = function.attr
            call_method = calls.call_method

            def method(frame: Frame) -> Any:
                receiver = base(frame)
                args, kwargs = arguments(frame)
                return call_method(m, site, receiver, name, args, kwargs)

            return method
        callee = self.expression(function)
        call_value = calls.call_value
        if isinstance(function, ast.Name) and function.id in ("super", "locals", "globals", "vars"):
            special = function.id

            def introspect(frame: Frame) -> Any:
                if special == "super":
                    return objects.make_super(m, frame, arguments(frame)[0])
                args = arguments(frame)[0]
                if args:
                    return objects.get_attribute(m, args[0], "__dict__")
                return frame.module.namespace if special == "globals" else frame.vars

            return introspect

        def plain(frame: Frame) -> Any:
            target = callee(frame)
            args, kwargs = arguments(frame)
            return call_value(m, site, target, args, kwargs)

        return plain

    def _arguments(self, node: ast.Call) -> Callable[[Frame], tuple[list[Any], dict[str, Any]]]:
        keep = isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "insert", "setdefault")
        positional = [self.expression(a, kept=keep) for a in node.args]
        keywords = [(k.arg, self.expression(k.value, hint=k.arg or "")) for k in node.keywords]
        stars = [isinstance(a, ast.Starred) for a in node.args]
        if not any(stars) and all(name is not None for name, _ in keywords):
            if not keywords:
                return lambda frame: ([a(frame) for a in positional], {})
            named = [(name or "", value) for name, value in keywords]
            return lambda frame: ([a(frame) for a in positional], {name: value(frame) for name, value in named})
        m = self.m

        def run(frame: Frame) -> tuple[list[Any], dict[str, Any]]:
            args: list[Any] = []
            for value, star in zip(positional, stars, strict=True):
                got = value(frame)
                if not star:
                    args.append(got)
                    continue
                elements = containers.known_elements(m, got)
                if elements is None:
                    args.append(Spread(got))
                else:
                    args.extend(elements)
            kwargs: dict[str, Any] = {}
            for name, value in keywords:
                got = value(frame)
                if name is not None:
                    kwargs[name] = got
                elif isinstance(got, Instance) and isinstance(got.native, dict):
                    kwargs.update({k: v for k, v in got.native.items() if isinstance(k, str)})
                elif isinstance(got, dict):
                    kwargs.update({k: v for k, v in got.items() if isinstance(k, str)})
                else:
                    kwargs["**"] = got
            return args, kwargs

        return run

    # Operators

    def _binary(self, node: ast.BinOp) -> Expression:
        m = self.m
        left, right = self.expression(node.left), self.expression(node.right)
        operator = type(node.op)
        binary = operators.binary
        fast = operators.FAST.get(operator)
        if fast is not None:

            def run(frame: Frame) -> Any:
                a, b = left(frame), right(frame)
                if type(a) is int and type(b) is int:
                    return fast(a, b)
                return binary(m, operator, a, b)

            return run
        return lambda frame: binary(m, operator, left(frame), right(frame))

    def _unary(self, node: ast.UnaryOp) -> Expression:
        m = self.m
        operand = self.expression(node.operand)
        operator = type(node.op)
        if operator is ast.Not:
            return lambda frame: branches.negate(m, operand(frame))
        return lambda frame: operators.unary(m, operator, operand(frame))

    def _bool(self, node: ast.BoolOp) -> Expression:
        m = self.m
        parts = [(self.expression(v, hint=self.hint), branches.guess(v)) for v in node.values]
        is_or = isinstance(node.op, ast.Or)

        def run(frame: Frame) -> Any:
            pending: Any = MISSING  # what an undecided operand may have given
            value: Any = None
            for part, likely in parts:
                value = part(frame)
                decided = branches.truth(m, value)
                if decided is not True and decided is not False:
                    if likely is None:
                        pending = value if pending is MISSING or not is_or else branches.merge(m, pending, value)
                        continue
                    decided = likely
                if decided is is_or:
                    return value if pending is MISSING or not is_or else branches.merge(m, pending, value)
                if not is_or and decided is False:
                    return value
            if pending is MISSING:
                return value
            if is_or:
                return branches.merge(m, pending, value)
            return value if not isinstance(value, (bool, int, float, str)) else pending

        return run

    def _compare(self, node: ast.Compare) -> Expression:
        m = self.m
        left = self.expression(node.left)
        rest = [(type(op), self.expression(value)) for op, value in zip(node.ops, node.comparators, strict=True)]
        compare = operators.compare
        if len(rest) == 1:
            operator, right = rest[0]
            return lambda frame: compare(m, operator, left(frame), right(frame))

        def run(frame: Frame) -> Any:
            value = left(frame)
            pending: Any = True
            for operator, right in rest:
                other = right(frame)
                outcome = branches.truth(m, compare(m, operator, value, other))
                if outcome is False:
                    return False
                if outcome is not True:
                    pending = outcome
                value = other
            return pending

        return run

    def _if(self, node: ast.IfExp) -> Expression:
        m = self.m
        test = self.condition(node.test)
        body = self.expression(node.body, hint=self.hint, kept=self.kept)
        other = self.expression(node.orelse, hint=self.hint, kept=self.kept)
        likely = branches.guess(node.test)
        text = self.module.segment(node.test)

        def run(frame: Frame) -> Any:
            decided = m.forced.get(text) if m.forced else None
            if decided is None:
                decided = test(frame)
            if decided is not True and decided is not False:
                if likely is None:
                    return branches.merge(m, body(frame), other(frame))
                decided = likely
            return body(frame) if decided else other(frame)

        return run

    def _subscript(self, node: ast.Subscript) -> Expression:
        m = self.m
        base, index = self.expression(node.value), self.expression(node.slice)
        get = containers.get_item

        def run(frame: Frame) -> Any:
            value, key = base(frame), index(frame)
            if type(key) is int and type(value) in (list, tuple) and -len(value) <= key < len(value):
                return value[key]
            return get(m, value, key)

        return run

    def _slice(self, node: ast.Slice) -> Expression:
        none: Expression = lambda frame: None  # noqa: E731
        lower = self.expression(node.lower) if node.lower else none
        upper = self.expression(node.upper) if node.upper else none
        step = self.expression(node.step) if node.step else none
        return lambda frame: slice(lower(frame), upper(frame), step(frame))

    # Displays

    def _elements(self, elements: list[ast.expr]) -> Callable[[Frame], list[Any]]:
        parts = [self.expression(e, hint=self.hint, kept=True) for e in elements]
        stars = [isinstance(e, ast.Starred) for e in elements]
        if not any(stars):
            return lambda frame: [p(frame) for p in parts]
        m = self.m

        def run(frame: Frame) -> list[Any]:
            result: list[Any] = []
            for part, star in zip(parts, stars, strict=True):
                value = part(frame)
                known = containers.known_elements(m, value) if star else None
                if known is not None:
                    result.extend(known)
                else:
                    result.append(Spread(value) if star else value)
            return result

        return run

    def _tuple(self, node: ast.Tuple) -> Expression:
        elements = self._elements(node.elts)
        return lambda frame: tuple(elements(frame))

    def _list(self, node: ast.List) -> Expression:
        return self._elements(node.elts)

    def _set(self, node: ast.Set) -> Expression:
        elements = self._elements(node.elts)
        return lambda frame: SetValue({hashable(e): e for e in elements(frame)})

    def _dict(self, node: ast.Dict) -> Expression:
        m = self.m
        pairs = [
            (self.expression(k) if k is not None else None, self.expression(v, hint=_key_hint(k, self.hint), kept=True))
            for k, v in zip(node.keys, node.values, strict=True)
        ]

        def run(frame: Frame) -> dict[Any, Any]:
            result: dict[Any, Any] = {}
            for key, value in pairs:
                if key is None:
                    other = value(frame)
                    if isinstance(other, dict):
                        result.update(other)
                else:
                    result[containers.dict_key(key(frame))] = value(frame)
            return result

        del m
        return run

    # Comprehensions

    def _list_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Expression:
        m = self.m
        element = self.expression(node.elt, hint=self.hint, kept=True)
        collect = self._collector(node.generators)
        hint = self.hint
        simple = len(node.generators) == 1 and not node.generators[0].ifs
        iterable = self.expression(node.generators[0].iter)
        assign = self._comprehension_target(node.generators[0].target)

        def run(frame: Frame) -> Any:
            if not simple:
                result: list[Any] = []
                collect(frame, lambda inner: result.append(element(inner)))
                return result
            sequence = containers.sequence(m, iterable(frame))
            length = sequence.length
            inner = _inner_frame(frame)

            def make(index: Any) -> Any:
                inner.node = frame.node if inner.node is None else inner.node
                assign(inner, sequence.get(index))
                return element(inner)

            if isinstance(length, int) and length <= EAGER_ELEMENTS:
                return [make(i) for i in range(length)]
            context = (m.loops, m.guards)
            inner.node = frame.node

            def later(index: Any) -> Any:
                # Made when first asked for, but as if at the comprehension.
                saved = (m.frame, m.loops, m.guards)
                m.frame, (m.loops, m.guards) = inner, context
                try:
                    return make(index)
                finally:
                    m.frame, m.loops, m.guards = saved

            known = length if length is not None else Unknown("len")
            lazy = LazyList(known, later, hint)
            for index in range(EAGER_ELEMENTS if isinstance(length, int) else 2):
                lazy.get(index)
            return lazy

        return run

    def _set_comprehension(self, node: ast.SetComp) -> Expression:
        element = self.expression(node.elt)
        collect = self._collector(node.generators)

        def run(frame: Frame) -> SetValue:
            result: dict[Any, Any] = {}

            def add(inner: Frame) -> None:
                value = element(inner)
                result[hashable(value)] = value

            collect(frame, add)
            return SetValue(result)

        return run

    def _dict_comprehension(self, node: ast.DictComp) -> Expression:
        key, value = self.expression(node.key), self.expression(node.value, hint=self.hint, kept=True)
        collect = self._collector(node.generators)

        def run(frame: Frame) -> dict[Any, Any]:
            result: dict[Any, Any] = {}

            def add(inner: Frame) -> None:
                result[containers.dict_key(key(inner))] = value(inner)

            collect(frame, add)
            return result

        return run

    def _collector(self, generators: list[ast.comprehension]) -> Callable[[Frame, Callable[[Frame], Any]], None]:
        m = self.m
        parts = [
            (
                self._comprehension_target(g.target),
                self.expression(g.iter),
                [(self.condition(test), branches.guess(test)) for test in g.ifs],
            )
            for g in generators
        ]

        def run(frame: Frame, emit: Callable[[Frame], Any]) -> None:
            left = [MAX_COMPREHENSION]
            inner = _inner_frame(frame)

            def level(depth: int) -> None:
                if depth == len(parts):
                    left[0] -= 1
                    emit(inner)
                    return
                assign, iterable, tests = parts[depth]
                for value in containers.first_elements(m, iterable(inner), 64):
                    if left[0] <= 0:
                        m.give_up("a comprehension with many elements")
                        return
                    assign(inner, value)
                    for test, likely in tests:
                        outcome = test(inner)
                        if outcome is not True and outcome is not False:
                            outcome = True if likely is None else likely
                        if outcome is False:
                            break
                    else:
                        level(depth + 1)

            level(0)

        return run

    def _comprehension_target(self, node: ast.expr) -> Callable[[Frame, Any], None]:
        m = self.m
        if isinstance(node, ast.Name):
            name = node.id

            def simple(frame: Frame, value: Any) -> None:
                frame.vars[name] = value

            return simple
        if isinstance(node, (ast.Tuple, ast.List)):
            parts = [self._comprehension_target(e) for e in node.elts]

            def unpack(frame: Frame, value: Any) -> None:
                for part, element in zip(parts, containers.unpack(m, value, len(parts)), strict=True):
                    part(frame, element)

            return unpack
        if isinstance(node, ast.Starred):
            return self._comprehension_target(node.value)
        return lambda frame, value: None

    # The rest

    def _lambda(self, node: ast.Lambda) -> Expression:
        defaults = [self.expression(d) for d in node.args.defaults]
        kw_defaults = [
            (a.arg, self.expression(d)) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d
        ]

        def run(frame: Frame) -> FunctionValue:
            function = FunctionValue(node, frame.module, frame, "<lambda>")
            function.defaults = [d(frame) for d in defaults]
            function.kw_defaults = {name: d(frame) for name, d in kw_defaults}
            return function

        return run

    def _joined(self, node: ast.JoinedStr) -> Expression:
        parts = [self.expression(v) for v in node.values]

        def run(frame: Frame) -> Any:
            values = [p(frame) for p in parts]
            if all(isinstance(v, str) for v in values) and sum(map(len, values)) <= containers.MAX_SIZE:
                return "".join(values)
            return Unknown("string", merge_sources(*values))

        return run

    def _formatted(self, node: ast.FormattedValue) -> Expression:
        m = self.m
        value_of = self.expression(node.value)
        spec = self.expression(node.format_spec) if node.format_spec is not None else None

        def run(frame: Frame) -> Any:
            value = value_of(frame)
            operators.use(m, value)
            if isinstance(value, (str, int, float, bool)) or value is None:
                how = spec(frame) if spec is not None else ""
                try:
                    if isinstance(how, str) and not containers.may_be_wide(how):
                        return format(value, how)
                except (ValueError, TypeError, OverflowError):
                    pass
                return Unknown("string")
            return Unknown("string", merge_sources(value))

        return run

    def _named(self, node: ast.NamedExpr) -> Expression:
        value_of = self.expression(node.value, hint=node.target.id, kept=True)
        name = node.target.id
        m = self.m

        def run(frame: Frame) -> Any:
            value = value_of(frame)
            objects.store_name(m, frame, name, value)
            return value

        return run

    def _starred(self, node: ast.Starred) -> Expression:
        return self.expression(node.value)

    def _await(self, node: ast.Await) -> Expression:
        return self.expression(node.value)

    def _yield(self, node: ast.Yield) -> Expression:
        self.yields = True
        value_of = self.expression(node.value) if node.value is not None else None

        def run(frame: Frame) -> Any:
            value = value_of(frame) if value_of is not None else None
            if frame.on_yield is not None:
                return frame.on_yield(value)
            return None

        return run

    def _yield_from(self, node: ast.YieldFrom) -> Expression:
        self.yields = True
        m = self.m
        value_of = self.expression(node.value)

        def run(frame: Frame) -> Any:
            value = value_of(frame)
            callback = frame.on_yield
            if callback is None:
                return None
            if isinstance(value, GeneratorValue):
                return value.run(callback)
            for element in containers.first_elements(m, value, 64):
                callback(element)
            return None

        return run


def _inner_frame(frame: Frame) -> Frame:
    """A frame for a comprehension: sees the outer names, keeps its own."""
    inner = Frame(frame.module, frame.user, frame.caller)
    inner.vars = {}
    inner.lexical = frame
    inner.node = frame.node
    inner.function = frame.function
    inner.cls = frame.cls
    inner.receiver = frame.receiver
    inner.on_yield = frame.on_yield
    return inner


def _key_hint(key: ast.expr | None, hint: str) -> str:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    return hint
