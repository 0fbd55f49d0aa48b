"""The overloads that `builtin_probe` measures: from Warp's registry where all operand types are concrete, the rest by
hand. `UNMEASURED` says why the others are not measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import warp as wp

from tests.unit.kernels.builtin_probe import FORMS, Case

try:
    from warp._src.context import builtin_functions
except ImportError:  # Warp before 1.10
    from warp.context import builtin_functions

SIGNED_UNIT = (-0.8, 0.8)
POSITIVE = (0.2, 2.0)
USUAL = (0.3, 1.5)

# Where the usual samples (0.3 to 1.5 with a random sign) leave the domain or miss a branch.
DOMAINS: dict[str, tuple[tuple[float, float], ...]] = {
    "acos": (SIGNED_UNIT,),
    "asin": (SIGNED_UNIT,),
    "erfinv": (SIGNED_UNIT,),
    "erfcinv": ((0.2, 1.8),),
    "log": (POSITIVE,),
    "log2": (POSITIVE,),
    "log10": (POSITIVE,),
    "sqrt": (POSITIVE,),
    "cbrt": (POSITIVE,),
    "pow": (POSITIVE, (-1.5, 1.5)),
    "clamp": ((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0)),
    "smoothstep": ((0.0, 0.3), (0.7, 1.0), (-0.2, 1.2)),
    "tan": ((-1.2, 1.2),),
    "length": (USUAL,),
    "normalize": (USUAL,),
    "norm_huber": ((-2.0, 2.0), (0.5, 2.0)),
    "norm_pseudo_huber": ((-2.0, 2.0), (0.5, 2.0)),
    "smooth_normalize": ((-2.0, 2.0), (0.5, 2.0)),
    "poisson": ((1, 3), (1.0, 5.0)),
}
SAMPLERS = {"quat_from_matrix": "rotation", "transform_from_matrix": "rotation", "transform_decompose": "rotation"}

# Overloads over these only differ in element type, and have no float operand or result worth a kernel.
PREDICATES = frozenset({"isfinite", "isnan", "isinf", "argmin", "argmax", "expect_eq", "expect_neq", "expect_near"})


def type_name(kind: Any) -> str | None:
    """Key in `FORMS` of a concrete Warp type, or None."""
    text = wp.types.type_repr(kind) if hasattr(wp.types, "type_repr") else _repr(kind)
    text = re.sub(r"(\w+\.)*(?=float|int|uint|bool)", "", text)
    if match := re.fullmatch(r"vector\(length=6, dtype=float(32|64)\)", text):
        return f"vec6{'d' if match[1] == '64' else 'f'}"
    if match := re.fullmatch(r"matrix\(shape=\(6, 6\), dtype=float(32|64)\)", text):
        return f"mat66{'d' if match[1] == '64' else 'f'}"
    text = {"float": "float32", "int": "int32"}.get(text, text)
    return text if text in FORMS else None


def _repr(kind: Any) -> str:
    from warp._src.types import type_repr

    return str(type_repr(kind))


def overloads(function: Any) -> list[Any]:
    """The overloads of a builtin; those of a function that Warp defines in Python are its user overloads."""
    if hasattr(function, "overloads"):
        return list(function.overloads)
    return (
        list(function.user_overloads.values()) or list(getattr(function, "user_templates", {}).values()) or [function]
    )


def parameters(function: Any) -> list[list[str]]:
    """Distinct operand names of a builtin's overloads."""
    found: list[list[str]] = []
    for overload in overloads(function):
        names = [name.lstrip("*") for name in overload.input_types]
        if names not in found:
            found.append(names)
    return found


