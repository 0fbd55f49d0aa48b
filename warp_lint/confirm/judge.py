"""From the samples of a kernel to the verdict on one finding about it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warp_lint.findings import Status, Verdict

MISMATCHES = 2
AGREEMENTS = 5

# Codes whose gradient is right once overwritten memory is put back.
OVERWRITES = frozenset(["ADJ101", "ADJ102", "ADJ103", "ADJ110"])
ACROSS_THREADS = frozenset(["ADJ103", "ADJ110"])
SINGULAR = frozenset(["ADJ501", "ADJ502"])
# Zero is the right derivative of a flat operation; there is nothing to measure.
FLAT = frozenset(["ADJ503"])
# Side effects that are repeated by the replay, and updates across threads: putting memory back may or
# may not undo them.
EITHER = frozenset(["ADJ110", "ADJ203"])

NOTHING = "the kernel changed no floating point number"

# Reasons to run a kernel that aren't findings about it.
ALL, CUSTOM = "all", "ADJ206"
# Codes of a replay that takes another way than the forward did.
DIVERGING = frozenset(["ADJ105", "ADJ106", "ADJ107", "ADJ203"])

Sample = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Samples of one kernel as the worker reported them, or the reason why there are none. `marks`: numbers
    of the places that inputs should reach."""

    samples: Sequence[Sample] = ()
    singular: Sequence[Sample] = ()
    precision: str = ""
    failed: str = ""
    adjoint_died: bool = False
    marks: Collection[int] = ()
    reached: Collection[int] | None = None  # of the marks; None if that isn't known


def verdict(code: str, outcome: Outcome, codes: Collection[str] = ()) -> Verdict:
    """What the samples say about a finding with this code. `codes` are those of all findings about
    the same kernel: a wrong gradient that another one explains doesn't confirm this one."""
    if outcome.adjoint_died and code in DIVERGING:
        return Verdict(Status.CONFIRMED, outcome.failed, "the kernel alone")
    if outcome.failed:
        return Verdict(Status.INCONCLUSIVE, outcome.failed)
    if code in SINGULAR:
        return _singular(outcome)
    regular = _regular(code, outcome, codes)
    if code in FLAT and regular.status is Status.REFUTED:
        return Verdict(Status.UNTESTED, "zero is the right derivative of a flat operation")
    return regular


def agrees(samples: Sequence[Sample]) -> bool:
    """Whether a kernel's gradient seems right, or nothing is known of it, so that it is worth asking what
    the inputs reached."""
    if samples and all(s["outcome"] == "invalid" and s["why"] == NOTHING for s in samples):
        return True
    return _agree(samples)


def right(outcome: Outcome) -> bool:
    """Whether a kernel's gradient was seen to agree with finite differences."""
    return not outcome.failed and _agree(outcome.samples)


def _agree(samples: Sequence[Sample]) -> bool:
    right = sum(1 for s in samples if "agree" in (s["outcome"], s["alone"]))
    wrong = any(s["outcome"] == "mismatch" and not s["flat"] and s["alone"] != "agree" for s in samples)
    return right >= AGREEMENTS and not wrong


def _method(outcome: Outcome) -> str:
    return f"central differences of the kernel alone, {outcome.precision} precision"


