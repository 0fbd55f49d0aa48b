"""ADJ104, ADJ111: components of local objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kernel_sources import check


def kernel(body: str, before: str = "") -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    parameters = "x: wp.array(dtype=float), q: wp.array(dtype=wp.vec3), out: wp.array(dtype=float), n: int"
    return f"{before}\n@wp.kernel\ndef k({parameters}):\n    i = wp.tid()\n{lines}\n"


@pytest.mark.parametrize(
    "body",
    [
        "v = wp.vec3()\nv[0] = x[i]\nv[1] = x[i + 1]\nout[i] = wp.dot(v, v)",
        "v = wp.vec3()\nv[0] = x[i]\nv[0] = x[i + 1]  # ADJ104\nout[i] = v[0]",
        "v = q[i]\nv[1] = 0.0  # ADJ104\nout[i] = wp.length(v)",
        "v = q[i]\nv[1] = 0.0\nout[i] = v[0]",
        "v = wp.vec3(1.0, 2.0, 3.0)\nv[1] = x[i]\nout[i] = wp.length(v)",
        "v = wp.vec3()\na = wp.dot(v, q[i])\nv[0] = x[i]  # ADJ104\nout[i] = a + v[0]",
        "v = q[i]\na = v[0] * v[0]\nv[0] += x[i]\nout[i] = a + v[0]",
        "v = q[i]\na = wp.dot(v, v)\nv[0] += x[i]  # ADJ104\nout[i] = a + v[0]",
        "v = wp.vec3()\nif x[i] > 0.0:\n    v[0] = x[i]\nelse:\n    v[0] = x[i + 1]\nout[i] = v[0]",
        "v = wp.vec3()\nv[0] = x[i]\nif x[i] > 0.0:\n    v[0] = 0.0  # ADJ104\nout[i] = v[0]",
        "v = wp.vec3()\nfor j in range(3):\n    v[j] = x[j]\nout[i] = wp.dot(v, v)",
        "v = q[i]\nv = wp.vec3(x[i], v[1], v[2])\nout[i] = wp.length(v)",
        "v = q[i]\nw = v\nw[0] = 1.0  # ADJ104\nout[i] = wp.dot(v, w)",
        "v = q[i]\nv *= x[i]\nv = v * 2.0\nout[i] = wp.length(v)",
        "m = wp.mat22(x[0], x[1], x[2], x[3])\nm[0, 1] = x[4]  # ADJ104\nout[i] = m[0, 1]",
        "m = wp.mat22()\nm[0] = wp.vec2(x[0], x[1])\nm[0, 1] = x[4]  # ADJ104\nout[i] = m[0, 1]",
        "r = wp.quat(x[0], x[1], x[2], x[3])\nr.w = 1.0  # ADJ104\nout[i] = wp.length(r)",
        "t = wp.transform_identity()\nt.p = q[i]\nt.p = q[i + 1]  # ADJ104\nout[i] = wp.length(t.p)",
        "v = wp.vec3()\nfor j in range(n):\n    v[0] = x[j]  # ADJ104\nout[i] = v[0]",
        "v = wp.vec3()\nfor j in range(n):\n    v[j] = x[j]\nout[i] = v[0] + v[1]",
        "v = wp.vec3()\nfor j in range(n):\n    v[0] += x[j]\nout[i] = v[0]",
    ],
)
def test_components(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


def test_several_components_are_one_finding(tmp_path: Path) -> None:
    check(tmp_path, kernel("v = q[i]\nv[0] = 0.0  # ADJ104\nv[1] = 0.0\nv[2] = 0.0\nout[i] = wp.length(v)"))


def test_overwrites_option(tmp_path: Path) -> None:
    option = "wp.config.enable_vector_component_overwrites = True"
    check(tmp_path, kernel("v = q[i]\nv[1] = 0.0\nout[i] = wp.length(v)", option))
    check(tmp_path, kernel("v = q[i]\na = wp.dot(v, v)\nv[0] += x[i]  # ADJ104\nout[i] = a + v[0]", option))


STRUCT = """
@wp.struct
class Body:
    m: float
    v: wp.vec3

@wp.func
def energy(b: Body):
    return b.m * wp.dot(b.v, b.v)
"""


@pytest.mark.parametrize(
    "body",
    [
        "b = Body()\nb.m = x[i]\nt = b.m * b.m\nb.m = x[i + 1]\nout[i] = t + b.m * b.m",
        "b = Body()\nb.m = x[i]\nb.v = q[i]\nt = energy(b)\nb.m = 2.0  # ADJ104\nout[i] = t + energy(b)",
        "b = Body()\nb.v[0] = x[i]  # ADJ111\nb.v[1] = x[i + 1]\nout[i] = b.v[0] + b.v[1]",
        "b = Body()\nb.v = wp.vec3(x[i], 0.0, 0.0)\nout[i] = b.v[0]",
    ],
)
def test_structs(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body, STRUCT))


def test_struct_fields_before_1_16(tmp_path: Path) -> None:
    body = "b = Body()\nb.m = x[i]{mark}\nout[i] = b.m * b.m"
    check(tmp_path, kernel(body.format(mark=""), STRUCT), "1.16.0")
    check(tmp_path, kernel(body.format(mark="  # ADJ104"), STRUCT), "1.13.0")


def test_parameter_of_a_func(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def first(v: wp.vec3, s: float):
            v[0] = s  # ADJ104
            return v[0] * v[1]

        @wp.kernel
        def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            v = wp.vec3(1.0, x[i + 1], x[i + 2])
            out[i] = first(v, x[i]) + v[0] * v[1]
        """,
    )
