"""Memory that the program frees while its contents are held: it is freed later.

A check writes to memory as it was when the tape was recorded. Some of it may be freed although its array lives
(`Temporary.release` of `warp.fem`), and belong to something else by then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder


def install(recorder: Recorder) -> None:
    allocator = recorder.warp.allocator
    if allocator is not None:
        recorder.patch(allocator, "deallocate", deallocate_hook(recorder, allocator.deallocate))
        recorder.at_uninstall.append(functools.partial(recorder.free, True))


def deallocate_hook(recorder: Recorder, original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def deallocate(allocator: Any, ptr: int, size_in_bytes: int) -> None:
        if recorder.contents.within(ptr, ptr + size_in_bytes):
            recorder.postponed.append((ptr, size_in_bytes, lambda: original(allocator, ptr, size_in_bytes)))
        else:
            original(allocator, ptr, size_in_bytes)

    return deallocate
