"""Renaming and promotion inside one definition that is taken out of its file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from warp_lint.confirm import promote
from warp_lint.confirm.items import Item, UnresolvedError
from warp_lint.confirm.trees import clone
from warp_lint.syntax.module import Definition, Module, Scope
from warp_lint.syntax.project import External, ModuleRef

if TYPE_CHECKING:
    from warp_lint.confirm.extract import Extractor

# What code of the user's module may call when it is executed for a value.
_PURE = frozenset(
    f"builtins.{name}"
    for name in [
        "abs",
        "all",
        "any",
        "bool",
        "dict",
        "divmod",
        "enumerate",
        "float",
        "frozenset",
        "int",
        "isinstance",
        "len",
        "list",
        "map",
        "max",
        "min",
        "pow",
        "range",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "tuple",
        "zip",
    ]
)
_READERS = ("numpy.load", "numpy.fromfile", "numpy.genfromtxt", "numpy.loadtxt", "numpy.save", "numpy.memmap")


class Rewriter(ast.NodeTransformer):
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
        self.marks: dict[int, int] = {}  # lines to put a mark in front of, and its number
        self.lambdas: list[set[str]] = []
        self.around: list[Scope | None] = []  # of functions that the one at hand is defined in
        self.captured: set[str] = set()  # their variables that device code uses

    def device(self, body: list[ast.stmt]) -> list[ast.stmt]:
        self.on_device = True
        made = self.host_body(body)
        self.on_device = False
        return made

    def visit(self, node: ast.AST) -> Any:
        if not (self.marks and self.on_device and isinstance(node, ast.stmt)):
            return super().visit(node)
        inside = getattr(node, "body", None)  # of a statement with a body, only its head counts
        last = inside[0].lineno - 1 if isinstance(inside, list) and inside else node.end_lineno or node.lineno
        numbers = [number for line, number in self.marks.items() if node.lineno <= line <= max(last, node.lineno)]
        made = super().visit(node)
        return [*map(mark, numbers), made] if numbers else made

    def host(self, node: ast.expr) -> ast.expr:
        before, self.on_device = self.on_device, False
        made = self.visit(node)
        self.on_device = before
        assert isinstance(made, ast.expr)
        return made

    def host_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made = [self.visit(statement) for statement in body]
        return [statement for part in made for statement in (part if isinstance(part, list) else [part])]

    def annotation(self, node: ast.expr) -> ast.expr:
        inner, self.inner = self.inner, None
        made = self.host(_parsed(node))
        self.inner = inner
        return made

    # Names

    def _local(self, name: str) -> bool:
        if any(name in names for names in self.lambdas):
            return True
        around = [scope for scope in (self.inner, *self.around) if scope is not None]
        return any(name in scope.bindings and name not in scope.globals for scope in around)

    def _external(self, node: ast.expr) -> str | None:
        """Canonical name of something outside the project."""
        root: ast.expr = node
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
        if not isinstance(node.ctx, ast.Load):
            return node
        if self._local(node.id):
            if self.double and self.on_device and self.around and node.id not in getattr(self.inner, "bindings", {}):
                self.captured.add(node.id)
                return ast.Name(f"{node.id}__d", ast.Load())
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
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and not self._local(root.id):
            made = self._member(node)
            if made is not None:
                return made
        if external is not None:
            if self.on_device and self.extractor.is_package(external):
                name = self.extractor.package_value(self.module, self.scope, node, external)
                return ast.Name(self._use(name), ast.Load())
            self.item.single_only |= promote.single_only(external)
            node.value = self.visit(node.value)
            constant = self.double and self.on_device and _is_float_constant(external)
            return _cast(node) if constant else node
        try:
            node.value = self.visit(node.value)
        except UnresolvedError as error:
            made_up = self.extractor.field(self.module, self.scope, node)
            if made_up is not None:
                return ast.Name(self._use(made_up), ast.Load())
            if isinstance(root, ast.Name) and error.name == root.id:
                raise UnresolvedError(ast.unparse(node), error.why) from None
            raise
        return node

    def _member(self, node: ast.Attribute) -> ast.expr | None:
        """What a module or class of the project has under a name."""
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
            name = self.extractor.bound(base.module, base.inner, node.attr, found)
            return ast.Name(self._use(name), ast.Load())
        return None

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
        for generator in getattr(node, "generators", ()):
            names |= {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        self.lambdas.append(names)
        made = self.generic_visit(node)
        self.lambdas.pop()
        assert isinstance(made, ast.expr)
        return made

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = self.annotation(node.annotation)
        if node.value is not None:
            node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        """A func, or a helper, that a plain function makes."""
        definition = self._definition_at(node)
        if self.on_device or definition is None:
            raise UnresolvedError(node.name, "a function is defined inside")
        role, decorator = self.extractor.decoration(definition)
        if role in ("func_grad", "func_replay") and decorator is not None:
            node.decorator_list = [self.host(clone(decorator))]
        else:
            node.decorator_list = self.extractor.decorators(role, decorator, self)
        args = node.args
        for argument in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
            if argument.annotation is not None:
                argument.annotation = self.host(_parsed(argument.annotation))
        args.defaults = [self.host(d) for d in args.defaults]
        args.kw_defaults = [self.host(d) if d is not None else None for d in args.kw_defaults]
        node.returns = self.host(_parsed(node.returns)) if node.returns is not None else None
        outside = self.scope, self.inner
        self.around.append(self.inner)
        self.scope, self.inner = definition.scope, definition.inner
        on_device = role in ("kernel", "func", "func_grad", "func_replay")
        node.body = self.device(node.body) if on_device else self.host_body(node.body)
        self.scope, self.inner = outside
        self.around.pop()
        promoted = [ast.parse(f"{name}__d = _promote({name})").body[0] for name in sorted(self.captured)]
        self.captured.clear()
        return [*promoted, node]

    def _definition_at(self, node: ast.FunctionDef) -> Definition | None:
        """The definition that a copied tree's function is a copy of."""
        at = node.lineno, node.col_offset
        return next((d for d in self.module.definitions.values() if (d.node.lineno, d.node.col_offset) == at), None)

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
            if callee is not None and (callee.startswith(_READERS) or self.extractor.is_package(callee)):
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
        # What a package's func is written in can't be changed.
        self.item.single_only |= promote.single_only(callee) or self.extractor.is_package(callee)
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
            node.args[1:] = [ast.Call(promote.warp_attribute("float32"), [a], []) for a in node.args[1:]]
            return _cast(node)
        if callee in promote.SINGLE_VECTORS:
            return ast.Call(promote.warp_attribute(f"vec{promote.SINGLE_VECTORS[callee]}d"), [node], [])
        if callee in promote.DTYPE_KEYWORD and not any(k.arg == "dtype" for k in node.keywords):
            if callee == "warp.tile_full":
                return node
            node.keywords.append(ast.keyword("dtype", promote.warp_attribute("float64")))
        return node

    def _generic_call(self, node: ast.Call) -> ast.Call:
        made = self.generic_visit(node)
        assert isinstance(made, ast.Call)
        return made


def mark(number: int) -> ast.stmt:
    """A statement that tells where a kernel has been."""
    return ast.parse(f'wp.printf("@wl{number}@\\n")').body[0]


def _parsed(annotation: ast.expr) -> ast.expr:
    """An annotation without the quotes around it."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            raise UnresolvedError(annotation.value, "its annotation can't be parsed") from None
    return annotation


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
        ["pi", "e", "tau", "inf", "nan", "half_pi", "log2e", "log10e", "ln2", "ln10", "phi", "infinity"]
    )


def _cast(node: ast.expr) -> ast.Call:
    return ast.Call(promote.warp_attribute("float64"), [node], [])
