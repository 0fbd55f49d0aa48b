"""`--format html`: one page that needs nothing else, with the recorded tape as a picture."""

from __future__ import annotations

from typing import Any

from warp_lint.codes import RULES
from warp_lint.findings import Finding
from warp_lint.report.html_parts import STYLE, message, tag, text
from warp_lint.report.html_plot import plots
from warp_lint.report.html_tape import tape
from warp_lint.report.model import Report
from warp_lint.report.text import counted

_OVERWRITE = (("READ", "read"), ("OVERWRITTEN", "at"), ("NEEDED", "needed"))
_PLACES = {
    "overwritten": _OVERWRITE,
    "late": _OVERWRITE,
    "scope": _OVERWRITE,
    "own": (("LAUNCHED", "launch"), ("OVERWRITTEN", "at"), ("NEEDED", "needed")),
}
_OTHERWISE = (("AT", "at"), ("LAUNCHED", "launch"), ("READ", "read"))


def render(report: Report) -> str:
    """The whole page, with the picture of the tape if a program was run (`Report.program`)."""
    program = report.program
    body = ["<h1>warp-lint</h1>", tag("div", text(f"Warp {report.warp_version}: {counted(report)}"), cls="soft")]
    if program is not None:
        body.append(_verdict(program))
        if program["proofs"]:
            body.append("<h2>What makes them wrong</h2>")
            body += [_proof(proof) for proof in program["proofs"]]
        body += [tape(program.get("tape") or {}), plots(program)]
    if report.findings:
        body.append("<h2>Findings</h2>")
        body += [_finding(finding, report) for finding in report.findings]
    for error in report.errors:
        body.append(tag("div", f"{text(error.path)}:{error.line}: {text(error.message)}", cls="card error"))
    if program is not None and program.get("notes"):
        body.append("<h2>Notes</h2>")
        body += [tag("p", text(note)) for note in program["notes"]]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>warp-lint</title><style>{STYLE}</style></head>\n<body><main>{''.join(body)}</main></body></html>\n"
    )


def _verdict(program: dict[str, Any]) -> str:
    times = f"{program['seconds']:.1f} s, {program['checking_seconds']:.1f} s of them checks"
    return tag(
        "div",
        tag("b", text(program["sentence"]))
        + tag("div", text(" ".join(program["program"])), cls="soft mono")
        + tag("div", f"The program {text(program['ended'])}; {times}.", cls="soft"),
        cls=f"verdict {program['status']}",
    )


def _proof(proof: dict[str, Any]) -> str:
    rows = []
    for label, key in _PLACES.get(proof["kind"], _OTHERWISE):
        place = [proof["path"], proof["line"]] if key == "at" else proof.get(key)
        if place:
            rows.append(f"<dt>{label}</dt><dd><code>{text(place[0])}:{place[1]}</code></dd>")
    ad, fd = proof["ad"], proof["fd"]
    if ad is not None and fd is not None:
        ratio = f", ratio {ad / fd:.4g}" if fd else ""
        where = text(proof["where"])
        rows.append(f"<dt>NUMBERS</dt><dd><code>{where}</code>: AD {ad:.6g}, FD {fd:.6g}{ratio}</dd>")
    rule = RULES.get(proof["code"] or "")
    name = tag("span", text(f"{rule.code} {rule.name}" if rule else "adjoint"), cls="tag error")
    return tag("div", name + tag("b", message(proof["message"])) + tag("dl", "".join(rows)), cls="card")


def _finding(finding: Finding, report: Report) -> str:
    at = finding.location
    lines = report.lines(at.path)
    source = lines[at.line - 1] if lines is not None and 1 <= at.line <= len(lines) else ""
    parts = [
        tag("span", text(f"{finding.severity}: {finding.code} {finding.name}"), cls=f"tag {finding.severity}"),
        tag("b", message(finding.message)),
        tag("div", f"{text(at.path)}:{at.line}:{at.column}", cls="mono soft"),
        tag("pre", text(source.strip())),
    ]
    for note in finding.notes:
        place = f"<code>{text(note.location.path)}:{note.location.line}</code>"
        parts.append(tag("div", f"{place} {message(note.message)}", cls="soft"))
    if finding.help:
        parts.append(tag("div", f"help: {message(finding.help)}", cls="soft"))
    verdict = finding.verdict
    if verdict is not None:
        words = tag("span", str(verdict.status), cls=f"tag {verdict.status}")
        if verdict.ad is not None and verdict.fd is not None:
            words += f"AD {verdict.ad:.6g}, FD {verdict.fd:.6g} at <code>{text(verdict.where)}</code> "
        parts.append(tag("div", words + tag("span", text(verdict.reason), cls="soft")))
    return tag("div", "".join(parts), cls="card")
