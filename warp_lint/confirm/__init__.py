"""Proving findings by running code. Nothing here is imported before something is to be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warp_lint.confirm.record import Recording


def recording(backwards: int = 9) -> Recording:
    """Check the gradients of what runs inside a `with` block, in this process.

        with warp_lint.confirm.recording() as run:
            train()
        assert run.right, run.text

    `backwards`: tape entries checked per call site. Raises RuntimeError if Warp can't be recorded. Modules
    that took `launch` or `copy` out of Warp by name before the block aren't seen.
    """
    from warp_lint.confirm.record import Recording

    return Recording(backwards)
