"""A kernel or func with everything it needs, taken out of its file.

Each needed thing becomes an `Item`: a few lines of source under a name of its own, in the original
precision and in double precision, with the names of the items it rests on. Nothing of the user's
module is executed: names are resolved in its syntax tree.
"""

from __future__ import annotations

import ast
import builtins
import copy
from dataclasses import dataclass, field

from warp_lint.confirm import promote
from warp_lint.syntax.module import Binding, Definition, Module, Scope
from warp_lint.syntax.project import External, ModuleRef, Project, Resolved

PRECISIONS = ("original", "double")
_IMPORTABLE = frozenset(
    "warp numpy math typing typing_extensions enum functools itertools dataclasses operator collections __future__".split()
)
_ROLES = {
    "warp.kernel": "kernel",
    "warp.func": "func",
    "warp.struct": "struct",
    "warp.func_grad": "func_grad",
    "warp.func_replay": "func_replay",
    "warp.func_native": "func_native",
}
_PURE = frozenset(
    f"builtins.{name}"
    for name in (
        "abs all any bool dict divmod enumerate float frozenset int isinstance len list map max min pow range reversed "
        "round set slice sorted str sum tuple zip"
    ).split()
)
_READERS = ("numpy.load", "numpy.fromfile", "numpy.genfromtxt", "numpy.loadtxt", "numpy.save", "numpy.memmap")
_COMPANIONS = ("func_grad", "func_replay")
_RESERVED = ("wp", "_promote", "_sink")
_KERNEL_OPTIONS = ("enable_backward",)


class UnresolvedError(Exception):
    """Something the code needs can't be had without running the user's module."""

    def __init__(self, name: str, why: str = "its value isn't known without running the file") -> None:
        super().__init__(name, why)
        self.name = name
        self.why = why


@dataclass(slots=True)
class Item:
    """`sources` maps a precision to lines of code that bind `name`. `single_only` marks code that
    Warp can't compile in double precision; `literals` are the float constants in its body."""

    name: str
    kind: str
    sources: dict[str, str] = field(default_factory=dict)
    needs: list[str] = field(default_factory=list)
    single_only: bool = False
    handles: set[str] = field(default_factory=set)
    literals: set[float] = field(default_factory=set)
    externals: set[str] = field(default_factory=set)
    generic: bool = False
    node: ast.AST | None = None


