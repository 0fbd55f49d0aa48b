"""Kernel launches: what each parameter gets, and what the kernel does to it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Any

from warp_lint.host import arrays, calls, containers, natives, objects
from warp_lint.host.machine import Frame, Machine
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    ClassValue,
    FunctionValue,
    HostArray,
    Instance,
    KernelValue,
    Native,
    Spread,
    Unknown,
    merge_sources,
)
from warp_lint.host.warp_types import dtype_name
from warp_lint.kernels.effects import Access, Effects, Path
from warp_lint.syntax.project import External
from warp_lint.trace import model

MAX_SPECIALISED = 4
MAX_NAME = 40  # characters of an argument that messages still quote


@dataclass(slots=True)
class Bound:
    """A kernel with its arguments."""

    kernel: Any
    name: str
    names: list[str]
    values: dict[str, Any]
    dim: tuple[int | None, ...]
    arguments: dict[Path, ArrayValue] = field(default_factory=dict)
    scalars: dict[Path, object] = field(default_factory=dict)
    structs: dict[Path, int] = field(default_factory=dict)
    scalar_sources: dict[Path, tuple[model.Array, ...]] = field(default_factory=dict)
    effects: Effects | None = None
    texts: dict[Path, str] = field(default_factory=dict)


_SIGNATURE = (
    "kernel",
    "dim",
    "inputs",
    "outputs",
    "adj_inputs",
    "adj_outputs",
    "device",
    "stream",
    "adjoint",
    "record_tape",
    "record_cmd",
)


def launch(m: Machine, site: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`wp.launch(...)` and `wp.launch_tiled(...)`."""
    given = dict(zip(_SIGNATURE, args, strict=False))
    given.update(kwargs)
    kernel = given.get("kernel")
    if isinstance(kernel, Instance) and kernel.native is not None:
        kernel = kernel.native
    values = [*_listed(m, given.get("inputs")), *_listed(m, given.get("outputs"))]
    bound = bind(m, kernel, values, given.get("dim"))
    bound.texts = _texts(m, site, bound)
    if given.get("record_cmd") is True:
        return m.native("command", bound.name, launch=bound)
    record = given.get("record_tape", True)
    adjoint = given.get("adjoint", False) is True
    recorded = bool(m.tapes) and record is not False and not adjoint
    reason = "record_tape" if m.tapes and record is False else ""
    emit(m, bound, recorded, reason, adjoint)
    if adjoint:
        for value in [*_listed(m, given.get("adj_inputs")), *_listed(m, given.get("adj_outputs"))]:
            if isinstance(value, ArrayValue) and value.gradient_of is not None:
                m.emit(model.GradientWrite, array=value.gradient_of, kind="accumulate")
    return None