def registry_cases() -> list[Case]:
    """One case per concrete overload, in double precision where there is one."""
    cases = []
    for name, function in builtin_functions.items():
        if name in UNMEASURED or name in PREDICATES or not hasattr(function, "overloads"):
            continue
        found = []
        for overload in function.overloads:
            operands = [type_name(kind) for kind in overload.input_types.values()]
            if not operands or None in operands or "float16" in operands:
                continue
            result = _result(overload)
            if result is not None:
                found.append((overload, tuple(str(o) for o in operands), result))
        single = {name for name, form in FORMS.items() if form.numpy == "float32"}
        double = {name for name, form in FORMS.items() if form.numpy == "float64"}
        if any(double.intersection(operands) for _, operands, _ in found):
            found = [item for item in found if not single.intersection(item[1])]
        seen = set()
        for overload, operands, result in found:
            if operands in seen or not any(FORMS[o].kind == "float" for o in operands):
                continue
            seen.add(operands)
            call = f"wp.{name}({', '.join(f'x{k}' for k in range(len(operands)))})"
            domain = DOMAINS.get(name) or tuple(USUAL if FORMS[o].kind == "float" else (1, 3) for o in operands)
            sampler = SAMPLERS.get(name, "uniform" if name in DOMAINS else "signed")
            case = Case(name, tuple(overload.input_types), operands, (result,), f"r0 = {call}", domain, sampler)
            case.step = 2e-2 if result in ("float32", "float16") and "float64" in operands else 0.0
            cases.append(case)
    return cases


def _result(overload: Any) -> str | None:
    try:
        kind = overload.value_func(dict(overload.input_types), None) if overload.value_func else overload.value_type
    except Exception:
        return None
    return None if kind is None or isinstance(kind, (tuple, list)) else type_name(kind)


def _c(name: str, names: str, operands: str, results: str, body: str, **more: Any) -> Case:
    """A case in short. `body` without `r0` is an expression; the last name stands for all further operands."""
    if "r0" not in body and not more.get("direct"):
        body = f"r0 = {body}"
    types = tuple(operands.split())
    words = names.split()
    words += words[-1:] * (len(types) - len(words))
    return Case(name, tuple(words), types, tuple(results.split()), body, **more)


