"""The files of a project, found and parsed on demand, and names resolved across them."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from warp_lint.findings import LintError
from warp_lint.source import read_source
from warp_lint.syntax.module import Definition, Module, Scope

# Parts of the Warp package that are ordinary code written with Warp, not its language.
_WARP_CODE = ("warp.tests", "warp.examples", "warp._src.fem", "warp._src.optim", "warp.optim", "warp._src.sparse")


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the project, by canonical dotted name: `warp.float64`, `numpy.sin`."""

    name: str


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the project used as a value."""

    module: Module


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A name bound once to an expression; `unpack` is the index path into its value."""

    module: Module
    expression: ast.expr
    scope: Scope
    unpack: tuple[int, ...] = ()


Resolved = External | ModuleRef | Definition | Value


class Project:
    """Lazily parsed modules below `root`, and optionally those of installed packages.

    `sources` overrides file contents (an editor's buffer, standard input). `search_path` lists
    folders with installed packages that may be read (never executed) to follow calls.
    """

    def __init__(
        self,
        root: Path,
        display: Callable[[Path], str] | None = None,
        search_path: Sequence[Path] = (),
    ) -> None:
        self.root = root
        self.search_path = tuple(search_path)
        self.errors: list[LintError] = []
        # Every file that an import asked for, and whether it was there: what a cached result rests on.
        self.probes: dict[str, bool] = {}
        self._display = display or (lambda path: _relative(path, Path.cwd()))
        self._modules: dict[Path, Module | None] = {}
        self._names: dict[str, Module | None] = {}

    def display(self, file: Path) -> str:
        return self._display(file)

    def add(self, file: Path, source: str, tree: ast.Module | None = None) -> Module | None:
        """Register a file's text (and tree, if the caller has parsed it)."""
        module = self._parse(file, source, tree)
        self._modules[file] = module
        return module

    def module_at(self, file: Path) -> Module | None:
        """The parsed file, or None (with an entry in `errors`) if it can't be read or parsed."""
        if file not in self._modules:
            self._modules[file] = None  # guards against recursion
            source = read_source(file, self.display(file))
            if isinstance(source, LintError):
                self.errors.append(source)
            else:
                self._modules[file] = self._parse(file, source, None)
        return self._modules[file]

    def modules(self) -> list[Module]:
        """Every module parsed so far."""
        return [module for module in self._modules.values() if module is not None]

    def find_module(self, name: str, near: Module | None = None) -> Module | None:
        """A module by dotted name: beside `near`, below the project root, then installed packages."""
        bases: list[Path] = []
        if near is not None:
            package_root = near.file.parent
            for _ in range(len(near.package.split(".")) if near.package else 0):
                package_root = package_root.parent
            bases += [near.file.parent, package_root]
        key = f"{bases[0] if bases else ''}:{name}"
        if key not in self._names:
            bases += [self.root, self.root / "src", *self.search_path]
            found = self._search(name, bases)
            if found is None and near is not None and self.root in near.file.parents:
                # Programs that put a folder above their own on `sys.path`.
                above = [folder for folder in near.file.parents if self.root in folder.parents]
                found = self._search(name, [base for folder in above for base in (folder, folder / "src")])
            self._names[key] = found
        return self._names[key]

    def _search(self, name: str, bases: list[Path]) -> Module | None:
        # Strings: a large project asks tens of thousands of times, mostly in vain.
        below = os.path.join(*name.split("."))
        for base in bases:
            stem = os.path.join(base, below)
            for file in (os.path.join(stem, "__init__.py"), stem + ".py"):
                found = self.probes.get(file)
                if found is None:
                    found = self.probes[file] = os.path.isfile(file)
                if found:
                    return self.module_at(Path(file))
        return None

    def _parse(self, file: Path, source: str, tree: ast.Module | None) -> Module | None:
        display = self.display(file)
        if tree is None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(source)
            except SyntaxError as error:
                line, column = error.lineno or 1, error.offset or 1
                self.errors.append(LintError(display, line, max(column, 1), error.msg or "invalid syntax", "ADJ901"))
                return None
            except (ValueError, RecursionError, MemoryError) as error:
                reason = "nested too deeply" if isinstance(error, (RecursionError, MemoryError)) else str(error)
                self.errors.append(LintError(display, 1, 1, reason, "ADJ901"))
                return None
        return Module(file, display, module_name(file), source, tree)

    # Names

    def resolve(self, module: Module, scope: Scope, expression: ast.expr) -> Resolved | None:
        """What a name or dotted expression stands for; None if that isn't known."""
        if isinstance(expression, ast.Name):
            return self.resolve_name(module, scope, expression.id)
        if isinstance(expression, ast.Attribute):
            base = self.resolve(module, scope, expression.value)
            return self.attribute(base, expression.attr)
        return None

    def attribute(self, base: Resolved | None, name: str) -> Resolved | None:
        if isinstance(base, External):
            return self._external(f"{base.name}.{name}")
        if isinstance(base, ModuleRef):
            inner = base.module
            if inner.top_level(name):
                return self.resolve_name(inner, inner.scope, name)
            child = self.find_module(f"{inner.name}.{name}", inner) if inner.is_package else None
            return ModuleRef(child) if child is not None else None
        if isinstance(base, Definition) and isinstance(base.node, ast.ClassDef):
            return self.resolve_name(base.module, base.inner, name) if name in base.inner.bindings else None
        if isinstance(base, Value):
            seen = self.resolve(base.module, base.scope, base.expression) if not base.unpack else None
            return self.attribute(seen, name) if seen is not None and not isinstance(seen, Value) else None
        return None

    def resolve_name(self, module: Module, scope: Scope, name: str, depth: int = 0) -> Resolved | None:
        found = scope.find(name)
        if found is None or depth > 20:
            return External(f"builtins.{name}") if found is None and name in _BUILTINS else None
        owner, bindings = found
        binding = bindings[-1]
        if binding.kind == "import":
            # try/except import pairs: the first one is the intended one.
            return self._imported(module, bindings[0] if bindings[0].kind == "import" else binding, depth)
        if binding.kind in ("def", "class"):
            return module.definitions.get(binding.node)
        if binding.kind == "assign" and binding.value is not None and len(bindings) == 1:
            if isinstance(binding.value, (ast.Name, ast.Attribute)) and not binding.unpack:
                target = binding.value
                if isinstance(target, ast.Name) and target.id == name and owner.parent is not None:
                    return self.resolve_name(module, owner.parent, name, depth + 1)
                through = self.resolve(module, owner, target) if not _mentions(target, name) else None
                if through is not None:
                    return through
            return Value(module, binding.value, owner, binding.unpack)
        return None

    def _imported(self, module: Module, binding: object, depth: int) -> Resolved | None:
        from warp_lint.syntax.module import Binding

        assert isinstance(binding, Binding)
        name = binding.module
        if binding.level:
            package = module.package.split(".") if module.package else []
            keep = len(package) - (binding.level - 1)
            if keep < 0:
                return None
            name = ".".join([*package[:keep], *([binding.module] if binding.module else [])])
        if not _is_code(name, binding.attribute):
            full = name if binding.attribute is None else f"{name}.{binding.attribute}"
            return self._external(full)
        target = self.find_module(name, module) if name else None
        if target is None and binding.level and not name:
            target = None
        if target is not None:
            if binding.attribute is None:
                return ModuleRef(target)
            if target.top_level(binding.attribute):
                return self.resolve_name(target, target.scope, binding.attribute, depth + 1)
            child = self.find_module(f"{name}.{binding.attribute}", module)
            return ModuleRef(child) if child is not None else None
        if binding.attribute is not None:
            child = self.find_module(f"{name}.{binding.attribute}" if name else binding.attribute, module)
            if child is not None:
                return ModuleRef(child)
            return External(f"{name}.{binding.attribute}")
        return External(name)

    def _external(self, name: str) -> Resolved:
        """Canonical name: Warp's public namespace, whatever module a thing was imported from."""
        if name.startswith("warp._src.") and not name.startswith(_WARP_CODE):
            parts = name.split(".")
            if len(parts) >= 4:
                name = ".".join(["warp", *parts[3:]])
        for prefix in ("warp.types.", "warp.context.", "warp.tape.", "warp.builtins."):
            if name.startswith(prefix):
                name = "warp." + name[len(prefix) :]
        return External(name)


