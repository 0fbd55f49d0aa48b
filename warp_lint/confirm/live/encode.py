"""Judgements and steps as plain data for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from warp_lint.confirm.live.judgement import Judgement, Parameter
from warp_lint.confirm.live.recorder import Recorder
from warp_lint.confirm.live.steps import Step, Touch

ELEMENTS = 64
MAX_STEPS = 4_000


def encode_judgement(judgement: Judgement) -> dict[str, Any]:
    return {
        "status": judgement.status,
        "reason": judgement.reason,
        "seconds": judgement.seconds,
        "launches": judgement.launches,
        "parameters": [encode_parameter(p) for p in judgement.parameters],
        "culprits": [{k: v for k, v in c.items() if k != "group"} for c in judgement.culprits],
        "observations": judgement.observations,
        "method": judgement.method,
        "value": judgement.value,
        "bytes": judgement.size,
        "unclear": judgement.unclear,
    }


def encode_parameter(parameter: Parameter) -> dict[str, Any]:
    """`elements`: up to 64 of {index, ad, ideal, fd, error, kink}; those with a difference first."""
    own, ideal = parameter.own, parameter.ideal
    count = own.size
    numbers = list(parameter.fd) if parameter.fd else []
    if count <= ELEMENTS:
        numbers = list(range(count))
    elif not numbers:
        gap = np.abs(np.nan_to_num(own - ideal))
        numbers = [int(i) for i in np.argsort(-gap, kind="stable")[:ELEMENTS]]
    rows = []
    for number in numbers[:ELEMENTS]:
        found = parameter.fd.get(number)
        rows.append(
            {
                "index": int(number),
                "ad": float(own[number]),
                "ideal": float(ideal[number]),
                "fd": float(found.value) if found is not None and found.known else None,
                "error": float(found.error) if found is not None and found.known else None,
                "kink": bool(found.kink) if found is not None else False,
            }
        )
    return {
        "name": parameter.name,
        "size": int(count),
        "shape": list(parameter.touch.shape),
        "inner": list(parameter.touch.element.inner),
        "seed": parameter.region.seed,
        "elements": rows,
        "directions": [
            {
                "ad": float(ad),
                "ideal": float(ideal),
                "fd": float(d.value),
                "error": float(d.error),
                "kink": bool(d.kink),
            }
            for ad, ideal, d in parameter.directions
        ],
    }


def encode_steps(recorder: Recorder) -> dict[str, Any]:
    steps = recorder.steps[:MAX_STEPS]
    return {
        "steps": [_step(recorder, s) for s in steps],
        "total": recorder.counter,
        "tapes": [{"id": r.id, "site": [r.site.path, r.site.line], "name": r.name} for r in recorder.tape_list],
    }


def _step(recorder: Recorder, step: Step) -> dict[str, Any]:
    adj = getattr(step.kernel, "adj", None)
    result: dict[str, Any] = {
        "index": step.index,
        "kind": step.kind,
        "detail": step.detail,
        "site": [step.site.path, step.site.line],
        "path": [[s.path, s.line] for s in step.call_path],
        "tape": step.tape,
        "recorded": step.recorded,
        "touches": [_touch(recorder, t) for t in step.touches],
    }
    if step.library is not None:
        result["library"] = [step.library.path, step.library.line]
    if adj is not None:
        result["kernel"] = [str(step.kernel.key), str(adj.filename), int(adj.fun_lineno)]
        result["scalars"] = {".".join(k): v for k, v in step.scalars.items()}
        result["structs"] = {".".join(k): v for k, v in step.structs.items()}
    if isinstance(step.value, bool | int | float):
        result["value"] = step.value
    if "gradient" in step.options:
        result["gradient"] = step.options["gradient"]
    return result


def _touch(recorder: Recorder, touch: Touch) -> dict[str, Any]:
    primal = recorder.primal(touch.pointer)
    result: dict[str, Any] = {
        "path": list(touch.path),
        "name": touch.name,
        "low": touch.low,
        "high": touch.high,
        "delta": touch.delta,
        "shape": list(touch.shape),
        "dtype": touch.element.name,
        "floating": touch.element.floating,
        "wrote": touch.wrote or touch.after is not None,
    }
    if touch.retain:
        result["retain"] = True
    if primal is not None and primal.ptr:
        result["gradient_of"] = primal.ptr
    return result