def _texts(m: Machine, site: Any, bound: Bound) -> dict[Path, str]:
    """What the call writes for each parameter, where the lists are written out in it."""
    if site is None or not m.frame.user:
        return {}
    if site.texts is None:
        node: ast.Call = site.node
        given = dict(zip(_SIGNATURE, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
        elements: list[ast.expr] = []
        for name in ("inputs", "outputs"):
            listed = given.get(name)
            if isinstance(listed, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in listed.elts):
                elements += listed.elts
            elif listed is not None:
                break  # what follows has no known place
        site.texts = tuple(
            ast.unparse(e) if isinstance(e, (ast.Name, ast.Attribute, ast.Subscript)) else "" for e in elements
        )
    return {(name,): text for name, text in zip(bound.values, site.texts, strict=False) if 0 < len(text) <= MAX_NAME}


def _listed(m: Machine, value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        result: list[Any] = []
        for element in value:
            result.append(element)
        return result
    if isinstance(value, Unknown) and not isinstance(value, HostArray):
        return [Spread(value)]
    known = containers.known_elements(m, value) if not isinstance(value, (ArrayValue, Instance)) else [value]
    return known if known is not None else [Spread(value)]


def bind(m: Machine, kernel: Any, values: list[Any], dim: Any) -> Bound:
    """Arguments by path."""
    if isinstance(kernel, KernelValue):
        parameters = _parameters(kernel)
        name = kernel.name
    else:
        parameters = []
        name = kernel.text if isinstance(kernel, Unknown) else getattr(kernel, "name", "kernel")
        if not isinstance(kernel, Unknown) or values:
            m.give_up(f"launch of `{name or 'kernel'}`, a kernel that isn't known")
    names = [p[0] for p in parameters]
    bound = Bound(kernel, name or "kernel", names, {}, _dimensions(m, dim))
    flat: list[Any] = []
    for value in values:
        if isinstance(value, Spread):
            # The rest of the parameters (up to where known values start again).
            missing = max(len(names) - (len(values) - 1), 1) if names else 0
            flat.extend(containers.get_item(m, value.value, i) for i in range(missing))
        else:
            flat.append(value)
    for index, value in enumerate(flat):
        bound.values[names[index] if index < len(names) else f"#{index}"] = value
    _fill(m, bound)
    return bound


def rebound(m: Machine, bound: Bound, changes: dict[str, Any]) -> Bound:
    """A recorded command with some parameters changed."""
    made = replace(
        bound, values={**bound.values, **changes}, arguments={}, scalars={}, structs={}, scalar_sources={}, effects=None
    )
    _fill(m, made)
    return made


def _fill(m: Machine, bound: Bound) -> None:
    annotations = dict(_parameters(bound.kernel)) if isinstance(bound.kernel, KernelValue) else {}
    for name, value in bound.values.items():
        _argument(m, bound, (name,), value, annotations.get(name), bound.kernel, 0)
    if isinstance(bound.kernel, KernelValue):
        bound.scalars.update(_captured(m, bound.kernel))
        bound.effects = effects_of(m, bound.kernel, bound.scalars)


def _argument(
    m: Machine, bound: Bound, path: Path, value: Any, annotation: ast.expr | None, kernel: Any, depth: int
) -> None:
    if isinstance(value, Instance) and value.cls is not None and value.cls.kind == "enum":
        value = value.attributes.get("value")
    if isinstance(value, ArrayValue):
        bound.arguments[path] = value
    elif isinstance(value, Instance):
        bound.structs[path] = value.id
        if depth < 4:
            notes = _member_annotations(value.cls) if value.cls is not None else {}
            for name, member in value.attributes.items():
                _argument(m, bound, (*path, name), member, notes.get(name), kernel, depth + 1)
            for name, note in notes.items():
                unset = name not in value.attributes and name not in value.unknowns
                if unset and _annotation_kind(m, note, kernel) == "scalar":
                    bound.scalars[(*path, name)] = 0 if "int" in ast.unparse(note) else 0.0  # as Warp makes it
    elif isinstance(value, Native):
        bound.structs[path] = value.id
    elif isinstance(value, (bool, int, float)):
        bound.scalars[path] = value
    elif isinstance(value, Unknown):
        if annotation is not None:
            kind = _annotation_kind(m, annotation, kernel)
            if kind == "array":
                bound.arguments[path] = arrays.as_array(m, value)
                return
            if isinstance(kind, ClassValue) and depth < 4:
                for name, note in _member_annotations(kind).items():
                    _argument(m, bound, (*path, name), value.attribute(name), note, kernel, depth + 1)
                return
        elif ("array",) in value.memo:
            bound.arguments[path] = value.memo[("array",)]
            return
        if isinstance(value, HostArray) and value.view_of is not None:
            from warp_lint.host.externals import view_read

            view_read(m, value)
        if value.sources:
            bound.scalar_sources[path] = value.sources
    elif isinstance(value, (list, tuple)):
        sources = merge_sources(value)
        if sources:
            bound.scalar_sources[path] = sources


def _member_annotations(cls: ClassValue) -> dict[str, ast.expr]:
    result: dict[str, ast.expr] = {}
    for base in reversed(cls.mro):
        if isinstance(base, ClassValue):
            result.update(base.annotations)
    return result


def _parameters(kernel: KernelValue) -> list[tuple[str, ast.expr | None]]:
    node = kernel.function.node if kernel.function is not None else None
    if node is None:
        return []
    return [(a.arg, a.annotation) for a in [*node.args.posonlyargs, *node.args.args]]


def _annotation_kind(m: Machine, annotation: ast.expr, kernel: Any) -> Any:
    """ "array", "scalar", a struct class, or None."""
    found = m.annotation_kinds.get(annotation, MISSING)
    if found is not MISSING:
        return found
    text = (
        annotation.value
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
        else ast.unparse(annotation)
    )
    kind: Any = None
    if "array" in text.lower():
        kind = "array"
    elif (
        isinstance(annotation, (ast.Name, ast.Attribute))
        and isinstance(kernel, KernelValue)
        and kernel.function is not None
    ):
        value = _evaluate(m, annotation, kernel.function)
        if isinstance(value, ArrayValue):
            kind = "array"
        elif isinstance(value, ClassValue):
            kind = value
        elif isinstance(value, External):
            kind = "scalar" if dtype_name(value.name) else None
    m.annotation_kinds[annotation] = kind
    return kind


def _evaluate(m: Machine, expression: ast.expr, function: FunctionValue) -> Any:
    """A name or dotted name in the scope of a function."""
    if isinstance(expression, ast.Attribute):
        return objects.get_attribute(m, _evaluate(m, expression.value, function), expression.attr)
    if isinstance(expression, ast.Name):
        frame = Frame(function.home, False, m.frame)
        frame.lexical = function.lexical
        return objects.lookup_name(m, frame, expression.id)
    return Unknown("annotation")


def _dimensions(m: Machine, dim: Any) -> tuple[int | None, ...]:
    if isinstance(dim, int):
        return (dim,)
    if isinstance(dim, (list, tuple)):
        return tuple(d if isinstance(d, int) else None for d in dim)
    return (None,)


# Effects


def effects_of(m: Machine, kernel: KernelValue, scalars: dict[Path, object]) -> Effects | None:
    """What the kernel does, specialised on the flags and bounds that this launch knows."""
    if kernel.definition is None:
        return None
    switches = _switches(kernel)
    known: dict[Path, object] = {p: v for p, v in scalars.items() if p[-1] in switches and isinstance(v, (bool, int))}
    if kernel.closure:
        known.update(((name,), value) for name, value in kernel.closure.items())
    key = (kernel.definition, frozenset((p, type(v), v) for p, v in known.items()))
    if key in m.effects:
        found: Effects | None = m.effects[key]
        return found
    count = m.specialised.get(kernel.definition, 0)
    if count >= MAX_SPECIALISED:
        known = {}
        key = (kernel.definition, frozenset())
        if key in m.effects:
            return m.effects[key]  # type: ignore[no-any-return]
    m.specialised[kernel.definition] = count + 1
    result: Effects | None = None
    try:
        from warp_lint.kernels.summary import kernel_effects

        result = kernel_effects(m.project, kernel.definition, m.settings, known)
    except ImportError:
        result = None
    except Exception as error:  # the kernel side failed: an unknown kernel
        m.give_up(f"kernel `{kernel.name}` could not be analysed ({type(error).__name__})")
    m.effects[key] = result
    return result


def _switches(kernel: KernelValue) -> frozenset[str]:
    """Names that decide the kernel's control flow: in conditions and loop bounds."""
    if kernel.switches is None:
        names: set[str] = set()
        node = kernel.function.node if kernel.function is not None else None
        for inner in ast.walk(node) if node is not None else ():
            tests: list[ast.expr] = []
            if isinstance(inner, (ast.If, ast.While, ast.IfExp)):
                tests.append(inner.test)
            elif isinstance(inner, ast.For):
                tests.append(inner.iter)
            for test in tests:
                for part in ast.walk(test):
                    if isinstance(part, ast.Name):
                        names.add(part.id)
                    elif isinstance(part, ast.Attribute):
                        names.add(part.attr)
        kernel.switches = frozenset(names)
    return kernel.switches


def _captured(m: Machine, kernel: KernelValue) -> dict[Path, object]:
    """Numbers and functions that the kernel, or a function nested beside it, takes from the function that made it."""
    if kernel.closure is None:
        found: dict[str, Any] = {}
        if kernel.function is not None and kernel.function.lexical is not None:
            _collect(kernel.function, found, set())
        kernel.closure = {name: value for name, value in found.items() if value is not MISSING}
    return {(name,): value for name, value in kernel.closure.items()}


def _collect(function: FunctionValue, found: dict[str, Any], seen: set[ast.AST]) -> None:
    """Captured values by name; MISSING where two functions mean different things by one name."""
    seen.add(function.node)
    own = {a.arg for a in function.node.args.args}
    for inner in ast.walk(function.node):
        if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Load) or inner.id in own:
            continue
        outer = function.lexical
        while outer is not None and inner.id not in outer.vars:
            outer = outer.lexical
        if outer is None:
            continue
        value = outer.vars[inner.id]
        known: Any = None
        if isinstance(value, (bool, int, float, External)):
            known = value
        elif isinstance(value, FunctionValue) and value.definition is not None:
            known = value.definition
            if value.lexical is not None and value.node not in seen:
                _collect(value, found, seen)
        if known is not None:
            found[inner.id] = known if found.get(inner.id, known) == known else MISSING


# Events


def emit(m: Machine, bound: Bound, recorded: bool, reason: str = "", adjoint: bool = False) -> None:
    """The launch, and what it does to gradients that it gets as plain arrays."""
    effects = bound.effects
    gradients = {path: array for path, array in bound.arguments.items() if array.gradient_of is not None}
    for path, array in gradients.items():
        if effects is None or any(t.path == path and t.access is Access.READ for t in effects.touches):
            m.emit(model.GradientRead, array=array.gradient_of, kind="launch")
    m.emit(
        model.Launch,
        kernel=bound.name,
        effects=effects,
        arguments=dict(bound.arguments),
        scalars=dict(bound.scalars),
        dim=bound.dim,
        recorded=recorded,
        unrecorded_reason=reason,
        adjoint=adjoint,
        structs=dict(bound.structs),
        scalar_sources=dict(bound.scalar_sources),
        texts=bound.texts,
    )
    if effects is None:
        return
    for path, array in gradients.items():
        kinds = [t.access for t in effects.touches if t.path == path and t.access is not Access.READ]
        if kinds:
            kind = "accumulate" if all(k is Access.ACCUMULATE for k in kinds) else "launch"
            m.emit(model.GradientWrite, array=array.gradient_of, kind=kind)


_ = (calls, natives)