def _is_code(name: str, attribute: str | None) -> bool:
    """Whether an import may be followed into source: everything but Warp's own language."""
    full = name if attribute is None else f"{name}.{attribute}"
    head = full.partition(".")[0]
    if head != "warp":
        return head not in ("numpy", "torch", "jax", "math", "typing", "__future__")
    return full.startswith(_WARP_CODE)


def _mentions(expression: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(expression))


def module_name(file: Path) -> str:
    """Dotted name by the folders with `__init__.py` above the file; a folder without one counts if it
    is inside a package (`pkg/_src/…`)."""
    parts = [] if file.name == "__init__.py" else [file.stem]
    folder = file.parent
    while folder.parent != folder and (_is_package(folder) or _is_package(folder.parent)):
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def _is_package(folder: Path) -> bool:
    return os.path.isfile(folder / "__init__.py")


def _relative(path: Path, base: Path) -> str:
    try:
        return path.relative_to(base).as_posix()
    except ValueError:
        return path.as_posix()


_BUILTINS = frozenset(
    [
        "abs",
        "all",
        "any",
        "bool",
        "bytes",
        "callable",
        "chr",
        "dict",
        "dir",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "format",
        "frozenset",
        "getattr",
        "hasattr",
        "hash",
        "id",
        "input",
        "int",
        "isinstance",
        "issubclass",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "next",
        "object",
        "open",
        "ord",
        "pow",
        "print",
        "property",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "setattr",
        "slice",
        "sorted",
        "staticmethod",
        "classmethod",
        "str",
        "sum",
        "super",
        "tuple",
        "type",
        "vars",
        "zip",
        "Exception",
        "ValueError",
        "RuntimeError",
        "NotImplementedError",
        "True",
        "False",
        "None",
    ]
)
