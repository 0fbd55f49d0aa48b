"""Symbolic execution of calls: builtins, constructors, casts, and funcs (inlined as activations)."""

from __future__ import annotations

import ast

from warp_lint.kernels import types as t
from warp_lint.kernels.builtins import Builtin, Use, draws, lookup
from warp_lint.kernels.constants import evaluate
from warp_lint.kernels.detect import decorator_of, kernel_kind
from warp_lint.kernels.effects import Access
from warp_lint.kernels.expressions import Expressions
from warp_lint.kernels.gradients import custom_gradient
from warp_lint.kernels.graph import Event, Frame, Guard, Value
from warp_lint.kernels.machine import MAX_DEPTH, Context, Place
from warp_lint.kernels.types import Type, named_type
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import External
from warp_lint.syntax.project import Value as Bound

_ACCESS = {Use.STORE: Access.STORE, Use.ACCUMULATE: Access.ACCUMULATE}
_ALLOCATORS = frozenset(("zeros", "empty", "ones", "full"))
_NO_VALUE = frozenset(("printf", "print", "expect_eq", "expect_neq", "expect_near", "breakpoint", "assert"))


class Calls(Expressions):
    """Adds calls to the evaluator."""

    def call(self, node: ast.Call) -> Value:
        target = node.func
        if isinstance(target, ast.Call):
            return self._call_of_call(node, target)
        if isinstance(target, ast.Name) and target.id in self.env:
            head = self.env[target.id]
        elif isinstance(target, (ast.Name, ast.Attribute)):
            head = self._head(target)
        else:
            head = self.evaluate(target)
        if head.op == "function" and head.extra in ("warp.static", "warp.constant"):
            return self._folded(node)
        args: list[Value] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                spread = self.evaluate(argument.value)
                args.extend(spread.args if spread.op == "tuple" else [spread])
            else:
                args.append(self.evaluate(argument))
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords if k.arg}
        if head.op == "type" or (head.op == "function" and isinstance(head.extra, Definition)):
            return self.apply(head, args, keywords, node)
        if head.op == "function":
            return self._external(str(head.extra), args, keywords, node)
        if head.op == "const" and head.name == "captured":
            return self.opaque(node, [*args, *keywords.values()], why="call of a captured function")
        if isinstance(target, ast.Attribute):
            return self.opaque(node, [*args, *keywords.values()], why=f"method `{target.attr}`")
        return self.opaque(node, [*args, *keywords.values()], why="call of an unknown function")

    def _head(self, target: ast.Name | ast.Attribute) -> Value:
        if isinstance(target, ast.Attribute):
            root: ast.expr = target
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in self.env:
                value = self.place(target.value)
                return self.opaque(target, (value.value,) if value is not None and value.value is not None else ())
        head = self.captured(target)
        if head.op == "const" and head.const is None:
            found = self.project.resolve(self.frame.module, self.scope, target)
            if isinstance(found, Bound) and isinstance(found.expression, ast.Call):
                return self._wrapped(found, head)
        return head

    def _wrapped(self, found: Bound, head: Value) -> Value:
        """`f = wp.func(g)` or `f = wp.static(g)` at module level."""
        call = found.expression
        assert isinstance(call, ast.Call)
        target = self.project.resolve(found.module, found.scope, call.func)
        if isinstance(target, External) and target.name in ("warp.func", "warp.static", "warp.constant") and call.args:
            inner = self.project.resolve(found.module, found.scope, call.args[0])
            inner = self.closure(call.args[0]) or inner
            if isinstance(inner, Definition):
                head = self.make("function", Type("function"), (), head.node)
                head.extra = inner
        return head

    def apply(self, head: Value, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        """Call of a project function or construction of a type."""
        if head.op == "type" or (isinstance(head.extra, Definition) and isinstance(head.extra.node, ast.ClassDef)):
            return self.construct(head.type, args, keywords, node)
        function = head.extra
        assert isinstance(function, Definition)
        kind = kernel_kind(self.project, function)
        if kind == "func_native":
            return self._native(function, args, keywords, node)
        if kind is None or kind == "kernel":
            return self.opaque(node, [*args, *keywords.values()], why=f"call of `{function.name}`, not a Warp function")
        return self.inline(self._overloaded(function, args, keywords), args, keywords, node)

    def _overloaded(self, function: Definition, args: list[Value], keywords: dict[str, Value]) -> Definition:
        """The overload that fits the arguments: all share one name and scope."""
        bindings = function.scope.bindings.get(function.name, [])
        if len(bindings) < 2:
            return function
        candidates = [function.module.definitions.get(b.node) for b in bindings if b.kind == "def"]
        count = len(args) + len(keywords)
        best, score = function, -1
        for candidate in candidates:
            if candidate is None or kernel_kind(self.project, candidate) not in ("func", "func_native"):
                continue
            assert not isinstance(candidate.node, ast.ClassDef)
            parameters = candidate.node.args.args
            if not len(parameters) - len(candidate.node.args.defaults) <= count <= len(parameters):
                continue
            fits = 1
            for parameter, value in zip(parameters, args, strict=False):
                expected = self.reader.annotation(candidate.module, candidate.scope, parameter.annotation)
                if "unknown" in (expected.kind, value.type.kind):
                    continue
                same = expected.kind == value.type.kind and (
                    expected.kind != "struct" or expected.struct is value.type.struct
                )
                if same and expected.shape and value.type.shape and expected.shape != value.type.shape:
                    same = False
                fits += 2 if same else -4
            if fits > score:
                best, score = candidate, fits
        return best

    def _folded(self, node: ast.Call) -> Value:
        if not node.args:
            return self.opaque(node)
        known = {name: v.const for name, v in self.env.items() if v.op == "const" and v.const is not None}
        for part in ast.walk(node.args[0]):
            if isinstance(part, ast.Name) and isinstance(number := self.closure(part), (bool, int, float)):
                known.setdefault(part.id, number)
        number = evaluate(self.project, self.frame.module, self.scope, node.args[0], known)
        if isinstance(number, (int, float, str)):
            return self.const(number, node)
        if isinstance(node.args[0], (ast.Name, ast.Attribute)):
            value = self.captured(node.args[0])
            if value.op in ("function", "type"):
                return value
        value = self.make("const", t.UNKNOWN, (), node)
        value.name = "captured"
        return value

    def _call_of_call(self, node: ast.Call, target: ast.Call) -> Value:
        """`wp.grad(f)(x)`, `wp.static(f)(x)`, `wp.types.vector(3, float)(…)`."""
        args = [self.evaluate(a) for a in node.args if not isinstance(a, ast.Starred)]
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords if k.arg}
        found = self.project.resolve(self.frame.module, self.scope, target.func)
        if isinstance(found, External):
            short = found.name.rpartition(".")[2]
            if short == "grad":
                return self.severed("grad", args, node)
            if short == "static":
                head = self._folded(target)
                if head.op in ("function", "type"):
                    return (
                        self.apply(head, args, keywords, node)
                        if head.op == "type" or isinstance(head.extra, Definition)
                        else self._external(str(head.extra), args, keywords, node)
                    )
            type = self.reader.annotation(self.frame.module, self.scope, target)
            if type.kind != "unknown":
                return self.construct(type, args, keywords, node)
        return self.opaque(node, [*args, *keywords.values()], why="call of a computed function")

    def severed(self, how: str, args: list[Value], node: ast.AST, type: Type = t.UNKNOWN) -> Value:
        """A value through which no derivative flows although one is due."""
        kind = type
        if kind.kind == "unknown":
            kind = next((a.type for a in args if a.type.floating and a.type.kind != "array"), t.ANY_FLOAT)
        value = self.make("severed", kind, args, node)
        value.name = how
        return value

    # Builtins

    def _external(self, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        head, _, short = name.rpartition(".")
        if head == "builtins" or head.startswith(("warp", "math", "numpy")):
            type = named_type(short)
            if type is not None and type.kind != "handle":
                return self.construct(type, args, keywords, node, short)
            if head == "builtins" and short == "len":
                short = "len"
            return self.builtin(short, args, keywords, node)
        return self.opaque(node, [*args, *keywords.values()], why=f"call of `{name}`")

    def construct(
        self, type: Type, args: list[Value], keywords: dict[str, Value], node: ast.AST, short: str = ""
    ) -> Value:
        """Constructor or cast."""
        values = [*args, *keywords.values()]
        if type.kind == "struct" and type.struct is not None:
            names = list(self.reader.fields(type.struct))
            fields = {name: k for k, name in enumerate(names[: len(args)])}
            for k, name in enumerate(keywords):
                fields[name] = len(args) + k
            value = self.make("struct", type, values, node)
            value.extra = fields
            return value
        if type.kind in ("float", "int", "bool"):
            return self._cast(type, short or type.scalar, values, node)
        family = {"vec": "vector", "mat": "matrix", "quat": "quaternion", "transform": "transformation"}.get(type.kind)
        if family is None:
            return self.opaque(node, values, type)
        if type.scalar == "" and values:
            scalar = next((v.type.scalar for v in values if v.type.scalar), "")
            type = Type(type.kind, scalar, type.shape)
        if type.kind == "vec" and type.shape == (-1,) and len(args) > 1:
            type = Type("vec", type.scalar, (len(args),))
        values = [*args, *(v for k, v in keywords.items() if k not in ("dtype", "length", "shape"))]
        value = self.make("call", type, values, node)
        value.name = family
        value.entry = lookup(family)
        value.bound = (0,) * len(values)
        return value

    def _cast(self, type: Type, short: str, values: list[Value], node: ast.AST) -> Value:
        value = self.make("call", type, values[:1], node)
        value.name = short or type.scalar
        value.entry = lookup(value.name)
        value.bound = (0,) * len(values[:1])
        if values and isinstance(values[0].const, (int, float)):
            try:
                value.const = int(values[0].const) if type.kind == "int" else float(values[0].const)
            except (OverflowError, ValueError):
                value.const = None
        elif not values:
            value.const = 0
        return value

    def builtin(self, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        if name == "tid":
            return self._tid(node)
        if name in _ALLOCATORS:
            return self._allocate(args, keywords, node)
        values = [*args, *keywords.values()]
        if name in ("vector", "vec", "matrix", "mat", "quaternion", "transformation"):
            return self._generic_constructor(name, args, keywords, node)
        if name in ("matrix_from_rows", "matrix_from_cols") and args:
            first = args[0].type
            made = self.make("call", Type("mat", first.scalar, (len(args), *first.shape)), values, node)
            made.name, made.entry, made.bound = name, lookup(name), (0,) * len(values)
            return made
        entry = lookup(name)
        if entry is None:
            return self.opaque(node, values, why=f"builtin `{name}`")
        entry = entry.of(*(a.type.type_class for a in args[:3])).at(self.target)
        bound = entry.bind(len(args), tuple(keywords))
        uses = [entry.operands[b].use if b is not None else Use.VALUE for b in bound]
        if any(u in (Use.STORE, Use.ACCUMULATE, Use.EXTREMUM, Use.EXCHANGE, Use.READ) for u in uses):
            touched = next(k for k, u in enumerate(uses) if u not in (Use.VALUE, Use.INDEX, Use.STATIC, Use.HANDLE))
            if values[touched].op == "array" or values[touched].type.kind == "array":
                return self._array_builtin(entry, name, values, uses, touched, node)
            if entry.result == "tuple":
                return self._outputs(entry, name, values, uses, bound, node)
            if uses[touched] is not Use.READ:
                return self._object_builtin(entry, name, values, uses, touched, bound, node)
        value = self.make("call", self.result_type(entry, args), values, node)
        value.name, value.entry, value.bound = name, entry, bound
        if name in ("where", "select") and len(args) == 3:
            value.type = args[1].type if args[1].type.kind != "unknown" else args[2].type
            if args[1].op == "array" or args[2].op == "array":
                chosen = self.make("array", args[1].type if args[1].op == "array" else args[2].type, (), node)
                return chosen
        if name == "len":
            value.type = t.INT
        if args and draws(name):
            self._advance(args[0], node)
        return value

    def _advance(self, state: Value, node: ast.AST) -> None:
        """A random number was drawn: the state is another one."""
        name = self._name_of(node, 0)
        if name in self.env:
            following = self.make("call", state.type, (state,), node)
            following.name = "rand_next"
            self.env[name] = following

    def _tid(self, node: ast.AST) -> Value:
        count = 1 if self.expected is None else self.expected
        parts = []
        for dimension in range(count):
            part = self.make("tid", t.INT, (), node)
            part.extra = dimension
            parts.append(part)
        return parts[0] if count == 1 else self.make("tuple", Type("tuple"), parts, node)

    expected: int | None = None  # how many targets the assignment being executed unpacks to

    def _allocate(self, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        """An array on the stack of the kernel: it has no gradient."""
        assert isinstance(node, ast.Call)
        dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
        element = self.reader.annotation(self.frame.module, self.scope, dtype) if dtype is not None else t.ANY_FLOAT
        shape = keywords.get("shape") or (args[0] if args else None)
        ndim = len(shape.args) if shape is not None and shape.op == "tuple" else 1
        self.locals += 1
        value = self.make("array", Type("array", ndim=ndim, element=element), (), node)
        value.path = ("<local>", str(self.locals))
        value.extra = "local"
        value.name = "array"
        return value

    def _generic_constructor(self, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        assert isinstance(node, ast.Call)
        kind = {"vector": "vec", "matrix": "mat", "quaternion": "quat", "transformation": "transform"}.get(name, name)
        dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
        scalar = self.reader.annotation(self.frame.module, self.scope, dtype).scalar if dtype is not None else ""
        shape: tuple[int, ...] = (-1,) if kind == "vec" else (-1, -1) if kind == "mat" else ()
        length = keywords.get("length")
        if length is not None and isinstance(length.const, int):
            shape = (length.const,)
        given = keywords.get("shape")
        if given is not None and given.op == "tuple":
            shape = tuple(a.const if isinstance(a.const, int) else -1 for a in given.args)
        return self.construct(Type(kind, scalar, shape), args, keywords, node)

    def result_type(self, entry: Builtin, args: list[Value]) -> Type:
        result = entry.result
        first = args[0].type if args else t.UNKNOWN
        if result == "first":
            return first
        if result == "second":
            return args[1].type if len(args) > 1 else t.UNKNOWN
        if result == "join":
            return self.join("", first, args[1].type) if len(args) > 1 else first
        if result == "component":
            return Type("float", first.scalar) if not first.is_integral else t.INT
        if result == "element":
            return first.element or t.ANY_FLOAT
        if result == "int":
            return t.INT
        if result == "bool":
            return t.BOOL
        if result == "none":
            return t.NONE
        if result == "tile":
            return first if first.kind == "tile" else Type("tile", element=first.element or t.ANY_FLOAT)
        if result in ("tuple", "array"):
            return Type(result)
        named = named_type(result)
        if named is not None and first.scalar and not first.is_integral and named.scalar.startswith("float"):
            return Type(named.kind, first.scalar, named.shape)
        if named is not None:
            return named
        if result in ("vec", "mat"):
            return Type(result, first.scalar, (-1,) if result == "vec" else (-1, -1))
        return t.HANDLE if result in ("query", "handle") else t.UNKNOWN

    def _array_builtin(
        self, entry: Builtin, name: str, values: list[Value], uses: list[Use], touched: int, node: ast.AST
    ) -> Value:
        """Builtins that read or write an array: atomics, tile loads and stores."""
        array = values[touched]
        use = uses[touched]
        tile = name.startswith("tile_")
        indices = [v for k, v in enumerate(values) if uses[k] is Use.INDEX]
        spread: list[Value] = []
        for index in indices:
            spread.extend(index.args if index.op == "tuple" else [index])
        place = Place(array.type.element or t.UNKNOWN, array=array, indices=self.indexed(array.prefix, spread, node))
        operands = [v for k, v in enumerate(values) if k != touched and uses[k] is Use.VALUE]
        if use is Use.READ:
            if not spread and tile:
                place.indices = self.indexed(array.prefix, [self.const(0, node)], node)
            value = self.make("load", self.result_type(entry, values), [*spread, *operands], node)
            value.path, value.name = array.path, array.name
            self._record_read(place, value, node, extent=tile)
            return value
        source = operands[-1] if operands else self.opaque(node)
        access = _ACCESS.get(use, Access.STORE)
        if not spread and tile:
            place.indices = self.indexed(array.prefix, [self.const(0, node)], node)
        atomic = "" if name in ("array_store", "tile_store") else name
        if use is Use.EXTREMUM and (array.type.element is None or array.type.element.floating):
            old = self.load(place, node)
            # Which of the two stays isn't known; the adjoint of the other one isn't touched.
            source = self.make("join", old.type, (old, source), node)
        marker = self.write(place, source, access, node, atomic=atomic)
        assert marker.event is not None
        marker.event.extent = tile
        if use in (Use.EXTREMUM, Use.EXCHANGE):
            marker.name = "extremum" if use is Use.EXTREMUM else "exchange"
        if not atomic:
            return marker
        result = self.make("call", self.result_type(entry, values), (), node)
        result.name = name
        result.extra = marker
        return result

    def _record_read(self, place: Place, value: Value, node: ast.AST, extent: bool) -> None:
        array = place.array
        assert array is not None
        event = Event(Access.READ, array, array.path, place.indices, value, node, value.id, extent=extent)
        value.event = event
        value.extra = self.stores.get(array.path, 0)
        self.graph.events.append(event)

    def _outputs(
        self,
        entry: Builtin,
        name: str,
        values: list[Value],
        uses: list[Use],
        bound: tuple[int | None, ...],
        node: ast.AST,
    ) -> Value:
        """Decompositions, which store their results to local objects: `wp.svd3(m, u, sigma, v)`."""
        result: Value | None = None
        for k, use in enumerate(uses):
            if use is not Use.STORE:
                continue
            result = self.make("call", values[k].type, values, node)
            result.name, result.entry, result.bound = name, entry, bound
            target = self._name_of(node, k)
            if values[k].type.is_object:
                place = Place(values[k].type, name=target, value=values[k], key=())
                self.mutate(place, result, "set", node)
            elif target:
                self.env[target] = result
        assert result is not None
        return result

    def _object_builtin(
        self,
        entry: Builtin,
        name: str,
        values: list[Value],
        uses: list[Use],
        touched: int,
        bound: tuple[int | None, ...],
        node: ast.AST,
    ) -> Value:
        """Builtins that change a local object: matmul accumulators, tile assignment, transform setters."""
        operands = [v for k, v in enumerate(values) if k != touched and uses[k] in (Use.VALUE, Use.INDEX)]
        part = self.make("call", values[touched].type, values, node)
        part.name, part.entry, part.bound = name, entry, bound
        mode = "add" if uses[touched] is Use.ACCUMULATE else "set"
        key: tuple[object, ...] = {"transform_set_translation": ("p",), "transform_set_rotation": ("q",)}.get(name, ())
        if name.startswith("transform_set") and operands:
            part = operands[0]
        place = Place(values[touched].type, name=self._name_of(node, touched), value=values[touched], key=key)
        if values[touched].type.kind in ("handle", "int", "unknown", "bool") or values[touched].op == "const":
            if place.name:
                self.env[place.name] = self.make("opaque", values[touched].type, (), node)
            return self.make("call", t.BOOL if entry.result == "bool" else t.NONE, (), node)
        return self.mutate(place, part, mode, node)

    @staticmethod
    def _name_of(node: ast.AST, position: int) -> str:
        if isinstance(node, ast.Call) and position < len(node.args):
            argument = node.args[position]
            if isinstance(argument, ast.Name):
                return argument.id
        return ""

    # Funcs

    def _native(self, function: Definition, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        decorator = decorator_of(self.project, function)
        snippets = {k.arg for k in decorator.keywords} if isinstance(decorator, ast.Call) else set()
        positional = len(decorator.args) if isinstance(decorator, ast.Call) else 0
        values = [*args, *keywords.values()]
        assert not isinstance(function.node, ast.ClassDef)
        type = self.reader.annotation(function.module, function.scope, function.node.returns)
        for value in values:
            if value.op == "array":
                self.note(f"arrays in native `{function.name}`")
        if "adj_snippet" in snippets or positional > 1:
            return self.make("opaque", type, values, node)
        result = self.severed("native", values, node, type)
        if function.node.returns is None:
            result.type = t.NONE  # it works on arrays
        result.extra = function
        return result

    def inline(self, function: Definition, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        assert not isinstance(function.node, ast.ClassDef)
        outer = self.frame
        frame: Frame | None = outer
        while frame is not None:
            if frame.function is function:
                return self.opaque(node, [*args, *keywords.values()], why=f"recursive call of `{function.name}`")
            frame = frame.parent
        if outer.depth >= MAX_DEPTH:
            return self.opaque(node, [*args, *keywords.values()], why="calls nested too deeply")
        frame = Frame(len(self.graph.frames), function, outer, node, outer.module, self.loops)
        self.graph.frames.append(frame)
        frame.custom = self.companion(function, "func_grad")
        frame.replay = self.companion(function, "func_replay")
        env: dict[str, Value] = {}
        parameters = function.node.args.args
        bound: dict[str, Value] = dict(zip((p.arg for p in parameters), args, strict=False))
        bound.update(keywords)
        saved = self.env, self.guards, self.contexts, self.returned, self.expected
        defaults = dict(zip((p.arg for p in parameters[::-1]), function.node.args.defaults[::-1], strict=False))
        self.frame = frame
        for parameter in parameters:
            actual = bound.get(parameter.arg)
            if actual is None:
                default = defaults.get(parameter.arg)
                actual = self.evaluate(default) if default is not None else self.opaque(node)
            frame.arguments[parameter.arg] = actual
            if actual.op in ("array", "function", "type", "const") or actual.type.kind == "tile":
                env[parameter.arg] = actual  # a tile is passed by reference
                continue
            declared = self.reader.annotation(function.module, function.scope, parameter.annotation)
            type = actual.type if actual.type.kind != "unknown" else declared
            passed = self.make("arg", type, (actual,), node)
            passed.module = outer.module
            passed.name = parameter.arg
            passed.const = actual.const
            env[parameter.arg] = passed
        self.env, self.contexts, self.returned, self.expected = env, [Context(None)], [], None
        self.run(function.node.body)
        returned = self.returned
        self.env, self.guards, self.contexts, self.returned, self.expected = saved
        result = self._result(frame, returned, node)
        self.frame = outer
        self.graph.calls.append((frame, node, function, tuple(args), result))
        return result

    def _result(self, frame: Frame, returned: list[tuple[Value | None, tuple[Guard, ...]]], node: ast.AST) -> Value:
        values = [value for value, _ in returned if value is not None]
        deciding = [guard.condition for _, guards in returned for guard in guards[len(self.guards) :]]
        parent = frame.parent
        assert parent is not None
        self.frame = parent
        if frame.custom is not None:
            return self._custom(frame, values, node)
        if not values:
            return self.make("opaque", t.NONE, (), node)
        if all(v.op == "tuple" for v in values) and len({len(v.args) for v in values}) == 1:
            items = [
                self._returned([v.args[k] for v in values], deciding, frame, node) for k in range(len(values[0].args))
            ]
            return self.make("tuple", Type("tuple"), items, node)
        return self._returned(values, deciding, frame, node)

    def _custom(self, frame: Frame, values: list[Value], node: ast.AST) -> Value:
        """Result of a func with a hand-written adjoint: its derivative goes to the arguments, not inside."""
        assert frame.custom is not None
        gradient = custom_gradient(self.reader, frame.function, frame.custom)
        tuples = [v for v in values if v.op == "tuple"]
        width = len(tuples[0].args) if tuples else 1
        results = []
        for k in range(width):
            inner = [v.args[k] if v.op == "tuple" and k < len(v.args) else v for v in values]
            type = next((v.type for v in inner if v.type.kind != "unknown"), t.UNKNOWN)
            result = self.make("custom", type, [*frame.arguments.values(), *inner], node)
            result.extra = (frame, gradient, len(frame.arguments))
            results.append(result)
        return results[0] if width == 1 else self.make("tuple", Type("tuple"), results, node)

    def _returned(self, values: list[Value], deciding: list[Value], frame: Frame, node: ast.AST) -> Value:
        if len(values) == 1 and values[0].op in ("array", "function", "type", "const"):
            return values[0]
        type = next((v.type for v in values if v.type.kind != "unknown"), t.UNKNOWN)
        # Which value is returned depends on the conditions of early returns.
        result = self.make("ret", type, [*values, *(deciding if len(values) > 1 else ())], node)
        result.extra = frame
        result.prefix = tuple(deciding) if len(values) > 1 else ()
        if len(values) == 1:
            result.const = values[0].const
            if type.kind == "tile":
                self.share(values[0], result)
        return result

    def run(self, body: list[ast.stmt]) -> bool:
        raise NotImplementedError
