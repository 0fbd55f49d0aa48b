"""`--confirm` for programs: runs the user's own program with a recorder under Warp's tape, and says what
its gradients are worth, with numbers.

The program runs in a process of its own, unmodified: same arguments, output, results and exit code.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.budget import AGAIN, BASE, SHARE
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.picture import picture
from warp_lint.confirm.process import package_root
from warp_lint.confirm.rows import noisy, rows_of
from warp_lint.confirm.verdicts import Proof, confirmed, judge, merge
from warp_lint.findings import Finding, Status

if TYPE_CHECKING:
    from warp_lint.syntax.project import Project

Related = Callable[[Set[Path]], Sequence[Finding]]

VALUES = ("ADJ413",)  # about values, not about gradients
# How far gradients of half and single precision may be from those of double, beside the largest of their array.
HALF, SINGLE = 0.1, 0.02
NO_TIME = "its limit (4 times the program's own time, and 5 s) leaves no time for that"
LEAST_DOUBLE = 1.0  # seconds for the checks of a run in double precision
DROWNED = "finite differences were drowned in rounding"
_BOOTSTRAP = Path(__file__).resolve().parent / "live" / "bootstrap"


@dataclass(slots=True)
class ProgramReport:
    """Outcome of one run. `status`: "right", "wrong", "inconclusive", or "failed" (nothing could be judged).

    `sentence` says it in one sentence. `findings`: the static ones with verdicts and those that only the run
    found. `observations`: texts ready to print. `backwards`: what was seen at each checked backward, as plain
    data. `ended`: how the program ended; `exit_code` its own (None: killed). `checking`, `own`: processor seconds of
    recording and checks, and of the program itself.
    """

    argv: list[str]
    status: str = "failed"
    sentence: str = ""
    findings: list[Finding] = field(default_factory=list)
    observations: tuple[str, ...] = ()
    backwards: list[dict[str, Any]] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    steps: dict[str, Any] = field(default_factory=dict)
    warp_version: str = ""
    exit_code: int | None = None
    ended: str = ""
    seconds: float = 0.0
    checking: float = 0.0
    own: float = 0.0

    @property
    def ran(self) -> bool:
        """Whether anything could be judged."""
        return self.status != "failed"

    @property
    def reason(self) -> str:
        return "" if self.ran else self.sentence

    def to_json(self) -> dict[str, Any]:
        """Plain data: everything but the findings, which have their own place."""
        return {
            "program": self.argv,
            "status": self.status,
            "sentence": self.sentence,
            "warp_version": self.warp_version,
            "exit_code": self.exit_code,
            "ended": self.ended,
            "seconds": round(self.seconds, 3),
            "checking_seconds": round(self.checking, 3),
            "notes": self.notes,
            "backwards": self.backwards,
            "proofs": [proof.to_json() for proof in self.proofs],
            "tape": picture(self.steps, self.proofs, self.backwards),
        }


@dataclass(slots=True)
class Run:
    """Events of a finished run."""

    events: list[dict[str, Any]]
    steps: dict[str, Any]
    exit_code: int | None
    timed_out: bool
    seconds: float

    def last(self, event: str) -> dict[str, Any] | None:
        return next((e for e in reversed(self.events) if e["event"] == event), None)

    def all(self, event: str) -> list[dict[str, Any]]:
        return [e for e in self.events if e["event"] == event]


def confirm_program(
    argv: Sequence[str],
    findings: Sequence[Finding],
    project: Project | None,
    options: ConfirmOptions,
    related: Related | None = None,
) -> ProgramReport:
    """Run `argv` (a script, or `-m` and a module, then the program's arguments) and judge its gradients.
    `related`: asked for static findings of further files that the run went through; those that it proves are told.

    Never raises for what the program does: crashes, hangs and refusals end in the report.
    """
    run = execute(argv, options, options.output)
    report = report_of(argv, run, findings, project, related)
    if options.precision == "auto" and drowned(report):
        remaining = options.total_timeout - run.seconds
        add_double(report, argv, replace(options, total_timeout=max(remaining, 1.0)), findings, project, related)
    return report


def drowned(report: ProgramReport) -> bool:
    """Whether nothing could be said of some array because single precision drowns finite differences in rounding."""
    if report.status == "inconclusive":
        return any(b["reason"] == DROWNED for b in report.backwards)
    return report.status == "right" and bool(unclear([b for b in report.backwards if b["status"] == "right"]))


def add_double(
    report: ProgramReport,
    argv: Sequence[str],
    options: ConfirmOptions,
    findings: Sequence[Finding],
    project: Project | None,
    related: Related | None = None,
) -> None:
    """Run the program again in double precision, quietly, and put its answer into the report."""
    from warp_lint.report.program import render

    # The program runs once more, a little slower: checks have what its limit leaves.
    left = (SHARE - AGAIN[0]) * report.own + BASE - report.checking
    if left < LEAST_DOUBLE:
        report.notes.append(f"the program was not run again in double precision: {NO_TIME}")
        report.observations = tuple(render(report))
        return
    null = os.open(os.devnull, os.O_RDWR)
    try:
        run = execute(argv, options, null, double=True, limit=left)
    finally:
        os.close(null)
    second = report_of(argv, run, findings, project, related)
    report.seconds += second.seconds
    report.checking += second.checking
    strayed = astray(report.backwards, second.backwards) if second.status == "right" else ""
    if strayed:
        report.notes.append(f"double precision gave no answer either: {strayed}")
    elif second.status in ("right", "wrong"):
        report.status = second.status
        report.sentence = f"in double precision, {second.sentence}; in single precision differences drown in rounding"
        report.findings, report.proofs, report.backwards = second.findings, second.proofs, second.backwards
        report.steps = second.steps
        report.notes.append("the program was run a second time, with double precision in place of single")
    else:
        why = second.sentence if second.status == "inconclusive" else f"the program {second.ended}"
        report.notes.append(f"double precision gave no answer either: {why}")
    report.observations = tuple(render(report))


def astray(single: Sequence[dict[str, Any]], double: Sequence[dict[str, Any]]) -> str:
    """Where gradients of one precision are far from those of the other: which, and by how much; "" if nowhere."""
    others = {b["number"]: b for b in double if b["status"] == "right"}
    for backward in single:
        other = others.get(backward["number"])
        if other is None or backward["status"] not in ("right", "inconclusive"):
            continue
        exact = {row.name: row.truth for row in rows_of(other)}
        found = [(row.name, row.ad, exact[row.name]) for row in rows_of(backward) if row.name in exact]
        sizes: dict[str, float] = {}
        for name, _, truth in found:
            array = name.partition(".grad[")[0]
            sizes[array] = max(sizes.get(array, 0.0), abs(truth))
        limit = HALF if backward.get("bytes") == 2 else SINGLE
        for name, ad, truth in found:
            if not abs(ad - truth) <= limit * max(sizes[name.partition(".grad[")[0]], 1e-12):
                return f"`{name}` is {ad:.4g} in the program's precision and {truth:.4g} in double precision"
    return ""


def report_of(
    argv: Sequence[str],
    run: Run,
    findings: Sequence[Finding],
    project: Project | None,
    related: Related | None = None,
) -> ProgramReport:
    """The report of a finished run."""
    report = ProgramReport(list(argv))
    report.exit_code, report.seconds, report.steps = run.exit_code, run.seconds, run.steps
    start, end = run.last("start"), run.last("end")
    report.warp_version = str(start["warp"]) if start else ""
    report.checking = float(end["checking"]) if end else 0.0
    report.own = float(end["own"]) if end else 0.0
    report.ended = how_it_ended(run)
    report.notes = notes_of(run)
    report.backwards = run.all("backward")
    report.proofs = merge(report.backwards, run.all("observation"))
    further = related(files_of(run.steps)) if related is not None and report.proofs else []
    report.findings = judge(
        [*findings, *further],
        report.proofs,
        report.backwards,
        run.steps,
        project,
        report.warp_version,
        _traced(run, project, report),
    )
    report.findings = [f for f in report.findings if proven(f) or not any(_same(f, other) for other in further)]
    report.notes += [note_of(proof) for proof in report.proofs if proof.weak and not used(proof, report.findings)]
    report.proofs = [proof for proof in report.proofs if not proof.weak or used(proof, report.findings)]
    report.status, report.sentence = conclude(run, report)
    from warp_lint.report.program import render

    report.observations = tuple(render(report))
    return report


def files_of(steps: dict[str, Any]) -> set[Path]:
    """Files of the program that a run went through, those of installed packages left out."""
    found: set[Path] = set()
    for step in steps.get("steps", []):
        places = [step["site"], *step["path"], *([step["kernel"][1:]] if "kernel" in step else [])]
        found.update(Path(os.path.realpath(place[0])) for place in places if place[0])
    return {file for file in found if file.suffix == ".py" and "site-packages" not in file.parts and file.is_file()}


def proven(finding: Finding) -> bool:
    return finding.verdict is not None and finding.verdict.status is Status.CONFIRMED


def _same(finding: Finding, other: Finding) -> bool:
    return (finding.code, finding.location, finding.message) == (other.code, other.location, other.message)


def used(proof: Proof, findings: Sequence[Finding]) -> bool:
    """Whether a finding was confirmed by this proof."""
    return any(f.verdict is not None and f.verdict == confirmed(proof) for f in findings)


def note_of(proof: Proof) -> str:
    """A weak proof in one sentence."""
    from warp_lint.confirm.wording import message_of

    read = f" (taken at {proof.read[0]}:{proof.read[1]})" if proof.read is not None else ""
    return f"{proof.site[0]}:{proof.site[1]}: {message_of(proof)[0]}{read}"


def _traced(run: Run, project: Project | None, report: ProgramReport) -> list[Finding]:
    """What the tape rules say of the recorded trace; nothing if they can't be asked."""
    from warp_lint.confirm.tracing import traced

    try:
        return traced(run.steps, project, report.warp_version)
    except Exception as error:  # a rule's fault must not cost the numbers
        report.notes.append(f"the recorded trace could not be read: {type(error).__name__}: {error}")
        return []


def execute(
    argv: Sequence[str], options: ConfirmOptions, output: Any = None, double: bool = False, limit: float = 0.0
) -> Run:
    """Run the program under the recorder. `output`: where its standard output goes (None: to ours).
    `double`: with double precision in place of single, its standard error discarded as well. `limit`: seconds
    for all checks (0: their share of the program's time)."""
    with tempfile.TemporaryDirectory(prefix="warp-lint-") as folder:
        events, steps = Path(folder, "events.jsonl"), Path(folder, "steps.json")
        config = Path(folder, "config.json")
        config.write_text(
            json.dumps(
                {
                    "events": str(events),
                    "steps": str(steps),
                    "entries": options.backwards,
                    "stop": options.stop,
                    "double": double,
                    "limit": limit,
                    "cache": str(options.cache_dir / "double") if double else "",
                }
            )
        )
        started = time.monotonic()
        timed_out = False
        try:
            process = subprocess.Popen(
                [options.python, *argv],
                env=_environment(config),
                stdout=output,
                stderr=output if double else None,
                stdin=subprocess.DEVNULL if double else None,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            return Run([{"event": "trouble", "message": f"{options.python}: {error.strerror}"}], {}, None, False, 0.0)
        try:
            process.wait(options.total_timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            _stop(process)
        except BaseException:
            _stop(process)
            raise
        seconds = time.monotonic() - started
        code = None if timed_out else process.returncode
        return Run(read_lines(events), read_data(steps), code, timed_out, seconds)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Kill the program's whole process group, which is ours."""
    try:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def _environment(config: Path) -> dict[str, str]:
    env = dict(os.environ)
    path = env.get("PYTHONPATH")
    if path is not None:
        env["WARP_LINT_PYTHONPATH"] = path
    env["PYTHONPATH"] = os.pathsep.join([str(_BOOTSTRAP), *([path] if path else [])])
    env["WARP_LINT_CONFIRM"] = str(config)
    env["WARP_LINT_ROOT"] = str(package_root())
    return env


def read_lines(path: Path) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return result
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and "event" in event:
            result.append(event)
    return result


def read_data(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def how_it_ended(run: Run) -> str:
    """The program's end, in words."""
    error = run.last("exception")
    if run.timed_out:
        return f"was killed after {run.seconds:.0f} s"
    if run.exit_code is None:
        return "could not be started"
    if run.exit_code < 0:
        try:
            name = signal.Signals(-run.exit_code).name
        except ValueError:
            name = f"signal {-run.exit_code}"
        if name in ("SIGINT", "SIGTERM", "SIGKILL", "SIGHUP", "SIGALRM", "SIGXCPU"):
            return f"was ended by a signal ({name})"
        return f"crashed ({name})"
    if error is not None:
        return f"raised {error['type']}: {_first_line(error['message'])}"
    end = run.last("end")
    if end is not None and end["how"] == "block":
        return "left the recorded block"
    if end is not None and end["how"] == "stopped":
        return "was ended after its checks, as asked"
    if end is None and run.last("start") is not None:
        return f"ended at once with exit code {run.exit_code} (`os._exit` or `exec`)"
    return f"ended with exit code {run.exit_code}"


def _first_line(text: str) -> str:
    lines = str(text).strip().splitlines()
    return lines[0][:200] if lines else ""


def notes_of(run: Run) -> list[str]:
    """What limits the answer."""
    notes: list[str] = []
    start, end = run.last("start"), run.last("end")
    if start and start.get("untried"):
        notes.append(f"Warp {start['warp']} is newer than what was tried; it was recorded all the same")
    if end:
        notes += end["notes"]
        if end["gpu"]:
            notes.append(
                f"{end['gpu']} launches ran on a GPU and were not recorded: run on the CPU to have them checked"
            )
        if end["skipped"]:
            notes.append(
                f"{end['skipped']} of {end['backwards']} backward passes were not checked (--confirm-backwards, time)"
            )
        notes += [f"the recorder had trouble: {text}" for text in end["troubles"][:3]]
    notes += [f"the recorder could not start: {e['message']}" for e in run.all("trouble")]
    notes += [e["message"] for e in run.all("unsupported")]
    return notes


def conclude(run: Run, report: ProgramReport) -> tuple[str, str]:
    """Status and sentence of the whole run."""
    checked = report.backwards
    right = [b for b in checked if b["status"] == "right"]
    wrong = [b for b in checked if b["status"] == "wrong"]
    proofs = [p for p in report.proofs if p.code not in VALUES]
    if wrong or proofs:
        count = len(wrong) or len({p.number for p in proofs})
        places = len(proofs)
        text = f"gradients are wrong: {count} of {len(checked)} checked backward passes"
        return "wrong", text + (
            f", {places} cause{'' if places == 1 else 's'} named" if places else ", cause not found"
        )
    if right:
        tail = "; all of them are zero" if all(b["reason"] for b in right) else ""
        if len(right) < len(checked):
            tail += f"; {len(checked) - len(right)} of {len(checked)} could not be judged"
        names = unclear(right)
        if names:
            tail += f"; {', '.join(f'`{name}`' for name in names[:3])} could not be compared, for rounding"
        return "right", f"gradients are right: {numbers(right)}{tail}"
    if checked:
        return "inconclusive", f"gradients could not be judged: {checked[-1]['reason']}"
    if run.last("unsupported") or run.last("trouble"):
        return "failed", report.notes[-1] if report.notes else "the recorder could not start"
    if run.last("start") is None:
        return "failed", f"the program {report.ended} and never imported Warp{_hint(run)}"
    return "failed", f"the program {report.ended} before any backward pass{_hint(run)}"


def unclear(right: Sequence[dict[str, Any]]) -> list[str]:
    """Arrays that no backward pass could compare with differences."""
    found = [set(b.get("unclear", ())) for b in right if not b["reason"]]
    return sorted(set.intersection(*found)) if found else []


def _hint(run: Run) -> str:
    error = run.last("exception")
    end = run.last("end")
    if error is not None and ("cuda" in error["message"].lower() or "gpu" in error["message"].lower()):
        return "; it seems to need a GPU"
    if end and end["gpu"]:
        return "; its launches ran on a GPU, and only CPU launches can be checked"
    if run.exit_code == 2:
        return "; it may need arguments: give them after `--`"
    return ""


def numbers(backwards: Sequence[dict[str, Any]]) -> str:
    """How many derivatives were compared, and how well they agree beside the largest of their array."""
    compared, bends, worst = 0, 0, 0.0
    for backward in backwards:
        bends += sum(row.kink for row in rows_of(backward))
        gaps = [row.gap for row in rows_of(backward) if row.measured]
        compared += len(gaps) + sum(len(parameter["directions"]) for parameter in backward.get("parameters", ()))
        worst = max([worst, *gaps])
    passes, left = len(backwards), sum(map(noisy, backwards))
    return (
        f"{compared} derivative{'' if compared == 1 else 's'} of {passes} backward pass{'' if passes == 1 else 'es'} "
        f"agree with finite differences (largest relative difference {worst:.1e}"
        f"{f'; {left} left out for rounding' if left else ''}{f'; {bends} at kinks or jumps' if bends else ''})"
    )
