"""Which files of a project can be differentiated at all? Most Warp code is forward only, and right.

A file counts if it shows a sign of gradients, or if a file that does imports it, directly or through
others. Bytes and regular expressions only: a front end that sees one file asks this about a project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from warp_lint.config import Config, ConfigError, Configs
from warp_lint.discover import walk

_SIGN = re.compile(
    rb"\bTape\b|requires_grad(?!\s*=\s*False)|adjoint\s*=\s*True|jax_kernel|jax_callable|Ffi(?:Callable|Kernel)"
    rb"|gradcheck|\bautograd\b"
)
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<dots>\.*)[ \t]*(?P<source>[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n;#]*)"
    rb"|import[ \t]+(?P<modules>[^\n;#]*))",
    re.M,
)
_LAZY = re.compile(rb"\bdef __getattr__\b|\bimport_module\b")
# Such a package may import any of its modules.
_COMPUTED = re.compile(rb"\b(pkgutil|listdir|iterdir|glob)\b|\bimport_module\(\s*(f[\"']|[^\"'\s)]+\s*\+)")
# Calls and loops of a file's top level, or a main program.
_RUNS = re.compile(rb"^(?:for|while|with)\b|^[A-Za-z_][\w.]*\(|\b__main__\b", re.M)
_LIMIT = 20_000  # files looked at; a larger project is taken to differentiate everything

_known: dict[tuple[str, int, int], bool] = {}  # sign by file as it was


@dataclass(frozen=True, slots=True)
class Answer:
    """`project`: something in the project is differentiated. `files`: those that can be, of the ones
    asked about."""

    project: bool
    files: frozenset[Path]


def has_sign(data: bytes) -> bool:
    """Do the bytes of a file look like a use of gradients with Warp?"""
    return b"warp" in data and _SIGN.search(data) is not None


def differentiated(config: Config, contents: Mapping[Path, bytes], configs: Configs) -> Answer:
    """The answer for the files linted now, given with their contents; others of the project are read
    from disk where they matter."""
    every = frozenset(contents)
    if isinstance(config.differentiable, bool):
        return Answer(config.differentiable, every if config.differentiable else frozenset())
    signs = {file for file, data in contents.items() if has_sign(data)}
    if signs == every:
        return Answer(bool(signs), every)
    others: list[Path] = []
    try:
        for file in _others(config, contents, configs):
            if file not in contents:
                others.append(file)
            if len(others) > _LIMIT:
                return Answer(True, every)
    except ConfigError:  # of a folder that is not linted now
        return Answer(True, every)
    signs |= {file for file in others if _sign_on_disk(file)}
    return Answer(bool(signs), _Graph(config.root, contents, others).reached(signs) & every)


def programs(config: Config, contents: Mapping[Path, bytes], silent: Iterable[Path]) -> dict[Path, bytes]:
    """Those of the files without a word of Warp, with their contents, that import, directly or through others, one
    with a sign of gradients: the program may be there, and only the simulation elsewhere. Those that run nothing
    are left to the imports that lead to them."""
    others = list(silent)
    signs = {file for file, data in contents.items() if has_sign(data)}
    if not signs or not others or len(others) > _LIMIT or config.differentiable is False:
        return {}
    graph = _Graph(config.root, contents, others)
    importers: dict[Path, list[Path]] = {}
    seen = set(others)
    pending = list(others)
    while pending:
        file = pending.pop()
        for target in graph.imports(file):
            importers.setdefault(target, []).append(file)
            if target not in seen:
                seen.add(target)
                pending.append(target)
    found: set[Path] = set()
    leading = list(signs)
    while leading:
        for file in importers.get(leading.pop(), ()):
            if file not in found:
                found.add(file)
                leading.append(file)
    read = {file: graph.data(file) for file in sorted(found & set(others))}
    return {file: data for file, data in read.items() if _RUNS.search(data)}


def _sign_on_disk(file: Path) -> bool:
    try:
        status = file.stat()
        key = (str(file), status.st_size, status.st_mtime_ns)
        if key not in _known:
            _known[key] = file.is_file() and has_sign(file.read_bytes())
    except OSError:
        return False
    return _known[key]


def _others(config: Config, files: Iterable[Path], configs: Configs) -> Iterator[Path]:
    """Files that may import those linted: the project's, or without a known project the package's or folder's."""
    if config.marked:
        yield from walk(config.root, configs)
        return
    seen: set[Path] = set()
    for folder in sorted({file.parent for file in files}):
        top = folder
        while os.path.isfile(top / "__init__.py") and top.parent != top:
            top = top.parent
        if top == folder:
            yield from sorted(folder.glob("*.py"))
            continue
        package = top / folder.relative_to(top).parts[0]
        if package not in seen:
            seen.add(package)
            yield from walk(package, configs)