def python_cases() -> list[Case]:
    """Functions that Warp defines in Python on top of its builtins, and builtins with generic or several results."""
    v, q, t, m = "vec3d", "quatd", "transformd", "mat33d"
    s = "float64"
    index = (USUAL, (0, 1))
    double = "r0 = x0 * wp.float64(1.0)\n"
    return [
        _c("norm_l1", "v", "vec3f", "float32", "wp.norm_l1(x0)"),
        _c("norm_l2", "v", "vec3f", "float32", "wp.norm_l2(x0)"),
        _c("norm_huber", "v delta", "vec3f float32", "float32", "wp.norm_huber(x0, x1)", domain=DOMAINS["norm_huber"]),
        _c("norm_pseudo_huber", "v delta", "vec3f float32", "float32", "wp.norm_pseudo_huber(x0, x1)"),
        _c("smooth_normalize", "v delta", "vec3f float32", "vec3f", "wp.smooth_normalize(x0, x1)"),
        _c("velocity_at_point", "qd r", "vec6f vec3f", "vec3f", "wp.velocity_at_point(x0, x1)"),
        _c("quat_twist", "axis q", "vec3f quatf", "quatf", "wp.quat_twist(x0, x1)"),
        _c("quat_twist_angle", "axis q", "vec3f quatf", "float32", "wp.quat_twist_angle(x0, x1)"),
        _c("quat_twist_angle_signed", "axis q", "vec3f quatf", "float32", "wp.quat_twist_angle_signed(x0, x1)"),
        _c("quat_to_rpy", "q", "quatf", "vec3f", "wp.quat_to_rpy(x0)"),
        _c("quat_to_euler", "q", "quatf", "vec3f", "wp.quat_to_euler(x0, 0, 1, 2)"),
        _c("quat_from_euler", "e", "vec3f", "quatf", "wp.quat_from_euler(x0, 0, 1, 2)"),
        _c("transform_twist", "t x", "transformf vec6f", "vec6f", "wp.transform_twist(x0, x1)"),
        _c("transform_wrench", "t x", "transformf vec6f", "vec6f", "wp.transform_wrench(x0, x1)"),
        _c("transform_from_matrix", "mat", "mat44d", t, "wp.transform_from_matrix(x0)", sampler="rotation"),
        _c("transform_to_matrix", "xform", t, "mat44d", "wp.transform_to_matrix(x0)"),
        _c(
            "transform_compose", "position rotation scale", f"{v} {q} {v}", "mat44d", "wp.transform_compose(x0, x1, x2)"
        ),
        _c(
            "transform_decompose",
            "m",
            "mat44d",
            f"{v} {q} {v}",
            "r0, r1, r2 = wp.transform_decompose(x0)",
            sampler="rotation",
        ),
        _c("svd3", "A", m, f"{m} {v} {m}", "r0, r1, r2 = wp.svd3(x0)"),
        _c("svd2", "A", "mat22d", "mat22d vec2d mat22d", "r0, r1, r2 = wp.svd2(x0)"),
        _c("qr3", "A", m, f"{m} {m}", "r0, r1 = wp.qr3(x0)"),
        _c("eig3", "A", m, f"{m} {v}", "r0, r1 = wp.eig3(x0)", sampler="spd"),
        _c("quat_to_axis_angle", "quat", q, f"{v} {s}", "r0, r1 = wp.quat_to_axis_angle(x0)"),
        _c("inverse_approx", "a", m, m, "wp.inverse_approx(x0)"),
        _c("inverse_approx", "a", "mat22d", "mat22d", "wp.inverse_approx(x0)"),
        _c("div_approx", "a b", f"{s} {s}", s, "wp.div_approx(x0, x1)"),
        _c("div_approx", "a b", f"{v} {s}", v, "wp.div_approx(x0, x1)"),
        _c("div_approx", "a b", f"{s} {v}", v, "wp.div_approx(x0, x1)"),
        _c("vector", "args", f"{s} {s} {s}", v, "wp.vec3d(x0, x1, x2)"),
        _c("vector", "args", s, v, "wp.vec3d(x0)"),
        _c("vector", "args", "vec3f", v, "wp.vec3d(x0)"),
        _c("matrix", "args", f"{s} {s} {s} {s}", "mat22d", "wp.mat22d(x0, x1, x2, x3)"),
        _c("matrix", "args", s, "mat22d", "wp.mat22d(x0)"),
        _c("matrix_from_cols", "args", "vec2d vec2d", "mat22d", "wp.matrix_from_cols(x0, x1)"),
        _c("matrix_from_rows", "args", "vec2d vec2d", "mat22d", "wp.matrix_from_rows(x0, x1)"),
        _c("quaternion", "args", f"{s} {s} {s} {s}", q, "wp.quatd(x0, x1, x2, x3)"),
        _c("quaternion", "args", f"{v} {s}", q, "wp.quatd(x0, x1)"),
        _c("transformation", "args", f"{v} {q}", t, "wp.transformd(x0, x1)"),
        _c("transformation", "args", " ".join([s] * 7), t, "wp.transformd(x0, x1, x2, x3, x4, x5, x6)"),
        _c("spatial_vector", "args", "vec3f vec3f", "vec6f", "wp.spatial_vector(x0, x1)"),
        _c("spatial_vector", "args", " ".join(["float32"] * 6), "vec6f", "wp.spatial_vector(x0, x1, x2, x3, x4, x5)"),
        _c("spatial_adjoint", "r s", f"{m} {m}", "mat66d", "wp.spatial_adjoint(x0, x1)"),
        _c("where", "cond value_if_true value_if_false", f"bool {s} {s}", s, "wp.where(x0, x1, x2)"),
        _c("where", "cond value_if_true value_if_false", f"bool {v} {v}", v, "wp.where(x0, x1, x2)"),
        _c(
            "where",
            "cond value_if_true value_if_false",
            f"int32 {s} {s}",
            s,
            "wp.where(x0, x1, x2)",
            domain=((0, 1), USUAL, USUAL),
        ),
        _c("extract", "a i", f"{v} int32", s, "x0[x1]", domain=index),
        _c("extract", "a i", f"{q} int32", s, "x0[x1]", domain=index),
        _c("extract", "a i", f"{t} int32", s, "x0[x1]", domain=index),
        _c("extract", "a i", f"{m} int32", v, "x0[x1]", domain=index),
        _c("extract", "a i j", f"{m} int32 int32", s, "x0[x1, x2]", domain=(USUAL, (0, 1), (0, 1))),
        _c("add_inplace", "a i value", f"{v} int32 {s}", v, f"{double}r0[x1] += x2", domain=(*index, USUAL)),
        _c("sub_inplace", "a i value", f"{v} int32 {s}", v, f"{double}r0[x1] -= x2", domain=(*index, USUAL)),
        _c("assign_inplace", "a i value", f"{v} int32 {s}", v, f"{double}r0[x1] = x2", domain=(*index, USUAL)),
        _c("transform_set_translation", "xform p", f"{t} {v}", t, f"{double}wp.transform_set_translation(r0, x1)"),
        _c("transform_set_rotation", "xform q", f"{t} {q}", t, f"{double}wp.transform_set_rotation(r0, x1)"),
        _c("array_store", "value", v, v, "R0[i] = x0", direct=True),
        _c("atomic_add", "value", v, v, "wp.atomic_add(R0, i, x0)", direct=True),
        _c("atomic_sub", "value", v, v, "wp.atomic_sub(R0, i, x0)", direct=True),
        _c(
            "atomic_min",
            "value",
            s,
            s,
            "wp.atomic_min(R0, i, x0)",
            direct=True,
            domain=((-1.5, -0.3),),
            sampler="uniform",
        ),
        _c(
            "atomic_max",
            "value",
            s,
            s,
            "wp.atomic_max(R0, i, x0)",
            direct=True,
            domain=((0.3, 1.5),),
            sampler="uniform",
        ),
        _c("atomic_exch", "value", s, s, "wp.atomic_exch(R0, i, x0)", direct=True),
        _c("atomic_cas", "value", s, s, "wp.atomic_cas(R0, i, wp.float64(0.0), x0)", direct=True),
        _c("tuple", "args", f"{s} {v}", f"{s} {v}", "t = (x0, x1)\nr0, r1 = t"),
    ]


