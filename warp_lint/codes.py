"""The table of rules: code, name, default severity, range of Warp versions.

Plain data, imported by every front end, so it imports nothing heavy. Codes are never reused.
"""

from __future__ import annotations

from dataclasses import dataclass

from warp_lint.findings import Severity

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `versions` is a PEP 440 specifier of the Warp versions it applies to."""

    code: str
    name: str
    severity: Severity
    summary: str
    versions: str = ""

    @property
    def directory(self) -> str:
        """Name of the rule's folder in the catalogue."""
        return f"{self.code}-{self.name}"


_TABLE: tuple[tuple[str, str, Severity, str, str], ...] = (
    ("ADJ101", "inplace-multiply", ERROR, "array element multiplied or divided in place", ""),
    ("ADJ102", "self-overwrite", ERROR, "array element overwritten by a function of itself", ""),
    ("ADJ103", "overwritten-read", ERROR, "array element read, then overwritten in the same kernel", ""),
    (
        "ADJ104",
        "component-reassignment",
        ERROR,
        "component of a local vector or matrix assigned over a differentiable value",
        "",
    ),
    ("ADJ105", "loop-carried-value", ERROR, "value carried by a rolled loop that an adjoint in the loop needs", ""),
    ("ADJ106", "loop-result", ERROR, "result of a rolled loop that an adjoint outside the loop needs", ""),
    ("ADJ107", "loop-exit", ERROR, "`break` or `return` inside a differentiated loop", ""),
    ("ADJ108", "local-array", ERROR, "array created in a kernel carries no gradient", ""),
    ("ADJ109", "undifferentiated-atomic", ERROR, "atomic without an adjoint on a gradient path", ""),
    ("ADJ110", "neighbour-update", ERROR, "array updated in place from other threads' elements", ""),
    ("ADJ111", "struct-component-write", ERROR, "component of a struct's vector assigned", ""),
    ("ADJ201", "adjoint-assigned", ERROR, "`wp.adjoint[x] =` instead of `+=`", ""),
    ("ADJ202", "adjoint-missing", ERROR, "differentiable input or incoming adjoint unused in a custom gradient", ""),
    ("ADJ203", "replayed-side-effect", ERROR, "side effect executed again by the replay", ""),
    ("ADJ204", "native-without-adjoint", ERROR, "native func without adjoint on a gradient path", ""),
    ("ADJ205", "gradient-in-kernel", WARNING, "`wp.grad()` in a differentiated kernel", ""),
    ("ADJ206", "adjoint-disagrees", ERROR, "custom gradient differs from the derivative of its forward", ""),
    ("ADJ301", "ping-pong", ERROR, "launch overwrites an array that an earlier launch's adjoint needs", ""),
    ("ADJ302", "copy-onto-read", ERROR, "copy overwrites an array that an earlier launch's adjoint needs", ""),
    ("ADJ303", "cleared-on-tape", ERROR, "array cleared or filled on the tape after its use", ""),
    ("ADJ304", "write-before-backward", ERROR, "array written between the tape's end and `backward()`", ""),
    ("ADJ305", "aliased-state", ERROR, "two live states are one object, or an alias without the gradient", ""),
    ("ADJ306", "mutated-launch-argument", ERROR, "launch argument changed between launch and backward", ""),
    ("ADJ307", "copy-before-read", ERROR, "taped copy whose source is read later on the tape", "<1.17"),
    ("ADJ308", "double-write", ERROR, "two launches write one array", "<1.13"),
    ("ADJ401", "tape-scope-leak", ERROR, "work after the loss recorded on the tape", ""),
    ("ADJ402", "missing-zero", ERROR, "gradients accumulate over backward passes", ""),
    ("ADJ403", "reentered-tape", ERROR, "tape entered again without `reset()`", ""),
    ("ADJ404", "severed-gradient", ERROR, "intermediate array without `requires_grad` on the gradient path", ""),
    ("ADJ405", "backward-disabled", ERROR, "launch on the gradient path that has no adjoint", ""),
    ("ADJ406", "retained-rewrite", ERROR, "`retain_grad=True` on an array stored more than once", ">=1.13"),
    ("ADJ407", "stale-gradient", ERROR, "gradient read before its backward or after its zeroing", ""),
    ("ADJ408", "host-round-trip", ERROR, "values leave the tape on the gradient path", ""),
    ("ADJ409", "truncated-horizon", WARNING, "a tape per step with state carried across", ""),
    ("ADJ410", "consumed-seed", ERROR, "seed reused, or backward without loss or seed", ""),
    ("ADJ411", "unrecorded-forward", ERROR, "part of the forward launched outside the tape", ""),
    ("ADJ412", "bridge-accumulates", ERROR, "torch or JAX bridge with gradients that nothing clears", ""),
    ("ADJ413", "loss-accumulates", WARNING, "loss array accumulated into over iterations", ""),
    ("ADJ414", "clone-not-detached", WARNING, "recorded copy meant to cut the gradient, which passes through it", ""),
    ("ADJ501", "where-nan", ERROR, "singular operation in the branch of `wp.where` not taken", ""),
    ("ADJ502", "singular-norm", WARNING, "operation reachable at its singular point", ""),
    ("ADJ503", "flat-operation", INFO, "piecewise-constant operation on the only gradient path", ""),
    ("ADJ901", "syntax-error", ERROR, "file that can't be parsed", ""),
    ("ADJ902", "unused-suppression", WARNING, "suppression comment that suppresses nothing", ""),
    ("ADJ903", "analysis-incomplete", INFO, "what was not followed, and why", ""),
)

RULES: dict[str, Rule] = {row[0]: Rule(*row) for row in _TABLE}
