"""Sweep of the program confirmer over programs with measured gradients. Not a test: minutes to hours.

    python tests/confirm_program_scoreboard.py [AREA …] [--version 1.19.0] [--python PYTHON] [--jobs N] [--json FILE]

A wrong program counts as found if the run says so, names a rule that fits the measured cause, and shows
AD and FD within one per cent of the table. A right one must end in "gradients are right".
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import csv
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import confirm_program

CORPUS = Path(__file__).resolve().parent.parent / "test_corpus"
TRUTH = CORPUS / "ground_truth"

FITTING = {
    "component-reassignment": "104 111",
    "launch-overwrite": "301 401",
    "loop-carried": "105 107 106",
    "loop-result": "106 105",
    "self-overwrite": "102 101 103 110",
    "overwrite-after-read-in-kernel": "103 102 110",
    "singular": "502 501",
    "fill-or-zero": "303 407 410 401",
    "inplace-multiply": "101",
    "loop-exit": "107",
    "unrecorded-op": "405 408 411 109",
    "copy-overwrite": "302 303",
    "missing-zero": "402 403",
    "retain-grad": "406",
    "custom-adjoint": "201 202 204 206",
    "severed-requires-grad": "404 305",
    "while-counter": "105",
    "replay-side-effect": "203 103",
    "backward-disabled": "405",
    "where-nan": "501",
    "off-tape-write": "304",
    "flat": "503",
    "host-round-trip": "408",
    "alias": "305",
    "struct-rebound": "306",
}


def numbers(text: str) -> dict[str, list[float]]:
    result: dict[str, list[float]] = {}
    for name, values in re.findall(r"(\w+)=\[([^\]]*)\]", text):
        result[name] = [float(v) for v in values.split(",") if v]
    return result


def near(a: float, b: float, scale: float) -> bool:
    if a != a or b != b or abs(a) == float("inf") or abs(b) == float("inf"):
        return (abs(a) < 1e30) == (abs(b) < 1e30)
    return abs(a - b) <= 0.01 * max(abs(b), 0.01 * scale, 1e-6)


def measured(report: Any) -> dict[str, tuple[dict[int, float], dict[int, float]]]:
    """AD and FD by parameter and element: of the last wrong backward, or of the observations."""
    result: dict[str, tuple[dict[int, float], dict[int, float]]] = {}
    for proof in report.proofs:
        if proof.ad is not None and proof.fd is not None and proof.method == "the recorded gradients":
            name, _, rest = proof.where.partition(".grad[")
            found = result.setdefault(name, ({}, {}))
            index = int(rest.rstrip("]").split(",")[0] or 0)
            found[0][index], found[1][index] = proof.ad, proof.fd
    chosen = next((b for b in reversed(report.backwards) if b["status"] == "wrong"), None)
    for parameter in chosen.get("parameters", ()) if chosen else ():
        if parameter["name"] in result:
            continue
        ad = {r["index"]: r["ad"] for r in parameter["elements"]}
        fd = {r["index"]: r["fd"] if r["fd"] is not None else r["ideal"] for r in parameter["elements"]}
        result[parameter["name"]] = (ad, fd)
    return result


def judge(row: dict[str, str], version: str, report: Any) -> str:
    truth = row[version]
    codes = {f.code[3:] for f in report.findings if f.verdict is not None and str(f.verdict.status) == "confirmed"}
    if truth in ("error", "-"):
        return "ok" if report.status in ("failed", "inconclusive", "right", "wrong") else "bad end"
    if truth == "right":
        return (
            "ok"
            if report.status == "right" and not codes
            else f"false: {report.status} {sorted(codes)} {report.sentence}"
        )
    if report.status != "wrong":
        return f"missed: {report.status}: {report.sentence}"
    fitting = FITTING.get(row["cause"], "").split()
    unnamed = False
    if fitting and not codes & set(fitting) and not codes and any(p.kind == "adjoint" for p in report.proofs):
        unnamed = True  # the kernel is named; its line needs the static findings
    elif fitting and not codes & set(fitting):
        return f"rule: {sorted(codes)} for {row['cause']}"
    if version == "1.19.0":
        ad, fd = numbers(row["ad_119"]), numbers(row["fd_119"])
        shown = measured(report)
        for name in [n for n in row["wrong_params"].split(",") if n in ad and n in fd]:
            if name not in shown:
                return f"numbers: {name} not among {sorted(shown)}"
            for index, value in shown[name][0].items():
                scale = max(map(abs, fd[name]), default=1.0)
                if index < len(ad[name]) and not near(value, ad[name][index], scale):
                    return f"numbers: AD {name}[{index}] {value} for {ad[name][index]}"
                other = shown[name][1][index]
                if index < len(fd[name]) and not near(other, fd[name][index], scale):
                    return f"numbers: FD {name}[{index}] {other} for {fd[name][index]}"
    return "unnamed: kernel proven" if unnamed else "ok"


def lint(path: str) -> list[Any]:
    from warp_lint.config import Overrides
    from warp_lint.engine import Request
    from warp_lint.engine import lint as run

    try:
        return list(run(Request([Path(path)], Overrides(), cache=False)).findings)
    except Exception as error:
        print(f"lint failed on {path}: {error!r}", file=sys.stderr)
        return []


def one(row: dict[str, str], options: ConfirmOptions, version: str, static: bool) -> tuple[str, str, dict[str, Any]]:
    os.chdir(TRUTH)
    findings = lint(row["path"]) if static else []
    null = os.open(os.devnull, os.O_WRONLY)
    saved = os.dup(2)
    os.dup2(null, 2)
    try:
        report = confirm_program([row["path"]], findings, None, replace(options, output=null))
    finally:
        os.dup2(saved, 2)
        os.close(null)
        os.close(saved)
    data = {
        "codes": [f"{f.code}:{f.location.line}:{f.verdict.status if f.verdict else ''}" for f in report.findings],
        **report.to_json(),
    }
    return row["path"], judge(row, version, report), data


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("areas", nargs="*")
    parser.add_argument("--version", default="1.19.0")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", default="")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th program")
    parser.add_argument("--static", action="store_true", help="match with the static findings too")
    parser.add_argument("--only", default="", help="outcomes of this JSON file that are not ok, again")
    arguments = parser.parse_args()
    with (TRUTH / "truth.tsv").open(encoding="utf-8") as stream:
        rows = [r for r in csv.DictReader(stream, delimiter="\t") if not r["note"].startswith("DOUBTFUL")]
    if arguments.areas:
        rows = [r for r in rows if any(r["path"].startswith(area) for area in arguments.areas)]
    rows = rows[:: arguments.every]
    if arguments.only:
        old = json.loads(Path(arguments.only).read_text())
        rows = [r for r in rows if old.get(r["path"], {}).get("outcome", "") != "ok"]
    options = ConfirmOptions(python=arguments.python, total_timeout=180)
    results: dict[str, Any] = {}
    areas: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        jobs = [pool.submit(one, row, options, arguments.version, arguments.static) for row in rows]
        for row, job in zip(rows, jobs, strict=True):
            path, outcome, data = job.result()
            results[path] = {"outcome": outcome, **data}
            areas[row["area"]][outcome.split(":")[0]] += 1
            if outcome != "ok":
                print(f"{path} [{row[arguments.version]}, {row['cause']}]: {outcome}", flush=True)
    for area, counts in areas.items():
        print(f"{area:<28} {counts['ok']:>3} of {sum(counts.values()):>3}  {dict(counts)}")
    print(f"all: {sum(c['ok'] for c in areas.values())} of {len(rows)}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(results, indent=1, default=str))


if __name__ == "__main__":
    main()
