"""Types for parameters of funcs that are annotated `Any`, or not at all."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from warp_lint.confirm import promote
from warp_lint.syntax.module import Definition, Module, Scope
from warp_lint.syntax.project import External

if TYPE_CHECKING:
    from warp_lint.confirm.extract import Extractor


class Annotation(NamedTuple):
    """An annotation, and where its names are to be looked up."""

    module: Module
    scope: Scope
    expression: ast.expr


def is_open(extractor: Extractor, module: Module, scope: Scope, annotation: ast.expr | None) -> bool:
    """Whether an annotation leaves the type open."""
    if annotation is None:
        return True
    found = extractor.project.resolve(module, scope, annotation)
    return isinstance(found, External) and found.name in promote.GENERIC_MARKS


def argument_type(extractor: Extractor, definition: Definition, name: str) -> Annotation | None:
    """What a parameter of a func is likely to be given: what its calls pass, a struct that has the fields
    taken from it, or what another parameter of the same name is."""
    for module, scope, argument in extractor.factories.arguments(definition, name):
        found = expression_type(extractor, module, scope, argument)
        if found is not None:
            return found
    stem = re.sub(r"(_[a-z0-9]|[0-9])$", "", name)  # of two things of a kind (`geom_a`)
    return (
        _by_fields(extractor, definition, name)
        or _by_name(extractor, definition, name)
        or (_by_name(extractor, definition, stem) if stem != name else None)
    )


def expression_type(extractor: Extractor, module: Module, scope: Scope, expression: ast.expr) -> Annotation | None:
    """The type of a parameter, or the struct that a call or a local stands for; None if that isn't plain."""
    if isinstance(expression, ast.Call):
        made = extractor.project.resolve(module, scope, expression.func)
        is_struct = isinstance(made, Definition) and extractor.role(made) == "struct"
        return Annotation(module, scope, expression.func) if is_struct else None
    if not isinstance(expression, ast.Name):
        return None
    bindings = scope.bindings.get(expression.id, [])
    if len(bindings) != 1 or scope.parent is None:
        return None
    if bindings[0].kind == "assign" and bindings[0].value is not None and not bindings[0].unpack:
        value = bindings[0].value
        return expression_type(extractor, module, scope, value) if isinstance(value, ast.Call) else None
    if bindings[0].kind != "parameter" or not isinstance(scope.node, ast.FunctionDef):
        return None
    return _annotated(extractor, module, scope.parent, scope.node, expression.id)


def _annotated(
    extractor: Extractor, module: Module, scope: Scope, node: ast.FunctionDef, name: str
) -> Annotation | None:
    for argument in [*node.args.posonlyargs, *node.args.args]:
        if argument.arg == name and argument.annotation is not None:
            if is_open(extractor, module, scope, argument.annotation):
                return None
            return Annotation(module, scope, argument.annotation)
    return None


def _by_fields(extractor: Extractor, definition: Definition, name: str) -> Annotation | None:
    used = {
        inner.attr
        for inner in ast.walk(definition.node)
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == name
    }
    if not used:
        return None
    for module in _nearby(extractor, definition.module):
        for other in module.definitions.values():
            if not isinstance(other.node, ast.ClassDef) or extractor.role(other) != "struct":
                continue
            if used <= set(other.inner.bindings):
                return Annotation(module, other.scope, ast.Name(other.name, ast.Load()))
    return None


def _by_name(extractor: Extractor, definition: Definition, name: str) -> Annotation | None:
    for module in _nearby(extractor, definition.module):
        if name not in module.source:
            continue
        for other in module.definitions.values():
            if other is definition or not isinstance(other.node, ast.FunctionDef):
                continue
            if extractor.role(other) in ("func", "kernel"):
                found = _annotated(extractor, module, other.scope, other.node, name)
                if found is not None:
                    return found
    return None


def _nearby(extractor: Extractor, module: Module) -> list[Module]:
    """The project's modules, those of the same folder first."""
    others = [m for m in extractor.project.modules() if m is not module]
    return [module, *sorted(others, key=lambda other: other.file.parent != module.file.parent)]


def field_default(extractor: Extractor, module: Module, scope: Scope, name: str, field: str) -> Annotation | None:
    """What a field of an object that a factory is given is by default, where its class says so."""
    found = scope.find(name)
    if found is None or found[1][-1].kind != "parameter" or not isinstance(found[0].node, ast.FunctionDef):
        return None
    owner, node = found[0], found[0].node
    factory = module.definitions.get(node)
    args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    argument = next((a for a in args if a.arg == name), None)
    if factory is None or argument is None or argument.annotation is None or owner.parent is None:
        return None
    made = extractor.project.resolve(module, factory.scope, unquoted(argument.annotation))
    if not isinstance(made, Definition) or not isinstance(made.node, ast.ClassDef):
        return None
    for statement in made.node.body:
        if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
            continue
        if statement.target.id == field and isinstance(statement.value, (ast.Constant, ast.UnaryOp, ast.Attribute)):
            return Annotation(made.module, made.inner, statement.value)
    return None


def unquoted(annotation: ast.expr) -> ast.expr:
    """An annotation without the quotes around it, if they hold one."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            pass
    return annotation
