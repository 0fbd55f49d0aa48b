"""Which packages are installed for an interpreter, without importing them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import lru_cache

_PROBE = """
import sys, importlib.util
spec = importlib.util.find_spec(sys.argv[1])
print(spec and (spec.origin or list(spec.submodule_search_locations)))
"""
_FOLDERS = ("site-packages", "dist-packages")


@lru_cache(maxsize=256)
def installed(name: str, python: str) -> bool:
    """Whether a top-level package lies among an interpreter's installed packages: other modules that it
    could import are the user's own, which are never imported."""
    if python == sys.executable:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return False
        if spec is None:
            return False
        place = spec.origin or str(list(spec.submodule_search_locations or ()))
    else:
        try:
            # Isolated: neither the working folder nor PYTHONPATH counts.
            run = subprocess.run([python, "-I", "-c", _PROBE, name], capture_output=True, text=True, timeout=20)
        except (OSError, subprocess.SubprocessError):
            return False
        place = run.stdout
    return any(folder in place for folder in _FOLDERS)
