"""Hook for members of structs that are set: launches hold the instance, and pack it again at backward time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder

KEPT = 64  # latest writes kept of one instance
MAX_STRUCTS = 10_000


def install(recorder: Recorder) -> None:
    owner = getattr(recorder.warp.codegen, "StructInstance", None)
    if owner is not None and "__setattr__" in owner.__dict__:
        recorder.patch(owner, "__setattr__", set_hook(recorder, owner.__setattr__))


def set_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def setter(instance: Any, name: str, value: Any) -> None:
        original(instance, name, value)
        if recorder.idle:
            return
        try:
            writes = recorder.struct_writes
            if len(writes) > MAX_STRUCTS:
                writes.clear()
            found = writes.setdefault(id(instance), [])
            found.append((recorder.counter, name, recorder.sites.here(2)[0]))
            del found[:-KEPT]
        except Exception as error:
            recorder.trouble(error)

    return setter