class Extractor:
    """Collects the items of any number of kernels and funcs of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.items: dict[str, Item] = {}  # in an order in which they can be executed
        self._keys: dict[object, str] = {}
        self._failed: dict[object, UnresolvedError] = {}
        self._taken: set[str] = set(_RESERVED) | set(dir(builtins))
        self._companions: dict[Module, dict[ast.AST, list[Definition]]] = {}
        self._calls: dict[Module, dict[str, list[tuple[ast.Call, Scope]]]] = {}
        self._active: list[object] = []

    # What a definition is

    def role(self, definition: Definition) -> str | None:
        """"kernel", "func", "struct", "func_grad", "func_replay", "func_native" or None."""
        return self.decoration(definition)[0]

    def decoration(self, definition: Definition) -> tuple[str | None, ast.expr | None]:
        for decorator in definition.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            resolved = self.project.resolve(definition.module, definition.scope, target)
            if isinstance(resolved, External) and resolved.name in _ROLES:
                return _ROLES[resolved.name], decorator
        return None, None

    def companions(self, definition: Definition) -> list[Definition]:
        """The `func_grad` and `func_replay` functions registered for a func."""
        found: list[Definition] = []
        modules = [definition.module, *(m for m in self.project.modules() if m is not definition.module)]
        for module in modules:
            found += self._companions_of(module).get(definition.node, [])
        return found

    def _companions_of(self, module: Module) -> dict[ast.AST, list[Definition]]:
        if module not in self._companions:
            table: dict[ast.AST, list[Definition]] = {}
            for candidate in list(module.functions()):
                role, decorator = self.decoration(candidate)
                if role in _COMPANIONS and isinstance(decorator, ast.Call) and decorator.args:
                    of = self.project.resolve(module, candidate.scope, decorator.args[0])
                    if isinstance(of, Definition):
                        table.setdefault(of.node, []).append(candidate)
            self._companions[module] = table
        return self._companions[module]

    # Items

    def definition(self, definition: Definition, role: str | None = None, generic: str = "") -> Item:
        """The item of a kernel, func, struct or plain function. Raises `UnresolvedError`.

        `generic` is the type to put in place of `Any` (in double and original precision, by index
        into `promote.GENERIC_GUESSES`).
        """
        own = self.role(definition) or role
        if own in _COMPANIONS and role is None:
            own = "func"  # used like a func of its own
        key = ("def", self._overloads(definition, own)[0].node, role, generic)
        return self._item(key, definition.name, own or "plain", lambda item: self._define(item, definition, own, generic))

    def _item(self, key: object, name: str, kind: str, build: object) -> Item:
        if key in self._keys:
            return self.items[self._keys[key]]
        if key in self._failed:
            raise self._failed[key]
        if key in self._active:
            # Mutual reference of functions: the name is enough, the item follows.
            raise _Cycle(key)
        unique = self.unique(name)
        item = Item(unique, kind)
        self._active.append(key)
        try:
            build(item)  # type: ignore[operator]
        except UnresolvedError as error:
            self._failed[key] = error
            raise
        except RecursionError:
            self._failed[key] = UnresolvedError(name, "it is nested too deeply")
            raise self._failed[key] from None
        finally:
            self._active.pop()
        self._keys[key] = unique
        self.items[unique] = item
        return item

    def unique(self, name: str) -> str:
        candidate, count = name, 1
        while candidate in self._taken:
            count += 1
            candidate = f"{name}_{count}"
        self._taken.add(candidate)
        return candidate

    def _define(self, item: Item, definition: Definition, role: str | None, generic: str) -> None:
        node = definition.node
        item.node = node
        if isinstance(node, ast.ClassDef):
            if role != "struct":
                self._plain_class(item, definition)
                return
            for precision in PRECISIONS:
                clone = copy.deepcopy(node)
                body: list[ast.stmt] = [s for s in clone.body if isinstance(s, ast.AnnAssign)] or [ast.Pass()]
                rewriter = _Rewriter(self, item, definition.module, definition.scope, None, precision, generic)
                for statement in body:
                    if isinstance(statement, ast.AnnAssign):
                        statement.annotation = rewriter.annotation(statement.annotation)
                        statement.value = None
                made = ast.ClassDef(name=item.name, bases=[], keywords=[], body=body, decorator_list=[_wp("struct")])
                item.sources[precision] = _source(made)
            return
        if isinstance(node, ast.AsyncFunctionDef):
            raise UnresolvedError(node.name, "it is an async function")
        versions = self._overloads(definition, role)
        for precision in PRECISIONS:
            texts = [self._function(item, version, role, precision, generic) for version in versions]
            item.sources[precision] = "\n\n".join(texts)
        if role in ("func", "func_native", "kernel"):
            for version in versions:
                for companion in self.companions(version):
                    self._companion(item, companion)

    def _overloads(self, definition: Definition, role: str | None) -> list[Definition]:
        """All definitions of one func name (Warp resolves them by argument types)."""
        if role not in ("func", "func_native"):
            return [definition]
        same = [
            d
            for d in definition.module.definitions.values()
            if d.scope is definition.scope and d.name == definition.name and self.role(d) == role
        ]
        return same if definition in same else [definition]

    def _function(self, item: Item, definition: Definition, role: str | None, precision: str, generic: str) -> str:
        node = copy.deepcopy(definition.node)
        assert isinstance(node, ast.FunctionDef)
        module, scope = definition.module, definition.scope
        device = role in ("kernel", "func", "func_grad", "func_replay")
        rewriter = _Rewriter(self, item, module, scope, definition.inner, precision, generic if role == "kernel" else "")
        for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            if argument.annotation is not None:
                argument.annotation = rewriter.annotation(argument.annotation)
        node.args.defaults = [rewriter.host(default) for default in node.args.defaults]
        node.args.kw_defaults = [rewriter.host(d) if d is not None else None for d in node.args.kw_defaults]
        node.returns = rewriter.annotation(node.returns) if node.returns is not None and device else None
        original = definition.node
        if role == "func_native" and isinstance(original, ast.FunctionDef) and original.returns is not None:
            node.returns = rewriter.annotation(copy.deepcopy(original.returns))
        _, decorator = self.decoration(definition)
        node.decorator_list = self._decorators(role, decorator, rewriter)
        if role == "func_native":
            node.body = [ast.Expr(ast.Constant(...))]
        elif device:
            node.body = [rewriter.device(statement) for statement in _without_docstring(node.body)] or [ast.Pass()]
        else:
            node.body = [rewriter.host_statement(statement) for statement in node.body]
        node.name = item.name
        return _source(node)

    @staticmethod
    def _decorators(role: str | None, decorator: ast.expr | None, rewriter: _Rewriter) -> list[ast.expr]:
        if role is None:
            return []
        if role == "kernel":
            kept = []
            options = decorator.keywords if isinstance(decorator, ast.Call) else []
            unique = any(k.arg == "module_options" for k in options)
            for keyword in options:
                if keyword.arg in _KERNEL_OPTIONS or (unique and keyword.arg in ("module", "module_options")):
                    kept.append(ast.keyword(keyword.arg, rewriter.host(copy.deepcopy(keyword.value))))
            return [ast.Call(_wp("kernel"), [], kept)] if kept else [_wp("kernel")]
        if role == "func_native" and isinstance(decorator, ast.Call):
            call = copy.deepcopy(decorator)
            call.args = [rewriter.host(argument) for argument in call.args]
            for keyword in call.keywords:
                keyword.value = rewriter.host(keyword.value)
            call.func = _wp("func_native")
            return [call]
        return [_wp(role)]

    def _companion(self, item: Item, companion: Definition) -> None:
        role, _ = self.decoration(companion)
        inner = Item(self.unique(companion.name), role or "func")
        for precision in PRECISIONS:
            text = self._function(inner, companion, role, precision, "")
            head, _, rest = text.partition("\n")
            item.sources[precision] += f"\n\n{head}({item.name})\n{rest}"
        item.needs += [name for name in inner.needs if name not in item.needs and name != item.name]
        item.literals |= inner.literals
        item.single_only |= inner.single_only

    def _plain_class(self, item: Item, definition: Definition) -> None:
        """An enum of constants is allowed; any other class would mean running user code."""
        node = definition.node
        assert isinstance(node, ast.ClassDef)
        bases = [self.project.resolve(definition.module, definition.scope, base) for base in node.bases]
        if not bases or not all(isinstance(b, External) and b.name.startswith("enum.") for b in bases):
            raise UnresolvedError(node.name, "it is a class")
        for precision in PRECISIONS:
            clone = copy.deepcopy(node)
            rewriter = _Rewriter(self, item, definition.module, definition.scope, definition.inner, precision, "")
            clone.bases = [rewriter.host(base) for base in clone.bases]
            clone.decorator_list = []
            clone.body = [rewriter.host_statement(s) for s in clone.body if isinstance(s, (ast.Assign, ast.AnnAssign))]
            clone.body = clone.body or [ast.Pass()]
            clone.name = item.name
            item.sources[precision] = _source(clone)

    # Names

    def name(self, module: Module, scope: Scope, name: str) -> str | None:
        """The generated name for `name` as seen from a scope; None for a builtin of Python."""
        found = scope.find(name)
        if found is None:
            if hasattr(builtins, name):
                return None
            raise UnresolvedError(name, "nothing in the file defines it")
        owner, bindings = found
        return self._bound(module, owner, name, bindings)

    def _bound(self, module: Module, owner: Scope, name: str, bindings: list[Binding]) -> str:
        if bindings[0].kind == "import" and bindings[-1].kind in ("import", "assign"):
            return self._import(module, name, bindings[0])
        failure: UnresolvedError | None = None
        for binding in reversed(bindings):
            try:
                return self._binding(module, owner, name, binding)
            except UnresolvedError as error:
                failure = failure or error
        raise failure or UnresolvedError(name)

    def _binding(self, module: Module, owner: Scope, name: str, binding: Binding) -> str:
        if binding.kind in ("def", "class"):
            return self.definition(module.definitions[binding.node]).name
        if binding.kind == "import":
            return self._import(module, name, binding)
        if binding.kind == "assign" and binding.value is not None:
            return self._value(module, owner, name, binding.value, binding.unpack)
        if binding.kind == "parameter":
            return self._parameter(module, owner, name)
        if isinstance(binding.node, (ast.For, ast.comprehension)):
            first = _first_element(binding.node, name)
            if first is not None:
                return self._value(module, owner, name, first, ())
        raise UnresolvedError(name)

    def _import(self, module: Module, name: str, binding: Binding) -> str:
        resolved = self.project.resolve_name(module, module.scope, name) if binding.kind == "import" else None
        if not isinstance(resolved, External):
            # An import inside a function, or one that the project can follow.
            resolved = resolved or self._local_import(module, name)
        if isinstance(resolved, Definition):
            return self.definition(resolved).name
        if resolved is not None and not isinstance(resolved, (External, ModuleRef)):
            owner, inner = resolved.module, resolved.scope
            return self._value(owner, inner, name, resolved.expression, resolved.unpack)
        if isinstance(resolved, ModuleRef):
            raise UnresolvedError(name, "a module is used as a value")
        head = binding.module.partition(".")[0]
        if binding.level or head not in _IMPORTABLE:
            origin = "." * binding.level + binding.module
            raise UnresolvedError(name, f"`{origin}` isn't part of the project")
        if head == "__future__":
            raise UnresolvedError(name)
        key = ("import", binding.module, binding.attribute)
        if key == ("import", "warp", None):
            return "wp"
        if key not in self._keys:
            item = Item(self.unique(name), "import")
            if binding.attribute is not None:
                text = f"from {binding.module} import {binding.attribute} as {item.name}"
            else:
                text = f"import {binding.module} as {item.name}"
            item.sources = dict.fromkeys(PRECISIONS, text)
            self.items[item.name] = item
            self._keys[key] = item.name
        return self._keys[key]

    def _local_import(self, module: Module, name: str) -> Resolved | None:
        return self.project.resolve_name(module, module.scope, name)

    def _value(self, module: Module, owner: Scope, name: str, value: ast.expr, unpack: tuple[int, ...]) -> str:
        key = ("value", value, unpack)

        def build(item: Item) -> None:
            forced = self._wrapped_function(module, owner, value)
            for precision in PRECISIONS:
                if forced is not None:
                    item.sources[precision] = f"{item.name} = {self.definition(forced[1], forced[0]).name}"
                    continue
                rewriter = _Rewriter(self, item, module, owner, None, precision, "")
                expression = rewriter.host(copy.deepcopy(value))
                for index in unpack:
                    expression = ast.Subscript(expression, ast.Constant(index), ast.Load())
                text = f"{item.name} = {_source(expression)}"
                if precision == "double":
                    text += f"\n{item.name}__d = _promote({item.name})"
                item.sources[precision] = text
            if forced is not None:
                item.needs.append(self.definition(forced[1], forced[0]).name)
                item.sources["double"] += f"\n{item.name}__d = {item.name}"

        if key in self._active:
            raise UnresolvedError(name, "it is defined by itself")
        return self._item(key, name, "value", build).name

    def _wrapped_function(self, module: Module, owner: Scope, value: ast.expr) -> tuple[str, Definition] | None:
        """`wp.func(f)`, `wp.kernel(f)`: the role and the plain function."""
        if not isinstance(value, ast.Call) or not value.args:
            return None
        callee = self.project.resolve(module, owner, value.func)
        if not (isinstance(callee, External) and callee.name in ("warp.func", "warp.kernel")):
            return None
        function = self.project.resolve(module, owner, value.args[0])
        return (_ROLES[callee.name], function) if isinstance(function, Definition) else None

    def _parameter(self, module: Module, owner: Scope, name: str) -> str:
        """The value of a factory's parameter: from a call with an argument that can be had, else its default."""
        factory = module.definitions.get(owner.node)
        if factory is None or not isinstance(factory.node, ast.FunctionDef):
            raise UnresolvedError(name, "it is a parameter whose argument isn't known")
        args = factory.node.args
        names = [a.arg for a in [*args.posonlyargs, *args.args]]
        for caller, call, scope in self._calls_to(factory):
            offset = 1 if factory.parent_class is not None and isinstance(call.func, ast.Attribute) else 0
            argument = next((k.value for k in call.keywords if k.arg == name), None)
            if argument is None and name in names and not any(isinstance(a, ast.Starred) for a in call.args):
                position = names.index(name) - offset
                argument = call.args[position] if 0 <= position < len(call.args) else None
            if argument is None:
                continue
            try:
                return self._value(caller, scope, name, argument, ())
            except UnresolvedError:
                continue
        defaults = dict(zip(reversed(names), reversed(args.defaults), strict=False))
        defaults.update({a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None})
        if name in defaults:
            return self._value(module, factory.scope, name, defaults[name], ())
        raise UnresolvedError(name, "it is a parameter whose argument isn't known")

    def _calls_to(self, factory: Definition) -> list[tuple[Module, ast.Call, Scope]]:
        found = []
        for module in [factory.module, *(m for m in self.project.modules() if m is not factory.module)]:
            for call, scope in self._calls_in(module).get(factory.name, []):
                of = self.project.resolve(module, scope, call.func)
                method = factory.parent_class is not None and isinstance(call.func, ast.Attribute)
                if (isinstance(of, Definition) and of.node is factory.node) or (of is None and method):
                    found.append((module, call, scope))
        return found

    def _calls_in(self, module: Module) -> dict[str, list[tuple[ast.Call, Scope]]]:
        if module not in self._calls:
            table: dict[str, list[tuple[ast.Call, Scope]]] = {}
            stack: list[tuple[ast.AST, Scope]] = [(module.tree, module.scope)]
            while stack:
                node, scope = stack.pop()
                inner = module.definitions.get(node)
                here = inner.inner if inner is not None else scope
                if isinstance(node, ast.Call):
                    callee = node.func
                    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", None)
                    if isinstance(name, str):
                        table.setdefault(name, []).append((node, here))
                stack.extend((child, here) for child in ast.iter_child_nodes(node))
            self._calls[module] = table
        return self._calls[module]


