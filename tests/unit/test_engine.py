from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from warp_lint.engine import in_order
from warp_lint.findings import Finding, Location, Note, Severity

PLACE = Location("a.py", 3, 1, 3, 5)
FINDING = Finding("ADJ101", "inplace-multiply", Severity.WARNING, PLACE, "message", "help")


def test_one_finding_per_place_and_message_whatever_the_order():
    noted = replace(FINDING, notes=(Note(PLACE, "b"),))
    other = replace(FINDING, notes=(Note(PLACE, "a"),))
    severe = replace(FINDING, severity=Severity.ERROR, notes=(Note(PLACE, "z"),))
    elsewhere = replace(FINDING, location=replace(PLACE, line=1))
    different = replace(FINDING, message="another")

    def ordered(*findings):
        return {
            tuple(replace(f, fingerprint="") for f in in_order(p, lambda path: None)) for p in permutations(findings)
        }

    assert ordered(noted, other) == {(other,)}
    assert ordered(noted, severe, other) == {(severe,)}
    assert ordered(noted, elsewhere, different) == {(elsewhere, different, noted)}
