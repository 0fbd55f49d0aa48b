"""Graphs of kernels and funcs, executed once per project and set of known scalars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from packaging.version import Version

from warp_lint.kernels.detect import Options, options_of
from warp_lint.kernels.effects import Path
from warp_lint.kernels.execute import execute
from warp_lint.kernels.graph import Graph
from warp_lint.kernels.memory import Memory
from warp_lint.kernels.types import TypeReader
from warp_lint.settings import Settings
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import External, Project

_STORES_CLEAR = Version("1.13")
_KNOWN = (bool, int, float, Definition, External)
_CONTINUE_EXACT = Version("1.19")


@dataclass(slots=True)
class _Store:
    reader: TypeReader
    graphs: dict[tuple[object, ...], tuple[Graph, Options]] = field(default_factory=dict)


_STORES: WeakKeyDictionary[Project, _Store] = WeakKeyDictionary()


def reader_of(project: Project) -> TypeReader:
    return _store(project).reader


def _store(project: Project) -> _Store:
    store = _STORES.get(project)
    if store is None:
        store = _STORES[project] = _Store(TypeReader(project))
    return store


def graph_of(
    project: Project, definition: Definition, settings: Settings, scalars: Mapping[Path, object] | None = None
) -> tuple[Graph, Options]:
    """The value graph of a kernel, specialised on known integer and boolean scalars, and on what it captures."""
    store = _store(project)
    known = {path: value for path, value in (scalars or {}).items() if isinstance(value, _KNOWN)}
    rolls = settings.target < _CONTINUE_EXACT
    key = (definition, settings.target, frozenset((path, type(value), value) for path, value in known.items()))
    found = store.graphs.get(key)
    if found is None:
        options = replace(options_of(project, definition), continue_rolls=rolls)
        found = execute(project, store.reader, definition, options, known, settings.target), options
        store.graphs[key] = found
    return found


def stores_clear(settings: Settings) -> bool:
    """Does a plain array store clear its destination's adjoint in the target version?"""
    return settings.target >= _STORES_CLEAR


__all__ = ["Memory", "graph_of", "reader_of", "stores_clear"]
