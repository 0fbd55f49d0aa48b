"""`--format html`: one page that needs nothing else, with the recorded tape as a picture."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

from warp_lint.findings import Finding
from warp_lint.report.model import Report

_LANE = 24
_TOP = 96
_LEFT = 190
_STYLE = """
:root { --ink:#1c2430; --soft:#5b6676; --line:#d9dee6; --page:#fff; --panel:#f6f7f9; --read:#2f6fdb; --write:#2a8a57;
  --clear:#b7791f; --bad:#d0342c; --good:#2a8a57; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6e9ee; --soft:#9aa5b5; --line:#323a46; --page:#14181e;
  --panel:#1b2129; --read:#6ea3ff; --write:#5cc48d; --clear:#e0b052; --bad:#ff6b61; --good:#5cc48d; } }
* { box-sizing:border-box } body { margin:0; background:var(--page); color:var(--ink);
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif } main { max-width:1180px; margin:0 auto; padding:28px 24px 60px }
h1 { font-size:22px; margin:0 0 2px } h2 { font-size:17px; margin:34px 0 10px } .soft { color:var(--soft) }
code,.mono,pre { font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace; font-size:13px }
.verdict { border-left:5px solid var(--soft); background:var(--panel); padding:12px 16px; margin:18px 0; border-radius:4px }
.verdict.wrong { border-color:var(--bad) } .verdict.right { border-color:var(--good) }
.card { border:1px solid var(--line); border-radius:6px; padding:12px 16px; margin:10px 0 }
.card dl { display:grid; grid-template-columns:110px 1fr; gap:2px 12px; margin:8px 0 0 } dt { color:var(--soft) } dd { margin:0; overflow-wrap:anywhere }
.tag { display:inline-block; padding:0 7px; border-radius:9px; font-size:12px; border:1px solid currentColor; margin-right:6px }
.error,.confirmed { color:var(--bad) } .warning { color:var(--clear) } .info,.refuted { color:var(--read) } .refuted { text-decoration:none }
.scroll { overflow-x:auto; border:1px solid var(--line); border-radius:6px; background:var(--panel); position:relative }
svg { display:block } svg text { fill:var(--ink); font:12px ui-monospace,Menlo,Consolas,monospace } svg .dim { fill:var(--soft) }
.tape { display:flex } .labels { position:sticky; left:0; background:var(--panel); border-right:1px solid var(--line); z-index:1; flex:none }
table { border-collapse:collapse; font-variant-numeric:tabular-nums } td,th { text-align:right; padding:2px 12px; border-bottom:1px solid var(--line) }
td:first-child,th:first-child { text-align:left } .plots { display:flex; flex-wrap:wrap; gap:18px } figure { margin:0 } figcaption { font-size:13px; color:var(--soft) }
.legend span { margin-right:16px; white-space:nowrap } .legend i { display:inline-block; width:11px; height:11px; margin-right:5px; vertical-align:-1px }
"""


def render(report: Report, program: dict[str, Any] | None = None) -> str:
    """The whole page. `program`: plain data of a program's run (`ProgramReport.to_json`), if there was one."""
    program = report.program if program is None else program
    body = [
        "<main>",
        "<h1>warp-lint</h1>",
        f'<div class="soft">Warp {_t(report.warp_version)}, {report.files} file(s)</div>',
    ]
    if program is not None:
        body.append(_verdict(program))
        body += _proofs(program)
        body.append(_tape(program.get("tape") or {}))
        body += _plots(program)
    if report.findings:
        body.append("<h2>Findings</h2>")
        body += [_finding(finding, report) for finding in report.findings]
    for error in report.errors:
        body.append(f'<div class="card error">{_t(error.path)}:{error.line}: {_t(error.message)}</div>')
    if program is not None and program.get("notes"):
        body.append("<h2>Notes</h2>")
        body += [f"<p>{_t(note)}</p>" for note in program["notes"]]
    body.append("</main>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>warp-lint</title><style>{_STYLE}</style></head>\n<body>{''.join(body)}</body></html>\n"
    )


def _t(value: object) -> str:
    return html.escape(str(value))


def _m(text: object) -> str:
    """A message: what is in back-quotes becomes code."""
    parts = _t(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def _verdict(program: dict[str, Any]) -> str:
    return (
        f'<div class="verdict {_t(program["status"])}"><b>{_t(program["sentence"])}</b>'
        f'<div class="soft mono">{_t(" ".join(program["program"]))}</div>'
        f'<div class="soft">The program {_t(program["ended"])}; {program["seconds"]:.1f} s, '
        f"{program['checking_seconds']:.1f} s of them checks.</div></div>"
    )


_PLACES = {
    "overwritten": (("READ", "read"), ("OVERWRITTEN", "at"), ("NEEDED", "needed")),
    "late": (("READ", "read"), ("OVERWRITTEN", "at"), ("NEEDED", "needed")),
    "scope": (("READ", "read"), ("OVERWRITTEN", "at"), ("NEEDED", "needed")),
    "own": (("LAUNCHED", "launch"), ("OVERWRITTEN", "at"), ("NEEDED", "needed")),
}


def _proofs(program: dict[str, Any]) -> list[str]:
    result: list[str] = []
    for proof in program["proofs"]:
        rows = []
        for label, key in _PLACES.get(proof["kind"], (("AT", "at"), ("LAUNCHED", "launch"), ("READ", "read"))):
            place = [proof["path"], proof["line"]] if key == "at" else proof.get(key)
            if place:
                rows.append(f"<dt>{label}</dt><dd><code>{_t(place[0])}:{place[1]}</code></dd>")
        if proof["ad"] is not None and proof["fd"] is not None:
            ratio = f"{proof['ad'] / proof['fd']:.4g}" if proof["fd"] else "–"
            rows.append(
                f"<dt>NUMBERS</dt><dd><code>{_t(proof['where'])}</code>: AD {proof['ad']:.6g}, FD {proof['fd']:.6g}, ratio {ratio}</dd>"
            )
        title = proof["code"] or "a kernel's adjoint"
        result.append(
            f'<div class="card"><span class="tag error">{_t(title)}</span><b>{_m(proof.get("message") or proof["kind"])}</b><dl>{"".join(rows)}</dl></div>'
        )
    return [*(["<h2>What makes them wrong</h2>"] if result else []), *result]


def _tape(tape: dict[str, Any]) -> str:
    columns, lanes, arcs = tape.get("columns", []), tape.get("lanes", []), tape.get("arcs", [])
    if not columns or not lanes:
        return ""
    count = len(columns)
    step = max(min(56, 1000 // max(count, 1)), 9)
    width, height = step * count + 24, _TOP + _LANE * len(lanes) + 12
    row = {lane["name"]: _TOP + _LANE * i + _LANE // 2 for i, lane in enumerate(lanes)}

    def x(column: int) -> float:
        return 12 + step * (column + 0.5)

    picture = [f'<svg width="{width}" height="{height}" role="img" aria-label="the recorded tape">']
    for y in row.values():
        picture.append(f'<line x1="0" x2="{width}" y1="{y}" y2="{y}" stroke="var(--line)"/>')
    labelled = 0
    every = max(math.ceil(16 / step), 1)
    for number, column in enumerate(columns):
        note = _t(
            f"{number + 1}. {column['name']} ({column['kind']}{'' if column['taped'] or column['kind'] == 'backward' else ', not on the tape'})\n{column['path']}:{column['line']}"
        )
        color = "var(--bad)" if column["kind"] == "backward" else "var(--ink)" if column["taped"] else "var(--soft)"
        if column["kind"] == "backward":
            picture.append(
                f'<line x1="{x(number)}" x2="{x(number)}" y1="{_TOP - 8}" y2="{height}" stroke="var(--bad)" stroke-dasharray="3 3"/>'
            )
        if number % every == 0:
            labelled += 1
            name = column["name"] if len(column["name"]) <= 15 else column["name"][:14] + "…"
            picture.append(
                f'<text transform="translate({x(number) + 3:.1f} {_TOP - 12}) rotate(-50)" style="fill:{color}">{_t(name)}<title>{note}</title></text>'
            )
        picture.append(
            f'<rect x="{x(number) - step / 2:.1f}" y="{_TOP - 8}" width="{step}" height="{height - _TOP + 8}" fill="transparent"><title>{note}</title></rect>'
        )
    size = min(6.0, step / 2 - 0.5)
    for lane in lanes:
        y = row[lane["name"]]
        for column, what in lane["marks"]:
            note = _t(
                f"{lane['name']}: {what} by {columns[column]['name']}\n{columns[column]['path']}:{columns[column]['line']}"
            )
            cx = x(column)
            if what == "read":
                picture.append(
                    f'<circle cx="{cx:.1f}" cy="{y}" r="{size - 1:.1f}" fill="var(--panel)" stroke="var(--read)" stroke-width="1.6"><title>{note}</title></circle>'
                )
            elif what == "clear":
                points = f"{cx:.1f},{y - size} {cx + size:.1f},{y} {cx:.1f},{y + size} {cx - size:.1f},{y}"
                picture.append(f'<polygon points="{points}" fill="var(--clear)"><title>{note}</title></polygon>')
            else:
                picture.append(
                    f'<rect x="{cx - size + 1:.1f}" y="{y - size + 1:.1f}" width="{2 * size - 2:.1f}" height="{2 * size - 2:.1f}" fill="var(--write)"><title>{note}</title></rect>'
                )
    for arc in arcs:
        if arc["lane"] not in row:
            continue
        y = row[arc["lane"]]
        a, b = x(arc["from"]), x(arc["to"])
        if arc["from"] != arc["to"]:
            picture.append(
                f'<path d="M{a:.1f} {y} Q{(a + b) / 2:.1f} {y - min(18, 6 + (b - a) / 6):.1f} {b:.1f} {y}" fill="none" stroke="var(--bad)" stroke-width="1.4"><title>{_t(arc["text"])}</title></path>'
            )
        picture.append(
            f'<rect x="{b - size - 1:.1f}" y="{y - size - 1:.1f}" width="{2 * size + 2:.1f}" height="{2 * size + 2:.1f}" fill="none" stroke="var(--bad)" stroke-width="2"><title>{_t(arc["text"])}</title></rect>'
        )
    picture.append("</svg>")
    labels = [f'<svg class="labels" width="{_LEFT}" height="{height}">']
    for lane in lanes:
        many = f" ×{lane['arrays']}" if lane["arrays"] > 1 else ""
        name = lane["name"] if len(lane["name"]) <= 18 else lane["name"][:17] + "…"
        labels.append(
            f'<text x="10" y="{row[lane["name"]] + 4}">{_t(name)}<tspan class="dim">{many}</tspan><title>{_t(lane["name"])}</title></text>'
        )
    labels.append("</svg>")
    more = f" {tape['hidden']} more arrays are not shown." if tape.get("hidden") else ""
    return (
        f'<h2>The tape</h2><p class="soft">{count} steps in order, from the tape\'s entry to its backward. One lane per array name.{more}</p>'
        '<p class="legend soft"><span><i style="border:2px solid var(--read);border-radius:50%"></i>read</span>'
        '<span><i style="background:var(--write)"></i>written</span><span><i style="background:var(--clear);transform:rotate(45deg)"></i>cleared or filled</span>'
        '<span><i style="border:2px solid var(--bad)"></i>overwritten while its old value is still needed</span></p>'
        f'<div class="scroll"><div class="tape">{"".join(labels)}{"".join(picture)}</div></div>'
    )


def _plots(program: dict[str, Any]) -> list[str]:
    chosen = next((b for b in program["backwards"] if b["status"] == "wrong"), None)
    chosen = chosen or next((b for b in reversed(program["backwards"]) if b["status"] == "right"), None)
    if chosen is None:
        return []
    figures = []
    for parameter in chosen["parameters"]:
        rows = [(r["index"], r["ad"], r["fd"] if r["fd"] is not None else r["ideal"]) for r in parameter["elements"]]
        rows = [r for r in rows if all(isinstance(v, int | float) and math.isfinite(v) for v in r)]
        if rows:
            figures.append(_plot(parameter["name"], rows))
    if not figures:
        return []
    title = f"Autodiff against finite differences (backward {chosen['number']})"
    return [f"<h2>{title}</h2>", '<div class="plots">', *figures[:12], "</div>"]


def _plot(name: str, rows: Sequence[tuple[int, float, float]]) -> str:
    """A point per element: on the diagonal where they agree."""
    side, pad = 280, 62
    values = [v for _, a, b in rows for v in (a, b)]
    low, high = min(values), max(values)
    margin = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    low, high = low - margin, high + margin

    def place(value: float) -> float:
        return (value - low) / (high - low) * (side - pad - 10)

    out = [f'<figure><svg width="{side}" height="{side}">']
    out.append(
        f'<rect x="{pad}" y="6" width="{side - pad - 10}" height="{side - pad - 10}" fill="var(--panel)" stroke="var(--line)"/>'
    )
    out.append(
        f'<line x1="{pad}" y1="{side - pad - 4}" x2="{side - 10}" y2="6" stroke="var(--soft)" stroke-dasharray="4 3"/>'
    )
    for index, ad, fd in rows:
        off = abs(ad - fd) > 0.01 * max(abs(ad), abs(fd), 1e-12)
        color = "var(--bad)" if off else "var(--good)"
        note = _t(f"{name}.grad[{index}]: AD {ad:.6g}, FD {fd:.6g}")
        out.append(
            f'<circle cx="{pad + place(fd):.1f}" cy="{side - pad - 4 - place(ad):.1f}" r="4" fill="{color}" fill-opacity=".8"><title>{note}</title></circle>'
        )
    for value, anchor in (
        ((low + margin, "start"), (high - margin, "end"))
        if len({a for _, a, _ in rows} | {b for _, _, b in rows}) > 1
        else ((low + margin, "middle"),)
    ):
        out.append(
            f'<text class="dim" x="{pad + place(value):.1f}" y="{side - pad + 14}" text-anchor="{anchor}">{value:.2g}</text>'
        )
        out.append(
            f'<text class="dim" x="{pad - 5}" y="{side - pad - place(value):.1f}" text-anchor="end">{value:.2g}</text>'
        )
    out.append(f'<text class="dim" x="{(side + pad) / 2}" y="{side - 12}" text-anchor="middle">FD</text>')
    out.append(
        f'<text class="dim" transform="translate(12 {(side - pad) / 2}) rotate(-90)" text-anchor="middle">AD</text>'
    )
    out.append(
        f"</svg><figcaption><code>{_t(name)}.grad</code>, {len(rows)} element{'' if len(rows) == 1 else 's'}</figcaption></figure>"
    )
    return "".join(out)


def _finding(finding: Finding, report: Report) -> str:
    at = finding.location
    lines = report.lines(at.path)
    source = lines[at.line - 1] if lines is not None and 1 <= at.line <= len(lines) else ""
    verdict = ""
    if finding.verdict is not None:
        status = str(finding.verdict.status)
        numbers = ""
        if finding.verdict.ad is not None and finding.verdict.fd is not None:
            numbers = (
                f" AD {finding.verdict.ad:.6g}, FD {finding.verdict.fd:.6g} at <code>{_t(finding.verdict.where)}</code>"
            )
        verdict = f'<div><span class="tag {_t(status)}">{_t(status)}</span>{numbers} <span class="soft">{_t(finding.verdict.reason)}</span></div>'
    notes = "".join(
        f"<div class='soft'><code>{_t(n.location.path)}:{n.location.line}</code> {_m(n.message)}</div>"
        for n in finding.notes
    )
    return (
        f'<div class="card"><span class="tag {_t(finding.severity)}">{_t(finding.code)}</span><b>{_m(finding.message)}</b>'
        f'<div class="mono soft">{_t(at.path)}:{at.line}:{at.column}</div><pre>{_t(source.rstrip())}</pre>{notes}{verdict}</div>'
    )
