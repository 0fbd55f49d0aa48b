"""Effect summaries: what the host side reads of a kernel."""

from __future__ import annotations

import textwrap
from pathlib import Path

from warp_lint.kernels.detect import kernel_kind, kernels_of
from warp_lint.kernels.effects import Access, Affine, Effects
from warp_lint.kernels.summary import kernel_effects
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project


def effects(tmp_path: Path, source: str, scalars: dict[tuple[str, ...], object] | None = None) -> Effects:
    project = Project(tmp_path)
    module = project.add(tmp_path / "m.py", "import warp as wp\n" + textwrap.dedent(source))
    assert module is not None
    return kernel_effects(project, kernels_of(project, module)[-1], Settings(), scalars)


def test_touches_and_flows(tmp_path: Path) -> None:
    found = effects(
        tmp_path,
        """
        @wp.kernel
        def k(x: wp.array2d(dtype=float), k: wp.array(dtype=float), ids: wp.array(dtype=int), t: int,
              out: wp.array2d(dtype=float)):
            i = wp.tid()
            out[t + 1, i] = x[t, i] * k[0]
            if ids[i] > 0:
                wp.atomic_add(out, 2 * t, ids[i], x[t, i])
        """,
    )
    assert [(touch.path[0], touch.access, touch.guarded) for touch in found.touches] == [
        ("x", Access.READ, False),
        ("k", Access.READ, False),
        ("out", Access.STORE, False),
        ("ids", Access.READ, False),
        ("ids", Access.READ, True),
        ("x", Access.READ, True),
        ("out", Access.ACCUMULATE, True),
    ]
    assert found.touches[2].index == (Affine((("arg:t", 1),), 1), Affine((("tid0", 1),), 0))
    assert found.touches[6].index == (Affine((("arg:t", 2),), 0), None)
    assert found.flows == {("out",): frozenset({("x",), ("k",)})}
    assert found.values == {("out",): frozenset({("x",), ("k",), ("ids",)})}
    assert found.own_defects == frozenset()
    needs = {(need.path, need.kind, need.partners) for need in found.needs}
    assert (("k",), "product", frozenset({("x",)})) in needs
    assert (("x",), "product", frozenset({("k",)})) in needs
    assert any(path == ("ids",) and kind == "condition" for path, kind, _ in needs)


def test_linear_kernels_need_nothing(tmp_path: Path) -> None:
    found = effects(
        tmp_path,
        """
        @wp.kernel
        def k(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = 2.0 * x[i] - y[i + 1]
        """,
    )
    assert found.needs == () and found.complete


def test_structs_funcs_and_scalars(tmp_path: Path) -> None:
    found = effects(
        tmp_path,
        """
        @wp.struct
        class Model:
            q: wp.array(dtype=float)
            g: float

        @wp.func
        def put(a: wp.array(dtype=float), i: int, v: float):
            a[i] = v

        @wp.kernel
        def k(m: Model, c: float, out: wp.array(dtype=float)):
            i = wp.tid()
            put(out, i + 1, m.q[i] * m.g)
        """,
    )
    assert found.flows == {("out",): frozenset({("m", "q")})}
    assert {need.path for need in found.scalar_needs} == {("m", "g")}
    assert found.touches[-1].index == (Affine((("tid0", 1),), 1),)
    parameter = found.parameters[0]
    assert (parameter.kind, [member.name for member in parameter.members]) == ("struct", ["q", "g"])
    assert parameter.members[0].dtype == "float32"


def test_known_scalars_select_branches(tmp_path: Path) -> None:
    source = """
        @wp.kernel
        def k(x: wp.array(dtype=float), mode: int, a: wp.array(dtype=float), b: wp.array(dtype=float)):
            i = wp.tid()
            if mode == 0:
                a[i] = x[i]
            else:
                b[i] = x[i]
        """
    assert set(effects(tmp_path, source).flows) == {("a",), ("b",)}
    assert set(effects(tmp_path, source, {("mode",): 0}).flows) == {("a",)}


def test_partial_and_own_defects(tmp_path: Path) -> None:
    found = effects(
        tmp_path,
        """
        @wp.kernel
        def k(v: wp.array(dtype=wp.vec3), x: wp.array(dtype=float), a: wp.array(dtype=float)):
            i = wp.tid()
            v[i].x = x[i]
            a[i] = a[i] * x[i]
        """,
    )
    assert [touch.partial for touch in found.touches if touch.path == ("v",)] == [True]
    assert [touch.from_self for touch in found.touches if touch.path == ("a",)] == [False, True]
    assert found.own_defects == frozenset({("x",)})


def test_backward_flag(tmp_path: Path) -> None:
    found = effects(
        tmp_path,
        """
        @wp.kernel(enable_backward=False)
        def k(x: wp.array(dtype=float)):
            x[wp.tid()] = 0.0
        """,
    )
    assert not found.backward
    assert found.backward_disabled_at is not None and found.backward_disabled_at.line == 3


def test_unknown_things_are_named(tmp_path: Path) -> None:
    found = effects(
        tmp_path,
        """
        def plain(x):
            return x

        @wp.kernel
        def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = plain(x[i])
        """,
    )
    assert not found.complete
    assert found.unknown == ("call of `plain`, not a Warp function",)


def test_kinds(tmp_path: Path) -> None:
    project = Project(tmp_path)
    source = """\
import warp as wp

@wp.struct
class S:
    a: float

@wp.func
def f(x: float):
    return x

@wp.func_grad(f)
def g(x: float, r: float):
    wp.adjoint[x] += r

@wp.func_replay(f)
def h(x: float):
    return x

@wp.func_native("")
def n(x: float): ...

@wp.kernel
def k(x: wp.array(dtype=float)):
    pass

def p(): ...
"""
    module = project.add(tmp_path / "m.py", source)
    assert module is not None
    kinds = {d.name: kernel_kind(project, d) for d in module.definitions.values()}
    assert kinds == {
        "S": "struct",
        "f": "func",
        "g": "func_grad",
        "h": "func_replay",
        "n": "func_native",
        "k": "kernel",
        "p": None,
    }
