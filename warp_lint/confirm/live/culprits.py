"""The repairs that a backward may need, each with the place to blame for it and the rule it belongs to."""

from __future__ import annotations

import ast
import functools
import linecache
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.sources import kernel_site, read_site, shift_of, source_tree
from warp_lint.confirm.live.steps import Site, Step
from warp_lint.confirm.live.window import Stale

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check
    from warp_lint.confirm.live.shadow import Group, Shadow


def describe_groups(check: Check, shadow: Shadow) -> dict[Group, dict[str, Any]]:
    """Every repair that differs between the user's backward and the ideal one.

    A description holds `code`, `kind`, `site` (where to report), `array`, `actor` (kernel or operation), and
    `read`, `needed` (the read in a kernel whose value its adjoint needs), `definition` (of that kernel): further
    sites, if known.
    """
    window = check.window
    result: dict[Group, dict[str, Any]] = {}
    # A launch that only reads an array tells the story best.
    for item in sorted(shadow.stale, key=lambda stale: stale.touch.after is not None):
        if shadow.skipped and item.step.index < window.entries[shadow.skipped].index:
            continue  # it should not run again at all
        result.setdefault(item.group, _overwrite(check, item))
    for step in (s for s in window.timeline if isinstance(s, Step)):
        taped = id(step) in window.taped
        if shadow.skipped and step.index < window.entries[shadow.skipped].index:
            continue
        if not taped and step.kind in ("fill", "copy", "launch", "call"):
            for touch in step.touches[:1] if step.kind == "copy" else step.touches:
                region = window.region(touch.low)
                if touch.after is None and step.kind != "fill":
                    continue
                if step.kind == "copy" and window.flows(step):
                    continue
                group = ("clear", step.site, step.name, region.index)
                result.setdefault(group, _entry("ADJ303", "cleared", step, region.name))
            if step.tape is not None and (
                (step.kind == "copy" and window.flows(step)) or step.detail in ("record_tape", "command")
            ):
                code = "ADJ405" if step.kind == "launch" else "ADJ408" if step.detail == "array" else _copy_code(step)
                array = step.touches[0].label if step.touches else ""
                result.setdefault(("unrecorded", step.site, step.name), _entry(code, "unrecorded", step, array))
        if taped and shadow.mutated.get(id(step)):
            result.setdefault(("mutated", step.site, step.name), _mutated(check, step))
        for number in window.states.wanted(step):
            result.setdefault(("rebuilt", number), _rebuilt(check, step, number))
    for external in window.externals:
        region = window.region(external.low)
        result.setdefault(
            ("clear", "external", region.index),
            {
                "code": "ADJ303",
                "kind": "cleared",
                "site": _site(external.before),
                "array": region.name,
                "actor": "the host",
            },
        )
    for region in shadow.inconsistent():
        if ("gradient", region.index) in check.intended:
            continue
        alias = len(region.deltas) > 1
        step = region.touches[0][0]
        result[("gradient", region.index)] = {
            **_entry("ADJ305" if alias else "ADJ404", "alias" if alias else "severed", step, region.name),
            "reader": _site(next((s for s, t in region.touches if t.after is None and s.kind == "launch"), step)),
            "region": region.index,
        }
        made = check.made(region)
        if made is not None:
            result[("gradient", region.index)]["launch"] = result[("gradient", region.index)]["site"]
            result[("gradient", region.index)]["site"] = _pair(made)
    for step, touch in shadow.live_touches:
        if touch.retain:
            region = window.region(touch.low)
            writes = [s for s, t in region.touches if t.after is not None and id(s) in window.taped]
            blame = writes[1] if len(writes) > 1 else step
            result.setdefault(("retain", region.index), _entry("ADJ406", "retained", blame, region.name))
    for index, _ in shadow.start:
        region = window.regions[index]
        if region.leaf and not region.written:
            continue
        retained = any(touch.retain for _, touch in region.touches)
        entry = _entry("ADJ406" if retained else "ADJ402", "leftover", region.touches[0][0], region.name)
        entry["read"] = entry["site"]
        entry["site"] = _pair(check.site)
        result.setdefault(("leftover", index), entry)
    if shadow.skipped:
        result[("reentered",)] = _entry("ADJ403", "reentered", window.entries[shadow.skipped], "")
        result[("reentered",)]["site"] = _pair(check.record.site)
    if any(s.kind == "copy" for s in window.entries) and not check.warp.copy_accumulates:
        blame = next(s for s in window.entries if s.kind == "copy")
        result[("copy-adjoint",)] = _entry("ADJ307", "copy-adjoint", blame, blame.touches[1].label)
    elif any(s.kind == "copy" for s in window.entries):
        blame = next(s for s in window.entries if s.kind == "copy")
        result[("copy-adjoint",)] = _entry("ADJ302", "copy-adjoint", blame, blame.touches[0].label)
    result[("replay",)] = _entry("ADJ203", "replayed", window.entries[0], "")
    return result