def _regular(code: str, outcome: Outcome, codes: Collection[str]) -> Verdict:
    mismatches = [s for s in outcome.samples if s["outcome"] == "mismatch"]
    agreements = sum(1 for s in outcome.samples if s["outcome"] == "agree")
    if code not in ACROSS_THREADS:
        # Threads that race for an element aren't what the rule is about.
        agreements += sum(1 for s in mismatches if s["alone"] == "agree")
        mismatches = [s for s in mismatches if s["alone"] != "agree"]
    matching = [s for s in mismatches if _fits(code, s)]
    if len(matching) >= MISMATCHES:
        return _confirmed(matching, outcome)
    if len(mismatches) >= MISMATCHES:
        shown = _worst(mismatches)
        if code in OVERWRITES:
            reason = "the gradient is wrong, but putting overwritten values back doesn't change it"
        else:
            reason = "the gradient is wrong only because of overwritten array elements"
        explained = any(
            _fits(other, s) for other in codes for s in mismatches if other not in SINGULAR | {code, ALL, CUSTOM}
        )
        status = Status.REFUTED if explained else Status.CONFIRMED
        return Verdict(status, reason, _method(outcome), shown["ad"], shown["fd"], _error(shown), shown["where"])
    if mismatches:
        return Verdict(Status.INCONCLUSIVE, "one mismatch that other inputs didn't show", _method(outcome))
    if agreements >= AGREEMENTS:
        return Verdict(Status.REFUTED, f"autodiff agrees on {agreements} sets of inputs", _method(outcome))
    return Verdict(Status.INCONCLUSIVE, _why(outcome.samples), _method(outcome))


def _fits(code: str, sample: Sample) -> bool:
    """Whether a mismatch has the cause that the rule names."""
    if code in EITHER:
        return True
    if code in OVERWRITES:
        return bool(sample["restored"] != "same")
    return bool(sample["restored"] != "agree")


def _confirmed(samples: Sequence[Sample], outcome: Outcome) -> Verdict:
    shown = _worst(samples)
    return Verdict(Status.CONFIRMED, "", _method(outcome), shown["ad"], shown["fd"], _error(shown), shown["where"])


def _worst(samples: Sequence[Sample]) -> Sample:
    """The sample to show: one that names an element, with ordinary numbers."""
    return min(samples, key=lambda s: (s["where"] == "random direction", s["fd"] is None, -_error(s) > -0.05))


def _error(sample: Sample) -> float:
    ad, fd = sample["ad"], sample["fd"]
    if ad is None or fd is None or not (math.isfinite(ad) and math.isfinite(fd)):
        return math.inf
    size = max(abs(ad), abs(fd))
    return abs(ad - fd) / size if size > 0.0 else 0.0


def _singular(outcome: Outcome) -> Verdict:
    method = "adjoint at singular inputs, in the original precision"
    hits = [s for s in outcome.singular if s["outcome"] == "mismatch"]
    if hits:
        return Verdict(
            Status.CONFIRMED, "the adjoint isn't finite where the forward is", method, hits[0]["ad"], None, math.inf,
            hits[0]["where"],
        )  # fmt: skip
    # Away from the points tried, a regular sample may have met one too.
    agreements = sum(1 for s in outcome.singular if s["outcome"] == "agree")
    if agreements >= AGREEMENTS:
        return Verdict(Status.REFUTED, f"the adjoint is finite on {agreements} sets of singular inputs", method)
    return Verdict(Status.INCONCLUSIVE, _why(outcome.singular), method)


def _why(samples: Sequence[Sample]) -> str:
    reasons = Counter(str(s["why"]) for s in samples if s["why"])
    if not reasons:
        return "too few inputs gave a result"
    return reasons.most_common(1)[0][0]


def disagrees(outcome: Outcome) -> Sample | None:
    """For a func with its own gradient: the mismatch to report, if any. A forward that is flat or
    returns its argument unchanged has a gradient of its own on purpose."""
    apart = [s for s in outcome.samples if s["outcome"] == "mismatch" and not s["flat"] and not s["identity"]]
    alone = [s for s in apart if s["alone"] != "agree"]
    return _worst(alone) if len(alone) >= MISMATCHES else None


def wrong(outcome: Outcome) -> Sample | None:
    """For a kernel that no rule flagged: the mismatch to report, if any."""
    apart = [s for s in outcome.samples if s["outcome"] == "mismatch" and s["alone"] != "agree" and not s["flat"]]
    return _worst(apart) if len(apart) >= MISMATCHES else None
