# ruff: noqa
"""Kernels of many shapes for the kernel confirmer. The name says what their gradient is."""

import dataclasses
import enum
import math
import sys
from typing import Any

import a_package_that_is_not_installed as missing
import numpy as np
import warp as wp
from helpers import damp
from warp import array, kernel
from warp import vec3 as triple

DATA = open("a file that is not there").read()
SIZE = 3
DT = 1.0 / 60.0
GAIN = wp.constant(0.75)
AXIS = wp.constant(wp.vec3(0.0, 1.0, 0.0))
FROM_DATA = len(DATA)
vec5 = wp.types.vector(5, float)
Scalar = wp.float32


class Mode(enum.IntEnum):
    FAST = 0
    EXACT = 2


class Kind(enum.IntEnum):
    FREE = 4
    BOUND = 5


class Limits:
    LOW = 0.1
    STEPS = 4


@wp.struct
class Inner:
    v: wp.vec3
    w: float


@wp.struct
class State:
    pos: wp.array(dtype=wp.vec3)
    mass: wp.array(dtype=float)
    inner: Inner
    count: int


@wp.func
def stretch(x: float, k: float):
    return k * x * x + GAIN


@wp.func
def overloaded(x: float):
    return x * 2.0


@wp.func
def overloaded(x: wp.vec3):  # noqa: F811
    return x * 3.0


@wp.func
def scale_in_place(a: wp.array(dtype=float), i: int, s: float):
    a[i] *= s


@wp.func_native("return x * x * 0.5f;")
def native_half_square(x: float) -> float: ...


# --- right


