"""Which functions and classes are Warp code, and the options their kernels are compiled with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from warp_lint.findings import Location
from warp_lint.syntax.module import Definition, Module, Scope
from warp_lint.syntax.project import External, ModuleRef, Project, Value

_KINDS = {
    "warp.kernel": "kernel",
    "warp.func": "func",
    "warp.struct": "struct",
    "warp.func_grad": "func_grad",
    "warp.func_replay": "func_replay",
    "warp.func_native": "func_native",
}
DEFAULT_MAX_UNROLL = 16


@dataclass(frozen=True, slots=True)
class Options:
    """Compile options of a kernel. `backward_disabled_at`: the place that turns the adjoint off, if any."""

    backward: bool = True
    backward_disabled_at: Location | None = None
    max_unroll: int = DEFAULT_MAX_UNROLL
    component_overwrites: bool = False
    continue_rolls: bool = False  # Warp before 1.19: what a `continue` skips in an unrolled loop isn't its own version


@dataclass(slots=True)
class _Setting:
    """One `wp.config.x = value` or entry of `wp.set_module_options`. `target`: the kernel or file whose module it is
    for; its own file if None."""

    name: str
    value: object
    line: int
    location: Location
    config: bool
    target: Definition | Module | None = None


@dataclass(slots=True)
class _ModuleIndex:
    """Warp code of one module."""

    kinds: dict[Definition, str] = field(default_factory=dict)
    decorators: dict[Definition, ast.expr] = field(default_factory=dict)
    companions: dict[Definition, list[tuple[str, Definition]]] = field(default_factory=dict)
    settings: list[_Setting] = field(default_factory=list)
    first_line: int = 1 << 30


_INDEXES: WeakKeyDictionary[Project, dict[Module, _ModuleIndex]] = WeakKeyDictionary()

# By number of modules read: there are few companions (or options for other files), and many that ask for theirs.
_COMPANIONS: WeakKeyDictionary[Project, tuple[int, list[_ModuleIndex]]] = WeakKeyDictionary()


def _index(project: Project, module: Module) -> _ModuleIndex:
    indexes = _INDEXES.setdefault(project, {})
    index = indexes.get(module)
    if index is None:
        index = indexes[module] = _ModuleIndex()
        if "warp" in module.source:
            _fill(project, module, index)
    return index


def _fill(project: Project, module: Module, index: _ModuleIndex) -> None:
    for definition in module.definitions.values():
        for decorator in definition.node.decorator_list:
            kind, maker = _decorator_kind(project, definition, decorator)
            if kind is not None and (kind == "struct") == isinstance(definition.node, ast.ClassDef):
                index.kinds[definition] = kind
                index.decorators[definition] = maker
                index.first_line = min(index.first_line, decorator.lineno)
                break
    if ".kernel(" in module.source or "Kernel(" in module.source:
        for definition, call in _made_by_call(project, module):
            index.kinds.setdefault(definition, "kernel")
            index.decorators.setdefault(definition, call)
            index.first_line = min(index.first_line, call.lineno)
    for definition, kind in index.kinds.items():
        decorator = index.decorators[definition]
        if kind in ("func_grad", "func_replay") and isinstance(decorator, ast.Call) and decorator.args:
            forward = project.resolve(module, definition.scope, decorator.args[0])
            if isinstance(forward, Definition):
                index.companions.setdefault(forward, []).append((kind, definition))
    if any(word in module.source for word in ("config.", "et_module_options", "setattr(")):
        index.settings = list(_settings(project, module))


def _decorator_kind(project: Project, definition: Definition, decorator: ast.expr) -> tuple[str | None, ast.expr]:
    """What a decorator makes, and the expression that holds its options."""
    head = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = head.attr if isinstance(head, ast.Attribute) else head.id if isinstance(head, ast.Name) else ""
    if not name:
        return None, decorator
    found = project.resolve(definition.module, definition.scope, head)
    if isinstance(found, External):
        return _KINDS.get(found.name), decorator
    call: ast.Call | None = None
    kind: str | None = None
    if isinstance(found, Value) and isinstance(found.expression, ast.Call):
        # kernel_opts = wp.kernel(enable_backward=False); @kernel_opts
        call = found.expression
        kind = _call_kind(project, found.module, found.scope, call)
    elif isinstance(found, Definition):
        kind, call = _wrapper_kind(project, found)
    here = isinstance(found, (Value, Definition)) and found.module is definition.module
    return kind, call if call is not None and here else decorator


def _call_kind(project: Project, module: Module, scope: Scope, call: ast.Call) -> str | None:
    """Kind for `wp.kernel(…)` and `partial(wp.kernel, …)`."""
    found = project.resolve(module, scope, call.func)
    if isinstance(found, External) and found.name == "functools.partial" and call.args:
        found = project.resolve(module, scope, call.args[0])
    return _KINDS.get(found.name) if isinstance(found, External) else None


def _wrapper_kind(project: Project, wrapper: Definition, depth: int = 2) -> tuple[str | None, ast.Call | None]:
    """Kind for a function that returns `wp.kernel(f, …)` of its parameter, or such a function."""
    if not isinstance(wrapper.node, ast.FunctionDef) or not depth:
        return None, None
    parameters = {a.arg for a in (*wrapper.node.args.posonlyargs, *wrapper.node.args.args)}
    for statement in wrapper.node.body:
        if not isinstance(statement, ast.Return):
            continue
        value = statement.value
        if isinstance(value, ast.Call) and value.args:
            first = value.args[0]
            if isinstance(first, ast.Name) and first.id in parameters:
                return _call_kind(project, wrapper.module, wrapper.inner, value), value
        elif isinstance(value, ast.Name):
            inner = project.resolve(wrapper.module, wrapper.inner, value)
            if isinstance(inner, Definition):
                return _wrapper_kind(project, inner, depth - 1)
    return None, None


def _made_by_call(project: Project, module: Module) -> Iterator[tuple[Definition, ast.Call]]:
    """`k = wp.kernel(f)`, `k = wp.Kernel(func=f, …)`, `return wp.kernel(f, …)` in any scope."""
    scopes: list[tuple[Scope, list[ast.stmt]]] = [(module.scope, module.tree.body)]
    scopes += [(d.inner, d.node.body) for d in module.functions()]
    for scope, body in scopes:
        for statement in body:
            value = statement.value if isinstance(statement, (ast.Assign, ast.Return, ast.Expr)) else None
            if not isinstance(value, ast.Call):
                continue
            found = project.resolve(module, scope, value.func)
            if not isinstance(found, External) or found.name not in ("warp.kernel", "warp.Kernel"):
                continue
            candidates = [*value.args, *(k.value for k in value.keywords if k.arg in ("f", "func"))]
            for candidate in candidates[:1]:
                function = project.resolve(module, scope, candidate)
                if isinstance(function, Definition) and isinstance(function.node, ast.FunctionDef):
                    yield function, value


def _settings(project: Project, module: Module) -> Iterator[_Setting]:
    for scope, statement in _statements(module):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
            target = statement.targets[0]
            if isinstance(statement.value, ast.Constant) and _dotted(target).endswith(f"config.{target.attr}"):
                found = project.resolve(module, scope, target)
                if isinstance(found, External) and found.name == f"warp.config.{target.attr}":
                    yield _config(module, scope, statement, target.attr, statement.value.value)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
            # wp.get_module_options()["enable_backward"] = False
            place = statement.targets[0]
            if isinstance(place.value, ast.Call) and isinstance(place.slice, ast.Constant):
                found = project.resolve(module, scope, place.value.func)
                given = _behind(project, module, scope, statement.value)
                ours = isinstance(found, External) and found.name == "warp.get_module_options"
                known, owner = _target(project, module, scope, _argument(place.value, "module", 0))
                if ours and known and isinstance(given, ast.Constant):
                    where = module.location(statement)
                    yield _Setting(str(place.slice.value), given.value, where.line, where, False, owner)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name == "setattr" and len(call.args) == 3:
                config = project.resolve(module, scope, call.args[0])
                constants = [a.value for a in call.args[1:] if isinstance(a, ast.Constant)]
                if isinstance(config, External) and config.name == "warp.config" and len(constants) == 2:
                    yield _config(module, scope, statement, str(constants[0]), constants[1])
            elif name == "set_module_options":
                options = _argument(call, "options", 0)
                known, owner = _target(project, module, scope, _argument(call, "module", 1))
                where = module.location(statement)
                for key, value in _entries(project, module, scope, options) if options is not None and known else ():
                    yield _Setting(key, value, where.line, where, False, owner)


def _argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    if position < len(call.args):
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _target(
    project: Project, module: Module, scope: Scope, node: ast.expr | None, depth: int = 4
) -> tuple[bool, Definition | Module | None]:
    """Whether the module that options are for is known, and the kernel or file that it is of (None: this file)."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return True, None
    if isinstance(node, ast.Name) and node.id == "__name__":
        return True, None
    if isinstance(node, ast.Constant):
        file = project.find_module(node.value, module) if isinstance(node.value, str) else None
        return file is not None, file
    if isinstance(node, ast.Subscript):
        owner = project.resolve(module, scope, node.value)
        modules = isinstance(owner, External) and owner.name == "sys.modules"
        return _target(project, module, scope, node.slice) if modules else (False, None)
    if isinstance(node, ast.Call):
        owner = project.resolve(module, scope, node.func)
        named = isinstance(owner, External) and owner.name == "warp.get_module" and node.args
        return _target(project, module, scope, node.args[0]) if named else (False, None)
    if isinstance(node, ast.Attribute) and node.attr == "module":
        kernel = _made(project, project.resolve(module, scope, node.value))
        if kernel is not None:
            return True, kernel
    found = project.resolve(module, scope, node) if isinstance(node, _NAMES) else None
    if isinstance(found, ModuleRef):
        return True, found.module
    if isinstance(found, Value) and not found.unpack and depth:
        known, target = _target(project, found.module, found.scope, found.expression, depth - 1)
        return known, found.module if target is None and found.module is not module else target
    return False, None


