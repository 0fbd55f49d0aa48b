"""Pieces of code taken out of a project."""

from __future__ import annotations

from dataclasses import dataclass, field

from warp_lint.syntax.module import Definition

PRECISIONS = ("original", "double")


class UnresolvedError(Exception):
    """Something the code needs can't be had without running the user's module."""

    def __init__(self, name: str, why: str = "its value isn't known without running the file") -> None:
        super().__init__(name, why)
        self.name = name
        self.why = why


@dataclass(slots=True)
class Item:
    """`sources` maps a precision to lines of code that bind `name`. `single_only` marks code that
    Warp can't compile in double precision; `literals` are the float constants in its body. `assumed` says
    what was made up about it; `marks` are the numbers of those in its source "marked"."""

    name: str
    kind: str
    sources: dict[str, str] = field(default_factory=dict)
    needs: list[str] = field(default_factory=list)
    single_only: bool = False
    handles: set[str] = field(default_factory=set)
    literals: set[float] = field(default_factory=set)
    externals: set[str] = field(default_factory=set)
    generic: bool = False
    definition: Definition | None = None
    assumed: str = ""
    marks: list[int] = field(default_factory=list)