def tile_cases() -> list[Case]:
    """Tile operations, one block."""
    a, b, c = "tile4x4d", "tile4d", "float64"
    one = "tile1d"
    square = "@wp.func\ndef square_sine(x: wp.float64):\n    return wp.sin(x) * x"
    times = "@wp.func\ndef times_sine(x: wp.float64, y: wp.float64):\n    return wp.sin(x) * y"
    return [
        _c("tile_load", "a", a, a, "x0"),
        _c("tile_sum", "a", a, one, "wp.tile_sum(x0)"),
        _c("tile_sum", "a", a, b, "wp.tile_sum(x0, axis=1)"),
        _c("tile_min", "a", b, one, "wp.tile_min(x0)"),
        _c("tile_max", "a", b, one, "wp.tile_max(x0)"),
        _c("tile_reduce", "a", b, one, "wp.tile_reduce(wp.add, x0)"),
        _c("tile_scan_inclusive", "a", "tile4f", "tile4f", "wp.tile_scan_inclusive(x0)"),
        _c("tile_scan_exclusive", "a", "tile4f", "tile4f", "wp.tile_scan_exclusive(x0)"),
        _c("tile_scan_max_inclusive", "a", "tile4f", "tile4f", "wp.tile_scan_max_inclusive(x0)"),
        _c("tile_scan_min_inclusive", "a", "tile4f", "tile4f", "wp.tile_scan_min_inclusive(x0)"),
        _c("tile_dot", "a b", f"{b} {b}", one, "wp.tile_dot(x0, x1)"),
        _c("tile_axpy", "alpha src dest", f"{c} {b} {b}", b, "r0 = x2 + x1\nwp.tile_axpy(x0, x1, r0)"),
        _c("tile_map", "a", b, b, "wp.tile_map(wp.sin, x0)"),
        _c("tile_map", "a", b, b, "wp.tile_map(wp.exp, x0)"),
        _c("tile_map", "a", b, b, "wp.tile_map(square_sine, x0)", prelude=square),
        _c("tile_map", "a b", f"{b} {b}", b, "wp.tile_map(times_sine, x0, x1)", prelude=times),
        _c("tile_transpose", "a", a, a, "wp.tile_transpose(x0)"),
        _c("tile_broadcast", "a", b, a, "wp.tile_broadcast(x0, shape=(4, 4))"),
        _c("tile_view", "t", a, "tile2x2d", "wp.tile_view(x0, offset=(1, 1), shape=(2, 2))"),
        _c("tile_squeeze", "t", "tile1x1d", one, "wp.tile_squeeze(x0, axis=(0,))"),
        _c("tile_reshape", "t", "tile2x2d", b, "wp.tile_reshape(x0, shape=(4,))"),
        _c("tile_astype", "t", "tile4f", b, "wp.tile_astype(x0, dtype=wp.float64)"),
        _c("tile_assign", "dst src", f"{a} tile2x2d", a, "r0 = x0 + x0\nwp.tile_assign(r0, x1, offset=(1, 1))"),
        _c("assign", "dst src", f"{b} {c}", b, "r0 = x0 + x0\nr0[1] = x1"),
        _c(
            "tile_extract", "a", b, one, "r0 = wp.tile_zeros(shape=1, dtype=wp.float64)\nr0[0] = wp.tile_extract(x0, 2)"
        ),
        _c("tile_matmul", "a b", f"{a} {a}", a, "wp.tile_matmul(x0, x1)"),
        _c("tile_matmul", "a b out", f"{a} {a} {a}", a, "r0 = x2 + x2\nwp.tile_matmul(x0, x1, r0)"),
        _c(
            "tile_matmul",
            "a b out alpha beta",
            f"{a} {a} {a} {c} {c}",
            a,
            "r0 = x2 + x2\nwp.tile_matmul(x0, x1, r0, x3, x4)",
        ),
        _c("tile_full", "value", c, b, "wp.tile_full(shape=4, value=x0, dtype=wp.float64)"),
        _c("add", "a b", f"{b} {b}", b, "x0 + x1"),
        _c("sub", "a b", f"{b} {b}", b, "x0 - x1"),
        _c("mul", "a b", f"{b} {c}", b, "x0 * x1"),
        _c("mul", "a b", f"{c} {b}", b, "x0 * x1"),
        _c("mul", "a b", f"{b} {b}", b, "x0 * x1"),
        _c("div", "a b", f"{b} {c}", b, "x0 / x1"),
        _c("div", "a b", f"{c} {b}", b, "x0 / x1"),
        _c("div", "a b", f"{b} {b}", b, "x0 / x1"),
        _c("neg", "x", b, b, "-x0"),
        _c("add_inplace", "a value", f"{b} {b}", b, "r0 = x0 + x0\nr0 += x1"),
        _c("sub_inplace", "a value", f"{b} {b}", b, "r0 = x0 + x0\nr0 -= x1"),
        _c("tile_cholesky", "A", a, a, "wp.tile_cholesky(x0)", sampler="spd"),
        _c("tile_cholesky_inplace", "A", a, a, "r0 = x0 + x0\nwp.tile_cholesky_inplace(r0)", sampler="spd"),
        _c("tile_cholesky_solve", "L y", f"{a} {b}", b, "wp.tile_cholesky_solve(x0, x1)", sampler="spd"),
        _c(
            "tile_cholesky_solve_inplace",
            "L y",
            f"{a} {b}",
            b,
            "r0 = x1 + x1\nwp.tile_cholesky_solve_inplace(x0, r0)",
            sampler="spd",
        ),
        _c("tile_lower_solve", "L y", f"{a} {b}", b, "wp.tile_lower_solve(x0, x1)", sampler="spd"),
        _c(
            "tile_lower_solve_inplace",
            "L y",
            f"{a} {b}",
            b,
            "r0 = x1 + x1\nwp.tile_lower_solve_inplace(x0, r0)",
            sampler="spd",
        ),
        _c("tile_upper_solve", "U z", f"{a} {b}", b, "wp.tile_upper_solve(x0, x1)", sampler="spd"),
        _c(
            "tile_upper_solve_inplace",
            "U z",
            f"{a} {b}",
            b,
            "r0 = x1 + x1\nwp.tile_upper_solve_inplace(x0, r0)",
            sampler="spd",
        ),
        _c("tile_diag_add", "a d", f"{a} {b}", a, "wp.tile_diag_add(x0, x1)"),
        _c("tile_fft", "inout", "tile2x2vec2d", "tile2x2vec2d", "r0 = x0 + x0\nwp.tile_fft(r0)"),
        _c("tile_ifft", "inout", "tile2x2vec2d", "tile2x2vec2d", "r0 = x0 + x0\nwp.tile_ifft(r0)"),
        _c(
            "tile_sort",
            "keys",
            "tile4f",
            "tile4f",
            "r0 = x0 + x0\nv = wp.tile_arange(4, dtype=int)\nwp.tile_sort(r0, v)",
        ),
        _c("tile_add_inplace", "a value", f"{b} {c}", b, "r0 = x0 + x0\nr0[1] += x1"),
        _c("tile_sub_inplace", "a value", f"{b} {c}", b, "r0 = x0 + x0\nr0[1] -= x1"),
        _c("tile", "x", c, one, "wp.tile(x0)"),
        _c("untile", "a", one, c, "wp.untile(x0)"),
        _c("tile_from_thread", "value", c, b, "wp.tile_from_thread(shape=4, value=x0, thread_idx=0)"),
        _c("tile_slice_indexed", "t", a, b, "r0 = x0[1]"),
        _c("tile_load_indexed", "a", b, b, "r0 = wp.tile_load_indexed(X0, wp.tile_arange(4, dtype=int), shape=(4,))"),
        _c("tile_store", "t", b, b, "wp.tile_store(R0, x0)", direct=True),
        _c("tile_store_indexed", "t", b, b, "wp.tile_store_indexed(R0, wp.tile_arange(4, dtype=int), x0)", direct=True),
        _c("tile_atomic_add", "t", b, b, "wp.tile_atomic_add(R0, x0)", direct=True),
        _c(
            "tile_atomic_add_indexed",
            "t",
            b,
            b,
            "wp.tile_atomic_add_indexed(R0, wp.tile_arange(4, dtype=int), x0)",
            direct=True,
        ),
        _c("tile_scatter_add", "a value", f"{b} {c}", b, "r0 = x0 + x0\nwp.tile_scatter_add(r0, 1, x1, True)"),
        _c("tile_scatter_masked", "a value", f"{b} {c}", b, "r0 = x0 + x0\nwp.tile_scatter_masked(r0, 1, x1, True)"),
    ]