def _made(project: Project, found: object, depth: int = 3) -> Definition | None:
    """The kernel that a name stands for, also as the result of the function that makes it."""
    if isinstance(found, Value) and not found.unpack and isinstance(found.expression, ast.Call) and depth:
        maker = project.resolve(found.module, found.scope, found.expression.func)
        if isinstance(maker, Definition) and isinstance(maker.node, ast.FunctionDef):
            for statement in maker.node.body:
                if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Name):
                    return _made(project, project.resolve(maker.module, maker.inner, statement.value), depth - 1)
        elif isinstance(maker, External) and maker.name in ("warp.kernel", "warp.Kernel") and found.expression.args:
            return _made(project, project.resolve(found.module, found.scope, found.expression.args[0]), depth - 1)
    return found if isinstance(found, Definition) and isinstance(found.node, ast.FunctionDef) else None


def _config(module: Module, scope: Scope, statement: ast.stmt, name: str, value: object) -> _Setting:
    early = scope is module.scope or name == "enable_vector_component_overwrites"
    return _Setting(name, value, statement.lineno if early else 1 << 30, module.location(statement), True)


def _entries(project: Project, module: Module, scope: Scope, options: ast.expr) -> Iterator[tuple[str, object]]:
    """Known items of `{...}`, `dict(...)` or a name of either."""
    found = _behind(project, module, scope, options)
    pairs: list[tuple[object, ast.expr]] = []
    if isinstance(found, ast.Dict):
        pairs = [(k.value, v) for k, v in zip(found.keys, found.values, strict=True) if isinstance(k, ast.Constant)]
    elif isinstance(found, ast.Call) and isinstance(found.func, ast.Name) and found.func.id == "dict":
        pairs = [(k.arg, k.value) for k in found.keywords if k.arg]
    for key, item in pairs:
        value = _behind(project, module, scope, item)
        if isinstance(value, ast.Constant):
            yield str(key), value.value


