"""Types of kernel values, and what an annotation says about a parameter or struct field."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from warp_lint.syntax.module import Definition, Module, Scope
from warp_lint.syntax.project import External, Project, Value


@dataclass(frozen=True, slots=True)
class Type:
    """Type of a value in a kernel.

    `kind`: "float", "int", "bool", "vec", "mat", "quat", "transform", "array", "tile", "struct", "tuple",
    "handle" (mesh, grid, query, random state), "function", "string", "none", "unknown".
    `scalar` is the component type of numbers ("float32"; "" if unknown), `shape` the component counts of a vec
    or mat (-1: unknown), `ndim` and `element` describe arrays and tiles, `struct` a `@wp.struct` class.
    """

    kind: str
    scalar: str = ""
    shape: tuple[int, ...] = ()
    ndim: int = 0
    element: Type | None = None
    struct: Definition | None = None

    @property
    def is_object(self) -> bool:
        """Has components that can be assigned in place."""
        return self.kind in _OBJECTS

    @property
    def is_integral(self) -> bool:
        return self.kind in ("int", "bool") or (
            self.kind in ("vec", "mat") and self.scalar.startswith(("int", "uint", "bool"))
        )

    @property
    def floating(self) -> bool:
        """May carry a derivative (an unknown type may)."""
        if self.kind in ("array", "tile"):
            return self.element is None or self.element.floating
        if self.kind in ("int", "bool", "handle", "string", "none", "function"):
            return False
        return not self.is_integral

    @property
    def type_class(self) -> str | None:
        """Class by which the builtin table tells overloads apart."""
        if self.kind in ("float", "int", "bool"):
            return "scalar"
        return self.kind if self.kind in ("vec", "mat", "quat", "transform", "tile", "array") else None

    @property
    def label(self) -> str:
        """Canonical name of an element type: `float32`, `vec3f`, `mat33d`, a struct's name; "" if unknown."""
        if self.kind in ("float", "int", "bool", "handle"):
            return self.scalar
        suffix = _SUFFIXES.get(self.scalar, "")
        if self.kind == "vec" and self.shape and self.scalar:
            return f"vec{self.shape[0]}{suffix}"
        if self.kind == "mat" and len(self.shape) == 2 and self.scalar:
            return f"mat{self.shape[0]}{self.shape[1]}{suffix}"
        if self.kind in ("quat", "transform") and self.scalar:
            return f"{self.kind}{suffix}"
        if self.kind == "struct" and self.struct is not None:
            return self.struct.name
        return ""


_OBJECTS = frozenset(("vec", "mat", "quat", "transform", "struct", "tile"))
_SUFFIXES = {"float16": "h", "float32": "f", "float64": "d", "int32": "i", "int64": "l", "uint8": "ub", "uint32": "u"}

UNKNOWN = Type("unknown")
NONE = Type("none")
FLOAT = Type("float", "float32")
FLOAT64 = Type("float", "float64")
INT = Type("int", "int32")
BOOL = Type("bool", "bool")
HANDLE = Type("handle", "uint64")
ANY_FLOAT = Type("float")