def _why(reason: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), reason)


# Builtins without a measurement. What the table says of them comes from Warp's native source.
UNMEASURED: dict[str, str] = {
    **_why(
        "needs a bounding volume hierarchy",
        "bvh_query_aabb bvh_query_ray bvh_query_capsule bvh_query_sphere bvh_query_next bvh_query_aabb_tiled "
        "bvh_query_ray_tiled bvh_query_next_tiled tile_bvh_query_aabb tile_bvh_query_ray tile_bvh_query_next "
        "tile_query_valid bvh_get_group_root",
    ),
    **_why(
        "needs a mesh",
        "mesh_get_group_root mesh_query_point mesh_query_point_sign_parity mesh_query_point_no_sign "
        "mesh_query_furthest_point_no_sign mesh_query_point_sign_normal mesh_query_point_sign_winding_number "
        "mesh_query_ray mesh_query_ray_anyhit mesh_query_ray_count_intersections mesh_get_bvh mesh_query_aabb "
        "mesh_query_sphere mesh_query_next mesh_query_aabb_next mesh_query_aabb_tiled mesh_query_aabb_next_tiled "
        "tile_mesh_query_aabb tile_mesh_query_aabb_next mesh_eval_position mesh_eval_velocity mesh_eval_face_normal "
        "mesh_get mesh_get_point mesh_get_velocity mesh_get_index",
    ),
    **_why("needs a hash grid", "hash_grid_query hash_grid_query_next hash_grid_point_id"),
    **_why(
        "needs a volume",
        "volume_sample volume_sample_grad volume_lookup volume_store volume_sample_f volume_sample_grad_f "
        "volume_lookup_f volume_store_f volume_sample_v volume_lookup_v volume_store_v volume_sample_i volume_lookup_i "
        "volume_store_i volume_sample_index volume_sample_grad_index volume_lookup_index volume_voxel_count "
        "volume_index_to_world volume_world_to_index volume_index_to_world_dir volume_world_to_index_dir",
    ),
    **_why("needs a texture", "texture_sample"),
    **_why("reads whole arrays, and is hidden", "dense_gemm dense_gemm_batched dense_chol dense_chol_batched"),
    **_why("reads whole arrays, and is hidden", "dense_subs dense_solve dense_solve_batched"),
    **_why("reads a whole array, and returns an index", "sample_cdf lower_bound"),
    **_why(
        "has no operand that could carry a gradient",
        "tid block_dim array zeros rand_init randi randu randn sample_triangle sample_unit_ring sample_unit_disk "
        "sample_unit_sphere_surface sample_unit_sphere sample_unit_hemisphere_surface sample_unit_hemisphere "
        "sample_unit_square sample_unit_cube identity quat_identity transform_identity tile_zeros tile_ones tile_empty "
        "tile_randi tile_arange bit_and bit_or bit_xor lshift rshift invert bit_count bit_and_inplace bit_or_inplace "
        "bit_xor_inplace tile_bit_and_inplace tile_bit_or_inplace tile_bit_xor_inplace atomic_and atomic_or atomic_xor "
        "range iter_next reversed len static slice breakpoint",
    ),
    **_why("has no result", "printf print expect_eq expect_neq expect_near"),
    **_why("gives an integer or a flag", "isfinite isnan isinf argmin argmax unot intersect_tri_tri"),
    **_why("gives an integer, of integers or floats", "tile_argmin tile_argmax"),
    **_why(
        "the generated code's own form of an access, measured through `[]`", "address view load store index indexref"
    ),
    **_why("inserted by Warp only with vector component overwrites enabled", "assign_copy"),
    **_why("inserted by Warp only for transforms", "transform_add_inplace transform_sub_inplace"),
    **_why(
        "inserted by Warp only with vector component overwrites enabled",
        "transform_set_translation_copy transform_set_rotation_copy",
    ),
    **_why("inserted by Warp, for variables that are copied", "copy"),
    **_why("is removed or raises an error", "select"),
    **_why("a shared stack, whose order depends on the threads", "tile_stack tile_stack_push tile_stack_pop"),
    **_why("a shared stack, whose order depends on the threads", "tile_stack_clear tile_stack_count"),
    **_why("takes literals only", "tile_randf"),
    **_why("reinterprets bits", "cast"),
    **_why("16 bits are too few for differences", "bfloat16"),
}

SETS: dict[str, Callable[[], list[Case]]] = {"registry": registry_cases, "python": python_cases, "tiles": tile_cases}
