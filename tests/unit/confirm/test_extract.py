"""What is taken out of a file for a kernel, as source."""

import ast
from pathlib import Path

import pytest

from warp_lint.confirm.extract import Extractor
from warp_lint.confirm.items import UnresolvedError
from warp_lint.confirm.packages import installed
from warp_lint.syntax.project import Project


def project_of(tmp_path: Path, files: dict[str, str]) -> Project:
    project = Project(tmp_path)
    for name, source in files.items():
        (tmp_path / name).write_text(source)
    for name in files:
        assert project.module_at(tmp_path / name) is not None
    return project


def extracted(tmp_path: Path, body: str, name: str = "k", precision: str = "double", **more: str) -> str:
    files = {"main.py": "import warp as wp\n" + body, **{f"{k}.py": v for k, v in more.items()}}
    project = project_of(tmp_path, files)
    module = project.module_at(tmp_path / "main.py")
    assert module is not None
    extractor = Extractor(project)
    definition = next(d for d in module.definitions.values() if d.name == name)
    extractor.definition(definition, "kernel")
    text = "\n".join(item.sources[precision] for item in extractor.items.values())
    ast.parse(text)
    return text


def test_literals_and_types_are_promoted(tmp_path):
    text = extracted(
        tmp_path,
        "@wp.kernel\ndef k(x: wp.array(dtype=wp.vec3), n: int, c: float):\n"
        "    x[0] = wp.vec3(1.0, -2.0, float(n)) * c\n",
    )
    assert text == (
        "@wp.kernel\ndef k(x: wp.array(dtype=wp.vec3d), n: int, c: wp.float64):\n"
        "    x[0] = wp.vec3d(wp.float64(1.0), wp.float64(-2.0), wp.float64(n)) * c"
    )


def test_the_original_precision_is_left_alone(tmp_path):
    source = "@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = 1.5 * float(2)"
    assert extracted(tmp_path, source + "\n", precision="original") == source


def test_constants_come_along_in_order(tmp_path):
    text = extracted(tmp_path, "B = 2.0\nA = B * 3.0\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = A\n")
    assert text.index("B = 2.0") < text.index("A = B * 3.0") < text.index("x[0] = A__d")


def test_static_expressions_stay_on_the_host(tmp_path):
    text = extracted(tmp_path, "N = 2.0\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = wp.static(N * 1.5)\n")
    assert "wp.static(_promote(N * 1.5))" in text


def test_a_func_from_another_file_is_renamed_on_collision(tmp_path):
    text = extracted(
        tmp_path,
        "from other import outer\n@wp.func\ndef f(x: float):\n    return x\n"
        "@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = f(outer(x[0]))\n",
        other="import warp as wp\n@wp.func\ndef f(x: float):\n    return 2.0 * x\n"
        "@wp.func\ndef outer(x: float):\n    return f(x)\n",
    )
    assert "return f_2(x)" in text or "f_2(outer(" in text


def test_a_modules_attribute_is_pulled_in(tmp_path):
    text = extracted(
        tmp_path,
        "import other\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = other.twice(x[0])\n",
        other="import warp as wp\n@wp.func\ndef twice(x: float):\n    return x + x\n",
    )
    assert "x[0] = twice(x[0])" in text and "other" not in text


def test_a_gradient_goes_with_its_func(tmp_path):
    text = extracted(
        tmp_path,
        "@wp.func\ndef f(x: float):\n    return x\n"
        "@wp.func_grad(f)\ndef g(x: float, r: float):\n    wp.adjoint[x] += r\n"
        "@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = f(x[0])\n",
    )
    assert "@wp.func_grad(f)\ndef g(" in text


def test_overloads_stay_together(tmp_path):
    text = extracted(
        tmp_path,
        "@wp.func\ndef f(x: float):\n    return x\n@wp.func\ndef f(x: wp.vec3):\n    return x\n"
        "@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = f(x[0])\n",
    )
    assert text.count("def f(") == 2


