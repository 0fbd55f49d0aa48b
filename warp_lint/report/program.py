"""What a run of the user's program showed, as text in the manner of a sanitizer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.places import shown
from warp_lint.confirm.rows import Row, rows_of
from warp_lint.confirm.wording import message_of
from warp_lint.engine import Displayer

if TYPE_CHECKING:
    from warp_lint.confirm.program import ProgramReport
    from warp_lint.confirm.verdicts import Place, Proof

ROWS = 8
DISAGREES = 0.02
STATUSES = ("wrong", "inconclusive", "right")
RULE = "=" * 64


def render(report: ProgramReport) -> list[str]:
    """One text per proof, then the table of numbers, then the sentence."""
    blocks = [block(report, proof, index) for index, proof in enumerate(report.proofs)]
    table = numbers(report)
    if table:
        blocks.append(table)
    tail = [f"observed: {text}" for text in observed(report)]
    tail += [f"note: {note}" for note in report.notes]
    if report.ended not in report.sentence or not report.ended:
        tail.append(f"the program {report.ended}" if report.ended else "the program did not run")
    tail.append(f"{' '.join(report.argv)}: {report.sentence}")
    blocks.append("\n".join(tail))
    return blocks


def observed(report: ProgramReport) -> list[str]:
    """What stood out at the backward passes, each once."""
    texts: dict[str, None] = {}
    for backward in report.backwards:
        for item in backward.get("observations", ()):
            site, other = (f"{shown(place[0])}:{place[1]}" for place in (item["site"], item["other"]))
            texts[f"{item['text']} ({site}; launched at {other})"] = None
    return list(texts)


def block(report: ProgramReport, proof: Proof, index: int) -> str:
    """READ here, OVERWRITTEN there, NEEDED by, numbers."""
    message, _, _ = message_of(proof)
    rule = proof.rule or proof.code
    title = f"{rule} " if rule else ""
    lines = [RULE, f"WRONG GRADIENT {title}({proof.kind}): {message}"]

    def place(label: str, where: Place | None, text: str = "") -> None:
        if where is not None:
            lines.append(f"    {label:<12} {where[0]}:{where[1]}{'  ' + text if text else ''}")

    if proof.kind in ("overwritten", "late", "scope"):
        place("READ", proof.read, f"by `{proof.reader}`")
        place("OVERWRITTEN", proof.site, f"by `{proof.actor}`")
        place("NEEDED", proof.needed, f"by the adjoint of `{proof.reader}`")
    elif proof.kind == "own":
        place("LAUNCHED", proof.launch, f"`{proof.actor}`")
        place("OVERWRITTEN", proof.site, f"`{proof.array}`, by the launch that reads it")
        place("NEEDED", proof.needed, "by its own adjoint")
    elif proof.kind == "missing-zero":
        place("ADDED", proof.site, "by `backward()`")
        place("READ", proof.read)
    elif proof.kind == "stale-gradient":
        place("ZEROED", proof.site)
        place("READ", proof.read)
    else:
        place("AT", proof.site)
        place("LAUNCHED", proof.launch)
        place("READ", proof.read)
    if proof.inputs:
        lines.append(f"    {'INPUTS':<12} {', '.join(f'{name} = {value}' for name, value in proof.inputs.items())}")
    for outer in proof.path[-4:-1][::-1]:
        place("FROM", outer)
    if proof.ad is not None and proof.fd is not None:
        ratio = f"{proof.ad / proof.fd:.4g}" if proof.fd else "-"
        lines.append(
            f"    {'NUMBERS':<12} {proof.where}: AD {proof.ad:.8g}, FD {proof.fd:.8g}, ratio {ratio} ({proof.method})"
        )
    return "\n".join(lines)


def numbers(report: ProgramReport) -> str:
    """The worst elements: of the last wrong backward, or of that one that disagrees most among those that could
    not be judged, or among the right ones."""
    groups = {s: [b for b in reversed(report.backwards) if b["status"] == s and rows(b)] for s in STATUSES}
    if report.status == "right":
        groups["inconclusive"] = []
    if not any(groups.values()):
        return ""
    chosen = groups["wrong"][0] if groups["wrong"] else max(groups["inconclusive"] or groups["right"], key=worst)
    found = rows(chosen)
    site = chosen["site"]
    file = Displayer(Path.cwd())(Path(site[0]))
    judged = chosen["status"]
    if judged == "right" and report.status == "wrong":
        judged = "right, taken alone"
    lines = [f"backward {chosen['number']} ({file}:{site[1]}), {chosen['launches']} launches: {judged}"]
    lines.append(f"    {'element':<24} {'AD':>14} {'FD':>14} {'ratio':>9}")
    for row in found[:ROWS]:
        ratio = f"{row.ad / row.truth:.4g}" if row.truth else "-"
        kind = "  (kink)" if row.kink else "" if row.measured else "  (restored adjoints)"
        lines.append(f"    {row.name:<24} {row.ad:>14.7g} {row.truth:>14.7g} {ratio:>9}{kind}")
    if len(found) > ROWS:
        lines.append(f"    … and {len(found) - ROWS} more")
    return "\n".join(lines)


def worst(backward: dict[str, Any]) -> float:
    return max((row.gap for row in rows(backward) if row.measured), default=0.0)


def rows(backward: dict[str, Any]) -> list[Row]:
    """Elements to show, those that disagree most first; of a backward that could not be judged only those that do."""
    found = sorted(rows_of(backward), key=lambda r: (-r.gap if r.gap == r.gap else float("-inf"), not r.measured))
    if backward["status"] == "inconclusive":
        return [row for row in found if row.measured and not row.gap <= DISAGREES]
    return found
