"""What the host side knows of a kernel's launches, as the kernel rules need it."""

from __future__ import annotations

from dataclasses import dataclass, field

from warp_lint.kernels.effects import Path


@dataclass(frozen=True, slots=True)
class LaunchContext:
    """One kind of differentiated launch of a kernel.

    `active`: paths whose arrays carry a gradient (or may: unknown `requires_grad` counts as active).
    `useful`: written paths whose adjoint is not known to be zero; None: not known.
    `varied`: paths whose value depends on a leaf of interest; None: not known.
    `scalars`: known int and bool scalars by path.
    `assumed`: the launch was reached through an assumption, so findings are one step lower.
    """

    active: frozenset[Path]
    useful: frozenset[Path] | None = None
    varied: frozenset[Path] | None = None
    scalars: tuple[tuple[Path, object], ...] = ()
    aliases: tuple[frozenset[Path], ...] = ()  # parameters that are the same memory
    assumed: bool = False
    zeros: frozenset[Path] = frozenset()  # fields of struct arguments that hold zero
    # Shapes of arrays that the kernel indexes from the end.
    sizes: tuple[tuple[Path, tuple[int | None, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class KernelActivity:
    """`status`: "active" (a differentiated launch is seen), "inactive" (all launches are seen and none
    is differentiated), "unknown" (no launch is seen, or not all could be followed)."""

    status: str = "unknown"
    contexts: tuple[LaunchContext, ...] = field(default=())


UNKNOWN = KernelActivity()
