import math

import pytest

np = pytest.importorskip("numpy")

from warp_lint.confirm import numerics  # noqa: E402


def derivative(function, at=0.0, weight=1.0, **options):
    return numerics.directional(lambda t: np.array([function(at + t)]), np.array([weight]), **options)


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [(math.exp, 0.0, 1.0), (math.sin, 1.0, math.cos(1.0)), (lambda x: x**7, 2.0, 448.0), (lambda x: 3.0, 0.0, 0.0)],
)
def test_smooth_functions(function, at, expected):
    found = derivative(function, at)
    assert found.smooth
    assert found.value == pytest.approx(expected, rel=1e-8, abs=1e-9)
    assert abs(found.value - expected) <= 10 * found.error + 1e-12


@pytest.mark.parametrize("function", [abs, lambda x: max(x, 2.0 * x), lambda x: float(x > 0.0), math.floor])
def test_kinks_and_steps_are_not_smooth(function):
    assert not derivative(function).smooth


def test_a_function_that_is_not_finite_gives_no_value():
    assert not derivative(lambda x: math.inf).smooth
    assert math.isnan(derivative(lambda x: math.nan).value)


def test_single_precision_rounding_is_within_the_error():
    found = derivative(
        lambda x: float(np.float32(math.sin(x))), 1.0, steps=numerics.STEPS_32, epsilon=numerics.EPSILON_32
    )
    assert abs(found.value - math.cos(1.0)) < 1e-3
    assert found.error < 1e-2


def test_weights_that_cancel():
    found = numerics.directional(lambda t: np.array([math.sin(t), 1e6 + t]), np.array([1.0, -1.0]))
    assert found.value == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize(
    ("ad", "expected"), [(1.0, False), (1.000001, False), (1.1, True), (0.0, True), (math.nan, True), (math.inf, True)]
)
def test_disagree(ad, expected):
    assert numerics.disagree(ad, derivative(math.exp), 1.0, 1e-5) is expected


def test_nothing_is_said_at_a_kink():
    assert numerics.disagree(0.5, derivative(abs), 1.0, 1e-5) is None


def test_relative_error():
    assert numerics.relative_error(1.0, 2.0) == 0.5
    assert numerics.relative_error(0.0, 0.0) == 0.0
    assert numerics.relative_error(math.nan, 1.0) == math.inf
