"""Settings of Warp that a file makes and that change its adjoints, read from its source."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from warp_lint.syntax.module import Module
from warp_lint.syntax.project import External, Project

_CONFIG = ("enable_vector_component_overwrites", "max_unroll")
_MODULE_OPTIONS = ("max_unroll", "enable_vector_component_overwrites", "fast_math")


def settings_of(project: Project, module: Module) -> tuple[dict[str, object], dict[str, object]]:
    """What Warp's configuration and the module's options have to be."""
    options = module_settings(project, module)
    return config_settings(project, module), {k: v for k, v in options.items() if k in _MODULE_OPTIONS}


def module_settings(project: Project, module: Module) -> dict[str, object]:
    """Literal options that a file sets by `wp.set_module_options({...})`."""
    found: dict[str, object] = {}
    for statement in _statements(module.tree.body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            callee = project.resolve(module, module.scope, call.func)
            if isinstance(callee, External) and callee.name == "warp.set_module_options" and call.args:
                try:
                    value = ast.literal_eval(call.args[0])
                except (ValueError, TypeError, SyntaxError):
                    continue
                if isinstance(value, dict):
                    found.update({str(k): v for k, v in value.items()})
    return found


def config_settings(project: Project, module: Module) -> dict[str, object]:
    """Literal `wp.config` settings that change adjoints, from this file and the project's others."""
    found: dict[str, object] = {}
    for source in [*(m for m in _importers(project, module) if m is not module), module]:
        for statement in _all_statements(source):
            if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)):
                continue
            for target in statement.targets:
                if not isinstance(target, ast.Attribute) or target.attr not in _CONFIG:
                    continue
                owner = project.resolve(source, source.scope, target.value)
                if isinstance(owner, External) and owner.name == "warp.config":
                    found[target.attr] = statement.value.value
    return found


def _importers(project: Project, module: Module) -> list[Module]:
    """Files of the project that import a file: a program may configure Warp before its kernels are built."""
    found = []
    for other in project.modules():
        for bindings in other.scope.bindings.values():
            imports = [b for b in bindings if b.kind == "import" and b.module.rpartition(".")[2] == module.file.stem]
            named = [b for b in bindings if b.kind == "import" and b.attribute == module.file.stem]
            if imports or named:
                found.append(other)
                break
    return found


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """Statements at module level, inside `if` and `try` too."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _statements(getattr(statement, name, []))


def _all_statements(module: Module) -> Iterable[ast.stmt]:
    if "config" not in module.source:
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.stmt):
            yield node
