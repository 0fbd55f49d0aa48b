"""Names of Warp's single precision vocabulary and their double precision counterparts."""

from __future__ import annotations

import ast

_SHAPES = ("vec2", "vec3", "vec4", "mat22", "mat33", "mat44", "quat", "transform", "spatial_vector", "spatial_matrix")

DOUBLE: dict[str, str] = {
    "builtins.float": "float64",
    "warp.float32": "float64",
    "warp.float16": "float64",
    "warp.half": "float64",
    "warp.float": "float64",
    "numpy.float32": "float64",
    "numpy.float16": "float64",
}
for _shape in _SHAPES:
    for _suffix in ("", "f", "h"):
        DOUBLE[f"warp.{_shape}{_suffix}"] = f"{_shape}d"

SCALAR_TYPES = frozenset(
    f"warp.{name}"
    for name in (
        [
            "float16",
            "float32",
            "float64",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "bool",
            "half",
            "float",
            "int",
        ]
    )
) | {"builtins.float", "builtins.int", "builtins.bool"}

# Builtins whose result or arguments are single precision whatever they are given.
SINGLE_RESULT = frozenset(
    f"warp.{name}"
    for name in [
        "randf",
        "randn",
        "rand_init",
        "sample_cdf",
        "sample_triangle",
        "sample_unit_ring",
        "sample_unit_disk",
        "sample_unit_sphere",
        "sample_unit_sphere_surface",
        "sample_unit_hemisphere",
        "sample_unit_hemisphere_surface",
        "sample_unit_square",
        "sample_unit_cube",
    ]
)
SINGLE_SCALARS = frozenset(["warp.randf", "warp.randn"])
SINGLE_VECTORS: dict[str, int] = {
    "warp.sample_triangle": 2,
    "warp.sample_unit_ring": 2,
    "warp.sample_unit_disk": 2,
    "warp.sample_unit_sphere": 3,
    "warp.sample_unit_sphere_surface": 3,
    "warp.sample_unit_hemisphere": 3,
    "warp.sample_unit_hemisphere_surface": 3,
    "warp.sample_unit_square": 2,
    "warp.sample_unit_cube": 3,
}

# Constructors that take their scalar type from a keyword, single precision by default.
DTYPE_KEYWORD = frozenset(
    f"warp.{name}"
    for name in [
        "tile_zeros",
        "tile_ones",
        "tile_arange",
        "tile_full",
        "quat_identity",
        "transform_identity",
        "identity",
        "zeros",
    ]
)

GENERIC_MARKS = frozenset(
    [
        "typing.Any",
        "warp.Any",
        "warp.Float",
        "warp.Scalar",
        "warp.Int",
        "warp.types.Float",
        "warp.types.Scalar",
    ]
)

GENERIC_GUESSES = {
    "double": ("float64", "vec3d", "mat33d", "quatd"),
    "original": ("float32", "vec3", "mat33", "quat"),
}

# Handles exist in single precision only: no use trying anything else.
HANDLE_PREFIXES = {
    "warp.mesh_": "mesh",
    "warp.hash_grid_": "hash_grid",
    "warp.bvh_": "bvh",
    "warp.volume_": "volume",
    "warp.texture_": "texture",
}

SINGLE_ONLY = ("warp.noise", "warp.pnoise", "warp.curlnoise", "warp.spatial_jacobian", "warp.spatial_mass")


def handle_kind(name: str) -> str | None:
    """The kind of object a builtin's identifier argument stands for."""
    for prefix, kind in HANDLE_PREFIXES.items():
        if name.startswith(prefix):
            return kind
    return None


def single_only(name: str) -> bool:
    return handle_kind(name) is not None or name.startswith(SINGLE_ONLY)


def warp_attribute(name: str) -> ast.expr:
    """`wp.name`, in terms of the generated module's own import."""
    return ast.Attribute(ast.Name("wp", ast.Load()), name, ast.Load())
