"""A recorded tape as a picture's data: steps as columns, arrays as lanes, what happens to them as marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from warp_lint.confirm.places import shown
from warp_lint.confirm.verdicts import Proof

MAX_COLUMNS = 1200
MAX_LANES = 48
_SHOWN = ("launch", "copy", "fill", "call", "function", "backward")


def picture(steps: dict[str, Any], proofs: Sequence[Proof], backwards: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """`columns`: {kind, name, path, line, taped}; `lanes`: {name, arrays, marks: [column, what]}, `what` being
    "read", "write", "update" or "clear"; `arcs`: {lane, from, to, text}, an overwrite after a read."""
    chosen = _chosen(steps, backwards)
    columns: list[dict[str, Any]] = []
    lanes: dict[str, dict[str, Any]] = {}
    memory: dict[str, set[tuple[int, int]]] = {}
    touches: list[list[tuple[str, int, int, str]]] = []
    names = {t["low"]: t["name"] for s in chosen for t in s["touches"] if t["name"]}
    for step in chosen:
        number = len(columns)
        kernel = step.get("kernel")
        columns.append(
            {
                "kind": step["kind"],
                "name": kernel[0] if kernel else step["detail"] or step["kind"],
                "path": shown(step["site"][0]),
                "line": step["site"][1],
                "taped": bool(step["recorded"]),
            }
        )
        row: list[tuple[str, int, int, str]] = []
        if step["kind"] != "backward":
            for position, touch in enumerate(step["touches"]):
                key = _lane(touch, names)
                what = _what(step, touch, position)
                lane = lanes.setdefault(key, {"name": key, "arrays": 0, "marks": []})
                lane["marks"].append([number, what])
                memory.setdefault(key, set()).add((touch["low"], touch["high"]))
                row.append((key, touch["low"], touch["high"], what))
        touches.append(row)
    for key, lane in lanes.items():
        lane["arrays"] = len(memory[key])
    arcs = _arcs(columns, touches, proofs)
    named = {arc["lane"] for arc in arcs}
    order = sorted(lanes, key=lambda k: (k not in named, -len(lanes[k]["marks"])))[:MAX_LANES]
    kept = [lane for key, lane in lanes.items() if key in order]
    return {
        "columns": columns,
        "lanes": kept,
        "arcs": [arc for arc in arcs if arc["lane"] in order],
        "hidden": len(lanes) - len(kept),
        "total": steps.get("total", len(columns)),
    }


def _chosen(steps: dict[str, Any], backwards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of the first tape that is wrong (else of the last judged one), up to its backward."""
    everything = [s for s in steps.get("steps", []) if s["kind"] in (*_SHOWN, "tape")]
    target = next((b for b in backwards if b["status"] == "wrong"), backwards[-1] if backwards else None)
    if target is None:
        return [s for s in everything if s["kind"] in _SHOWN][:MAX_COLUMNS]
    passes = 0
    end = len(everything)
    start = 0
    for position, step in enumerate(everything):
        if (
            step["kind"] == "tape"
            and step["detail"] == "enter"
            and step.get("value") == target["tape"]
            and position < end
        ):
            start = position
        if step["kind"] == "backward":
            passes += 1
            if passes == target["number"]:
                end = position + 1
                break
    return [s for s in everything[start:end] if s["kind"] in _SHOWN][-MAX_COLUMNS:]


def _lane(touch: dict[str, Any], names: dict[int, str]) -> str:
    """Arrays of one name, whatever their index, share a lane."""
    name = touch["name"] or names.get(touch["low"]) or ".".join(touch["path"])
    return re.sub(r"\[[^\]]*\]|\d+$", lambda m: "[]" if m.group().startswith("[") else "", name) or name


def _what(step: dict[str, Any], touch: dict[str, Any], position: int) -> str:
    if step["kind"] == "fill":
        return "clear"
    if step["kind"] == "copy":
        return "write" if position == 0 else "read"
    return "write" if touch["wrote"] else "read"


def _arcs(columns: Sequence[dict[str, Any]], touches: Sequence[Any], proofs: Sequence[Proof]) -> list[dict[str, Any]]:
    """Overwrites that were proven: from the read to the write that comes after it over the same memory."""
    result: list[dict[str, Any]] = []
    for proof in proofs:
        if proof.kind not in ("overwritten", "late", "scope", "own"):
            continue
        writer = proof.launch if proof.kind == "own" else proof.site
        for number, column in enumerate(columns):
            if (column["path"], column["line"]) != writer:
                continue
            for key, low, high, what in touches[number]:
                if what == "read":
                    continue
                if proof.kind == "own":
                    if key.endswith(_base(proof.array)):
                        result.append(
                            {
                                "lane": key,
                                "from": number,
                                "to": number,
                                "text": f"{proof.code}: overwritten by the launch that reads it",
                            }
                        )
                    continue
                for earlier in range(number - 1, -1, -1):
                    if (columns[earlier]["path"], columns[earlier]["line"]) != proof.read:
                        continue
                    if any(a < high and low < b for k, a, b, w in touches[earlier] if w == "read"):
                        result.append(
                            {
                                "lane": key,
                                "from": earlier,
                                "to": number,
                                "text": _story(proof, columns[earlier], column),
                            }
                        )
                        break
            if len(result) > 400:
                return result
    return result


def _story(proof: Proof, reader: dict[str, Any], writer: dict[str, Any]) -> str:
    return f"{proof.code}: read by {reader['name']}, overwritten by {writer['name']}"


def _base(name: str) -> str:
    return re.sub(r"\[[^\]]*\]|\d+$", lambda m: "[]" if m.group().startswith("[") else "", name)
