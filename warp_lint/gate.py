"""Is anything in this project ever differentiated? Most Warp code is forward only, and right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from warp_lint.config import Config, ConfigError, Configs
from warp_lint.discover import walk

_SIGN = re.compile(
    rb"\bTape\b|requires_grad(?!\s*=\s*False)|adjoint\s*=\s*True|jax_kernel|jax_callable|Ffi(?:Callable|Kernel)"
    rb"|gradcheck|\bautograd\b"
)
_LIMIT = 20_000  # files looked at before the answer is taken to be yes

_known: dict[Path, bool] = {}


def has_sign(data: bytes) -> bool:
    """Do the bytes of a file look like a use of gradients with Warp?"""
    return b"warp" in data and _SIGN.search(data) is not None


def differentiates(config: Config, files: Iterable[Path], contents: Iterable[bytes], configs: Configs) -> bool:
    """The answer for a project: what its configuration says, else a look at its files.

    `files` are the ones linted now, with their `contents`; the others are read from disk, once per
    process.
    """
    if isinstance(config.differentiable, bool):
        return config.differentiable
    if any(has_sign(data) for data in contents):
        return True
    if config.root not in _known:
        _known[config.root] = _look(_others(config, files, configs))
    return _known[config.root]


def _look(files: Iterator[Path]) -> bool:
    try:
        for number, file in enumerate(files):
            if number >= _LIMIT:
                return True
            try:
                if file.is_file() and has_sign(file.read_bytes()):
                    return True
            except OSError:
                continue
    except ConfigError:  # of a folder that is not linted now
        return True
    return False


def _others(config: Config, files: Iterable[Path], configs: Configs) -> Iterator[Path]:
    if config.marked:
        yield from walk(config.root, configs)
        return
    seen: set[Path] = set()
    for folder in sorted({file.parent for file in files}):
        top = folder
        while (top / "__init__.py").is_file() and top.parent != top:
            top = top.parent
        if top == folder:
            yield from sorted(folder.glob("*.py"))
            continue
        package = top / folder.relative_to(top).parts[0]
        if package not in seen:
            seen.add(package)
            yield from walk(package, configs)
