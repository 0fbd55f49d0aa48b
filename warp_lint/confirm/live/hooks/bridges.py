"""Hooks for arrays that leave for torch, JAX and NumPy, and for torch's optimizers, which read gradients unseen."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.hooks.arrays import note_read

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder

CONVERSIONS = ("to_torch", "to_jax", "to_paddle", "to_dlpack")


def install(recorder: Recorder) -> None:
    module, array = recorder.warp.module, recorder.warp.array
    for name in CONVERSIONS:
        original = getattr(module, name, None)
        if callable(original):
            recorder.patch(module, name, conversion_hook(recorder, original, name))
    interface = array.__dict__.get("__array_interface__")
    if isinstance(interface, property):
        recorder.patch(array, "__array_interface__", interface_hook(recorder, interface))
    if "__dlpack__" in array.__dict__:
        recorder.patch(array, "__dlpack__", conversion_hook(recorder, array.__dlpack__, "__dlpack__"))


def conversion_hook(recorder: Recorder, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def convert(array: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.idle:
            return original(array, *args, **kwargs)
        with recorder.quiet():  # the gradient that goes along isn't read by that
            result = original(array, *args, **kwargs)
        note_read(recorder, array, name)
        if name == "to_torch":
            watch_optimizers(recorder)
        return result

    return convert


def interface_hook(recorder: Recorder, original: property) -> property:
    getter = original.fget
    assert getter is not None

    def interface(array: Any) -> Any:
        result = getter(array)
        if not recorder.idle:
            note_read(recorder, array, "__array_interface__")
        return result

    return property(interface, doc=original.__doc__)


def watch_optimizers(recorder: Recorder) -> None:
    """From the first tensor on, a step of any torch optimizer counts as a read of its parameters' gradients."""
    if recorder.torch_watched:
        return
    recorder.torch_watched = True
    optimizer = sys.modules.get("torch.optim.optimizer")
    register = getattr(optimizer, "register_optimizer_step_pre_hook", None)
    if register is None:  # torch before 2.1, or without optimizers
        return

    def before_step(stepped: Any, *_: Any) -> None:
        if recorder.idle:
            return
        try:
            for group in stepped.param_groups:
                for parameter in group["params"]:
                    gradient = parameter.grad
                    if gradient is None or gradient.device.type != "cpu":
                        continue
                    primal = recorder.primal(gradient.data_ptr())
                    if primal is not None:
                        note_read(recorder, primal.grad, "optimizer")
        except Exception as error:
            recorder.trouble(error)

    handle = register(before_step)
    recorder.at_uninstall.append(handle.remove)