@wp.kernel
def right_constants(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = stretch(x[i], DT) * wp.dot(AXIS, wp.vec3(1.0, x[i], 2.0)) + Limits.LOW * wp.pi + math.pi


@wp.kernel
def right_struct(s: State, out: wp.array(dtype=float)):
    i = wp.tid()
    if i < s.count:
        out[i] = wp.length(s.pos[i]) * s.mass[i] + s.inner.w * wp.dot(s.inner.v, s.pos[i])


@wp.kernel
def right_array_of_structs(s: wp.array(dtype=Inner), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = s[i].w * s[i].w * wp.dot(s[i].v, s[i].v)


@kernel
def right_imported(x: array(dtype=triple), out: array(dtype=float)):
    i = wp.tid()
    out[i] = damp(wp.length(x[i])) + overloaded(x[i])[0] + overloaded(x[i][1])


@wp.kernel
def right_generic(x: wp.array(dtype=Any), out: wp.array(dtype=Any)):
    i = wp.tid()
    out[i] = x[i] + x[i] * x.dtype(2.0) if wp.static(False) else x[i] + x[i]


@wp.kernel
def right_static(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    v = vec5()
    for k in range(wp.static(SIZE + 2)):
        v[k] = x[i] * wp.static(math.cos(0.5) + DT)
    out[i] = wp.dot(v, v)


@wp.kernel
def right_enum(x: wp.array(dtype=float), mode: int, out: wp.array(dtype=float)):
    i = wp.tid()
    if mode == Mode.EXACT:
        out[i] = x[i] * x[i]
    else:
        out[i] = 3.0 * x[i]


@wp.kernel
def right_random(seed: int, x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    out[i] = x[i] * x[i] * wp.randf(state, 0.5, 1.5) + wp.dot(wp.sample_unit_sphere(state), wp.vec3(x[i]))


@wp.kernel
def right_string_annotations(x: "wp.array2d(dtype=Scalar)", out: "wp.array2d(dtype=float)"):
    i, j = wp.tid()
    out[i, j] = wp.sin(x[i, j]) * x[j, i]


@wp.kernel
def right_quaternions(q: wp.array(dtype=wp.quat), t: wp.array(dtype=wp.transform), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    out[i] = wp.quat_rotate(q[i], wp.vec3(1.0, 2.0, 3.0)) + wp.transform_point(t[i], wp.vec3(0.5, 0.0, 0.0))


@wp.kernel
def right_rows(
    offsets: wp.array(dtype=int),
    columns: wp.array(dtype=int),
    values: wp.array(dtype=float),
    x: wp.array(dtype=float),
    y: wp.array(dtype=float),
):
    i = wp.tid()
    total = float(0.0)
    for k in range(offsets[i], offsets[i + 1]):
        total += values[k] * x[columns[k]]
    y[i] = total


@wp.kernel
def right_mesh(mesh: wp.uint64, x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    query = wp.mesh_query_point(mesh, x[i], 1.0e6)
    if query.result:
        p = wp.mesh_eval_position(mesh, query.face, query.u, query.v)
        out[i] = wp.dot(p, wp.vec3(0.3, 0.2, 0.1)) + wp.length_sq(x[i])


@wp.kernel
def right_races(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i / 2] = x[i] * x[i]


@wp.kernel
def right_kinks(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.abs(x[i]) + wp.round(x[i] * 3.0) + wp.max(x[i], 0.25) * wp.clamp(x[i], -1.0, 1.0)


# --- wrong


@wp.kernel
def wrong_struct_in_place(s: State, k: wp.array(dtype=float)):
    i = wp.tid()
    s.pos[i] = s.pos[i] * k[i]


@wp.kernel
def wrong_array_of_structs(s: wp.array(dtype=Inner), out: wp.array(dtype=float)):
    i = wp.tid()
    v = wp.vec3(s[i].w, s[i].w, 1.0)
    v[0] = s[i].v[1]
    out[i] = wp.dot(v, v)


@wp.kernel
def wrong_in_func(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    scale_in_place(a, i, b[i])


@wp.kernel
def wrong_loop(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(1.0)
    for k in range(n):
        s *= x[i + k]
    out[i] = s


@wp.kernel
def wrong_break(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(n):
        if x[k] > 40.0:
            break
        s += x[k] * x[k]
    out[i] = s


@wp.kernel
def wrong_native(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = native_half_square(x[i]) + x[i]


@wp.kernel
def wrong_generic(x: wp.array(dtype=Any), s: wp.array(dtype=Any)):
    i = wp.tid()
    x[i] = wp.cw_mul(x[i], s[i])


@wp.kernel
def wrong_neighbour(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = 0.5 * (x[i] + x[i + 1])


@wp.kernel
def right_local_array(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.zeros(shape=(3,), dtype=float)
    t[0] = x[i] * x[i]
    out[i] = t[0] * 2.0


@wp.kernel
def wrong_table(table: wp.array(dtype=State), k: wp.array(dtype=float)):
    i = wp.tid()
    table[i].mass[i] = table[i].mass[i] * k[i]


@wp.kernel
def wrong_texture(texture: wp.Texture3D, x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * x[i] * wp.texture_sample(texture, wp.vec3(0.3, 0.2, 0.1), dtype=float)


@wp.kernel
def wrong_tile(a: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    acc = wp.tile_zeros(shape=4, dtype=float)
    for j in range(n):
        x = wp.tile_load(a, shape=4)
        acc += x * x
    wp.tile_store(out, acc * acc)


@wp.kernel
def wrong_kinds(
    kind: wp.array(dtype=int), start: wp.array(dtype=int), pose: wp.array(dtype=wp.quat), tau: wp.array(dtype=float)
):
    i = wp.tid()
    t = kind[i]
    if t == Kind.FREE or t == Kind.BOUND:
        j = start[i]
        f = wp.quat_rotate(pose[i], wp.vec3(tau[j], tau[j + 1], tau[j + 2]))
        tau[j] = f[0]
        tau[j + 1] = f[1]
        tau[j + 2] = f[2]


@wp.kernel
def wrong_chain(parent: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    k = i
    s = float(1.0)
    while k >= 0:
        s = s * x[k]
        k = parent[k]
    out[i] = s


@wp.kernel
def wrong_scan(
    adr: wp.array(dtype=int), graph: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=float)
):
    i = wp.tid()
    k = adr[i]
    s = float(1.0)
    while graph[k] >= 0:
        s = s * x[graph[k]]
        k += 1
    out[i] = s


# --- can't be had


@wp.kernel
def open_data(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] * float(FROM_DATA)


@wp.kernel
def open_missing(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = missing.square(x[i])


@wp.func
def grow(x: float, s: float):
    if s > 1.0e6:
        s = s * x  # never
    return s


@wp.kernel
def open_never(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = grow(x[i], x[i] * x[i])


@wp.kernel
def wrong_seldom(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] * x[i]
    if wp.abs(x[0] - 1.0) < 0.02 and i == 0:
        out[i] = out[i] * y[i]  # seldom


@wp.kernel
def open_forever(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    k = int(0)
    y = x[i]
    while k >= 0:
        out[i] = y * y
        k = 1 - k


@wp.kernel
def open_crash(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i + 1000000000] = x[i]


@wp.kernel
def open_integers(a: wp.array(dtype=int), out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = a[i] * 2


@wp.kernel
def open_indexed(a: wp.indexedarray(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i] * 2.0


@wp.kernel(enable_backward=False)
def open_disabled(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    a[i] *= out[i]


@wp.kernel
def open_broken(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.no_such_builtin(a[i])


def make(count, factor, dtype=wp.float32):
    @wp.kernel
    def closure(x: wp.array(dtype=dtype), out: wp.array(dtype=dtype)):
        i = wp.tid()
        s = dtype(factor)
        for _k in range(count):
            s = s * x[i]
        out[i] = s

    return closure


def make_unknown(count):
    @wp.kernel
    def unknown(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        s = float(1.0)
        for _k in range(count):
            s *= x[i]
        out[i] = s

    return unknown


def make_linear(weight: float):
    @wp.kernel
    def linear_unknown(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = x[i] * weight

    return linear_unknown


def make_object(model):
    @wp.kernel
    def object_unknown(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = x[i] * float(model.count)

    return object_unknown


class Settings:
    steps: int = 20
    gain: float


@dataclasses.dataclass(frozen=True)
class Complete:
    steps: int = 20
    kind: int = Mode.EXACT

    def unused(self):
        return open("nothing")


def make_from_complete(settings: Complete):
    @wp.kernel
    def wrong_complete(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        s = float(1.0)
        for _k in range(wp.static(settings.steps * 2 if settings.kind else 1)):
            s *= x[i]
        out[i] = s

    return wrong_complete


def make_from_settings(settings: Settings):
    @wp.kernel
    def wrong_settings(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        s = float(1.0)
        for _k in range(wp.static(settings.steps)):
            s *= x[i]
        out[i] = s

    return wrong_settings


def power_of(count: int, weight):
    scale = weight * 2.0

    @wp.func
    def power(x: float):
        s = float(1.0)
        for _k in range(count):
            s = s * x * 1.5
        return s + scale * x

    return power


cube = power_of(3, 0.5)


@wp.kernel
def right_made_by_a_function(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = cube(x[i])


@wp.kernel
def right_made_inside(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.static(power_of(2, 1.5))(x[i])


@wp.kernel
def wrong_made_by_a_function(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = cube(x[i]) * y[i]


@wp.kernel
def wrong_mesh_array(meshes: wp.array(dtype=wp.uint64), x: wp.array(dtype=wp.vec3), s: wp.array(dtype=float)):
    i = wp.tid()
    query = wp.mesh_query_point(meshes[i], x[i], 1.0e6)
    if query.result:
        s[i] = s[i] * wp.length_sq(x[i])


class Solver:
    scale = 2.5

    @wp.kernel
    def right_method(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = x[i] * x[i]

    def build(self):
        n = 20

        @wp.kernel
        def wrong_inner(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            s = float(1.0)
            for _k in range(n):
                s *= x[i]
            out[i] = s

        return wrong_inner, make_unknown(self.n)


third = make(3, 2.0)


@wp.func
def plain_wrong(a: wp.array(dtype=float), i: int, s: float):
    a[i] *= s


@wp.func
def plain_struct(s: State, i: int, k: float):
    s.pos[i] = s.pos[i] * wp.dot(s.pos[i], s.pos[i]) * k


@wp.func
def plain_open(item: Any, k: float):
    v = wp.vec3(item.w, k, 1.0)
    v[0] = item.v[1] * k
    return wp.dot(v, v)


@wp.func
def plain_returned(x: wp.vec3, k: float) -> Inner:
    r = Inner()
    v = wp.vec3(k, k, 1.0)
    v[0] = x[1] * k
    r.w = wp.dot(v, v)
    r.v = x
    return r


@wp.func
def plain_pair(x: wp.vec3, k: float):
    v = wp.vec3(k, k, 1.0)
    v[0] = x[1] * k
    r = Inner()
    r.w = wp.dot(v, v)
    return True, r


named_func = wp.func if SIZE > 2 else wp.func(module="unique")


@named_func
def half(x: float):
    return 0.5 * x * x


@wp.kernel
def right_named_decorator(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = half(x[i])


@wp.func
def plain_right(x: wp.vec3, k: float):
    return x * k, wp.length(x)


if __name__ == "__main__":
    raise SystemExit(np.zeros(1)[0] + len(sys.argv))
raise SystemExit("never import this")
