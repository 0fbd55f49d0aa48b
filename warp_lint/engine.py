"""From paths to findings: discover, read, gate, analyse, select, suppress, sort."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from warp_lint import cache, gate, suppress
from warp_lint.config import Config, Configs, Overrides
from warp_lint.discover import absolute, discover
from warp_lint.filtering import FileFilter, applies
from warp_lint.findings import Finding, LintError, Location, fingerprint
from warp_lint.settings import NEWEST_KNOWN, Settings
from warp_lint.source import UNPARSABLE, decode

if TYPE_CHECKING:
    from packaging.version import Version

    from warp_lint.syntax.project import Project

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Request:
    """What to lint and how. `buffers` holds what stands in for files on disk (absolute paths; bytes are
    decoded like a file's), `trees` what a caller has parsed of them. `noqa` False: the caller honours
    `# noqa` on a finding's own line itself."""

    paths: Sequence[Path]
    overrides: Overrides = field(default_factory=Overrides)
    buffers: Mapping[Path, str | bytes] = field(default_factory=dict)
    trees: Mapping[Path, ast.Module] = field(default_factory=dict)
    jobs: int = 1
    cache: bool = True
    noqa: bool = True


@dataclass(slots=True)
class Unit:
    """One project of a run: the files below one root that are linted together. `differentiated`: those
    whose kernels are worth checking; `silent`: those without a word of Warp."""

    config: Config
    settings: Settings
    texts: dict[Path, str]
    contents: dict[Path, bytes]
    silent: list[Path] = field(default_factory=list)
    differentiated: frozenset[Path] = frozenset()
    project: Project | None = None
    findings: list[Finding] = field(default_factory=list)
    errors: list[LintError] = field(default_factory=list)


@dataclass(slots=True)
class Result:
    """`findings` in order, selected and not suppressed; `files`: how many were looked at."""

    findings: list[Finding]
    errors: list[LintError]
    files: int
    warp_version: str
    units: list[Unit]
    configs: Configs
    request: Request


def lint(request: Request) -> Result:
    """Lint paths. Raises ConfigError; anything wrong with a file ends in `Result.errors`."""
    display = Displayer(Path.cwd())
    named = tuple(absolute(path) for path in request.paths)
    buffers = dict(request.buffers)
    configs = Configs(tuple(path for path in named if os.path.isdir(path)))
    found = discover([path for path in named if path not in buffers], configs, display)
    explicit = found.named | set(buffers)
    files = sorted({*found.files, *buffers})
    errors = list(found.errors)
    units: dict[Path, Unit] = {}
    for file in files:
        config = configs.for_file(file)
        unit = units.get(config.root)
        if unit is None:
            unit = units[config.root] = Unit(config, _settings(config, request.overrides), {}, {})
        _read(unit, file, buffers.get(file), file in explicit, display)
    for root in sorted(units):
        _read_programs(units[root], display)
        _analyse(units[root], request, configs, display)
    whole = bool(found.folders)
    findings: list[Finding] = []
    for unit in units.values():
        findings += _finish(unit, request, configs, display, whole)
        errors += [error for error in unit.errors if _wanted_error(error, request.overrides, configs, display)]
    findings = in_order(findings, display.lines(units.values()))
    errors = sorted(set(errors), key=lambda error: (error.path, error.line, error.column, error.message))
    version = target_version(next((unit.config for unit in units.values()), None), request.overrides)
    return Result(findings, errors, len(files), str(version), list(units.values()), configs, request)


class Displayer:
    """Paths as shown: relative to the working folder where they are below it."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._shown: dict[Path, str] = {}

    def __call__(self, file: Path) -> str:
        shown = self._shown.get(file)
        if shown is None:
            try:
                shown = file.relative_to(self.base).as_posix()
            except ValueError:
                shown = file.as_posix()
            self._shown[file] = shown
        return shown

    def file(self, shown: str) -> Path:
        return self.base / shown

    def lines(self, units: Iterable[Unit]) -> Callable[[str], list[str] | None]:
        """Source lines by shown path, from what was read, else from disk."""
        texts = {file: text for unit in units for file, text in unit.texts.items()}

        @lru_cache(maxsize=256)
        def lines(shown: str) -> list[str] | None:
            file = self.file(shown)
            text: str | LintError | None = texts.get(file)
            if text is None:
                try:
                    data = file.read_bytes() if os.path.isfile(file) else None
                except (OSError, ValueError):
                    return None
                text = decode(data, shown) if data is not None else None
                if isinstance(text, LintError) and data is not None and b"\0" not in data:
                    text = data.decode("utf-8", "replace")
            return text.split("\n") if isinstance(text, str) else None

        return lines


def target_version(config: Config | None, overrides: Overrides) -> Version:
    """The Warp version judged: the command line's, the configuration's, the installed one, the newest."""
    chosen = overrides.target_warp or (config.target_warp if config is not None else None)
    return chosen or installed_warp() or NEWEST_KNOWN


@lru_cache(maxsize=1)
def installed_warp() -> Version | None:
    """Version of the Warp beside this program, read from its metadata: Warp isn't imported."""
    from importlib import metadata

    from packaging.version import InvalidVersion, Version

    try:
        return Version(metadata.version("warp-lang"))
    except (metadata.PackageNotFoundError, InvalidVersion, TypeError):
        return None


def _settings(config: Config, overrides: Overrides) -> Settings:
    return Settings(target=target_version(config, overrides), assume_active=config.differentiable is True)


def _read(unit: Unit, file: Path, buffer: str | bytes | None, explicit: bool, display: Displayer) -> None:
    """Take in a file, unless it has nothing to do with Warp. A file named by itself is checked for
    syntax even then."""
    if buffer is not None:
        data = buffer if isinstance(buffer, bytes) else buffer.encode("utf-8", "surrogatepass")
        text = decode(data, display(file)) if isinstance(buffer, bytes) or "\0" in buffer else buffer
    else:
        try:
            data = file.read_bytes()
        except OSError as error:
            unit.errors.append(LintError(display(file), 1, 1, f"can't be read: {error.strerror or error}"))
            return
        if not explicit and b"warp" not in data and not data.startswith(_UTF16):
            unit.silent.append(file)
            return
        text = decode(data, display(file))
    if isinstance(text, LintError):
        unit.errors.append(text)
    elif "warp" in text:
        unit.texts[file] = text
        unit.contents[file] = data
    elif explicit:
        # No use of Warp in it: only its syntax matters, and the tree need not be kept.
        from warp_lint.syntax.project import Project

        checker = Project(file.parent, display)
        checker.add(file, text)
        unit.errors += checker.errors


def _read_programs(unit: Unit, display: Displayer) -> None:
    """Take in files that leave Warp to what they import."""
    for file, data in gate.programs(unit.config, unit.contents, unit.silent).items():
        text = decode(data, display(file))
        if isinstance(text, str):
            unit.texts[file], unit.contents[file] = text, data


def _analyse(unit: Unit, request: Request, configs: Configs, display: Displayer) -> None:
    if not unit.texts:
        return
    answer = gate.differentiated(unit.config, unit.contents, configs)
    unit.settings = replace(unit.settings, differentiates=answer.project)
    unit.differentiated = answer.files
    name = ""
    if request.cache:
        settings = {
            "target": unit.settings.target,
            "differentiates": unit.settings.differentiates,
            "assume_active": unit.settings.assume_active,
            "root": unit.config.root,
            "files": sorted(map(str, unit.differentiated)),
        }
        hashes = {file: cache.digest(data) for file, data in unit.contents.items()}
        name = cache.key(settings, hashes)
        entry = cache.load(name)
        if entry is not None:
            unit.findings, unit.errors = entry.findings, unit.errors + entry.errors
            return
    from warp_lint.analysis import analyse
    from warp_lint.syntax.project import Project

    # What is linted now is known by its text from here on.
    unit.contents = dict.fromkeys(unit.contents, b"")
    project = Project(unit.config.root, display)
    unit.project = project
    outcome = analyse(project, unit.texts, request.trees, unit.settings, unit.differentiated, request.jobs)
    unit.findings = outcome.findings
    unit.errors += outcome.errors
    if request.cache and not any(error.code != UNPARSABLE for error in outcome.errors):
        others = [module for module in project.modules() if module.file not in unit.contents]
        entry = cache.Entry(
            outcome.findings,
            outcome.errors,
            {str(module.file): _hash_on_disk(module.file) for module in others},
            dict(project.probes),
        )
        cache.store(name, entry)


def _hash_on_disk(file: Path) -> str:
    try:
        return cache.digest(file.read_bytes())
    except OSError:
        return ""


def project_of(unit: Unit, display: Displayer | None = None) -> Project:
    """The unit's project, with its files; parsed now if the findings came from the cache."""
    if unit.project is None:
        from warp_lint.syntax.project import Project

        unit.project = Project(unit.config.root, display or Displayer(Path.cwd()))
        for file, text in unit.texts.items():
            unit.project.add(file, text)
    return unit.project


def _finish(unit: Unit, request: Request, configs: Configs, display: Displayer, whole: bool) -> list[Finding]:
    """What the user sees of a unit's findings, and its unused comments."""
    return let_through(unit.findings, unit, request, configs, display, whole)


def let_through(
    findings: Iterable[Finding],
    unit: Unit,
    request: Request,
    configs: Configs,
    display: Displayer,
    whole: bool | None = None,
) -> list[Finding]:
    """Versions, suppressions and selection, in this order: a comment counts as used even where its rule
    is off. `whole`: were folders linted, not single files? None: don't judge comments."""
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        if applies(finding.code, unit.settings.target):
            by_path.setdefault(finding.location.path, []).append(finding)
    texts = {display(file): text for file, text in unit.texts.items()}
    lines = display.lines(())
    kept: list[Finding] = []
    for path in sorted({*by_path, *texts} if whole is not None else by_path):
        found = by_path.get(path, [])
        source = texts[path] if path in texts else "\n".join(lines(path) or [])
        readable = suppress.must_read(source, bool(found))
        if not found and not readable:
            continue
        choice = FileFilter(configs.for_file(display.file(path)), request.overrides, display.file(path))
        if readable:
            comments = suppress.read(source, path)
            found = comments.apply(found, request.noqa)
            if whole is not None and display.file(path) in unit.differentiated:
                found += comments.unused(partial(choice.judged, target=unit.settings.target, whole=whole))
        kept += [finding for finding in found if choice.shows(finding)]
    return kept


def in_order(findings: Iterable[Finding], lines: Callable[[str], list[str] | None]) -> list[Finding]:
    """Each finding once, sorted, with its fingerprint. Of those that say the same of one place, the most
    severe stays."""
    best: dict[tuple[str, Location, str], Finding] = {}
    for finding in sorted(findings, key=_preference):
        best.setdefault((finding.code, finding.location, finding.message), finding)
    return with_fingerprints(sorted(best.values(), key=Finding.sort_key), lines)


def _preference(finding: Finding) -> tuple[object, ...]:
    notes = tuple((note.location, note.message) for note in finding.notes)
    return (-finding.severity, notes, finding.help)


def _wanted_error(error: LintError, overrides: Overrides, configs: Configs, display: Displayer) -> bool:
    """A file that can't be parsed may be ignored like any finding; one that can't be read may not."""
    if error.code != UNPARSABLE:
        return True
    file = display.file(error.path)
    return FileFilter(configs.for_file(file), overrides, file).enabled(error.code)


def with_fingerprints(findings: Iterable[Finding], lines: Callable[[str], list[str] | None]) -> list[Finding]:
    """Findings, in order, each with its identity across runs."""
    seen: Counter[tuple[str, str, str]] = Counter()
    done = []
    for finding in findings:
        context = finding.context or _line(lines(finding.location.path), finding.location)
        same = (finding.code, finding.location.path, " ".join(context.split()))
        mark = fingerprint(finding.code, finding.location.path, context, seen[same])
        seen[same] += 1
        done.append(replace(finding, context=context, fingerprint=mark))
    return done


def _line(lines: Sequence[str] | None, location: Location) -> str:
    return lines[location.line - 1] if lines is not None and 1 <= location.line <= len(lines) else ""