class _Graph:
    """Who imports whom among known files, followed only as far as asked."""

    def __init__(self, root: Path, contents: Mapping[Path, bytes], others: Iterable[Path]) -> None:
        self.root = str(root)
        self.contents = contents
        self.files = {str(file): file for file in (*contents, *others)}

    def reached(self, start: Iterable[Path]) -> frozenset[Path]:
        """Files that the given ones import, directly or not, and themselves."""
        seen = set(start)
        pending = list(seen)
        while pending:
            for target in self.imports(pending.pop()):
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return frozenset(seen)

    def data(self, file: Path) -> bytes:
        """A file's contents; nothing if it can't be read."""
        found = self.contents.get(file)
        if found is None:
            try:
                found = file.read_bytes()
            except OSError:
                return b""
        return found

    def imports(self, file: Path) -> Iterator[Path]:
        data = self.data(file)
        folder = os.path.dirname(str(file))
        bases = (folder, self._package_root(folder), self.root, os.path.join(self.root, "src"))
        for match in _IMPORT.finditer(data.replace(b"\\\n", b" ")):
            if match["modules"] is not None:
                for name in match["modules"].decode("utf-8", "replace").split(","):
                    yield from self._first(bases, name.split()[:1], ())
                continue
            names = [part.split()[0] for part in _text(match["names"]).strip("()\\ ").split(",") if part.split()]
            source = _text(match["source"])
            dots = len(match["dots"])
            if dots:
                above = folder
                for _ in range(dots - 1):
                    above = os.path.dirname(above)
                yield from self._first((above,), [source], names)
            else:
                yield from self._first(bases, [source], names)
        if os.path.basename(str(file)) == "__init__.py" and _LAZY.search(data):
            yield from self._lazily(folder, data)

    def _lazily(self, folder: str, data: bytes) -> Iterator[Path]:
        """Files of a package whose `__init__.py` imports by string: those whose names stand in it."""
        words = set(re.findall(r"\w+", data.decode("utf-8", "replace")))
        any_name = _COMPUTED.search(data) is not None
        prefix = folder + os.sep
        for name, path in self.files.items():
            if not name.startswith(prefix):
                continue
            parts = name[len(prefix) :].removesuffix(".py").removesuffix(os.sep + "__init__").split(os.sep)
            if any_name or words.issuperset(parts):
                yield path

    def _first(self, bases: Iterable[str], modules: list[str], names: Iterable[str]) -> Iterator[Path]:
        """What `from module import names` reaches, from the first folder that has the module."""
        for module in modules:
            for base in bases:
                stem = os.path.join(base, *module.split(".")) if module else base
                inner = [found for name in names if (found := self._file(os.path.join(stem, name))) is not None]
                here = self._file(stem)
                if here is None and not inner:
                    continue
                yield from inner
                if here is not None and len(inner) < len(list(names) or [module]):
                    yield here
                break

    def _file(self, stem: str) -> Path | None:
        return self.files.get(stem + ".py") or self.files.get(os.path.join(stem, "__init__.py"))

    def _package_root(self, folder: str) -> str:
        while os.path.join(folder, "__init__.py") in self.files and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        return folder


def _text(data: bytes) -> str:
    return re.sub(r"#[^\n]*", "", data.decode("utf-8", "replace"))
