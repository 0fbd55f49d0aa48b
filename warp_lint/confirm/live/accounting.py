"""Gradients as an account: what each backward pays in, what the program takes out, what is cleared.

Accumulation is no error by itself; taking out what was taken before is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warp_lint.confirm.live.recorder import Recorder
from warp_lint.confirm.live.steps import Step, TapeRecord, Touch

LARGEST = 1 << 22  # elements of the largest gradient followed


@dataclass(slots=True)
class Account:
    """One array's gradient. `paid`: numbers of the backwards whose part is in it; `taken`: those among
    them that the program has read already; `fresh`: the part that it has not; `last`: contents after the
    latest backward; `reworked`: contents that the program made of those, and has read."""

    name: str
    paid: list[int] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    fresh: Any = None
    last: Any = None
    reworked: Any = None
    before: Any = None
    owed: bool = False
    backward: Step | None = None


class Accounts:
    """Follows the gradients of checked tapes; tells of what is taken twice or cleared before it is taken."""

    def __init__(self, recorder: Recorder, tell: Callable[[dict[str, Any]], None]) -> None:
        self.recorder = recorder
        self.tell = tell
        self.accounts: dict[int, Account] = {}
        self.number = 0
        self.corrected: dict[int, list[float]] = {}  # what the latest backward should have paid, by address
        self.missed: dict[int, dict[str, Any]] = {}  # gradients that unrecorded launches keep from an array

    def _arrays(self, record: TapeRecord) -> list[Any]:
        warp = self.recorder.warp
        found: dict[int, Any] = {}
        for entry in record.tape.launches:
            step = record.steps.get(id(entry))
            if step is None:
                continue
            values = list(step.keep) if step.kind != "launch" else [*entry[3], *entry[4], *step.keep]
            for value in values:
                if warp.is_array(value) and getattr(value, "grad", None) is not None and value.grad.ptr:
                    found[value.grad.ptr] = value
        return [a for a in found.values() if a.size <= LARGEST and warp.on_cpu(a) and warp.element(a.dtype).floating]

    def _contents(self, array: Any) -> Any:
        return self.recorder.touch_array(array.grad, "gradient").view().astype(float).copy()

    def before(self, record: TapeRecord) -> None:
        self.number += 1
        if not record.checked:
            return
        for array in self._arrays(record):
            pointer = array.grad.ptr
            now = self._contents(array)
            account = self.accounts.get(pointer)
            if account is None or (account.last is not None and account.last.shape != now.shape):
                account = self.accounts[pointer] = Account(self._name(record, array))
            if not now.any() or (account.last is not None and not np.array_equal(now, account.last, equal_nan=True)):
                # Cleared, or changed by the program: what is in it is the program's own, unless it was taken too.
                if now.any() and account.reworked is not None and np.array_equal(now, account.reworked, equal_nan=True):
                    account.taken.update(account.paid)
                else:
                    account.paid, account.taken = [], set()
                account.fresh = None
            account.before, account.reworked = now, None

    def given(self, pointer: int) -> bool:
        """Whether the gradient at an address is what the program put there, and no backward pass before."""
        account = self.accounts.get(pointer)
        return account is not None and account.before is not None and not account.paid and bool(account.before.any())

    def _name(self, record: TapeRecord, array: Any) -> str:
        for step in record.steps.values():
            for touch in step.touches:
                if touch.pointer == array.ptr and touch.name:
                    return touch.name
        return "an array"

    def after(self, record: TapeRecord) -> None:
        if not record.checked:
            return
        backward = self.recorder.steps[-1]
        for array in self._arrays(record):
            account = self.accounts.get(array.grad.ptr)
            if account is None or account.before is None:
                continue
            now = self._contents(array)
            part = now - account.before
            right = self.corrected.get(array.grad.ptr)
            if right is not None and len(right) == part.size:
                part = np.asarray(right).reshape(part.shape)
            account.before = None
            account.last = now
            if part.any() or now.any():
                account.paid.append(self.number)
                account.fresh = part if account.fresh is None else account.fresh + part
                account.owed = bool(part.any())
                account.backward = backward
        self.corrected = {}

    def read(self, step: Step) -> None:
        if step.kind == "launch" and step.detail == "adjoint":
            return
        for index, touch in enumerate(step.touches):
            if touch.pointer in self.missed and not (step.kind == "copy" and index == 0):
                self._missed(step, touch)
            account = self.accounts.get(touch.pointer)
            if account is None or account.last is None:
                continue
            if step.kind == "copy" and index == 0:
                continue
            array = self.recorder.primal(touch.pointer)
            if array is None:
                continue
            now = (
                np.asarray(touch.before, dtype=np.uint8) if touch.before is not None and step.kind == "launch" else None
            )
            contents = (
                touch.view(now.ctypes.data - touch.low).astype(float) if now is not None else touch.view().astype(float)
            )
            if contents.shape != account.last.shape:
                continue
            if not np.array_equal(contents, account.last, equal_nan=True):
                if account.owed and not contents.any() and account.last.any():
                    self._stale(step, account, array)
                    account.owed = False
                elif account.taken and contents.any() and self._clearing(array, account.backward) is None:
                    account.reworked = contents
                continue
            new = [n for n in account.paid if n not in account.taken]
            if account.taken and new and account.fresh is not None:
                self._twice(step, account)
            account.taken.update(account.paid)
            account.fresh = None
            account.owed = False

    def _missed(self, step: Step, touch: Touch) -> None:
        candidate = self.missed[touch.pointer]
        values = candidate["values"]
        contents = touch.view().astype(float).ravel()
        if self.recorder.primal(touch.pointer) is None or contents.any() or len(values) != contents.size:
            return
        del self.missed[touch.pointer]
        if candidate.get("consumed"):
            code, kind = "ADJ407", "consumed"
        elif candidate["other"]:
            code, kind = "ADJ410", "seedless"
        else:
            code, kind = "ADJ411", "unrecorded-forward"
        self.tell(
            {
                "code": code,
                "kind": kind,
                "array": candidate["array"],
                "actor": candidate["actor"],
                "site": candidate["site"],
                "read": _pair(step.site),
                "ad": [0.0] * min(len(values), 256),
                "fd": values[:256],
                "element": int(np.argmax(np.abs(values))),
            }
        )

    def _twice(self, step: Step, account: Account) -> None:
        gap = np.abs(account.last - account.fresh)
        if not gap.any():
            return
        number = int(np.nanargmax(gap))
        self.tell(
            {
                "code": "ADJ402",
                "kind": "missing-zero",
                "array": account.name,
                "site": _pair(account.backward.site if account.backward is not None else None),
                "read": _pair(step.site),
                "ad": account.last.ravel().tolist()[:256],
                "fd": account.fresh.ravel().tolist()[:256],
                "element": number,
                "passes": len(account.paid),
            }
        )

    def _clearing(self, array: Any, since: Step | None = None) -> Step | None:
        """The latest step that cleared an array's gradient, after `since`."""
        for step in reversed(self.recorder.steps):
            if since is not None and step.index <= since.index:
                return None
            if step.kind == "tape" and step.detail in ("zero", "reset"):
                if any(r() is array for r in step.keep if callable(r)):
                    return step
            elif step.kind == "fill" and step.options.get("gradient") == "write" and step.options["primal"]() is array:
                return step
        return None

    def _stale(self, step: Step, account: Account, array: Any) -> None:
        cleared = self._clearing(array)
        if cleared is None:
            return
        self.tell(
            {
                "code": "ADJ407",
                "kind": "stale-gradient",
                "array": account.name,
                "site": _pair(cleared.site),
                "read": _pair(step.site),
                "ad": [0.0] * min(account.last.size, 256),
                "fd": account.last.ravel().tolist()[:256],
                "element": int(np.argmax(np.abs(account.last))),
            }
        )


def _pair(site: Any) -> list[Any]:
    return [site.path, site.line] if site is not None else ["", 0]
