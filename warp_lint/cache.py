"""Results of earlier runs, kept as JSON by the hash of everything they rest on.

A result is used again only if every file that was read, and every file that an import looked for,
is as it was. Anything wrong with the cache means no cache, never an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from warp_lint import __version__
from warp_lint.findings import Finding, LintError, Location, Note, Severity, Subject

_KEEP = 400  # entries; the oldest go first


@dataclass(slots=True)
class Entry:
    """A result and what it rests on: contents by file, existence by file asked for."""

    findings: list[Finding] = field(default_factory=list)
    errors: list[LintError] = field(default_factory=list)
    contents: dict[str, str] = field(default_factory=dict)
    probes: dict[str, bool] = field(default_factory=dict)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def folder() -> Path:
    """`WARP_LINT_CACHE_DIR`, else the user's cache folder."""
    chosen = os.environ.get("WARP_LINT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    return Path(base or os.path.join(os.path.expanduser("~"), ".cache")) / "warp-lint" / "lint"


def key(settings: Mapping[str, object], files: Mapping[Path, str]) -> str:
    """Name of a result: settings, linted files with their hashes, this program's own state."""
    parts = [__version__, sys.version, _own_state(), os.getcwd(), json.dumps(settings, sort_keys=True, default=str)]
    parts += [f"{file}\0{content}" for file, content in sorted(files.items())]
    return digest("\1".join(parts).encode("utf-8", "surrogatepass"))


def _own_state() -> str:
    """Changes when this package's code does, so that a checkout in use never meets old results."""
    package = Path(__file__).parent
    state = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        status = file.stat()
        state.update(f"{file}\0{status.st_size}\0{status.st_mtime_ns}\1".encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def load(name: str) -> Entry | None:
    """The result of that name, if it is there, whole, and still true."""
    try:
        entry = _from_json(json.loads((folder() / f"{name}.json").read_text("utf-8", "surrogatepass")))
        for path, found in entry.probes.items():
            if os.path.isfile(path) != found:
                return None
        for path, content in entry.contents.items():
            if digest(Path(path).read_bytes()) != content:
                return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return entry


def store(name: str, entry: Entry) -> None:
    """Keep a result; nothing happens if that isn't possible."""
    with contextlib.suppress(OSError, ValueError):
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(entry))
        temporary = place / f"{name}.{os.getpid()}.tmp"
        temporary.write_text(text, "utf-8", "surrogatepass")
        temporary.replace(place / f"{name}.json")
        _prune(place)


def _prune(place: Path) -> None:
    entries = list(place.glob("*.json"))
    if len(entries) > _KEEP:
        entries.sort(key=lambda file: file.stat().st_mtime)
        for file in entries[: len(entries) - _KEEP * 3 // 4]:
            file.unlink(missing_ok=True)


def _from_json(data: dict[str, Any]) -> Entry:
    entry = Entry(
        [_finding(item) for item in data["findings"]],
        [LintError(**item) for item in data["errors"]],
        {str(path): str(content) for path, content in data["contents"].items()},
        {str(path): bool(found) for path, found in data["probes"].items()},
    )
    return entry


def _finding(item: dict[str, Any]) -> Finding:
    subject = item["subject"]
    return Finding(
        code=item["code"],
        name=item["name"],
        severity=Severity(item["severity"]),
        location=Location(**item["location"]),
        message=item["message"],
        help=item["help"],
        notes=tuple(Note(Location(**note["location"]), note["message"]) for note in item["notes"]),
        subject=Subject(**subject) if subject else None,
        context=item["context"],
    )
