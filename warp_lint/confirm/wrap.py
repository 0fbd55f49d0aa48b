"""A kernel around a func, so that the func can be tested like any kernel."""

from __future__ import annotations

import ast

from warp_lint.confirm import promote
from warp_lint.confirm.extract import Extractor
from warp_lint.confirm.infer import Annotation, argument_type, expression_type, is_open, unquoted
from warp_lint.confirm.items import PRECISIONS, Item, UnresolvedError
from warp_lint.confirm.rewrite import Rewriter
from warp_lint.confirm.trees import clone
from warp_lint.syntax.module import Definition, Module, Scope
from warp_lint.syntax.project import External

SINK_STRIDE = 32
PREFIX = "p_"  # of the func's parameters
VALUE_PREFIX = "v_"  # of those that come from an array, one element per thread

# What a func returns goes to an array of numbers, component by component.
_SINK_SHAPES = {"vec2": 2, "vec3": 3, "vec4": 4, "quat": 4, "spatial_vector": 6, "transform": 7}
_SINK_MATRICES = {"mat22": 2, "mat33": 3, "mat44": 4}


def sink_source(precision: str) -> str:
    """Overloads of `_sink(out, base, value)` for every type a func may return."""
    double = precision == "double"
    scalar = "wp.float64" if double else "wp.float32"
    suffix = "d" if double else ""
    parts = []
    # Without promotion both precisions can occur.
    for kind, tail in {(scalar, suffix), ("wp.float64", "d")}:
        parts.append(_sink_function(scalar, kind, [("", "{v}")]))
        for name, size in _SINK_SHAPES.items():
            parts.append(_sink_function(scalar, f"wp.{name}{tail}", [("", f"{{v}}[{k}]") for k in range(size)]))
        for name, size in _SINK_MATRICES.items():
            cells = [("", f"{{v}}[{i}, {j}]") for i in range(size) for j in range(size)]
            parts.append(_sink_function(scalar, f"wp.{name}{tail}", cells))
    for kind in ("int", "wp.int64", "wp.uint32", "wp.uint64", "wp.bool"):
        parts.append(f"@wp.func\ndef _sink(out: wp.array(dtype={scalar}), base: int, v: {kind}):\n    pass\n")
    return "\n".join(parts)


def _sink_function(scalar: str, kind: str, cells: list[tuple[str, str]]) -> str:
    lines = [f"@wp.func\ndef _sink(out: wp.array(dtype={scalar}), base: int, v: {kind}):"]
    for k, (_, cell) in enumerate(cells):
        lines.append(f"    out[base + {k}] = {scalar}({cell.format(v='v')})")
    return "\n".join(lines) + "\n"


def wrap(extractor: Extractor, definition: Definition, generic: str = "", index: frozenset[str] = frozenset()) -> Item:
    """The item of a kernel that calls the func once per thread. Values come from arrays, one element
    per thread; integers are arguments, or the thread index for those named in `index`.

    Raises `UnresolvedError` for parameters that a kernel can't pass.
    """
    func = extractor.definition(definition)
    node = definition.node
    assert isinstance(node, ast.FunctionDef)
    results = _results(node)
    item = Item(extractor.unique(f"{definition.name}_alone"), "kernel")
    item.needs = [func.name]
    if node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
        raise UnresolvedError(definition.name, "it takes a variable number of arguments")
    inferred = _inferred(extractor, definition)
    guesses_made = [f"`{name}`: `{ast.unparse(found.expression)}`" for name, found in inferred.items()]
    item.assumed = ", ".join(guesses_made)
    for precision in PRECISIONS:
        rewriter = Rewriter(extractor, item, definition.module, definition.scope, None, precision, generic)
        scalar = "wp.float64" if precision == "double" else "wp.float32"
        parameters: list[str] = []
        arguments: list[str] = []
        for argument in [*node.args.posonlyargs, *node.args.args]:
            name = f"{PREFIX}{argument.arg}"
            value = f"{VALUE_PREFIX}{argument.arg}"
            found = inferred.get(argument.arg)
            if found is not None:
                reader = Rewriter(extractor, item, found.module, found.scope, None, precision, generic)
                text = ast.unparse(reader.annotation(clone(found.expression)))
                made = found.module, found.scope, found.expression
                array = _is_array(extractor, *made) or _holds_arrays(extractor, *made)
            elif argument.annotation is None:
                item.generic = True
                guesses = promote.GENERIC_GUESSES["double" if precision == "double" else "original"]
                text = f"wp.{guesses[int(generic or 0)]}"
                array = False
            else:
                written = definition.module, definition.scope, argument.annotation
                text = ast.unparse(rewriter.annotation(clone(argument.annotation)))
                # An array can't hold structs that hold arrays.
                array = _is_array(extractor, *written) or _holds_arrays(extractor, *written)
                if "Callable" in text:
                    raise UnresolvedError(argument.arg, "a function is passed to it")
            if array:
                parameters.append(f"{name}: {text}")
                arguments.append(name)
            elif _is_integer(text):
                if argument.arg in index:
                    arguments.append("i" if text in ("int", "wp.int32") else f"{text}(i)")
                else:
                    parameters.append(f"{name}: {text}")
                    arguments.append(name)
            else:
                parameters.append(f"{value}: wp.array(dtype={text})")
                arguments.append(f"{value}[i]")
        call = f"{func.name}({', '.join(arguments)})"
        if results:
            parameters.append(f"p_out: wp.array(dtype={scalar})")
        lines = [f"@wp.kernel\ndef {item.name}({', '.join(parameters)}):", "    i = wp.tid()"]
        names = ["r"] if results == 1 else [f"r{k}" for k in range(results)]
        lines.append(f"    {', '.join(names)} = {call}" if results else f"    {call}")
        lines += [
            f"    _sink(p_out, i * {SINK_STRIDE} + {at}, {names[k]}{field})"
            for k, field, at in _numbers(extractor, definition, results)
        ]
        item.sources[precision] = "\n".join(lines)
    item.literals = set(func.literals)
    extractor.items[item.name] = item
    return item


