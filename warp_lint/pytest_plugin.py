"""pytest plug-in: tests fail when a gradient that they compute with Warp is wrong.

`pytest --warp-gradients` checks every test; the marker `@pytest.mark.warp_gradients` checks one
(`backwards=N` bounds the tape entries checked per call site, `False` as first argument exempts it).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

MARKER = "warp_gradients"
RUN = pytest.StashKey[Any]()
REFUSED = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("warp-lint")
    group.addoption(
        "--warp-gradients",
        action="store_true",
        help="check the gradients that tests compute with Warp against finite differences; wrong ones fail the test",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{MARKER}(check=True, backwards=9): check the gradients that this test computes with Warp"
    )


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, None]:
    """Fixtures are part of what is checked: a tape may be recorded in one and used in the test."""
    marker = item.get_closest_marker(MARKER)
    wanted = bool(item.config.getoption("--warp-gradients"))
    if marker is not None:
        wanted = bool(marker.args[0] if marker.args else marker.kwargs.get("check", True))
    if not wanted:
        yield
        return
    from warp_lint.confirm import recording

    run = recording(int(marker.kwargs.get("backwards", 9)) if marker is not None else 9)
    try:
        run.__enter__()
    except (ImportError, RuntimeError) as error:
        item.stash[REFUSED] = f"gradients were not checked: {error}"
        yield
        return
    item.stash[RUN] = run
    outcome = yield
    if outcome.excinfo is not None:
        _end(item)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    if REFUSED in item.stash:
        item.add_report_section("call", "warp-lint", item.stash[REFUSED])
    outcome = yield
    run = _end(item)
    if run is None:
        return
    if run.wrong and outcome.excinfo is None:
        outcome.force_exception(pytest.fail.Exception(f"{_cause(run)}\n{run.text}", pytrace=False))
    elif run.report.backwards or run.report.proofs:
        item.add_report_section("call", "warp-lint", run.text)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, None]:
    _end(item)  # of a test that was set up and not called
    yield


def _end(item: pytest.Item) -> Any:
    """The finished recording of a test; None without one."""
    run = item.stash.get(RUN, None)
    if run is not None:
        del item.stash[RUN]
        run.__exit__(None, None, None)
    return run


def _cause(run: Any) -> str:
    """The line that pytest's summary shows."""
    from warp_lint.confirm.wording import message_of

    causes = [f"{proof.code} {message_of(proof)[0]}".strip() for proof in run.report.proofs]
    more = f" (and {len(causes) - 1} more)" if len(causes) > 1 else ""
    return f"{causes[0]}{more}" if causes else str(run.report.sentence)
