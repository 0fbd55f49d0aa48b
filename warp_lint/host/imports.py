"""Modules: found through the project, executed once, shared by all entries."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path
from typing import Any

from warp_lint.host.machine import (
    EntryOverError,
    Frame,
    LeaveGeneratorError,
    Machine,
    OverrunError,
    RaisedError,
    StopProgramError,
)
from warp_lint.host.values import MISSING, ModuleValue, Unknown
from warp_lint.syntax.module import Module
from warp_lint.syntax.project import External

_LIBRARIES = frozenset(["numpy", "torch", "jax", "jaxlib", "scipy", "matplotlib", "pxr", "cupy", "tensorflow"])
_WARP_CODE = ("warp.tests", "warp.examples")
IMPORT_STEPS = 20_000


def execute(m: Machine, frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
    """An import statement."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                frame.vars[alias.asname] = module_named(m, frame.module.module, alias.name)
                continue
            head, _, rest = alias.name.partition(".")
            top = module_named(m, frame.module.module, head)
            frame.vars[head] = top
            if rest and isinstance(top, ModuleValue):
                module_named(m, frame.module.module, alias.name)
        return
    base = absolute_name(frame.module.module, node)
    if base is None:
        for alias in node.names:
            frame.vars[alias.asname or alias.name] = Unknown(alias.name)
        return
    source = module_named(m, frame.module.module, base) if base else None
    for alias in node.names:
        if alias.name == "*":
            if isinstance(source, ModuleValue):
                _star(m, frame, source)
            continue
        frame.vars[alias.asname or alias.name] = _member(m, frame, source, base, alias.name)


def absolute_name(module: Module, node: ast.ImportFrom) -> str | None:
    """Dotted name of the module in `from … import`."""
    if not node.level:
        return node.module or ""
    package = module.package.split(".") if module.package else []
    keep = len(package) - (node.level - 1)
    if keep < 0:
        return None
    parts = [*package[:keep], *([node.module] if node.module else [])]
    return ".".join(parts)


def _member(m: Machine, frame: Frame, source: Any, base: str, name: str) -> Any:
    if isinstance(source, ModuleValue):
        from warp_lint.host import objects

        if source is frame.module:
            # `from . import x` inside a package's own __init__.
            child = submodule(m, source, name)
            if child is not MISSING:
                return child
        return objects.module_attribute(m, source, name)
    if isinstance(source, External) or source is None:
        full = f"{base}.{name}" if base else name
        child = module_named(m, frame.module.module, full)
        if isinstance(child, ModuleValue):
            return child
        if isinstance(source, External):
            from warp_lint.host import externals

            return externals.attribute(m, source, name)
        return External(full)
    return Unknown(name)


def _star(m: Machine, frame: Frame, source: ModuleValue) -> None:
    listed = source.namespace.get("__all__")
    for name, value in list(source.namespace.items()):
        if isinstance(listed, list):
            if name in listed:
                frame.vars[name] = value
        elif not name.startswith("_"):
            frame.vars[name] = value


def module_named(m: Machine, near: Module, name: str) -> Any:
    """A module by dotted name: executed if its source may be followed, else something external."""
    head = name.partition(".")[0]
    if head in _LIBRARIES or (head == "warp" and not name.startswith(_WARP_CODE)):
        return _external(m, name)
    if head in sys.stdlib_module_names and not os.path.isfile(near.file.parent / f"{head}.py"):
        return External(name)
    module = m.project.find_module(name, near)
    if module is None or not _may_follow(m, module, head):
        if module is None and _is_namespace(m, near, name):
            return _namespace_package(m, near, name)
        return External(name)
    return load(m, module)


def _external(m: Machine, name: str) -> External:
    if name.startswith("warp._src."):
        from warp_lint.host import externals

        return External(externals.canonical(m, name))
    return External(name)


def _is_namespace(m: Machine, near: Module, name: str) -> bool:
    """A folder without `__init__.py` beside the file or below the root."""
    parts = name.split(".")
    return any(os.path.isdir(base.joinpath(*parts)) for base in (near.file.parent, m.project.root) if parts)


def _namespace_package(m: Machine, near: Module, name: str) -> Any:
    found = m.namespaces.get(name)
    if found is None:
        module = Module(near.file.parent / name / "__init__.py", name, name, "", ast.parse(""))
        found = ModuleValue(module)
        found.state = "done"
        m.namespaces[name] = found
    return found