def _behind(project: Project, module: Module, scope: Scope, node: ast.expr) -> ast.expr:
    """The expression that a name stands for, or the node itself."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        found = project.resolve(module, scope, node)
        if isinstance(found, Value):
            return found.expression
    return node


def _statements(module: Module) -> Iterator[tuple[Scope, ast.stmt]]:
    """Statements outside of kernels: module level, and function bodies two blocks deep."""
    pending: list[tuple[Scope, list[ast.stmt]]] = [(module.scope, module.tree.body)]
    pending += [(d.inner, d.node.body) for d in module.functions()]
    while pending:
        scope, body = pending.pop(0)
        for statement in body:
            yield scope, statement
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(statement, name, None)
                if inner and not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    pending.append((scope, inner))


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def kernel_kind(project: Project, definition: Definition) -> str | None:
    """ "kernel", "func", "struct", "func_grad", "func_replay", "func_native", or None for plain Python."""
    return _index(project, definition.module).kinds.get(definition)


def kernels_of(project: Project, module: Module) -> list[Definition]:
    """Kernels of a module at any depth, in source order."""
    kinds = _index(project, module).kinds
    found = [definition for definition, kind in kinds.items() if kind == "kernel"]
    return sorted(found, key=lambda definition: definition.node.lineno)


def functions_of(project: Project, module: Module, *kinds: str) -> list[Definition]:
    """Definitions of the given kinds in a module, in source order."""
    index = _index(project, module).kinds
    found = [definition for definition, kind in index.items() if kind in kinds]
    return sorted(found, key=lambda definition: definition.node.lineno)


def decorator_of(project: Project, definition: Definition) -> ast.expr | None:
    """The decorator (or `wp.kernel(f)` call) that makes a definition Warp code."""
    return _index(project, definition.module).decorators.get(definition)


def companion(project: Project, function: Definition, kind: str) -> Definition | None:
    """The `func_grad` or `func_replay` registered for a func, in any module read so far; the last one counts."""
    found: Definition | None = None
    for index in [_index(project, function.module), *_with_companions(project)]:
        for name, definition in index.companions.get(function, ()):
            if name == kind:
                found = definition
        if found is not None:
            return found
    return None


def _with_companions(project: Project) -> list[_ModuleIndex]:
    modules = project.modules()
    known = _COMPANIONS.get(project)
    if known is None or known[0] != len(modules):
        indexes = (_index(project, module) for module in modules)
        wanted = [i for i in indexes if i.companions or any(setting.target for setting in i.settings)]
        known = _COMPANIONS[project] = len(modules), wanted
    return known[1]


def forward_of(project: Project, definition: Definition) -> Definition | None:
    """The func that a `func_grad` or `func_replay` belongs to."""
    for forward, companions in _index(project, definition.module).companions.items():
        if any(other is definition for _, other in companions):
            return forward
    return None


def options_of(project: Project, definition: Definition) -> Options:
    """Compile options of a kernel: its decorator, then module options, then `wp.config`."""
    index = _index(project, definition.module)
    decorator = index.decorators.get(definition)
    keywords: dict[str, ast.expr] = {}
    if isinstance(decorator, ast.Call):
        keywords = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg}
    unique = _unique(project, definition)
    created = decorator.lineno if unique and decorator is not None else index.first_line
    backward, where, unroll, overwrites = True, None, DEFAULT_MAX_UNROLL, False
    elsewhere = [s for other in _with_companions(project) if other is not index for s in other.settings if s.target]
    for setting in [*(s for s in index.settings if s.config), *(s for s in index.settings if not s.config), *elsewhere]:
        if setting.config and setting.name != "enable_vector_component_overwrites" and setting.line > created:
            continue  # a module takes its options over when it is created
        if not setting.config and not _meant(project, setting, definition, unique):
            continue
        if setting.name == "enable_backward" and isinstance(setting.value, bool):
            backward, where = setting.value, None if setting.value else setting.location
        elif setting.name == "max_unroll" and isinstance(setting.value, int):
            unroll = setting.value
        elif setting.name == "enable_vector_component_overwrites":
            overwrites = bool(setting.value)
    own = _keywords(project, definition, keywords.get("module_options") or keywords.get("options"))
    if isinstance(decorator, ast.Call):
        for keyword in decorator.keywords:
            if keyword.arg is None:
                own.update(_keywords(project, definition, keyword.value))
    own.update(keywords)
    flag = _literal(project, definition, own.get("enable_backward"))
    count = _literal(project, definition, own.get("max_unroll"))
    if isinstance(flag, bool) and decorator is not None:
        backward, where = flag, None if flag else definition.module.location(decorator)
    if isinstance(count, int) and not isinstance(count, bool):
        unroll = count
    return Options(backward, where, unroll, overwrites)


def _unique(project: Project, definition: Definition) -> bool:
    """Has a kernel a module of its own?"""
    decorator = _index(project, definition.module).decorators.get(definition)
    given = _argument(decorator, "module", 99) if isinstance(decorator, ast.Call) else None
    return isinstance(given, ast.Constant) and given.value == "unique"


def _meant(project: Project, setting: _Setting, definition: Definition, unique: bool) -> bool:
    """Are module options those of this kernel's module?"""
    target = setting.target
    if isinstance(target, Definition):
        same = target.module is definition.module and not unique and not _unique(project, target)
        return target is definition or same
    return not unique and (target is None or target is definition.module)


