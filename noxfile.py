"""`nox`: the tests that run code, on each supported Warp version (CI runs the newest by `.ci/run`)."""

import nox

VERSIONS = ["1.13.0", "1.16.0", "1.19.0"]


@nox.session
@nox.parametrize("warp", VERSIONS)
def confirm(session: nox.Session, warp: str) -> None:
    """The kernel and the program confirmer under one Warp version."""
    session.install("-e", ".[dev]", f"warp-lang=={warp}")
    session.env["WARP_CACHE_PATH"] = str(session.cache_dir / f"warp-{warp}")
    session.run("pytest", "-q", "tests/confirm", "tests/confirm_program", "tests/unit/confirm", *session.posargs)