def _may_follow(m: Machine, module: Module, head: str) -> bool:
    """Project files always; installed packages only if they are built on Warp."""
    if m.is_user(module) or module.name.startswith(_WARP_CODE):
        return True
    known = m.followed.get(head)
    if known is None:
        known = m.followed[head] = _built_on_warp(m, module, head)
    return known


def _built_on_warp(m: Machine, module: Module, head: str) -> bool:
    folder: Path | None = None
    for base in m.project.search_path:
        try:
            module.file.relative_to(base)
        except ValueError:
            continue
        folder = base
        break
    if folder is None:
        return True
    normal = head.replace("_", "-").lower()
    for information in sorted(folder.glob(f"{head}*.dist-info/METADATA")) + sorted(
        folder.glob(f"{normal}*.dist-info/METADATA")
    ):
        try:
            text = information.read_text("utf-8", "replace")
        except OSError:
            continue
        if "Requires-Dist: warp-lang" in text:
            return True
    return False


def submodule(m: Machine, parent: ModuleValue, name: str) -> Any:
    """`package.name` as a module, or MISSING."""
    if not parent.module.is_package:
        return MISSING
    full = f"{parent.module.name}.{name}" if parent.module.name else name
    found = m.project.find_module(full, parent.module)
    if found is None and parent.state == "done" and parent.module.source == "":
        child = parent.module.file.parent / f"{name}.py"
        package = parent.module.file.parent / name / "__init__.py"
        for file in (child, package):
            if os.path.isfile(file):
                found = m.project.module_at(file)
                break
    return load(m, found) if found is not None else MISSING


def load(m: Machine, module: Module) -> ModuleValue:
    """The executed module. What it does while loading is no part of any trace."""
    value = m.modules.get(module)
    if value is not None:
        return value
    value = m.modules[module] = ModuleValue(module)
    saved = (
        m.trace, m.steps, m.limit, m.hard_limit, m.depth, m.journal, m.guards, m.loops, m.tapes,
        m.assumed, m.try_depth, m.truths, m.frame,
    )  # fmt: skip
    m.trace, m.steps, m.limit, m.hard_limit = m.sink, 0, IMPORT_STEPS, IMPORT_STEPS
    m.journal, m.guards, m.loops, m.tapes, m.assumed, m.try_depth, m.truths = [], (), (), [], 0, 0, {}
    try:
        run_module(m, value)
    except (OverrunError, EntryOverError, RaisedError, StopProgramError, LeaveGeneratorError):
        value.state = "cut"
    finally:
        (
            m.trace, m.steps, m.limit, m.hard_limit, m.depth, m.journal, m.guards, m.loops, m.tapes,
            m.assumed, m.try_depth, m.truths, m.frame,
        ) = saved  # fmt: skip
    return value


def run_module(m: Machine, value: ModuleValue) -> None:
    """Execute a module's statements in its namespace."""
    module = value.module
    value.state = "running"
    value.namespace.update(
        __name__="__main__" if value.is_main else module.name,
        __file__=module.path,
        __doc__=None,
        __package__=module.package,
    )
    frame = module_frame(m, value)
    m.frame = frame
    block = m.blocks.get(module)
    if block is None:
        from warp_lint.host.lower import Lowerer

        block = m.blocks[module] = Lowerer(m, module).block(module.tree.body)
    block(frame)
    value.state = "done"


def module_frame(m: Machine, value: ModuleValue) -> Frame:
    frame = Frame(value, m.is_user(value.module), None)
    frame.vars = value.namespace
    return frame


def late_name(m: Machine, module: ModuleValue, name: str) -> Any:
    """A name of a module that is still being executed (an import cycle), or whose execution was cut."""
    if module.state == "done" or module.state == "new" or module.is_main:
        return MISSING
    bindings = module.module.top_level(name)
    if not bindings or bindings[-1].kind not in ("def", "class", "import", "assign"):
        return MISSING
    node = bindings[-1].node
    if node in m.late or node not in module.module.tree.body:
        return MISSING
    m.late.add(node)
    from warp_lint.host.lower import Lowerer

    frame = module_frame(m, module)
    outer = m.frame
    m.frame = frame
    try:
        Lowerer(m, module.module).statement(node)(frame)
    finally:
        m.frame = outer
    return module.namespace.get(name, MISSING)