def _numbers(extractor: Extractor, definition: Definition, results: int) -> list[tuple[int, str, int]]:
    """What to keep of the values that a func returns: number of the value, field, and where it goes."""
    kinds = _returned(extractor, definition, results)
    found, at = [], 0
    for k, kind in enumerate(kinds):
        made = extractor.project.resolve(kind.module, kind.scope, unquoted(kind.expression)) if kind else None
        if isinstance(made, Definition) and isinstance(made.node, ast.ClassDef):
            for field, size in _fields(extractor, made):
                if at + size <= SINK_STRIDE:
                    found.append((k, f".{field}", at))
                    at += size
        elif at + 8 <= SINK_STRIDE or results == 1:
            found.append((k, "", at))
            at += 8
    return found


def _returned(extractor: Extractor, definition: Definition, results: int) -> list[Annotation | None]:
    """The types of the values that a func returns, as far as they are written down."""
    node = definition.node
    assert isinstance(node, ast.FunctionDef)
    written = unquoted(node.returns) if node.returns is not None else None
    if results == 1 and written is not None:
        return [Annotation(definition.module, definition.scope, written)]
    if (
        isinstance(written, ast.Subscript)
        and isinstance(written.slice, ast.Tuple)
        and len(written.slice.elts) == results
    ):
        return [Annotation(definition.module, definition.scope, element) for element in written.slice.elts]
    for inner in ast.walk(node):
        if isinstance(inner, ast.Return) and inner.value is not None:
            values = inner.value.elts if isinstance(inner.value, ast.Tuple) else [inner.value]
            return [expression_type(extractor, definition.module, definition.inner, value) for value in values]
    return [None] * results


def _fields(extractor: Extractor, struct: Definition) -> list[tuple[str, int]]:
    """Fields of a struct that hold numbers, and how many."""
    found = []
    for statement in struct.node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        kind = extractor.project.resolve(struct.module, struct.scope, unquoted(statement.annotation))
        name = kind.name.rpartition(".")[2].rstrip("fdh") if isinstance(kind, External) else ""
        size = 1 if name in ("float", "float32", "float64", "float16") else _SINK_SHAPES.get(name, 0)
        if size:
            found.append((statement.target.id, size))
    return found


def _results(node: ast.FunctionDef) -> int:
    """How many values a func returns."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Return) and inner.value is not None:
            return len(inner.value.elts) if isinstance(inner.value, ast.Tuple) else 1
    if node.returns is not None and not (isinstance(node.returns, ast.Constant) and node.returns.value is None):
        return 1
    return 0


def _inferred(extractor: Extractor, definition: Definition) -> dict[str, Annotation]:
    """Types of parameters that leave it open: structs and the like; numbers are tried one by one."""
    node = definition.node
    assert isinstance(node, ast.FunctionDef)
    found = {}
    for argument in [*node.args.posonlyargs, *node.args.args]:
        if is_open(extractor, definition.module, definition.scope, argument.annotation):
            made = argument_type(extractor, definition, argument.arg)
            if made is not None:
                found[argument.arg] = made
    return found


def _is_array(extractor: Extractor, module: Module, scope: Scope, annotation: ast.expr) -> bool:
    target = unquoted(annotation)
    if isinstance(target, ast.Call):
        target = target.func
    elif isinstance(target, ast.Subscript):
        target = target.value
    resolved = extractor.project.resolve(module, scope, target)
    if not isinstance(resolved, External):
        return False
    return resolved.name.startswith("warp.") and ("array" in resolved.name or "Texture" in resolved.name)


def _holds_arrays(extractor: Extractor, module: Module, scope: Scope, annotation: ast.expr, depth: int = 0) -> bool:
    """Whether an annotation is a struct with arrays in it."""
    struct = extractor.project.resolve(module, scope, unquoted(annotation))
    if not isinstance(struct, Definition) or not isinstance(struct.node, ast.ClassDef) or depth > 4:
        return False
    for statement in struct.node.body:
        if isinstance(statement, ast.AnnAssign):
            field = struct.module, struct.scope, statement.annotation
            if _is_array(extractor, *field) or _holds_arrays(extractor, *field, depth + 1):
                return True
    return False


def _is_integer(text: str) -> bool:
    name = text.removeprefix("wp.")
    return name in ("int", "bool") or name.startswith(("int", "uint"))
