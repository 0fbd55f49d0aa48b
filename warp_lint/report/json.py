"""`--format json`: one object, documented in the README; keys are never removed or renamed."""

from __future__ import annotations

import json
import math
from typing import Any

from warp_lint import __version__
from warp_lint.findings import Finding, LintError, Verdict
from warp_lint.report.model import Report


def render(report: Report) -> str:
    """The report as text that ends in a newline."""
    document: dict[str, Any] = {
        "version": __version__,
        "warp_version": report.warp_version,
        "findings": [finding_object(finding) for finding in report.findings],
        "errors": [_error(error) for error in report.errors],
    }
    if report.program is not None:
        document["program"] = _plain(report.program)
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def finding_object(finding: Finding) -> dict[str, Any]:
    location = finding.location
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "path": location.path,
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
        "message": finding.message,
        "help": finding.help,
        "notes": [
            {
                "path": note.location.path,
                "line": note.location.line,
                "column": note.location.column,
                "message": note.message,
            }
            for note in finding.notes
        ],
        "fingerprint": finding.fingerprint,
        "verdict": _verdict(finding.verdict) if finding.verdict else None,
        "fix": None,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": str(verdict.status),
        "reason": verdict.reason,
        "method": verdict.method,
        "ad": _number(verdict.ad),
        "fd": _number(verdict.fd),
        "error": _number(verdict.error),
        "where": verdict.where,
    }


def _number(value: float | None) -> float | str | None:
    """JSON has no word for these: strings that every language's float parser reads."""
    if value is None or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return _number(value) if isinstance(value, float) else value


def _error(error: LintError) -> dict[str, Any]:
    return {
        "code": error.code or None,
        "path": error.path,
        "line": error.line,
        "column": error.column,
        "message": error.message,
    }
