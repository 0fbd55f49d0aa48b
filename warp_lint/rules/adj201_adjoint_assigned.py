from collections.abc import Iterator

from warp_lint.kernels.inspection import Inspection, Report


def check(inspection: Inspection) -> Iterator[Report]:
    return iter(())
