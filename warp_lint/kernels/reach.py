"""Which funcs only kernels without an adjoint use: nothing differentiates them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from warp_lint.kernels.detect import functions_of, kernels_of, options_of
from warp_lint.syntax.module import Definition, Module
from warp_lint.syntax.project import Project

_KINDS = ("func", "func_grad", "func_replay")


class _Names:
    """Names by which kernels reach funcs. Names stand for all funcs called so: a func that shares its
    name with a differentiated one counts as differentiated."""

    def __init__(self, project: Project, modules: Iterable[Module]) -> None:
        calls: defaultdict[str, set[str]] = defaultdict(set)
        with_adjoint: set[str] = set()
        without: set[str] = set()
        for module in modules:
            if "warp" not in module.source:
                continue
            for function in functions_of(project, module, *_KINDS):
                calls[function.name] |= _mentioned(function)
                for maker in function.qualname.split(".<locals>.")[:-1]:
                    calls[maker.rpartition(".")[2]].add(function.name)  # wp.static(maker(…))
            for kernel in kernels_of(project, module):
                (with_adjoint if options_of(project, kernel).backward else without).update(_mentioned(kernel))
        self.with_adjoint = _closed(with_adjoint, calls)
        self.without = _closed(without, calls)


def _mentioned(definition: Definition) -> set[str]:
    found = set()
    for node in ast.walk(definition.node):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
    found.discard(definition.name)
    return found


def _closed(names: set[str], calls: dict[str, set[str]]) -> set[str]:
    found = set(names)
    pending = [name for name in names if name in calls]
    while pending:
        for name in calls[pending.pop()] - found:
            found.add(name)
            if name in calls:
                pending.append(name)
    return found


_KNOWN: WeakKeyDictionary[Project, tuple[int, _Names]] = WeakKeyDictionary()


def forward_only(project: Project, function: Definition) -> bool:
    """Is a func used by kernels without an adjoint, and by none that has one?"""
    modules = list(project.modules())
    known = _KNOWN.get(project)
    if known is None or known[0] != len(modules):
        known = _KNOWN[project] = len(modules), _Names(project, modules)
    names = known[1]
    return function.name in names.without and function.name not in names.with_adjoint