def _literal(project: Project, definition: Definition, node: ast.expr | None) -> object:
    """Value of an option: a literal, or a name for one."""
    if node is None or isinstance(node, ast.Constant):
        return node.value if node is not None else None
    found = project.resolve(definition.module, definition.scope, node) if isinstance(node, _NAMES) else None
    if isinstance(found, Value) and not found.unpack and isinstance(found.expression, ast.Constant):
        return found.expression.value
    return None


_NAMES = (ast.Name, ast.Attribute)


def _keywords(project: Project, definition: Definition, node: ast.expr | None) -> dict[str, ast.expr]:
    """Options in a dictionary: a display, `dict(…)`, or a name for one, with items set later."""
    changed: dict[str, ast.expr] = {}
    if isinstance(node, _NAMES):
        found = project.resolve(definition.module, definition.scope, node)
        if not isinstance(found, Value) or found.unpack:
            return {}
        if isinstance(node, ast.Name):
            changed = _items_set(found.module, node.id)
        node = found.expression
    options: dict[str, ast.expr] = {}
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                options[key.value] = value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        options = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    for name, item in changed.items():
        options.setdefault(name, item)
        if ast.dump(options[name]) != ast.dump(item):
            del options[name]  # set to one or the other
    return options


def _items_set(module: Module, name: str) -> dict[str, ast.expr]:
    """Items assigned to a dictionary of that name anywhere in a file."""
    if f"{name}[" not in module.source:
        return {}
    found: dict[str, ast.expr] = {}
    for _, statement in _statements(module):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.Assign) and isinstance(target, ast.Subscript):
            named = isinstance(target.value, ast.Name) and target.value.id == name
            if named and isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
                found[target.slice.value] = statement.value
    return found
