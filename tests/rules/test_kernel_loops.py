"""ADJ105, ADJ106, ADJ107: rolled loops, `while` loops, early exits."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kernel_sources import check


def kernel(body: str, before: str = "") -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    parameters = "x: wp.array(dtype=float), y: wp.array(dtype=float), n: int, out: wp.array(dtype=float)"
    return f"{before}\n@wp.kernel\ndef k({parameters}):\n    i = wp.tid()\n{lines}\n"


@pytest.mark.parametrize(
    "body",
    [
        "s = float(0.0)\nfor j in range(n):\n    s += x[j] * x[j]\nout[i] = s",
        "s = float(1.0)\nfor j in range(n):\n    s *= x[j]  # ADJ105\nout[i] = s",
        "s = float(1.0)\nfor j in range(n):\n    s *= 0.5\nout[i] = s",
        "s = float(0.0)\nfor j in range(n):\n    s = 0.5 * s + x[j]\nout[i] = s",
        "s = float(0.0)\nfor j in range(n):\n    s = s * y[i] + x[j]  # ADJ105\nout[i] = s",
        "s = x[i]\nfor j in range(n):\n    s = wp.sin(s)  # ADJ105\nout[i] = s",
        "s = x[i]\nfor j in range(4):\n    s = wp.sin(s)\nout[i] = s * s",
        "s = x[i]\nfor j in range(17):\n    s = wp.sin(s)  # ADJ105\nout[i] = s",
        "s = x[i]\nfor j in range(2 * 2):\n    s = wp.sin(s)  # ADJ105\nout[i] = s",
        "s = x[i]\nc = 3\nfor j in range(0, c):\n    s = wp.sin(s)\nout[i] = s",
        "s = x[i]\nfor j in range(3):\n    for k in range(j, 3):\n        s = wp.sin(s)\nout[i] = s",
        "s = float(0.0)\nfor j in range(n):\n    s += x[j] * x[j]  # ADJ106\nout[i] = wp.sqrt(s)".replace(
            "sqrt", "log"
        ),
        "s = float(0.0)\nfor j in range(n):\n    s += x[j]\nout[i] = s / float(n)",
        "s = float(0.0)\nc = int(0)\nfor j in range(n):\n    s += x[j]\n    c += 1  # ADJ106\nout[i] = s / float(c)",
        "m = float(-1.0)\nfor j in range(n):\n    m = wp.max(m, x[j])  # ADJ105\nout[i] = m",
        "s = x[i]\nt = s * s\nfor j in range(n):\n    s += y[j]  # ADJ106\nout[i] = t + s",
        "t = x[i] * x[i]\ns = x[i]\nfor j in range(n):\n    s += y[j]\nout[i] = t + s",
        "for j in range(n):\n    r = x[j] * x[j]  # ADJ106\nout[i] = r",
        "for j in range(n):\n    v = x[j]\n    v *= y[j]\n    out[j] = v * v",
        "for j in range(n):\n    s = float(0.0)\n    for k in range(n):\n"
        "        s += x[k]  # ADJ106\n    out[j] = s * s",
        "k = int(0)\nfor j in range(n):\n    if x[j] > 1.0:\n        out[k] = x[j]\n        k += 1  # ADJ105",
        "k = int(0)\nfor j in range(n):\n    k += 1\n    out[k] = x[k] * x[k]",
        "t = float(0.0)\ns = float(0.0)\nfor j in range(n):\n    t += 0.1\n    s += wp.sin(t * x[i])\nout[i] = s",
        "t = float(0.0)\ns = float(0.0)\nfor j in range(n):\n    t += 0.1  # ADJ105\n    s += t * x[j]\nout[i] = s",
    ],
)
def test_for(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "s = float(0.0)\nj = int(0)\nwhile j < n:\n    s += x[j]\n    j += 1  # ADJ105\nout[i] = s",
        "s = float(0.0)\nj = int(0)\nwhile j < n:\n    s += x[i] * y[i]\n    j += 1\nout[i] = s",
        "s = float(0.0)\nj = int(-1)\nwhile j < n:\n    j += 1\n    s += x[j] * x[j]\nout[i] = s",
        "s = float(0.0)\nj = int(-1)\nwhile j < n:\n    j += 1\n    s = 0.5 * s + x[j]  # ADJ105\nout[i] = s",
        "t = float(0.0)\nj = int(-1)\nwhile j < n:\n    j += 1\n    t = x[j] * y[j]  # ADJ105\nout[i] = t",
        "v = float(0.0)\np = float(0.0)\nj = int(-1)\nwhile j < n:\n    j += 1\n    v += x[j]\n"
        "    p += v  # ADJ105\nout[i] = p",
        "s = float(0.0)\nj = int(0)\nwhile True:\n    if j >= n:\n        break\n"
        "    s += x[i] * y[i]\n    j += 1\nout[i] = s",
    ],
)
def test_while(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "s = float(0.0)\nfor j in range(n):\n    if x[j] > 1.0:\n        break  # ADJ107\n    s += x[j]\nout[i] = s",
        "s = float(0.0)\nfor j in range(3):\n    if x[j] > 1.0:\n        break  # ADJ107\n    s += x[j]\nout[i] = s",
        "s = float(0.0)\nfor j in range(n):\n    if j == i:\n        continue\n    s += x[j] * x[i]\nout[i] = s",
        "s = float(0.0)\nfor j in range(n):\n    if j == i:\n        s += x[j]\n"
        "        continue  # ADJ107\n    s += y[j]\nout[i] = s",
        "for j in range(n):\n    if j == i:\n        out[j] = x[j]\n        continue  # ADJ107\n    out[j] = y[j]",
        "k = int(0)\nfor j in range(n):\n    if j > 4:\n        break\n    k += 1\nout[i] = x[i] * x[i]",
        "s = x[i]\nfor j in range(3):\n    if j == i:\n        continue\n    s = wp.sin(s)\nout[i] = s",
    ],
)
def test_exits(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


def test_return_in_a_loop_of_a_func(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def first(x: wp.array(dtype=float), n: int):
            s = float(0.0)
            for j in range(n):
                s += x[j]
                if x[j] > 1.0:
                    return s  # ADJ107
            return s

        @wp.kernel
        def k(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = first(x, n)
        """,
    )