_SCALARS: dict[str, Type] = {
    "float": FLOAT,
    "int": INT,
    "bool": BOOL,
    **{f"float{bits}": Type("float", f"float{bits}") for bits in (16, 32, 64)},
    "bfloat16": Type("float", "bfloat16"),
    **{f"{kind}{bits}": Type("int", f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "Float": ANY_FLOAT,
    "Scalar": UNKNOWN,
    "Int": INT,
}
_COMPONENT = {
    "": "float32",
    "f": "float32",
    "h": "float16",
    "d": "float64",
    "i": "int32",
    "u": "uint32",
    "s": "int16",
    "us": "uint16",
    "b": "int8",
    "ub": "uint8",
    "l": "int64",
    "ul": "uint64",
}
_NAMED = re.compile(
    r"(?P<family>vec|mat|quat|transform|spatial_vector|spatial_matrix)(?P<size>[1-9]*)(?P<suffix>us|ub|ul|[fhdiusbl])?"
)
_HANDLES = frozenset(
    ("HashGrid", "Mesh", "Bvh", "Volume", "hash_grid_query", "mesh_query_aabb", "bvh_query", "HashGridQuery")
)
_ARRAYS = {"array": 0, "array1d": 1, "array2d": 2, "array3d": 3, "array4d": 4, "indexedarray": 0, "fabricarray": 0}
_ARRAYS |= {f"indexedarray{n}d": n for n in (1, 2, 3, 4)} | {"indexedfabricarray": 0, "fixedarray": 0}


def named_type(name: str) -> Type | None:
    """Type of a Warp type name without `warp.`: `float64`, `vec3d`, `spatial_vector`; None if it is none."""
    found = _SCALARS.get(name)
    if found is not None:
        return found
    if name in _HANDLES or name.endswith("Query"):
        return HANDLE
    match = _NAMED.fullmatch(name)
    if match is None:
        return None
    family, size = match["family"], match["size"]
    scalar = _COMPONENT[match["suffix"] or ""]
    if family == "spatial_vector":
        return Type("vec", scalar, (6,))
    if family == "spatial_matrix":
        return Type("mat", scalar, (6, 6))
    if family == "vec":
        return Type("vec", scalar, (int(size),)) if len(size) == 1 else None
    if family == "mat":
        return Type("mat", scalar, (int(size[0]), int(size[1]))) if len(size) == 2 else None
    if size:
        return None
    return Type(family, scalar, (4,) if family == "quat" else (7,))


class TypeReader:
    """Reads annotations, with a cache of struct layouts."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._layouts: dict[Definition, dict[str, Type]] = {}

    def annotation(self, module: Module, scope: Scope, node: ast.expr | None, depth: int = 0) -> Type:
        """Type that an annotation (or a type expression in code) names."""
        if node is None or depth > 12:
            return UNKNOWN
        if isinstance(node, ast.Constant):
            return self._constant(module, scope, node, depth)
        if isinstance(node, ast.Call):
            return self._call(module, scope, node, depth)
        if isinstance(node, ast.Subscript):
            return self._subscript(module, scope, node, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return UNKNOWN
        found = self.project.resolve(module, scope, node)
        if isinstance(found, External):
            return self._external(found.name)
        if isinstance(found, Definition) and isinstance(found.node, ast.ClassDef):
            return self.class_type(found, depth)
        if isinstance(found, Value) and not found.unpack:
            return self.annotation(found.module, found.scope, found.expression, depth + 1)
        return UNKNOWN

    def class_type(self, definition: Definition, depth: int = 0) -> Type:
        """Type that a class makes: a named vector or matrix type (`class vec6(wp.types.vector(6, float))`),
        else a struct."""
        if isinstance(definition.node, ast.ClassDef):
            for base in definition.node.bases:
                type = self.annotation(definition.module, definition.scope, base, depth + 1)
                if type.kind in ("vec", "mat", "quat", "transform"):
                    return type
        return Type("struct", struct=definition)

    def _constant(self, module: Module, scope: Scope, node: ast.Constant, depth: int) -> Type:
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            try:
                inner = ast.parse(node.value.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return UNKNOWN
            return self.annotation(module, scope, inner, depth + 1)
        return UNKNOWN

    @staticmethod
    def _external(name: str) -> Type:
        short = name.rpartition(".")[2]
        if name.startswith(("builtins.", "warp.", "numpy.")):
            if short in _ARRAYS:
                return Type("array", ndim=_ARRAYS[short])
            if short in ("Any", "object"):
                return UNKNOWN
            return named_type(short) or UNKNOWN
        return UNKNOWN

    def _head(self, module: Module, scope: Scope, node: ast.expr) -> str:
        found = self.project.resolve(module, scope, node)
        if isinstance(found, External) and found.name.startswith(("warp.", "typing.", "builtins.")):
            return found.name.rpartition(".")[2]
        return ""

    def _call(self, module: Module, scope: Scope, node: ast.Call, depth: int) -> Type:
        head = self._head(module, scope, node.func)
        arguments = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        first = node.args[0] if node.args else None
        if head in _ARRAYS:
            dtype = arguments.get("dtype", first)
            element = self.annotation(module, scope, dtype, depth + 1) if dtype is not None else None
            ndim = _ARRAYS[head] or _literal(arguments.get("ndim")) or 1
            return Type("array", ndim=ndim, element=element)
        if head in ("vector", "vec", "types_vector"):
            length = _literal(arguments.get("length", first))
            dtype = arguments.get("dtype", node.args[1] if len(node.args) > 1 else None)
            return Type("vec", self._scalar(module, scope, dtype, depth), (length if length else -1,))
        if head in ("matrix", "mat"):
            shape = arguments.get("shape", first)
            dtype = arguments.get("dtype", node.args[1] if len(node.args) > 1 else None)
            sizes = tuple(_literal(e) or -1 for e in shape.elts) if isinstance(shape, ast.Tuple) else (-1, -1)
            return Type("mat", self._scalar(module, scope, dtype, depth), sizes)
        if head in ("quaternion", "transformation"):
            kind = "quat" if head == "quaternion" else "transform"
            dtype = arguments.get("dtype", first)
            return Type(kind, self._scalar(module, scope, dtype, depth), (4,) if kind == "quat" else (7,))
        if head == "tile":
            return Type("tile", element=self.annotation(module, scope, arguments.get("dtype", first), depth + 1))
        return UNKNOWN

    def _subscript(self, module: Module, scope: Scope, node: ast.Subscript, depth: int) -> Type:
        head = self._head(module, scope, node.value)
        inner: list[ast.expr] = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head in _ARRAYS:
            ndim = _ARRAYS[head] or (_literal(inner[1]) if len(inner) > 1 else None) or 1
            return Type("array", ndim=ndim, element=self.annotation(module, scope, inner[0], depth + 1))
        if head == "tile":
            return Type("tile", element=self.annotation(module, scope, inner[0], depth + 1))
        if head in ("ref", "Annotated", "Optional", "Final", "ClassVar"):
            return self.annotation(module, scope, inner[0], depth + 1)
        if head in ("vec", "vector"):
            length = _literal(inner[0]) if len(inner) > 1 else None
            return Type("vec", self._scalar(module, scope, inner[-1], depth), (length or -1,))
        if head in ("mat", "matrix"):
            return Type("mat", self._scalar(module, scope, inner[-1], depth), (-1, -1))
        return UNKNOWN

    def _scalar(self, module: Module, scope: Scope, node: ast.expr | None, depth: int) -> str:
        return self.annotation(module, scope, node, depth + 1).scalar if node is not None else ""

    def fields(self, struct: Definition, depth: int = 0) -> dict[str, Type]:
        """Fields of a `@wp.struct` class in order, those of its bases first."""
        known = self._layouts.get(struct)
        if known is not None:
            return known
        layout: dict[str, Type] = {}
        self._layouts[struct] = layout  # guards against classes that mention themselves
        if isinstance(struct.node, ast.ClassDef) and depth < 12:
            for base in struct.node.bases:
                found = self.project.resolve(struct.module, struct.scope, base)
                if isinstance(found, Definition):
                    layout.update(self.fields(found, depth + 1))
            for statement in struct.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    layout[statement.target.id] = self.annotation(struct.module, struct.scope, statement.annotation)
        return layout


def _literal(node: ast.expr | None) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.Subscript):  # Literal[2]
        return _literal(node.slice)
    return None
