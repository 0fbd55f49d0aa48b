"""`[tool.warp-lint]` of the nearest pyproject.toml, checked key by key."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_lint.selection import Selection, parse_codes, suggest

if TYPE_CHECKING:
    from packaging.version import Version

FAIL_ON = ("error", "warning", "info", "confirmed", "never")
DEFAULT_EXCLUDE = (
    ".bzr/",
    ".direnv/",
    ".eggs/",
    ".git/",
    ".hg/",
    ".hypothesis/",
    ".ipynb_checkpoints/",
    ".mypy_cache/",
    ".nox/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".svn/",
    ".tox/",
    ".venv/",
    ".warp-lint-cache/",
    "__pycache__/",
    "__pypackages__/",
    "_build/",
    "build/",
    "dist/",
    "node_modules/",
    "site-packages/",
    "venv/",
    "*.egg-info/",
)
_PROJECT_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class ConfigError(Exception):
    """A configuration or option that can't be used; the message names file, key and remedy."""


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration. `root`: the folder that its patterns are relative to and imports start from.

    `marked`: the root is known from a file in it, not assumed. `confirm`: raw `[tool.warp-lint.confirm]`.
    """

    root: Path
    marked: bool = True
    file: Path | None = None
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    target_warp: Version | None = None
    differentiable: str | bool = "auto"
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    confirm: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says on top of any configuration. None and (): nothing."""

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] | None = None
    extend_ignore: tuple[str, ...] = ()
    fail_on: str | None = None
    target_warp: Version | None = None

    def selection(self, config: Config) -> Selection:
        """The rules on for files of this configuration (per-file ignores are apart)."""
        kept = self.select is None
        return Selection(
            default=kept and config.select is None,
            select=(*(config.select or ()), *config.extend_select) if kept else (),
            ignore=(*(config.ignore if self.ignore is None else ()), *config.extend_ignore),
            command_select=(*(self.select or ()), *self.extend_select),
            command_ignore=(*(self.ignore or ()), *self.extend_ignore),
        )


class Configs:
    """Configurations by folder, each file read once.

    `assumed_roots`: folders named on the command line, roots of files in no marked project.
    """

    def __init__(self, assumed_roots: tuple[Path, ...] = ()) -> None:
        self._assumed = assumed_roots
        self._by_folder: dict[Path, Config] = {}

    def for_file(self, file: Path) -> Config:
        """The configuration of a file (absolute path). Raises ConfigError."""
        return self.for_folder(file.parent)

    def for_folder(self, folder: Path) -> Config:
        if folder not in self._by_folder:
            self._by_folder[folder] = self._find(folder)
        return self._by_folder[folder]

    def _find(self, folder: Path) -> Config:
        marked: Path | None = None
        for candidate in (folder, *folder.parents):
            config = load(candidate / "pyproject.toml")
            if config is not None:
                return config
            if marked is None and any(os.path.lexists(candidate / name) for name in _PROJECT_MARKERS):
                marked = candidate
        if marked is not None:
            return Config(marked)
        named = [root for root in self._assumed if root == folder or root in folder.parents]
        if named:
            return Config(min(named, key=lambda root: len(root.parts)), marked=False)
        while os.path.isfile(folder / "__init__.py") and folder.parent != folder:
            folder = folder.parent
        return Config(folder, marked=False)


def load(file: Path) -> Config | None:
    """The `[tool.warp-lint]` of a pyproject.toml; None if the file or the table doesn't exist.

    Raises ConfigError for invalid TOML, unknown keys and codes, and values of the wrong type.
    """
    try:
        text = file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None
    if "warp-lint" not in text:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{_shown(file)}: not valid TOML: {error}") from None
    tool = document.get("tool")
    table = tool.get("warp-lint") if isinstance(tool, dict) else None
    if table is None:
        return None
    return _parse_table(table, file)