def test_loops_in_funcs_do_not_taint_callers(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def total(x: wp.array(dtype=float), n: int):
            s = float(0.0)
            for j in range(n):
                s += x[j] * x[j]
            return s

        @wp.kernel
        def k(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
            i = wp.tid()
            s = total(x, n)
            out[i] = s * s * x[i]
        """,
    )


def test_max_unroll(tmp_path: Path) -> None:
    body = "s = x[i]\nfor j in range(5):\n    s = wp.sin(s){mark}\nout[i] = s"
    check(tmp_path, kernel(body.format(mark="  # ADJ105"), 'wp.set_module_options({"max_unroll": 4})'))
    check(tmp_path, kernel(body.format(mark="  # ADJ105"), "wp.config.max_unroll = 4"))
    check(tmp_path, kernel(body.format(mark="")) + "\nwp.config.max_unroll = 4\n")


def test_static_and_constants(tmp_path: Path) -> None:
    before = "N = 3\nM = wp.constant(4)\nclass C:\n    K = 2\n"
    body = "s = x[i]\nfor j in range({bound}):\n    s = wp.sin(s)\nout[i] = s"
    for bound in ("N", "M", "wp.static(N * 2)", "C.K", "wp.static(len((1, 2, 3)))"):
        check(tmp_path, kernel(body.format(bound=bound), before))
    rolled = "s = x[i]\nfor j in range(N - 1):\n    s = wp.sin(s)  # ADJ105\nout[i] = s"
    check(tmp_path, kernel(rolled, before))


def test_continue_in_an_unrolled_loop_by_version(tmp_path: Path) -> None:
    body = "s = x[i]\nfor j in range(3):\n    if x[j] < 1.0:\n        continue\n    s = wp.sin(s){mark}\nout[i] = s"
    check(tmp_path, kernel(body.format(mark="")), "1.19.0")
    check(tmp_path, kernel(body.format(mark="  # ADJ105")), "1.17.0")


def test_hash_grid_queries_are_exact(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def k(grid: wp.uint64, p: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
            i = wp.tid()
            s = float(0.0)
            query = wp.hash_grid_query(grid, p[i], 0.5)
            index = int(0)
            while wp.hash_grid_query_next(query, index):
                s += wp.length(p[i] - p[index])
            out[i] = s

        @wp.kernel
        def k2(grid: wp.uint64, p: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
            i = wp.tid()
            s = float(0.0)
            for index in wp.hash_grid_query(grid, p[i], 0.5):
                if index != i:
                    s += wp.length(p[i] - p[index])
            out[i] = s
        """,
    )


def test_nested_loops_are_one_finding(tmp_path: Path) -> None:
    source = """
        @wp.kernel
        def k(x: wp.array(dtype=float), out: wp.array(dtype=float), n: int):
            i = wp.tid()
            s = float(0.0)
            for j in range(n):
                for k in range(n):
                    s = wp.sin(s) * x[k]  # ADJ105
            out[i] = s * s
        """
    check(tmp_path, source)
