"""A recorded run as a trace, so that the rules about tapes can be asked about what really happened."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from warp_lint.confirm.places import shown, statement
from warp_lint.findings import Finding, Location
from warp_lint.kernels.effects import Effects
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project
from warp_lint.trace import model as m


def traced(steps: dict[str, Any], project: Project | None, version: str) -> list[Finding]:
    """Findings of the tape rules over a recorded run."""
    from warp_lint.rules.tape import check_traces

    settings = settings_for(version)
    trace = trace_of(steps, project or Project(Path.cwd()), settings)
    if trace is None:
        return []
    return check_traces([trace], settings)


def settings_for(version: str) -> Settings:
    try:
        return Settings(Version(version), assume_active=True)
    except InvalidVersion:
        return Settings(assume_active=True)


def trace_of(steps: dict[str, Any], project: Project, settings: Settings) -> m.Trace | None:
    """The trace of a run's steps; None if there is nothing in them."""
    rows = steps.get("steps", [])
    if not rows:
        return None
    return _Builder(rows, steps, project, settings).build()


class _Builder:
    def __init__(self, rows: list[dict[str, Any]], steps: dict[str, Any], project: Project, settings: Settings) -> None:
        self.rows = rows
        self.project = project
        self.settings = settings
        self.effects: dict[tuple[str, int], Effects | None] = {}
        self.arrays: dict[tuple[Any, ...], m.Array] = {}
        first = rows[0]["path"][0] if rows[0]["path"] else rows[0]["site"]
        self.trace = m.Trace(statement(shown(first[0]), first[1]), recorded=True)
        for tape in steps.get("tapes", []):
            self.trace.tapes[tape["id"]] = m.Tape(tape["id"], self.place(tape["site"]), tape["name"])
        self.roots: list[tuple[int, int]] = []
        self.names = {t["low"]: t["name"] for row in reversed(rows) for t in row["touches"] if t["name"]}

    def place(self, site: list[Any]) -> Location:
        return statement(shown(site[0]), site[1])

    def build(self) -> m.Trace:
        extents: list[tuple[int, int]] = []
        for low, high in sorted({(t["low"], t["high"]) for row in self.rows for t in row["touches"]}):
            if extents and low < extents[-1][1]:
                extents[-1] = (extents[-1][0], max(high, extents[-1][1]))
            elif high > low:
                extents.append((low, high))
        self.roots = extents
        for row in self.rows:
            event = self.event(row)
            if event is not None:
                self.trace.events.append(event)
        return self.trace

    def root(self, low: int) -> int:
        return bisect_right(self.roots, (low, 1 << 63)) - 1

    def array(self, touch: dict[str, Any], site: list[Any]) -> m.Array:
        key = (touch["low"], touch["high"], touch["delta"])
        found = self.arrays.get(key)
        if found is None:
            root = self.root(touch["low"])
            start = touch["low"] - self.roots[root][0]
            whole = touch["high"] - touch["low"] == self.roots[root][1] - self.roots[root][0]
            name = touch["name"] or self.names.get(touch["low"]) or ".".join(touch["path"])
            if root not in self.trace.roots:
                self.trace.roots[root] = m.Root(root, name, self.place(site), dtype=touch["dtype"])
            region = m.Region(root, () if whole else (m.Extent(start, start + touch["high"] - touch["low"]),))
            gradient = root + (1 << 20) if touch["delta"] is not None else None
            found = self.arrays[key] = m.Array(
                len(self.arrays),
                region,
                name,
                touch["delta"] is not None,
                grad_root=gradient,
                retain_grad=bool(touch.get("retain")),
                dtype=touch["dtype"],
                location=self.place(site),
            )
        return found

    def base(self, row: dict[str, Any]) -> dict[str, Any]:
        return {
            "location": self.place(row["site"]),
            "call_path": tuple(self.place(site) for site in row["path"]),
            "library": self.place(row["library"]) if "library" in row else None,
            "tape": row["tape"],
        }

    def event(self, row: dict[str, Any]) -> m.Event | None:
        kind, base, site = row["kind"], self.base(row), row["site"]
        touches = row["touches"]
        if kind == "launch":
            return self.launch(row, base)
        if kind == "copy" and len(touches) == 2:
            destination, source = (self.array(t, site) for t in touches)
            detail = row["detail"] if row["detail"] in ("copy", "assign", "clone") else "copy"
            return m.Copy(destination=destination, source=source, kind=detail, recorded=row["recorded"], **base)
        if kind == "fill" and touches:
            array = self.array(touches[0], site)
            if "gradient" in row:
                return m.GradientWrite(array=self.primal(touches[0], array, site), kind="zero", **base)
            return m.Fill(array=array, kind=row["detail"], value=row.get("value"), **base)
        if kind == "read" and touches:
            array = self.array(touches[0], site)
            if "gradient" in row:
                return m.GradientRead(array=self.primal(touches[0], array, site), kind="numpy", **base)
            return m.HostRead(array=array, kind=row["detail"], **base)
        if kind == "tape":
            return m.TapeEvent(target=row.get("value", 0), action=row["detail"], **base)
        if kind == "backward":
            seeds = [self.array(t, site) for t in touches]
            loss = seeds[0] if len(seeds) == 1 else None
            pairs = tuple((seed, None) for seed in seeds) if loss is None else ()
            return m.Backward(target=row.get("value", 0), loss=loss, seeds=pairs, **base)
        if kind == "call":
            arrays = tuple(self.array(t, site) for t in touches)
            outputs = tuple(a for a, t in zip(arrays, touches, strict=True) if t["wrote"])
            return m.UnrecordedCall(function=row["detail"], inputs=arrays, outputs=outputs, **base)
        if kind == "function":
            return m.RecordFunction(arrays=tuple(self.array(t, site) for t in touches), **base)
        return None

    def primal(self, touch: dict[str, Any], array: m.Array, site: list[Any]) -> m.Array:
        pointer = touch.get("gradient_of")
        return next((a for (low, _, delta), a in self.arrays.items() if low == pointer and delta is not None), array)

    def launch(self, row: dict[str, Any], base: dict[str, Any]) -> m.Launch:
        key, path, line = row["kernel"]
        arguments = {tuple(t["path"]): self.array(t, row["site"]) for t in row["touches"]}
        return m.Launch(
            kernel=key,
            effects=self.effects_of(path, line),
            arguments=arguments,
            scalars={tuple(name.split(".")): value for name, value in row.get("scalars", {}).items()},
            recorded=row["recorded"],
            unrecorded_reason=row["detail"] if row["detail"] in ("record_tape", "command") else "",
            adjoint=row["detail"] == "adjoint",
            structs={tuple(name.split(".")): value for name, value in row.get("structs", {}).items()},
            **base,
        )

    def effects_of(self, path: str, line: int) -> Effects | None:
        if (path, line) not in self.effects:
            self.effects[(path, line)] = self._effects(path, line)
        return self.effects[(path, line)]

    def _effects(self, path: str, line: int) -> Effects | None:
        from warp_lint.kernels.detect import kernels_of
        from warp_lint.kernels.summary import kernel_effects

        try:
            module = self.project.module_at(Path(path).resolve())
            if module is None:
                return None
            for definition in kernels_of(self.project, module):
                node = definition.node
                decorators = [d.lineno for d in getattr(node, "decorator_list", [])]
                if min([node.lineno, *decorators]) <= line <= node.lineno:
                    return kernel_effects(self.project, definition, self.settings)
        except (RecursionError, KeyError, AttributeError, ValueError):
            return None
        return None
