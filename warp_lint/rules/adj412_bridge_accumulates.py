"""ADJ412: a bridge to torch or JAX whose persistent arrays keep their gradients from call to call."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding
from warp_lint.rules.adj402_missing_zero import accumulated
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import GradientRead


def check(analysis: Analysis) -> Iterator[Finding]:
    for one in analysis.gradients.accumulated:
        event = analysis.events[one.read]
        if isinstance(event, GradientRead) and event.kind == "torch":
            yield accumulated(analysis, one, "ADJ412")