def test_single_precision_results_are_cast(tmp_path):
    text = extracted(
        tmp_path,
        "@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    s = wp.rand_init(1)\n    x[0] = wp.randf(s, 0.0, 1.0)\n",
    )
    assert "wp.float64(wp.randf(s, wp.float32(wp.float64(0.0)), wp.float32(wp.float64(1.0))))" in text


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("A = open('x').read()\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = float(A)\n", "A"),
        ("import sys\nA = len(sys.argv)\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[A] = 0.0\n", "sys"),
        ("@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = nowhere\n", "nowhere"),
        ("import absent\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = absent.f(x[0])\n", "absent"),
        ("def make(n):\n    @wp.kernel\n    def k(x: wp.array(dtype=float)):\n        x[n.size] = 0.0\n", "n.size"),
    ],
)
def test_what_cant_be_resolved_is_named(tmp_path, body, name):
    with pytest.raises(UnresolvedError) as raised:
        extracted(tmp_path, body)
    assert raised.value.name == name


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package among the installed ones."""
    folder = tmp_path / "site-packages"
    (folder / "somewhere").mkdir(parents=True)
    (folder / "somewhere" / "__init__.py").write_text("LOW = 0.5\n")
    monkeypatch.syspath_prepend(str(folder))
    installed.cache_clear()
    yield
    installed.cache_clear()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("import somewhere\nA = somewhere.LOW\n", "A = somewhere.LOW\nA__d = _promote(A)"),
        ("from somewhere import LOW as A\n", "from somewhere import LOW as A\nA__d = _promote(A)"),
    ],
)
def test_an_installed_package_is_imported_for_its_constants(tmp_path, package, body, expected):
    kernel = "@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = A\n"
    text = extracted(tmp_path, body + kernel)
    assert expected in text and text.endswith("x[0] = A__d")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import somewhere\nA = somewhere.LOW\n", "A = somewhere.LOW\nA__d = _promote(A)"),
        ("import numpy as np\nA = np.pi\n", "A = numpy.pi\nA__d = _promote(A)"),
        ("import warp as wp\nA = wp.PI\n", "A = wp.PI\nA__d = _promote(A)"),
    ],
)
def test_what_a_sibling_took_from_elsewhere_is_taken_from_there(tmp_path, package, source, expected):
    kernel = "from other import A\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = A\n"
    text = extracted(tmp_path, kernel, other=source)
    assert expected in text and text.endswith("x[0] = A__d")


def test_a_sibling_module_used_as_a_value_gives_its_constants(tmp_path, package):
    text = extracted(
        tmp_path,
        "import other as types\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[types.Mode.SLOW & 1] = types.A\n",
        other="import enum\nimport somewhere\nA = somewhere.LOW\n"
        "class Mode(enum.IntFlag):\n    SLOW = somewhere.SLOW\n",
    )
    assert "class Mode(enum.IntFlag):\n    SLOW = somewhere.SLOW" in text and "A = somewhere.LOW" in text
    assert text.endswith("x[Mode.SLOW & 1] = A__d")


def test_a_packages_constant_in_a_kernel_is_promoted(tmp_path, package):
    text = extracted(
        tmp_path, "import somewhere as s\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = s.LOW\n"
    )
    assert "LOW = s.LOW\nLOW__d = _promote(LOW)" in text and text.endswith("x[0] = LOW__d")


def test_a_module_that_is_not_among_the_installed_packages_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.py").write_text("raise SystemExit\n")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    installed.cache_clear()
    with pytest.raises(UnresolvedError) as raised:
        extracted(tmp_path, "import mine\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = mine.A\n")
    assert raised.value.why == "`mine` is neither part of the project nor installed"


def test_calls_to_packages_are_not_made(tmp_path, package):
    with pytest.raises(UnresolvedError) as raised:
        extracted(
            tmp_path,
            "import somewhere\nA = somewhere.read()\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = A\n",
        )
    assert (raised.value.name, raised.value.why) == ("A", "it is computed by `somewhere.read`")


@pytest.mark.parametrize(
    ("parameter", "use", "expected"),
    [
        ("n: int", "x[n] = 0.0", "n = 8"),
        ("n", "x[n] = 0.0", "n = 8"),
        ("tile_size: int", "x[tile_size] = 0.0", "tile_size = 4"),
        ("axis: int", "x[axis] = 0.0", "axis = 2"),
        ("on: bool", "x[0] = float(on)", "on = False"),
        ("w: float", "x[0] = w", "w = 0.5"),
        ("n: int", "x[0] = float(n)\n        for i in range(n):\n            x[i] = 0.0", "n = 20"),
        ("mode: Mode", "x[int(mode)] = 0.0", "mode = Mode.FAST"),
    ],
)
def test_an_unknown_argument_of_a_factory_is_made_up(tmp_path, parameter, use, expected):
    enum = "import enum\nclass Mode(enum.IntEnum):\n    FAST = 3\n    GOOD = 4\n"
    kernel = f"    @wp.kernel\n    def k(x: wp.array(dtype=float)):\n        {use}\n    return k\n"
    assert f"\n{expected}\n" in "\n" + extracted(tmp_path, f"{enum}def make({parameter}):\n{kernel}")


def test_an_argument_passed_on_from_a_call_is_taken_rather_than_made_up(tmp_path):
    text = extracted(
        tmp_path,
        "def make(n: int):\n    @wp.kernel\n    def k(x: wp.array(dtype=float)):\n        x[n] = 0.0\n    return k\n"
        "def outer(m: int):\n    return make(m)\ndef unknown(q):\n    return make(q.size)\nouter(5)\n",
    )
    assert text.startswith("m = 5\n") and "= m\n" in text and "8" not in text


def test_funcs_that_a_plain_function_makes_come_along(tmp_path):
    text = extracted(
        tmp_path,
        "import other\nF = other.make(3)\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = F(x[0])\n",
        other="import warp as wp\nC = 2.0\ndef make(n: int):\n    @wp.func\n    def f(x: float):\n"
        "        return x * 0.5 * C * float(n)\n    return f\n",
    )
    inner = "    @wp.func\n    def f(x: wp.float64):\n        return x * wp.float64(0.5) * C__d * wp.float64(n__d)\n"
    assert "    n__d = _promote(n)\n\n" + inner in text and "C__d = _promote(C)" in text


def test_marks_stand_in_front_of_statements(tmp_path):
    (tmp_path / "main.py").write_text(
        "import warp as wp\n@wp.func\ndef f(x: float):\n    if x > 0.0:\n        return (\n            x\n        )\n"
        "    return -x\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    for i in range(3):\n        x[i] = f(x[i])\n"
    )
    project = Project(tmp_path)
    module = project.module_at(tmp_path / "main.py")
    assert module is not None
    extractor = Extractor(project)
    extractor.marks = [(module.path, 6), (module.path, 10), (module.path, 11), (module.path, 2)]
    item = extractor.definition(next(d for d in module.functions() if d.name == "k"), "kernel")
    assert item.marks == [1, 2]
    assert item.sources["marked"].splitlines()[2:] == [
        "    wp.printf('@wl1@\\n')",
        "    wp.printf('@wl2@\\n')",
        "    for i in range(3):",
        "        x[i] = f(x[i])",
    ]
    assert extractor.items["f"].sources["marked"].splitlines()[2:] == [
        "    if x > 0.0:",
        "        wp.printf('@wl0@\\n')",
        "        return x",
        "    return -x",
    ]
    assert "printf" not in item.sources["original"] + item.sources["double"]
