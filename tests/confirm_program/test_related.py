"""A program named alone: what it imports is matched with the analysis too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.cli import main

CORPUS = Path(__file__).resolve().parents[2] / "test_corpus"


def test_findings_in_files_that_the_program_imports(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(CORPUS / "mpc_cartpole" / "bad")
    assert main(["--confirm", "--format", "json", "--no-cache", "control.py"]) == 1
    report = json.loads(capfd.readouterr().out)
    found = [(f["code"], f["path"], f["verdict"]["status"]) for f in report["findings"]]
    assert found == [("ADJ305", "mpc.py", "confirmed"), ("ADJ402", "mpc.py", "confirmed")]
    proofs = {proof["kind"]: proof["code"] for proof in report["program"]["proofs"]}
    assert proofs["overwritten"] == "ADJ305"
