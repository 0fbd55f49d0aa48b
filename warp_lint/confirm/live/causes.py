"""Which repairs a wrong gradient lacks: each left out of the ideal sweep alone, and its effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.comparison import EXACT, values_of
from warp_lint.confirm.live.culprits import describe_groups
from warp_lint.confirm.live.judgement import Judgement
from warp_lint.confirm.live.shadow import Shadow

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check

MAX_GROUPS = 40


def find_causes(check: Check, judgement: Judgement, ideal: Any) -> None:
    shadow = check.shadow
    groups = describe_groups(check, shadow)
    for group, description in list(groups.items())[:MAX_GROUPS]:
        if check.late and judgement.culprits:
            break
        on = check.everything([group])
        effect = effect_of(check, judgement, shadow, check.sweep(on), on)
        if effect is None and group[0] != "own":
            # Another repair may mend the same thing: does this one alone change anything? What a step overwrote
            # itself is no cause if undoing what came later is enough.
            alone = frozenset({group})
            effect = effect_of(check, judgement, shadow, check.sweep(alone), alone, alone=True)
        if effect is not None:
            judgement.culprits.append({**description, "group": list(map(str, group)), "effect": effect})
    judgement.culprits.sort(key=lambda c: -float(c["effect"]["relative"]))


def drop_effects_of(culprits: list[dict[str, Any]]) -> None:
    """A launch that needs a value which it overwrites itself has lost it, whatever overwrites its output later."""
    wrong = {c["kernel"] for c in culprits if c["kind"] == "adjoint"}
    culprits[:] = [c for c in culprits if not (c.get("output") and c["reader"] in wrong)]


def effect_of(
    check: Check, judgement: Judgement, shadow: Shadow, swept: Any, on: Any, alone: bool = False
) -> dict[str, Any] | None:
    best: dict[str, Any] | None = None
    for parameter in judgement.parameters:
        if parameter.region.index < 0:
            continue
        found = values_of(
            swept.get(shadow.user_key(parameter.region, parameter.delta, on)), parameter.region, parameter.touch
        )
        reference = parameter.own if alone else parameter.ideal
        finite = np.isfinite(reference)
        gap = np.where(finite, np.abs(found - reference), 0.0)
        scale = max(float(np.max(np.abs(reference[finite]))) if finite.any() else 0.0, 1e-300)
        if alone and gap.any():
            # Only what leads towards the ideal gradient is a cause.
            before, after = np.abs(parameter.own - parameter.ideal), np.abs(found - parameter.ideal)
            if not float(np.nansum(after)) < float(np.nansum(before)):
                continue
        relative = 1000000000.0 if not np.all(np.isfinite(gap)) else float(gap.max()) / scale if gap.size else 0.0
        if relative > EXACT and (best is None or relative > best["relative"]):
            number = int(np.argmax(np.nan_to_num(gap, nan=np.inf))) if gap.size else 0
            best = {"parameter": parameter.name, "element": number, "relative": min(relative, 1e9),
                    "without": float(found[number]), "with": float(parameter.ideal[number])}  # fmt: skip
    return best
