"""Verdicts from samples."""

import math

from warp_lint.confirm.judge import Outcome, disagrees, verdict
from warp_lint.findings import Status


def sample(outcome, **more):
    texts = dict.fromkeys(("why", "restored", "alone", "where"), "")
    marks = dict.fromkeys(("flat", "kinked", "identity"), False)
    base = {"outcome": outcome, "ad": None, "fd": None, "moved": True, **texts, **marks}
    return {**base, **more}


AGREE = sample("agree")
UNSURE = sample("unsure", why="a kink")


def mismatch(restored="same", alone="mismatch", **more):
    return sample("mismatch", restored=restored, alone=alone, ad=1.0, fd=2.0, where="x[0]", **more)


def status(code, samples, codes=()):
    return verdict(code, Outcome(samples=samples, precision="double"), codes).status


def test_two_mismatches_confirm_and_one_does_not():
    assert status("ADJ105", [mismatch(), mismatch()]) is Status.CONFIRMED
    assert status("ADJ105", [mismatch(), *[AGREE] * 9]) is Status.INCONCLUSIVE


def test_five_agreements_refute_and_four_do_not():
    assert status("ADJ105", [AGREE] * 5) is Status.REFUTED
    assert status("ADJ105", [*[AGREE] * 4, *[UNSURE] * 9]) is Status.INCONCLUSIVE


def test_an_overwrite_and_a_wrong_adjoint_are_told_apart_when_both_are_reported():
    both = ("ADJ101", "ADJ104")
    overwrite = [mismatch("agree"), mismatch("agree")]
    assert status("ADJ101", overwrite, both) is Status.CONFIRMED
    assert status("ADJ104", overwrite, both) is Status.REFUTED
    adjoint = [mismatch("same"), mismatch("same")]
    assert status("ADJ101", adjoint, both) is Status.REFUTED
    assert status("ADJ104", adjoint, both) is Status.CONFIRMED


def test_a_wrong_gradient_that_no_other_finding_explains_is_never_refuted():
    assert status("ADJ102", [mismatch("same"), mismatch("same")], ("ADJ102",)) is Status.CONFIRMED


def test_racing_threads_are_no_proof_except_across_threads():
    races = [mismatch(alone="agree")] * 6
    assert status("ADJ105", races) is Status.REFUTED
    assert status("ADJ110", races) is Status.CONFIRMED


def test_singular_points():
    hit = Outcome(singular=[sample("mismatch", ad=math.nan, where="x[0] = 0")])
    assert verdict("ADJ502", hit).status is Status.CONFIRMED
    assert verdict("ADJ502", Outcome(singular=[AGREE] * 5)).status is Status.REFUTED
    assert verdict("ADJ502", Outcome(singular=[sample("invalid", why="no")] * 9)).status is Status.INCONCLUSIVE


def test_a_crash_of_the_adjoint_alone_proves_a_diverged_replay():
    crash = Outcome(failed="the adjoint crashed", adjoint_died=True)
    assert verdict("ADJ203", crash).status is Status.CONFIRMED
    assert verdict("ADJ104", crash).status is Status.INCONCLUSIVE


def test_flat_operations_have_nothing_to_measure():
    assert status("ADJ503", [AGREE] * 5) is Status.UNTESTED
    assert status("ADJ503", [mismatch(), mismatch()]) is Status.CONFIRMED  # `wp.frac`


def test_gradients_on_purpose_are_not_reported():
    assert disagrees(Outcome(samples=[mismatch()] * 2)) is not None
    assert disagrees(Outcome(samples=[mismatch(flat=True)] * 2)) is None
    assert disagrees(Outcome(samples=[mismatch(identity=True)] * 2)) is None


def test_reasons_to_run_a_kernel_explain_nothing():
    assert status("ADJ102", [mismatch("same"), mismatch("same")], ("ADJ102", "all", "ADJ206")) is Status.CONFIRMED
