"""What comes of the check of one backward: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from warp_lint.confirm.live.differences import Difference
from warp_lint.confirm.live.steps import Touch
from warp_lint.confirm.live.window import Region


@dataclass(slots=True)
class Parameter:
    """An array whose gradient is judged. Arrays are flat float64. `fd` holds a Difference by flat index."""

    name: str
    region: Region
    touch: Touch
    delta: int
    user: Any = None
    own: Any = None
    ideal: Any = None
    certain: Any = None  # ideal, but without the repairs of what the program may mean to do
    fd: dict[int, Difference] = field(default_factory=dict)
    directions: list[tuple[float, float, Difference]] = field(default_factory=list)
    note: str = ""
    natural: float = 0.0  # size of derivatives that matter: objective over the array's own size


@dataclass(slots=True)
class Judgement:
    """Outcome for one backward. `status`: "right", "wrong" or "inconclusive"."""

    status: str
    reason: str = ""
    parameters: list[Parameter] = field(default_factory=list)
    culprits: list[dict[str, Any]] = field(default_factory=list)
    observations: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    launches: int = 0
    method: str = "differences"
    value: float | None = None  # of what is differentiated, where it could be computed again
    size: int = 4  # bytes of the coarsest floating-point type on the tape
    unclear: list[str] = field(default_factory=list)  # arrays that differences say nothing about
