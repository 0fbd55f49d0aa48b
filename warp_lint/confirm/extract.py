"""A kernel or func with everything it needs, taken out of its file.

Each needed thing becomes an `Item`: a few lines of source under a name of its own, in the original
precision and in double precision, with the names of the items it rests on. Nothing of the user's
module is executed: names are resolved in its syntax tree.
"""

from __future__ import annotations

import ast
import builtins
import sys

from warp_lint.confirm import promote
from warp_lint.confirm.factories import Factories, default, is_dataclass, plausible
from warp_lint.confirm.infer import field_default
from warp_lint.confirm.items import PRECISIONS, Item, UnresolvedError
from warp_lint.confirm.packages import installed
from warp_lint.confirm.rewrite import Rewriter, mark
from warp_lint.confirm.trees import clone
from warp_lint.syntax.module import Binding, Definition, Module, Scope
from warp_lint.syntax.project import External, ModuleRef, Project, Resolved, Value

_TYPE_MAKERS = frozenset(("vector", "matrix", "quaternion", "transformation"))
_IMPORTABLE = frozenset(
    [
        "warp",
        "numpy",
        "math",
        "typing",
        "typing_extensions",
        "enum",
        "functools",
        "itertools",
        "dataclasses",
        "operator",
        "collections",
        "__future__",
    ]
)
_ROLES = {
    "warp.kernel": "kernel",
    "warp.func": "func",
    "warp.struct": "struct",
    "warp.func_grad": "func_grad",
    "warp.func_replay": "func_replay",
    "warp.func_native": "func_native",
}
_COMPANIONS = ("func_grad", "func_replay")
_RESERVED = ("wp", "_promote", "_sink")
_KERNEL_OPTIONS = ("enable_backward",)


