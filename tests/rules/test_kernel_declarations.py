"""Every way of writing a kernel down leads to the same finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from warp_lint.kernels.check import check_module
from warp_lint.kernels.detect import kernels_of
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project

from .kernel_sources import expected

FORMS = {
    "as wp": "import warp as wp\n@wp.kernel\ndef k(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n",
    "plain": "import warp\n@warp.kernel\ndef k(a: warp.array(dtype=float), b: warp.array(dtype=warp.float32)):\n",
    "from": "from warp import kernel, array\n@kernel\ndef k(a: array(dtype=float), b: array(dtype=float)):\n",
    "options": "import warp as wp\n@wp.kernel(module='unique')\ndef k(a: wp.array[float], b: wp.array[wp.float32]):\n",
    "string": "import warp as wp\n@wp.kernel\ndef k(a: 'wp.array(dtype=float)', b: 'wp.array[float]'):\n",
    "future": "from __future__ import annotations\nimport warp as wp\n@wp.kernel\n"
    "def k(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n",
    "alias": "import warp as wp\nF = wp.float64\nA = wp.array(dtype=F)\n@wp.kernel\ndef k(a: A, b: A):\n",
    "any": "import warp as wp\nfrom typing import Any\n@wp.kernel\n"
    "def k(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=float)):\n",
    "vector type": "import warp as wp\nV = wp.types.vector(length=5, dtype=wp.float64)\n@wp.kernel\n"
    "def k(a: wp.array(dtype=V), b: wp.array(dtype=wp.float64)):\n",
}


def lint(tmp_path: Path, files: dict[str, str], name: str) -> set[tuple[str, int]]:
    for path, text in files.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    project = Project(tmp_path)
    module = project.module_at(tmp_path / name)
    assert module is not None
    found = check_module(project, module, Settings(Version("1.19"), assume_active=True), {})
    return {(f.code, f.location.line) for f in found}


@pytest.mark.parametrize("form", FORMS)
def test_forms(tmp_path: Path, form: str) -> None:
    wp = "warp" if form in ("plain",) else "wp"
    head = FORMS[form] if form != "from" else FORMS[form].replace("import kernel", "import tid, kernel")
    tid = "tid()" if form == "from" else f"{wp}.tid()"
    source = head + f"    i = {tid}\n    a[i] *= b[i]  # ADJ101\n"
    assert lint(tmp_path, {"m.py": source}, "m.py") == expected(source)


def test_closures_methods_and_calls(tmp_path: Path) -> None:
    source = (
        "import warp as wp\n"
        "def make(n):\n"
        "    @wp.kernel\n"
        "    def inner(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n"
        "        i = wp.tid()\n"
        "        s = a[i]\n"
        "        for j in range(n):\n"
        "            s = wp.sin(s)\n"
        "        a[i] = s  # ADJ102\n"
        "    return inner\n"
        "class Solver:\n"
        "    def build(self):\n"
        "        @wp.kernel\n"
        "        def step(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n"
        "            i = wp.tid()\n"
        "            a[i] /= b[i]  # ADJ101\n"
        "        self.step = step\n"
        "def plain(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n"
        "    a[i] *= b[i]  # ADJ101\n"
        "made = wp.kernel(plain)\n"
    )
    assert lint(tmp_path, {"m.py": source}, "m.py") == expected(source)
    project = Project(tmp_path)
    module = project.module_at(tmp_path / "m.py")
    assert module is not None
    names = [kernel.qualname for kernel in kernels_of(project, module)]
    assert names == ["make.<locals>.inner", "Solver.build.<locals>.step", "plain"]


def test_across_files(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/types.py": "import warp as wp\n\n@wp.struct\nclass Base:\n    q: wp.array(dtype=float)\n\n\n"
        "@wp.struct\nclass State(Base):\n    v: wp.array(dtype=float)\n",
        "pkg/funcs.py": "import warp as wp\n\nN = 20\n\n@wp.func\ndef chain(s: float):\n    return wp.sin(s)\n",
        "pkg/main.py": "import warp as wp\nfrom .types import State\n"
        "from . import funcs\nfrom pkg.funcs import chain, N\n\n"
        "@wp.kernel\ndef k(s: State):\n    i = wp.tid()\n    s.q[i] = s.q[i] * s.v[i]  # ADJ102\n"
        "    x = s.v[i]\n    for j in range(N):\n        x = chain(x) + funcs.chain(x)  # ADJ105\n"
        "    s.q[i + 1] = x  # ADJ110\n",
    }
    assert lint(tmp_path, files, "pkg/main.py") == expected(files["pkg/main.py"])


def test_overloads(tmp_path: Path) -> None:
    source = (
        "import warp as wp\n"
        "@wp.func\ndef f(x: float):\n    return 2.0 * x\n"
        "@wp.func\ndef f(x: wp.vec3):\n    return x * wp.length(x)\n"
        "@wp.kernel\ndef k(a: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):\n"
        "    i = wp.tid()\n"
        "    a[i] = f(a[i])\n"
        "    v[i] = f(v[i])  # ADJ102\n"
    )
    assert lint(tmp_path, {"m.py": source}, "m.py") == expected(source)


def test_class_that_names_a_type(tmp_path: Path) -> None:
    source = (
        "import warp as wp\n"
        "class mat66(wp.types.matrix(shape=(6, 6), dtype=float)):\n    pass\n"
        "@wp.kernel\ndef once(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    m = mat66(0.0)\n    m[0, 1] = a[i]\n    m[1, 0] = a[i]\n    b[i] = m[0, 1] + m[1, 0]\n"
        "@wp.kernel\ndef twice(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    m = mat66(0.0)\n    m[0, 1] = a[i]\n    m[0, 1] = 2.0 * a[i]  # ADJ104\n"
        "    b[i] = m[0, 1]\n"
    )
    assert lint(tmp_path, {"m.py": source}, "m.py") == expected(source)


_SQUARE = "def k(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = a[i] * a[i]"


@pytest.mark.parametrize(
    ("before", "options", "wrong"),
    [
        ("", "enable_backward=False", False),
        ("OFF = False\n", "enable_backward=OFF", False),
        ("", "module='unique', module_options={'enable_backward': False}", False),
        ("o = {'enable_backward': False}\n", "module='unique', module_options=o", False),
        ("o = dict(enable_backward=False)\n", "module='unique', module_options=o", False),
        ("o = {}\no['enable_backward'] = False\n", "module='unique', module_options=o", False),
        ("o = {'enable_backward': False}\n", "**o", False),
        ("o = {'enable_backward': False}\no['enable_backward'] = True\n", "module='unique', module_options=o", True),
        ("o = {'fast_math': False}\n", "module='unique', module_options=o", True),
        ("wp.set_module_options({'enable_backward': False})\n", "", False),
        ("wp.set_module_options({'enable_backward': False})\n", "module='unique'", True),
    ],
)
def test_backward_disabled(tmp_path: Path, before: str, options: str, wrong: bool) -> None:
    mark = "  # ADJ102" if wrong else ""
    source = f"import warp as wp\n{before}@wp.kernel({options})\n{_SQUARE}{mark}\n"
    assert lint(tmp_path, {"m.py": source}, "m.py") == expected(source)


_OFF = "{'enable_backward': False}"
_HEAD = f"import sys\nimport warp as wp\n@wp.kernel(OPTIONS)\n{_SQUARE}  # ADJ102\n"


@pytest.mark.parametrize(
    ("options", "module", "wrong"),
    [
        ("module='unique'", "k.module", False),
        ("", "k.module", False),
        ("", "sys.modules[__name__]", False),
        ("", "sys.modules['m']", False),
        ("", "wp.get_module(__name__)", False),
        ("", "__name__", False),
        ("", "'m'", False),
        ("", "None", False),
        ("module='unique'", "sys.modules[__name__]", True),
        ("module='unique'", "__name__", True),
        ("", "sys", True),
        ("", "sys.modules['other']", True),
    ],
)
@pytest.mark.parametrize("call", [f"wp.set_module_options({_OFF}, module=%s)", f"wp.set_module_options({_OFF}, %s)"])
def test_backward_disabled_by_module(tmp_path: Path, options: str, module: str, wrong: bool, call: str) -> None:
    source = _HEAD.replace("OPTIONS", options) + call % module + "\n"
    assert lint(tmp_path, {"m.py": source}, "m.py") == (expected(source) if wrong else set())


def test_backward_disabled_of_another_kernel(tmp_path: Path) -> None:
    """Options of a factory's own kernel, or of one that it returned, are no other kernel's."""
    kernel = "    @wp.kernel(module='unique')\n    def k(a: wp.array(dtype=float)):\n        a[0] = a[0] * a[0]{}\n"
    source = (
        "import warp as wp\n"
        "def one():\n" + kernel.format("") + f"    wp.set_module_options({_OFF}, module=k.module)\n    return k\n"
        "def two():\n" + kernel.format("") + "    return k\n"
        "def three():\n" + kernel.format("  # ADJ102") + "    return k\n"
        f"made = two()\nwp.set_module_options({_OFF}, module=made.module)\n"
        "@wp.kernel\ndef four(a: wp.array(dtype=float)):\n    a[0] = a[0] * a[0]  # ADJ102\n"
    )
    assert lint(tmp_path, {"m.py": source}, "m.py") == expected(source)


def test_backward_disabled_from_another_file(tmp_path: Path) -> None:
    kernels = f"import warp as wp\n@wp.kernel\n{_SQUARE}\n"
    for module in ("kernels", "kernels.k.module", "'kernels'"):
        main = f"import warp as wp\nimport kernels\nwp.set_module_options({_OFF}, module={module})\n"
        main += f"@wp.kernel\n{_SQUARE}  # ADJ102\n"
        (tmp_path / "main.py").write_text(main)
        (tmp_path / "kernels.py").write_text(kernels)
        project = Project(tmp_path)
        files = {name: project.module_at(tmp_path / name) for name in ("main.py", "kernels.py")}
        for name, file in files.items():
            assert file is not None
            found = check_module(project, file, Settings(Version("1.19"), assume_active=True), {})
            assert {(f.code, f.location.line) for f in found} == (expected(main) if name == "main.py" else set())


def test_funcs_of_kernels_without_adjoint(tmp_path: Path) -> None:
    func = (
        "@wp.func\ndef {}(x: float):\n    s = float(1.0)\n    for j in range(100):\n        s = s * x{}\n    return s\n"
    )
    funcs = "import warp as wp\n" + func.format("f", "") + func.format("g", "  # ADJ105")
    funcs += func.format("unused", "  # ADJ105") + "def make():\n    @wp.func\n    def h(x: float):\n"
    funcs += "        return f(x)\n    return h\n"
    kernel = (
        "@wp.kernel(enable_backward={})\ndef k{}(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    b[i] = {}(a[i])\n"
    )
    main = "import warp as wp\nfrom funcs import f, g, make\n"
    main += kernel.format("False", 1, "f") + kernel.format("False", 2, "g") + kernel.format("True", 3, "g")
    main += kernel.format("False", 4, "wp.static(make())")
    (tmp_path / "main.py").write_text(main)
    (tmp_path / "funcs.py").write_text(funcs)
    project = Project(tmp_path)
    modules = [project.module_at(tmp_path / name) for name in ("main.py", "funcs.py")]
    settings = Settings(Version("1.19"), assume_active=True)
    assert modules[1] is not None
    found = check_module(project, modules[1], settings, {})
    assert {(f.code, f.location.line) for f in found} == expected(funcs)


def test_decorators_of_ones_own(tmp_path: Path) -> None:
    source = (
        "import warp as wp\n"
        "from functools import partial\n"
        "fast = partial(wp.kernel, module='unique')\n"
        "def plain(f):\n"
        "    return wp.kernel(f)\n"
        "def configured(**options):\n"
        "    def wrap(f):\n"
        "        return wp.kernel(f, **options)\n"
        "    return wrap\n"
        "def other(f):\n"
        "    return f\n"
        "@fast\n"
        "def one(a: wp.array(dtype=float)):\n"
        "    a[0] = a[0] * a[0]  # ADJ102\n"
        "@plain\n"
        "def two(a: wp.array(dtype=float)):\n"
        "    a[0] = a[0] * a[0]  # ADJ102\n"
        "@configured(module='unique')\n"
        "def three(a: wp.array(dtype=float)):\n"
        "    a[0] = a[0] * a[0]  # ADJ102\n"
        "@other\n"
        "def four(a):\n"
        "    a[0] = a[0] * a[0]\n"
        "@wp.kernel\n"
        "class Five:\n"
        "    pass\n"
        "@wp.struct\n"
        "def six(a):\n"
        "    a[0] = a[0] * a[0]\n"
    )
    assert lint(tmp_path, {"m.py": source}, "m.py") == expected(source)
