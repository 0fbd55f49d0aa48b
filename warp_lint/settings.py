"""What the analysis needs to know besides the source."""

from __future__ import annotations

from dataclasses import dataclass, field

from packaging.version import Version

NEWEST_KNOWN = Version("1.19.0")
OLDEST_KNOWN = Version("1.12.0")


@dataclass(frozen=True, slots=True)
class Settings:
    """`target`: the Warp version whose behaviour is judged. `differentiates`: the project gate, False
    where nothing in the project is ever differentiated (kernel findings are then silent).
    `assume_active`: kernels whose launches aren't seen count as active (a library for others)."""

    target: Version = field(default_factory=lambda: NEWEST_KNOWN)
    differentiates: bool = True
    assume_active: bool = False