class Extractor:
    """Collects the items of any number of kernels and funcs of a project."""

    def __init__(self, project: Project, python: str = sys.executable) -> None:
        self.project = project
        self.python = python  # whose installed packages may be imported
        self.items: dict[str, Item] = {}  # in an order in which they can be executed
        self._keys: dict[object, str] = {}
        # Apart, while arguments are tried: nothing is made up then.
        self._failed: dict[bool, dict[object, UnresolvedError]] = {False: {}, True: {}}
        self._taken: set[str] = set(_RESERVED) | set(dir(builtins))
        self._companions: dict[Module, dict[ast.AST, list[Definition]]] = {}
        self.factories = Factories(project)
        self.marks: list[tuple[str, int]] = []  # paths and lines of statements that inputs should reach
        self._guesses: dict[tuple[ast.AST, str], ast.expr] = {}
        self._asking = 0  # depth of calls whose arguments are being tried
        self._active: list[object] = []

    # What a definition is

    def role(self, definition: Definition) -> str | None:
        """ "kernel", "func", "struct", "func_grad", "func_replay", "func_native" or None."""
        return self.decoration(definition)[0]

    def decoration(self, definition: Definition) -> tuple[str | None, ast.expr | None]:
        for decorator in definition.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            resolved = self.project.resolve(definition.module, definition.scope, target)
            role = self._role_of(resolved)
            if role is not None:
                return role, decorator
        return None, None

    def _role_of(self, resolved: Resolved | None, depth: int = 0) -> str | None:
        """What a decorator makes; also one under a name of its own (`fn = wp.func(inline=False)`)."""
        if isinstance(resolved, External):
            return _ROLES.get(resolved.name)
        if not isinstance(resolved, Value) or resolved.unpack or depth > 3:
            return None
        expression = resolved.expression
        if isinstance(expression, ast.IfExp):
            expression = expression.body
        if isinstance(expression, ast.Call) and not expression.args:
            expression = expression.func
        return self._role_of(self.project.resolve(resolved.module, resolved.scope, expression), depth + 1)

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
        return self._item(
            key, definition.name, own or "plain", lambda item: self._define(item, definition, own, generic)
        )

    def _item(self, key: object, name: str, kind: str, build: object) -> Item:
        if key in self._keys:
            return self.items[self._keys[key]]
        failed = self._failed[bool(self._asking)]
        if key in failed:
            raise failed[key]
        if key in self._active:
            # Mutual reference of functions: the name is enough, the item follows.
            raise _Cycle(key)
        unique = self.unique(name)
        item = Item(unique, kind)
        self._active.append(key)
        try:
            build(item)  # type: ignore[operator]
        except UnresolvedError as error:
            failed[key] = error
            raise
        except RecursionError:
            failed[key] = UnresolvedError(name, "it is nested too deeply")
            raise failed[key] from None
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
        item.definition = definition
        if isinstance(node, ast.ClassDef):
            if role != "struct":
                self._plain_class(item, definition)
                return
            for precision in PRECISIONS:
                copied = clone(node)
                body: list[ast.stmt] = [s for s in copied.body if isinstance(s, ast.AnnAssign)] or [ast.Pass()]
                rewriter = Rewriter(self, item, definition.module, definition.scope, None, precision, generic)
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
        marks = self._marks_in(versions)
        if marks and role in ("func", "kernel"):
            item.marks = sorted(marks.values())
            texts = [self._function(item, version, role, "original", generic, marks) for version in versions]
            item.sources["marked"] = "\n\n".join(texts)
        if role in ("func", "func_native", "kernel"):
            for version in versions:
                for companion in self.companions(version):
                    self._companion(item, companion)

    def _marks_in(self, versions: list[Definition]) -> dict[int, int]:
        """Lines of functions to put marks in, and their numbers."""
        found = {}
        for version in versions:
            node = version.node
            for number, (path, line) in enumerate(self.marks):
                if path == version.module.path and node.lineno <= line <= (node.end_lineno or node.lineno):
                    found[line] = number
        return found

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

    def _function(
        self,
        item: Item,
        definition: Definition,
        role: str | None,
        precision: str,
        generic: str,
        marks: dict[int, int] | None = None,
    ) -> str:
        node = clone(definition.node)
        assert isinstance(node, ast.FunctionDef)
        module, scope = definition.module, definition.scope
        device = role in ("kernel", "func", "func_grad", "func_replay")
        rewriter = Rewriter(self, item, module, scope, definition.inner, precision, generic if role == "kernel" else "")
        for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            if argument.annotation is not None:
                argument.annotation = rewriter.annotation(argument.annotation)
        node.args.defaults = [rewriter.host(default) for default in node.args.defaults]
        node.args.kw_defaults = [rewriter.host(d) if d is not None else None for d in node.args.kw_defaults]
        node.returns = rewriter.annotation(node.returns) if node.returns is not None and device else None
        original = definition.node
        if role == "func_native" and isinstance(original, ast.FunctionDef) and original.returns is not None:
            node.returns = rewriter.annotation(clone(original.returns))
        _, decorator = self.decoration(definition)
        node.decorator_list = self.decorators(role, decorator, rewriter)
        if role == "func_native":
            node.body = [ast.Expr(ast.Constant(...))]
        elif device:
            rewriter.marks = marks or {}
            body = _without_docstring(node.body)
            start = body[0].lineno if body else 0
            entry = [mark(number) for line, number in rewriter.marks.items() if line < start]
            node.body = [*entry, *rewriter.device(body)] or [ast.Pass()]
        else:
            node.body = rewriter.host_body(node.body)
        node.name = item.name
        return _source(node)

    @staticmethod
    def decorators(role: str | None, decorator: ast.expr | None, rewriter: Rewriter) -> list[ast.expr]:
        if role is None:
            return []
        if role == "kernel":
            kept = []
            options = decorator.keywords if isinstance(decorator, ast.Call) else []
            unique = any(k.arg == "module_options" for k in options)
            for keyword in options:
                if keyword.arg in _KERNEL_OPTIONS or (unique and keyword.arg in ("module", "module_options")):
                    kept.append(ast.keyword(keyword.arg, rewriter.host(clone(keyword.value))))
            return [ast.Call(_wp("kernel"), [], kept)] if kept else [_wp("kernel")]
        if role == "func_native" and isinstance(decorator, ast.Call):
            call = clone(decorator)
            call.args = [rewriter.host(argument) for argument in call.args]
            for keyword in call.keywords:
                keyword.value = rewriter.host(keyword.value)
            call.func = _wp("func_native")
            return [call]
        return [_wp(role)]

    def _companion(self, item: Item, companion: Definition) -> None:
        role, _ = self.decoration(companion)
        inner = Item(self.unique(companion.name), role or "func")
        for precision in item.sources:
            written = "original" if precision == "marked" else precision
            text = self._function(inner, companion, role, written, "")
            head, _, rest = text.partition("\n")
            item.sources[precision] += f"\n\n{head}({item.name})\n{rest}"
        item.needs += [name for name in inner.needs if name not in item.needs and name != item.name]
        item.literals |= inner.literals
        item.single_only |= inner.single_only

    def _plain_class(self, item: Item, definition: Definition) -> None:
        """An enum of constants and the fields of a dataclass are allowed; any other class would mean running
        user code."""
        node = definition.node
        assert isinstance(node, ast.ClassDef)
        bases = [self.project.resolve(definition.module, definition.scope, base) for base in node.bases]
        data = is_dataclass(self.project, definition)
        if not data and (not bases or not all(isinstance(b, External) and b.name.startswith("enum.") for b in bases)):
            raise UnresolvedError(node.name, "it is a class")
        for precision in PRECISIONS:
            copied = clone(node)
            rewriter = Rewriter(self, item, definition.module, definition.scope, definition.inner, precision, "")
            copied.bases = [rewriter.host(base) for base in copied.bases]
            copied.decorator_list = [rewriter.host(d) for d in copied.decorator_list] if data else []
            fields: list[ast.stmt] = [s for s in copied.body if isinstance(s, (ast.Assign, ast.AnnAssign))]
            for field in fields:
                if data and isinstance(field, ast.AnnAssign):
                    field.annotation = ast.Name("object", ast.Load())
            copied.body = rewriter.host_body(fields)
            copied.body = copied.body or [ast.Pass()]
            copied.name = item.name
            item.sources[precision] = _source(copied)

    def field(self, module: Module, scope: Scope, node: ast.Attribute) -> str | None:
        """A field of an object that a factory is given: what its class has by default, noted as `assumed`."""
        if self._asking or not isinstance(node.value, ast.Name):
            return None
        found = field_default(self, module, scope, node.value.id, node.attr)
        if found is None:
            return None
        made = self._value(found.module, found.scope, node.attr, found.expression, ())
        self.items[made].assumed = f"`{ast.unparse(node)}` = {ast.unparse(found.expression)}"
        return made

    # Names

    def name(self, module: Module, scope: Scope, name: str) -> str | None:
        """The generated name for `name` as seen from a scope; None for a builtin of Python."""
        found = scope.find(name)
        if found is None:
            if hasattr(builtins, name):
                return None
            raise UnresolvedError(name, "nothing in the file defines it")
        owner, bindings = found
        return self.bound(module, owner, name, bindings)

    def bound(self, module: Module, owner: Scope, name: str, bindings: list[Binding]) -> str:
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
            return self._defined(module.definitions[binding.node])
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

    def _defined(self, definition: Definition) -> str:
        """Name of a definition; a class that only names a type (`class vec6(wp.types.vector(6, float))`) is
        the type."""
        node = definition.node
        if isinstance(node, ast.ClassDef) and len(node.bases) == 1 and isinstance(node.bases[0], ast.Call):
            made = self.project.resolve(definition.module, definition.scope, node.bases[0].func)
            if isinstance(made, External) and made.name.rpartition(".")[2] in _TYPE_MAKERS:
                return self._value(definition.module, definition.scope, definition.name, node.bases[0], ())
        return self.definition(definition).name

    def _import(self, module: Module, name: str, binding: Binding) -> str:
        resolved = self.project.resolve_name(module, module.scope, name) if binding.kind == "import" else None
        if not isinstance(resolved, External):
            # An import inside a function, or one that the project can follow.
            resolved = resolved or self._local_import(module, name)
        if isinstance(resolved, Definition):
            return self._defined(resolved)
        if resolved is not None and not isinstance(resolved, (External, ModuleRef)):
            owner, inner = resolved.module, resolved.scope
            return self._value(owner, inner, name, resolved.expression, resolved.unpack)
        if isinstance(resolved, ModuleRef):
            raise UnresolvedError(name, "a module is used as a value")
        head = binding.module.partition(".")[0]
        if isinstance(resolved, External) and (binding.level or resolved.name.partition(".")[0] != head):
            return self._through(name, resolved.name)
        if not binding.level and self.is_package(head):
            return self._package(name, binding.module, binding.attribute)
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

    def is_package(self, name: str) -> bool:
        """Whether a dotted name belongs to neither Python, Warp nor the project."""
        head = name.partition(".")[0]
        return head not in _IMPORTABLE and head != "builtins" and head not in sys.stdlib_module_names

    def _through(self, name: str, external: str) -> str:
        """What a file of the project took from elsewhere under a name of its own (`EPS = numpy.e`)."""
        head, _, rest = external.partition(".")

        def build(item: Item) -> None:
            if head == "builtins":
                text = rest
            elif head == "warp":
                text = f"wp.{rest}"
            elif self.is_package(head) or head in _IMPORTABLE:
                text = f"{self._package(head, head, None)}.{rest}"
                item.needs.append(text.partition(".")[0])
            else:
                raise UnresolvedError(name, f"`{head}` isn't part of the project")
            item.sources = {"original": f"{item.name} = {text}"}
            item.sources["double"] = f"{item.name} = {text}\n{item.name}__d = _promote({item.name})"

        return self._item(("through", external), name, "value", build).name

    def _package(self, name: str, module: str, attribute: str | None) -> str:
        """A package that others wrote may be imported where it is installed."""
        head = module.partition(".")[0]
        if self.is_package(head) and not installed(head, self.python):
            raise UnresolvedError(name, f"`{module}` is neither part of the project nor installed")

        def build(item: Item) -> None:
            origin = f"from {module} " if attribute else ""
            item.sources = dict.fromkeys(PRECISIONS, f"{origin}import {attribute or module} as {item.name}")
            if attribute:
                item.sources["double"] += f"\n{item.name}__d = _promote({item.name})"

        return self._item(("package", module, attribute), name, "value" if attribute else "package", build).name

    def package_value(self, module: Module, scope: Scope, node: ast.Attribute, external: str) -> str:
        """Something out of a package's module, taken once on the host."""

        def build(item: Item) -> None:
            for precision in PRECISIONS:
                rewriter = Rewriter(self, item, module, scope, None, precision, "")
                item.sources[precision] = f"{item.name} = {_source(rewriter.host(clone(node)))}"
            item.sources["double"] += f"\n{item.name}__d = _promote({item.name})"

        return self._item(("package value", external), node.attr, "value", build).name

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
                rewriter = Rewriter(self, item, module, owner, None, precision, "")
                expression = rewriter.host(clone(value))
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
        """The value of a factory's parameter: from a call with an argument that can be had, else its default,
        else something plausible, which is noted as `assumed`."""
        factory = module.definitions.get(owner.node)
        if factory is None or not isinstance(factory.node, ast.FunctionDef):
            raise UnresolvedError(name, "it is a parameter whose argument isn't known")
        self._asking += 1
        try:
            for caller, scope, argument in self.factories.arguments(factory, name):
                try:
                    return self._value(caller, scope, name, argument, ())
                except UnresolvedError:
                    continue
            value = default(factory.node, name)
            if value is not None:
                return self._value(module, factory.scope, name, value, ())
        finally:
            self._asking -= 1
        guess = plausible(self.project, factory, name) if not self._asking else None
        if guess is None:
            raise UnresolvedError(name, "it is a parameter whose argument isn't known")
        key = (factory.node, name)
        made = self._value(module, factory.scope, name, self._guesses.setdefault(key, guess), ())
        self.items[made].assumed = f"`{name}` = {ast.unparse(guess)}"
        return made


class _Cycle(UnresolvedError):
    def __init__(self, key: object) -> None:
        super().__init__(str(getattr(key, "name", "")) or "function", "it refers to itself")


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