class _Cycle(UnresolvedError):
    def __init__(self, key: object) -> None:
        super().__init__(str(getattr(key, "name", "")) or "function", "it refers to itself")


class _Rewriter(ast.NodeTransformer):
    """Puts generated names in place of the user's, and double precision in place of single."""

    def __init__(
        self,
        extractor: Extractor,
        item: Item,
        module: Module,
        scope: Scope,
        inner: Scope | None,
        precision: str,
        generic: str,
    ) -> None:
        self.extractor = extractor
        self.project = extractor.project
        self.item = item
        self.module = module
        self.scope = scope
        self.inner = inner
        self.double = precision == "double"
        self.generic = generic
        self.on_device = False
        self.lambdas: list[set[str]] = []

    def device(self, node: ast.stmt) -> ast.stmt:
        self.on_device = True
        made = self.visit(node)
        self.on_device = False
        assert isinstance(made, ast.stmt)
        return made

    def host(self, node: ast.expr) -> ast.expr:
        before, self.on_device = self.on_device, False
        made = self.visit(node)
        self.on_device = before
        assert isinstance(made, ast.expr)
        return made

    def host_statement(self, node: ast.stmt) -> ast.stmt:
        made = self.visit(node)
        assert isinstance(made, ast.stmt)
        return made

    def annotation(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError):
                raise UnresolvedError(node.value, "its annotation can't be parsed") from None
        inner, self.inner = self.inner, None
        made = self.host(node)
        self.inner = inner
        return made

    # Names

    def _local(self, name: str) -> bool:
        if any(name in names for names in self.lambdas):
            return True
        return self.inner is not None and name in self.inner.bindings and name not in self.inner.globals

    def _external(self, node: ast.expr) -> str | None:
        """Canonical name of something outside the project."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self._local(root.id):
            return None
        resolved = self.project.resolve(self.module, self.scope, node)
        return resolved.name if isinstance(resolved, External) else None

    def _replacement(self, name: str | None) -> ast.expr | None:
        if name is None:
            return None
        if name in promote.GENERIC_MARKS:
            self.item.generic = True
            if self.generic:
                index = int(self.generic)
                guess = promote.GENERIC_GUESSES["double" if self.double else "original"][index]
                return promote.warp_attribute(guess)
        if self.double and name in promote.DOUBLE:
            return promote.warp_attribute(promote.DOUBLE[name])
        return None

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or self._local(node.id):
            return node
        external = self._external(node)
        replaced = self._replacement(external)
        if replaced is not None:
            return replaced
        if external is not None:
            self.item.externals.add(external)
        name = self.extractor.name(self.module, self.scope, node.id)
        if name is None:
            return node
        return ast.Name(self._use(name), ast.Load())

    def _use(self, name: str) -> str:
        if name in self.extractor.items and name not in self.item.needs and name != self.item.name:
            self.item.needs.append(name)
        item = self.extractor.items.get(name)
        if self.double and self.on_device and item is not None and item.kind == "value":
            return f"{name}__d"
        return name

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        external = self._external(node)
        if external is not None:
            replaced = self._replacement(external)
            if replaced is not None:
                return replaced
            self.item.externals.add(external)
            self.item.single_only |= promote.single_only(external)
            if self.double and self.on_device and _is_float_constant(external):
                node.value = self.visit(node.value)
                return _cast(node)
            node.value = self.visit(node.value)
            return node
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and not self._local(root.id):
            base = self.project.resolve(self.module, self.scope, node.value)
            if isinstance(base, ModuleRef):
                name = self.extractor.name(base.module, base.module.scope, node.attr)
                if name is None:
                    raise UnresolvedError(ast.unparse(node))
                return ast.Name(self._use(name), ast.Load())
            if isinstance(base, Definition) and isinstance(base.node, ast.ClassDef):
                if self._is_enum(base):
                    node.value = ast.Name(self._use(self.extractor.definition(base).name), ast.Load())
                    return node
                found = base.inner.bindings.get(node.attr)
                if found is None:
                    raise UnresolvedError(ast.unparse(node))
                name = self.extractor._bound(base.module, base.inner, node.attr, found)
                return ast.Name(self._use(name), ast.Load())
        try:
            node.value = self.visit(node.value)
        except UnresolvedError as error:
            if isinstance(root, ast.Name) and error.name == root.id:
                raise UnresolvedError(ast.unparse(node), error.why) from None
            raise
        return node

    def _is_enum(self, definition: Definition) -> bool:
        node = definition.node
        assert isinstance(node, ast.ClassDef)
        bases = [self.project.resolve(definition.module, definition.scope, base) for base in node.bases]
        return bool(bases) and all(isinstance(b, External) and b.name.startswith("enum.") for b in bases)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        args = node.args
        self.lambdas.append({a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]})
        node.body = self.visit(node.body)
        self.lambdas.pop()
        return node

    def _comprehension(self, node: ast.expr) -> ast.expr:
        names: set[str] = set()
        for generator in node.generators:  # type: ignore[attr-defined]
            names |= {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        self.lambdas.append(names)
        made = self.generic_visit(node)
        self.lambdas.pop()
        assert isinstance(made, ast.expr)
        return made

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = self.annotation(node.annotation)
        if node.value is not None:
            node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        raise UnresolvedError(node.name, "a function is defined inside")

    def visit_Global(self, node: ast.Global) -> ast.AST:
        return ast.Pass()

    # Numbers

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, float) and self.on_device:
            self.item.literals.add(node.value)
            if self.double:
                return _cast(node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        value = _literal(node)
        if value is None or not self.on_device:
            made = self.generic_visit(node)
            assert isinstance(made, ast.expr)
            return made
        self.item.literals.add(value)
        return _cast(node) if self.double else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        callee = self._external(node.func)
        if not self.on_device:
            if callee is not None and callee.startswith("builtins.") and callee not in _PURE:
                raise UnresolvedError(self.item.name, f"it is computed by `{callee[9:]}`")
            if callee is not None and callee.startswith(_READERS):
                raise UnresolvedError(self.item.name, f"it is computed by `{callee}`")
            if callee == "builtins.float":  # a conversion on the host stays one
                node.args = [self.visit(a) for a in node.args]
                return node
            return self._generic_call(node)
        if callee == "warp.static":
            node.func = self.visit(node.func)
            node.args = [self.host(a) for a in node.args]
            if self.double:
                node.args = [ast.Call(ast.Name("_promote", ast.Load()), node.args, [])]
            return node
        if callee is None:
            return self._generic_call(node)
        kind = promote.handle_kind(callee)
        if kind is not None:
            self.item.handles.add(kind)
        self.item.single_only |= promote.single_only(callee)
        if callee in promote.SCALAR_TYPES and len(node.args) == 1 and _number(node.args[0]):
            value = _literal(node.args[0])
            if value is not None:
                self.item.literals.add(value)
            node.func = self.visit(node.func)
            return node
        if not self.double:
            return self._generic_call(node)
        node = self._generic_call(node)
        if callee in promote.SINGLE_SCALARS:
            node.args[1:] = [ast.Call(_wp("float32"), [a], []) for a in node.args[1:]]
            return _cast(node)
        if callee in promote.SINGLE_VECTORS:
            return ast.Call(_wp(f"vec{promote.SINGLE_VECTORS[callee]}d"), [node], [])
        if callee in promote.DTYPE_KEYWORD and not any(k.arg == "dtype" for k in node.keywords):
            if callee == "warp.tile_full":
                return node
            node.keywords.append(ast.keyword("dtype", _wp("float64")))
        return node

    def _generic_call(self, node: ast.Call) -> ast.Call:
        made = self.generic_visit(node)
        assert isinstance(made, ast.Call)
        return made


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _literal(node: ast.expr) -> float | None:
    """The value of a float literal with its sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _literal(node.operand)
        return -value if value is not None else None
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return node.value
    return None


def _is_float_constant(name: str) -> bool:
    head, _, tail = name.rpartition(".")
    return head in ("warp", "math", "numpy") and tail.lower() in (
        "pi e tau inf nan half_pi log2e log10e ln2 ln10 phi infinity".split()
    )


def _cast(node: ast.expr) -> ast.Call:
    return ast.Call(_wp("float64"), [node], [])


def _wp(name: str) -> ast.expr:
    return promote.warp_attribute(name)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def _first_element(node: ast.For | ast.comprehension, name: str) -> ast.expr | None:
    """What a loop over a literal sequence binds `name` to in its first pass."""
    if not isinstance(node.iter, (ast.Tuple, ast.List)) or not node.iter.elts:
        return None
    first = node.iter.elts[0]
    if isinstance(node.target, ast.Name):
        return first if node.target.id == name else None
    if isinstance(node.target, ast.Tuple) and isinstance(first, (ast.Tuple, ast.List)):
        for target, value in zip(node.target.elts, first.elts, strict=False):
            if isinstance(target, ast.Name) and target.id == name:
                return value
    return None


def _source(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node))