def _mutated(check: Check, step: Step) -> dict[str, Any]:
    """A struct changed after a launch that holds it: the first change is to blame."""
    entry = _entry("ADJ306", "mutated", step, "")
    if check.recorder is None:
        return entry
    first: tuple[int, str, Site] | None = None
    for value in (*step.entry[3], *step.entry[4]):
        for instance in check.warp.struct_instances(value):
            for write in check.recorder.struct_writes.get(id(instance), ()):
                if write[0] > step.index and write[2].line and (first is None or write[0] < first[0]):
                    first = write
    if first is None:
        return entry
    return {**entry, "site": _pair(first[2]), "array": first[1], "read": _site(step), "reader": step.name, "path": []}


def _rebuilt(check: Check, step: Step, number: int) -> dict[str, Any]:
    """A grid or tree changed after a launch that queried it: the first change is to blame."""
    build = step.handles[number]
    later = next(
        s for s in check.steps if s.kind == "handle" and s.value == number and s.index > step.index and s is not build
    )
    name = later.options.get("name") or later.options.get("type", "")
    return {
        **_entry("ADJ306", "rebuilt", later, str(name)),
        "actor": f"{later.options.get('type', '')}.{later.detail}",
        "read": _site(step),
        "reader": step.name,
        "needed": kernel_site(step),
        "definition": kernel_site(step),
    }


def _copy_code(step: Step) -> str:
    return "ADJ408" if step.detail == "assign" else "ADJ404"


def _entry(code: str, kind: str, step: Step, array: str) -> dict[str, Any]:
    return {
        "code": code,
        "kind": kind,
        "site": _site(step),
        "array": array,
        "actor": step.name,
        "path": [_pair(s) for s in step.call_path],
    }


def _pair(site: Site) -> tuple[str, int]:
    return (site.path, site.line)


def _site(step: Step | None) -> tuple[str, int]:
    return _pair(step.site) if step is not None else ("", 0)


def _overwrite(check: Check, item: Stale) -> dict[str, Any]:
    step, writer = item.step, item.writer
    base = {
        "array": item.touch.label,
        "read": _site(step),
        "needed": read_site(step, item.touch.path) if step.kernel is not None else kernel_site(step),
        "definition": kernel_site(step),
        "reader": step.name,
        "output": item.touch.after is not None,
        "actor": writer.name if writer is not None else "the host",
        "site": _site(writer) if writer is not None else _site(step),
        "path": [_pair(s) for s in (writer or step).call_path],
    }
    if item.own:
        path, _ = kernel_site(step)
        if not check.is_users(path) or step.name.startswith("map_"):
            code = "ADJ101" if _multiplies(step) else "ADJ102"
            return {**base, "code": code, "kind": "own", "launch": _site(step)}
        code, line = own_overwrite(step, item.touch.path[0])
        return {**base, "code": code, "kind": "own", "site": (path, line), "launch": _site(step)}
    record = check.record
    if writer is None:
        return {**base, "code": "ADJ303", "kind": "overwritten"}
    if record.exited_at is not None and writer.index > record.exited_at:
        return {**base, "code": "ADJ304", "kind": "late"}
    if check.after_objective(writer):
        return {**base, "code": "ADJ401", "kind": "scope"}
    if writer.kind == "launch":
        return {**base, "code": "ADJ301", "kind": "overwritten"}
    if writer.kind == "copy" and not from_host(check, writer):
        return {**base, "code": "ADJ302", "kind": "overwritten"}
    return {**base, "code": "ADJ303", "kind": "overwritten"}


