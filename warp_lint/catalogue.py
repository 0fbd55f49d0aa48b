"""The rules' pages, from the installed package or from the checkout it was installed from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from warp_lint.codes import Rule

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folder() -> Traversable:
    """The catalogue: in a wheel below the package, in an editable install `rules/` beside it."""
    packaged = resources.files("warp_lint") / "_catalogue"
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parent.parent / "rules"


def page(rule: Rule) -> str | None:
    """Text of the rule's page (Markdown), or None if it has none."""
    file = folder() / rule.directory / "README.md"
    return file.read_text("utf-8") if file.is_file() else None


def describe(rule: Rule) -> str:
    """The rule's page, or what the table says where there is none."""
    text = page(rule)
    if text is not None:
        return text
    versions = f" Warp {rule.versions}." if rule.versions else ""
    return f"# {rule.code} {rule.name}\n\nReports: {rule.summary} ({rule.severity}).{versions}\n"