def _parse_table(table: object, file: Path) -> Config:
    reader = _Reader(file, "tool.warp-lint", table)
    config = Config(
        root=file.parent,
        file=file,
        select=reader.take("select", _codes, None),
        extend_select=reader.take("extend-select", _codes, ()),
        ignore=reader.take("ignore", _codes, ()),
        extend_ignore=reader.take("extend-ignore", _codes, ()),
        fail_on=reader.take("fail-on", _fail_on, "error"),
        target_warp=reader.take("target-warp", _version, None),
        differentiable=reader.take("differentiable", _differentiable, "auto"),
        exclude=reader.take("exclude", _strings, DEFAULT_EXCLUDE),
        extend_exclude=reader.take("extend-exclude", _strings, ()),
        per_file_ignores=reader.take("per-file-ignores", _per_file, ()),
        confirm=reader.take("confirm", _table, {}),
    )
    reader.finish()
    if config.confirm:
        nested = _Reader(file, "tool.warp-lint.confirm", config.confirm)
        for key, convert in _CONFIRM_KEYS.items():
            nested.take(key, convert, None)
        nested.finish()
    return config


class _Reader:
    """Takes known keys out of a table and complains about the rest."""

    def __init__(self, file: Path, name: str, table: object) -> None:
        self.where = f"{_shown(file)}: [{name}]"
        if not isinstance(table, Mapping):
            raise ConfigError(f"{self.where} must be a table, not {_type(table)}")
        self.left = dict(table)
        self.known: list[str] = []

    def take(self, key: str, convert: Callable[[Any], Any], default: Any) -> Any:
        self.known.append(key)
        if key not in self.left:
            return default
        value = self.left.pop(key)
        try:
            return convert(value)
        except ValueError as error:
            raise ConfigError(f"{self.where} `{key}`: {error}") from None

    def finish(self) -> None:
        for key in self.left:
            raise ConfigError(f"{self.where} unknown key `{key}`{suggest(str(key), self.known)}")


def _type(value: object) -> str:
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a number", list: "a list"}
    return names.get(type(value), "a table" if isinstance(value, Mapping) else f"a {type(value).__name__}")


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"must be a list of strings, not {_type(value)}")
    for item in value:
        if not isinstance(item, str):
            raise ValueError(f"must be a list of strings, but holds {_type(item)}")
    return tuple(value)


def _codes(value: object) -> tuple[str, ...]:
    return parse_codes(_strings(value))


def _per_file(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    ignores = []
    for pattern, codes in _table(value).items():
        try:
            ignores.append((pattern, _codes(codes)))
        except ValueError as error:
            raise ValueError(f'"{pattern}": {error}') from None
    return tuple(ignores)


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table, not {_type(value)}")
    return value


def _differentiable(value: object) -> str | bool:
    if isinstance(value, bool) or value == "auto":
        return value if isinstance(value, bool) else "auto"
    raise ValueError(f'must be "auto", true or false, not {_quoted(value)}')


def _fail_on(value: object) -> str:
    if isinstance(value, str) and value in FAIL_ON:
        return value
    hint = suggest(value, FAIL_ON) if isinstance(value, str) else ""
    raise ValueError(f"must be one of {', '.join(FAIL_ON)}, not {_quoted(value)}{hint}")


def _version(value: object) -> Version:
    if not isinstance(value, str):
        raise ValueError(f'must be a version in quotes, such as "1.16", not {_type(value)}')
    return parse_version(value)


def _positive(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
        return value
    raise ValueError(f"must be a positive number, not {_quoted(value)}")


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"must be true or false, not {_quoted(value)}")


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value) if not isinstance(value, list) else _type(value)


def parse_version(text: str) -> Version:
    """A Warp version. Raises ValueError with a message for the user."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text)
    except InvalidVersion:
        raise ValueError(f'"{text}" is no version; write it like 1.16 or 1.19.0') from None


_CONFIRM_KEYS: dict[str, Callable[[Any], Any]] = {
    "run": _strings,
    "timeout": _positive,
    "backwards": _positive,
    "stop": _flag,
    "memory": _positive,
}


def _shown(file: Path) -> str:
    try:
        return file.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return file.as_posix()