def from_host(check: Check, step: Step) -> bool:
    """An `assign` from host data: its source is memory that nothing else on the tape touches."""
    if step.detail != "assign":
        return False
    source = step.touches[1]
    return all(s.kind == "copy" for s, _ in check.window.region(source.low).touches) and source.name == ""


def own_overwrite(step: Step, parameter: str) -> tuple[str, int]:
    """Rule and line for a kernel that overwrites what its own adjoint needs."""
    path, start = kernel_site(step)
    function = source_tree(step.kernel)
    if function is None:
        return ("ADJ103", start)
    shift = shift_of(function, start)
    read = False
    for node in _statements(function.body):
        line = node.lineno + shift
        if isinstance(node, ast.AugAssign) and _base(node.target) == parameter:
            if isinstance(node.op, ast.Mult | ast.Div | ast.Pow):
                return ("ADJ101", line)
            return ("ADJ103" if read else "ADJ102", line)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if _base(target) == parameter:
                    if _mentions(node.value, parameter, target):
                        return ("ADJ102", line)
                    return ("ADJ103", line)
        read |= any(isinstance(inner, ast.Name) and inner.id == parameter for inner in ast.walk(node))
    line = _store_in_function(path, function, parameter)
    return ("ADJ203", line) if line else ("ADJ103", start)


@functools.cache
def _functions(path: str) -> dict[str, ast.FunctionDef]:
    try:
        with open(path, "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return {}
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _store_in_function(path: str, kernel: ast.FunctionDef, parameter: str) -> int:
    """Line of a store to the array in a function of the same file that the kernel hands it to, or 0."""
    functions = _functions(path)
    for call in (node for node in ast.walk(kernel) if isinstance(node, ast.Call)):
        callee = functions.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if callee is None:
            continue
        names = [a.arg for a in callee.args.args]
        for position, argument in enumerate(call.args):
            if isinstance(argument, ast.Name) and argument.id == parameter and position < len(names):
                for node in _statements(callee.body):
                    targets = node.targets if isinstance(node, ast.Assign) else []
                    targets = [node.target] if isinstance(node, ast.AugAssign) else targets
                    if any(_base(target) == names[position] for target in targets):
                        return node.lineno
    return 0


def _multiplies(step: Step) -> bool:
    """Whether the user's statement is `a *= b` or the like."""
    text = linecache.getline(step.site.path, step.site.line)
    return any(operator in text for operator in ("*=", "/="))


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    result: list[ast.stmt] = []
    for statement in body:
        inner: list[ast.stmt] = []
        for field in ("body", "orelse"):
            inner.extend(getattr(statement, field, []))
        if inner:
            result.extend(_statements(inner))
        else:
            result.append(statement)
    return result


def _base(node: ast.expr) -> str:
    subscripted = False
    while isinstance(node, ast.Subscript | ast.Attribute):
        subscripted |= isinstance(node, ast.Subscript)
        node = node.value
    return node.id if isinstance(node, ast.Name) and subscripted else ""


def _mentions(node: ast.expr, parameter: str, target: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Subscript) and ast.dump(inner.value) == ast.dump(getattr(target, "value", inner))
        for inner in ast.walk(node)
    )
