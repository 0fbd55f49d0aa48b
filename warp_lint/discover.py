"""From the paths a user names to the Python files to lint."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from warp_lint.config import Config, Configs
from warp_lint.findings import LintError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SUFFIXES = (".py", ".pyw")


@dataclass(slots=True)
class Discovered:
    """`files`: absolute, sorted, each once. `named`: those the user named one by one."""

    files: list[Path] = field(default_factory=list)
    named: frozenset[Path] = frozenset()
    folders: tuple[Path, ...] = ()
    errors: list[LintError] = field(default_factory=list)


def discover(paths: Sequence[Path], configs: Configs, display: Callable[[Path], str]) -> Discovered:
    """Files named, and the Python files below folders named, less what is excluded or ignored.

    Links to folders are not followed, so a loop of links ends. Raises ConfigError.
    """
    found: set[Path] = set()
    named: set[Path] = set()
    folders: list[Path] = []
    errors: list[LintError] = []
    for path in paths:
        file = absolute(path)
        try:
            mode = file.stat().st_mode
        except OSError as error:
            errors.append(LintError(display(file), 1, 1, f"can't be read: {error.strerror or error}"))
            continue
        except ValueError as error:  # a NUL in the name
            errors.append(LintError(repr(str(path)), 1, 1, f"can't be read: {error}"))
            continue
        if stat.S_ISDIR(mode):
            folders.append(file)
            found.update(walk(file, configs, lambda f, e: errors.append(_unlisted(display(f), e))))
        else:
            found.add(file)
            named.add(file)
    links = [file for file in found if file not in named and file.is_symlink()]
    doubled = {link for link in links if Path(os.path.realpath(link)) in found}
    return Discovered(sorted(found - doubled), frozenset(named), tuple(folders), errors)


def absolute(path: Path) -> Path:
    """Absolute and free of `..`, with links left as they are."""
    return Path(os.path.abspath(path))


def _unlisted(display: str, error: OSError) -> LintError:
    return LintError(display, 1, 1, f"can't be listed: {error.strerror or error}")


def walk(
    top: Path, configs: Configs, on_error: Callable[[Path, OSError], None] = lambda folder, error: None
) -> Iterator[Path]:
    """Python files below a folder, in a stable order. Raises ConfigError."""
    filters = _Filters(top, configs)
    pending: list[tuple[Path, tuple[_Ignore, ...]]] = [(top, filters.above())]
    while pending:
        folder, ignores = pending.pop()
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            on_error(folder, error)
            continue
        names = {entry.name for entry in entries}
        if folder != top and "pyvenv.cfg" in names:
            continue
        if ".gitignore" in names:
            ignores = (*ignores, *_ignore_file(folder / ".gitignore", folder))
        excluded = filters.excluded(folder)
        inner: list[Path] = []
        for entry in entries:
            path = folder / entry.name
            if _is_folder(entry):
                if not excluded(path, True) and not _ignored(path, True, ignores):
                    inner.append(path)
            elif (
                entry.name.endswith(_SUFFIXES)
                and not entry.name.startswith(".#")  # an editor's lock: a link to nowhere
                and _worth_reading(entry)
                and not excluded(path, False)
                and not _ignored(path, False, ignores)
            ):
                yield path
        pending.extend((path, ignores) for path in reversed(inner))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _worth_reading(entry: os.DirEntry[str]) -> bool:
    """Regular files, and dangling links, so that they are reported; no pipes, sockets, linked folders."""
    try:
        mode = entry.stat().st_mode
    except OSError:
        return True
    return stat.S_ISREG(mode)


@dataclass(frozen=True, slots=True)
class _Ignore:
    """The patterns of one .gitignore, relative to its folder."""

    base: Path
    spec: GitIgnoreSpec

    def check(self, path: Path, folder: bool) -> bool | None:
        try:
            relative = path.relative_to(self.base).as_posix()
        except ValueError:
            return None
        return self.spec.check_file(relative + "/" if folder else relative).include


def _ignored(path: Path, folder: bool, ignores: Sequence[_Ignore]) -> bool:
    """The innermost .gitignore with an opinion decides."""
    for ignore in reversed(ignores):
        verdict = ignore.check(path, folder)
        if verdict is not None:
            return verdict
    return False


def _ignore_file(file: Path, base: Path) -> tuple[_Ignore, ...]:
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return ()
    return (_Ignore(base, patterns(text.splitlines())),)


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """Patterns in the language of .gitignore; a line that is none is left out, as git does."""
    from pathspec import GitIgnoreSpec

    lines = list(lines)
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        good = []
        for line in lines:
            try:
                GitIgnoreSpec.from_lines([line])
            except ValueError:
                continue
            good.append(line)
        return GitIgnoreSpec.from_lines(good)


class _Filters:
    """What applies below a named folder. A rule that would drop the folder itself doesn't apply: the
    user asked for it by name."""

    def __init__(self, top: Path, configs: Configs) -> None:
        self.top = top
        self.configs = configs
        self._specs: dict[Path, Callable[[Path, bool], bool]] = {}

    def above(self) -> tuple[_Ignore, ...]:
        """The .gitignore files of the folders above, up to the repository's root."""
        chain: list[Path] = []
        root: Path | None = None
        for folder in (self.top, *self.top.parents):
            chain.append(folder)
            if os.path.lexists(folder / ".git"):
                root = folder
                break
        if root is None:
            limit = self.configs.for_folder(self.top).root
            chain = [folder for folder in chain if folder == limit or limit in folder.parents]
        ignores: list[_Ignore] = []
        if root is not None:
            ignores += _ignore_file(root / ".git" / "info" / "exclude", root)
        for folder in reversed(chain):
            if folder == self.top:
                break  # the walk reads it
            ignores += _ignore_file(folder / ".gitignore", folder)
        for folder in reversed(chain):
            if _ignored(folder, True, [ignore for ignore in ignores if ignore.base != folder]):
                return ()
        return tuple(ignores)

    def excluded(self, folder: Path) -> Callable[[Path, bool], bool]:
        config = self.configs.for_folder(folder)
        if config.root not in self._specs:
            self._specs[config.root] = self._excluder(config)
        return self._specs[config.root]

    def _excluder(self, config: Config) -> Callable[[Path, bool], bool]:
        ignore = _Ignore(config.root, patterns((*config.exclude, *config.extend_exclude)))
        if self.top != config.root and ignore.check(self.top, True):
            ignore = _Ignore(self.top, ignore.spec)
        return lambda path, folder: bool(ignore.check(path, folder))
