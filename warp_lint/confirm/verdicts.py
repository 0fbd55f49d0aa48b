"""From what a run showed to findings: proofs gathered over backwards, matched with static findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from warp_lint.codes import RULES
from warp_lint.confirm.places import definition_span, name_at, names_used, shown, statement
from warp_lint.confirm.rows import index_of
from warp_lint.findings import Finding, Location, Note, Status, Subject, Verdict

if TYPE_CHECKING:
    from warp_lint.syntax.project import Project

Place = tuple[str, int]

# Rules that describe one mistake from several sides: a proof for one confirms a finding of another.
FAMILIES = (
    frozenset({"ADJ301", "ADJ302", "ADJ303", "ADJ304", "ADJ305", "ADJ401", "ADJ307", "ADJ308", "ADJ406"}),
    frozenset({"ADJ404", "ADJ405", "ADJ408", "ADJ411", "ADJ305", "ADJ302", "ADJ204"}),
    frozenset({"ADJ402", "ADJ403", "ADJ407", "ADJ410", "ADJ412", "ADJ409", "ADJ406", "ADJ413"}),
    frozenset({"ADJ410", "ADJ411"}),  # a part of the forward on a tape that backward doesn't start from
)


IDEAL_AGREES = 0.02  # difference beside which restored adjoints and finite differences agree
TIE = 1e-3  # elements whose gaps differ by less are equally wrong: the first is shown

# What agreement of a pass's own gradient with differences says nothing of: later uses, other passes.
UNSEEN = ("ADJ407", "ADJ409", "ADJ413")

# What only the trace of a run can show: how tapes hang together.
OBSERVED = ("ADJ409", "ADJ413")


@dataclass(slots=True)
class Proof:
    """One mistake, proven. `site` is the place to report; `ad` and `fd` belong to `where`."""

    code: str
    kind: str
    site: Place
    number: int
    array: str = ""
    actor: str = ""
    read: Place | None = None
    reader: str = ""
    needed: Place | None = None  # the read in a kernel whose value its adjoint needs
    definition: Place | None = None  # of that kernel
    launch: Place | None = None
    path: list[Place] = field(default_factory=list)
    ad: float | None = None
    fd: float | None = None
    where: str = ""
    kernel: str = ""
    count: int = 1
    passes: int = 2  # backward passes whose gradients add up
    method: str = "restored adjoints"
    value: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    weak: bool = False  # proves a finding, makes none
    rule: str = ""  # of the finding that it proved

    @property
    def places(self) -> set[Place]:
        return {p for p in (self.site, self.read, self.definition, self.launch, *self.path) if p is not None}

    @property
    def error(self) -> float | None:
        if self.ad is None or self.fd is None:
            return None
        return abs(self.ad - self.fd) / max(abs(self.fd), 1e-12)

    def to_json(self) -> dict[str, Any]:
        from warp_lint.confirm.wording import message_of

        return {
            "code": self.rule or self.code,
            "kind": self.kind,
            "message": message_of(self)[0],
            "path": self.site[0],
            "line": self.site[1],
            "array": self.array,
            "actor": self.actor,
            "read": self.read,
            "needed": self.needed,
            "launch": self.launch,
            "ad": self.ad,
            "fd": self.fd,
            "where": self.where,
            "method": self.method,
            "count": self.count,
        }


def _place(value: Any) -> Place | None:
    if not value or not value[0]:
        return None
    return (shown(str(value[0])), int(value[1]))


def _installed(place: Place, site: Place) -> bool:
    """Is a caller in no file, or part of an installed package, such as pytest, that the place to report isn't in?"""
    return place[0].startswith("<") or ("site-packages" in place[0] and "site-packages" not in site[0])


def merge(backwards: Sequence[dict[str, Any]], observations: Sequence[dict[str, Any]]) -> list[Proof]:
    """Proofs by rule and place, the one with the largest error kept for each."""
    found: dict[tuple[Any, ...], Proof] = {}

    def add(proof: Proof) -> None:
        key = (proof.code, proof.kind if not proof.code else "", proof.site, proof.kernel)
        old = found.get(key)
        if old is None:
            found[key] = proof
        elif old.kind != proof.kind:
            # Clearing and overwriting at one place are one mistake; the overwrite says more.
            # What adds up is what the program sees, also where leftovers of intermediates add to it.
            if old.kind == "cleared" or proof.kind == "missing-zero":
                found[key] = proof
        else:
            proof.count += old.count
            proof.passes = old.passes = max(proof.passes, old.passes)
            if proof.kind == "missing-zero" or (proof.error or 0) > (old.error or 0):
                found[key] = proof
            else:
                old.count = proof.count

    for backward in backwards:
        if backward["status"] != "wrong":
            continue
        for culprit in backward["culprits"]:
            site = _place(culprit["site"])
            if site is None:
                continue
            proof = Proof(
                code=culprit["code"],
                kind=culprit["kind"],
                site=site,
                number=backward["number"],
                array=culprit.get("array", ""),
                actor=culprit.get("actor", ""),
                read=_place(culprit.get("read")),
                reader=str(culprit.get("reader", "")),
                needed=_place(culprit.get("needed")),
                definition=_place(culprit.get("definition") or culprit.get("needed")),
                launch=_place(culprit.get("launch")),
                path=[p for p in map(_place, culprit.get("path", [])) if p and not _installed(p, site)],
                kernel=culprit.get("kernel", ""),
                value=culprit.get("value", ""),
                inputs=culprit.get("inputs", {}),
            )
            effect = culprit.get("effect")
            if proof.kind == "adjoint":
                proof.method = "the launch's adjoint against its forward"
                _adjoint_numbers(proof, backward)
            else:
                _numbers(proof, backward, effect["parameter"] if effect else None)
            add(proof)
    for item in observations:
        site = _place(item["site"])
        if site is None:
            continue
        number = item["element"]
        ad = item["ad"][number] if number < len(item["ad"]) else None
        fd = item["fd"][number] if number < len(item["fd"]) else None
        add(
            Proof(
                code=item["code"],
                kind=item["kind"],
                site=site,
                number=item["number"],
                array=item["array"],
                actor=item.get("actor", ""),
                read=_place(item["read"]),
                ad=ad,
                fd=fd,
                where=item.get("where") or f"{item['array']}.grad[{number}]",
                weak=bool(item.get("weak")),
                passes=int(item.get("passes", 2)),
                method="the recorded values" if item["code"] == "ADJ413" else "the recorded gradients",
            )
        )
    late = {proof.site for proof in found.values() if proof.code == "ADJ304"}
    twice = ("ADJ301", "ADJ302", "ADJ303")  # the same write, seen from a tape that is entered again
    return [proof for proof in found.values() if not (proof.code in twice and proof.site in late)]


def _adjoint_numbers(proof: Proof, backward: dict[str, Any]) -> None:
    """Numbers of a launch's wrong adjoint. What else is wrong on the tape must not be among them: restored adjoints
    leave it out. Of several wrong adjoints each is shown at the array that it gets, if that is wrong."""
    culprits = backward["culprits"]
    key = "ideal" if any(c["kind"] not in ("adjoint", "birth") for c in culprits) else "ad"
    several = len({c["kernel"] for c in culprits if c["kind"] == "adjoint"}) > 1
    for name, which in ((proof.array if several else None, key), (None, key), (None, "ad")):
        if name != "" and _numbers(proof, backward, name, which):
            return


def _numbers(proof: Proof, backward: dict[str, Any], name: str | None, which: str = "ad") -> bool:
    """The element that is most wrong: of the parameter that the culprit touches, or of any. `which` gradient is
    looked at: "ad", the program's, or "ideal", that of restored adjoints. Returns whether any is wrong."""
    best: tuple[float, str, dict[str, Any]] | None = None
    for parameter in backward.get("parameters", ()):
        if name is not None and parameter["name"] != name:
            continue
        for row in parameter["elements"]:
            truth, shown_value = truth_of(row), float(row[which])
            if which == "ideal" and abs(shown_value - truth) <= IDEAL_AGREES * max(abs(shown_value), abs(truth)):
                continue
            gap = abs(shown_value - truth) if shown_value == shown_value else float("inf")
            if best is None or gap > best[0] * (1 + TIE):
                best = (gap, f"{parameter['name']}.grad[{index_of(parameter, row['index'])}]", row)
    if best is not None and best[0] > 0:
        row = best[2]
        proof.ad, proof.where = row[which], best[1]
        proof.fd = truth_of(row)
        return True
    return False


def truth_of(row: dict[str, Any]) -> float:
    """The right derivative: its difference, or the ideal adjoint where differences don't tell."""
    fd, ideal = row["fd"], float(row["ideal"])
    if fd is None or row["kink"] or row["error"] > 0.5 * max(abs(fd), abs(row["ad"]), abs(ideal)):
        return ideal
    return float(fd)


# Findings


def judge(
    findings: Sequence[Finding],
    proofs: Sequence[Proof],
    backwards: Sequence[dict[str, Any]],
    steps: dict[str, Any],
    project: Project | None,
    version: str = "",
    traced: Sequence[Finding] = (),
) -> list[Finding]:
    """Static findings with verdicts, then a finding for each proof that no static one speaks of."""
    reach = Reach(backwards, steps)
    result: list[Finding] = []
    used: set[int] = set()
    affinity = [[affinity_of(finding, proof, reach) for proof in proofs] for finding in findings]
    for row, finding in zip(affinity, findings, strict=True):
        # A proof that some finding speaks of exactly is not about another that shares a place with it.
        mine = [i for i, found in enumerate(row) if found and (found == EXACT or max(r[i] for r in affinity) < EXACT)]
        if mine:
            used.update(mine)
            for index in mine:
                if not proofs[index].rule or row[index] == EXACT:
                    proofs[index].rule = finding.code
            result.append(finding.with_verdict(confirmed(proofs[max(mine, key=lambda i: row[i])])))
        else:
            result.append(finding.with_verdict(reach.verdict(finding)) if finding.verdict is None else finding)
    for index, proof in enumerate(proofs):
        if index in used or proof.weak:
            continue
        if proof.kind in ("own", "adjoint", "birth"):
            known = {(f.code, f.location) for f in result}
            active = reach.active_at(proof.definition or proof.site)
            named = [f for f in kernel_findings(proof, project, version, active) if matches(f, proof, reach)]
            if named:
                proof.rule = named[0].code
                result.extend(f.with_verdict(confirmed(proof)) for f in named if (f.code, f.location) not in known)
                continue
        elif proof.code:
            # The tape rules, asked about the recorded trace, word it as they would have from source.
            named = [f for f in traced if f.code == proof.code and (f.code, f.location) not in known_places(result)]
            named = sorted(named, key=lambda f: -affinity_of(f, proof, reach))
            if named and affinity_of(named[0], proof, reach):
                result.append(_spoken(named[0], proof))
                continue
        if proof.code:
            result.append(finding_of(proof))
        elif proof.kind == "adjoint":  # no rule knows why, but it was measured
            proof.rule = "ADJ206"
            result.append(finding_of(replace(proof, code="ADJ206")))
    known = {(f.code, f.location) for f in result}
    seen = Verdict(Status.INCONCLUSIVE, "seen in the recorded run, which numbers of one backward can't judge")
    for finding in traced:
        if finding.code in OBSERVED and (finding.code, finding.location) not in known:
            proven = next((p for p in proofs if affinity_of(finding, p, reach) >= SAME), None)
            result.append(finding.with_verdict(confirmed(proven) if proven is not None else seen))
    return result


def _spoken(finding: Finding, proof: Proof) -> Finding:
    severity = max(finding.severity, RULES[finding.code].severity)
    if proof.site not in _lines(finding.location):
        note = Note(finding.location, "this is the place in the recorded run")
        finding = replace(finding, location=statement(*proof.site), notes=(*finding.notes, note))
    return finding.with_verdict(confirmed(proof)).with_severity(severity)


def kernel_findings(
    proof: Proof, project: Project | None, version: str, active: frozenset[tuple[str, ...]]
) -> list[Finding]:
    """What the kernel rules say of the kernel that a proof is about, with the arrays that had gradients."""
    from pathlib import Path

    from packaging.version import InvalidVersion, Version

    from warp_lint.kernels.activity import UNKNOWN, KernelActivity, LaunchContext
    from warp_lint.kernels.check import check_kernel
    from warp_lint.kernels.detect import functions_of, kernels_of
    from warp_lint.settings import Settings
    from warp_lint.syntax.project import Project as NewProject

    place = proof.definition if proof.kind == "own" and proof.definition is not None else proof.site
    span = definition_span(place[0], place[1])
    if span is None:
        return []
    try:
        settings = Settings(Version(version), assume_active=True)
    except InvalidVersion:
        settings = Settings(assume_active=True)
    activity = KernelActivity("active", (LaunchContext(active),)) if active else UNKNOWN
    file = Path(place[0]).resolve()
    project = project or NewProject(Path.cwd())
    try:
        module = project.module_at(file)
        if module is None:
            return []
        found: list[Finding] = []
        for definition in kernels_of(project, module):
            if span[0] <= definition.location.line <= span[1]:
                found += check_kernel(project, definition, settings, activity)
        used = names_used(place[0], place[1])
        for definition in functions_of(project, module, "func_grad"):
            if name_at(place[0], definition.location.line) in used:
                found += check_kernel(project, definition, settings)
    except (RecursionError, KeyError, AttributeError, ValueError):
        return []
    # A NaN can come of a stale value; what explains that says more than the place where it shows.
    stale = [f for f in found if f.code[3] in "12"]
    return stale or [f for f in found if f.code[3] == "5"]


def confirmed(proof: Proof) -> Verdict:
    return Verdict(Status.CONFIRMED, "", proof.method, proof.ad, proof.fd, proof.error, proof.where)


EXACT, SAME, KIN = 3, 2, 1


def matches(finding: Finding, proof: Proof, reach: Reach) -> bool:
    """Whether a proof is about what a static finding says."""
    return affinity_of(finding, proof, reach) > 0


def affinity_of(finding: Finding, proof: Proof, reach: Reach) -> int:
    """How well a proof fits a static finding: `EXACT` rule and line, the `SAME` rule or a `KIN` one at a place
    that both speak of, 0 not at all."""
    if finding.code[3] in "125":
        return SAME if _about_kernel(finding, proof, reach) else 0
    same = finding.code == proof.code
    if not same and not any(finding.code in f and proof.code in f for f in FAMILIES):
        return 0
    if same and proof.site in _lines(finding.location):
        return EXACT
    lines = {place for location in _locations(finding) for place in _lines(location)}
    return (SAME if same else KIN) if lines & proof.places else 0


def _about_kernel(finding: Finding, proof: Proof, reach: Reach) -> bool:
    if proof.kind not in ("own", "adjoint", "replayed", "birth"):
        return False
    kernel = reach.kernel_at(finding.location)
    if proof.kind == "birth":
        place = reach.names.get(proof.kernel)
        return (kernel is not None and kernel == place) or reach.calls(proof.kernel, finding)
    if proof.kind == "own":
        here = (finding.location.path, finding.location.line)
        return proof.definition == kernel or proof.site == here or reach.calls(proof.actor, finding)
    return kernel == proof.site if kernel is not None else reach.calls(proof.kernel, finding)


def _lines(location: Location) -> set[Place]:
    return {(location.path, line) for line in range(location.line, max(location.end_line, location.line) + 1)}


def known_places(findings: Sequence[Finding]) -> set[tuple[str, Location]]:
    return {(f.code, f.location) for f in findings}


def _locations(finding: Finding) -> list[Location]:
    return [finding.location, *(note.location for note in finding.notes)]


class Reach:
    """What a run executed, by place, and how the backwards that contain it turned out."""

    def __init__(self, backwards: Sequence[dict[str, Any]], steps: dict[str, Any]) -> None:
        self.kernels: dict[Place, str] = {}
        self.names: dict[str, Place] = {}
        self.lines: set[Place] = set()
        self.active: dict[Place, set[tuple[str, ...]]] = {}
        # Agreement in zeros alone refutes nothing.
        self.statuses = {"inconclusive" if b["status"] == "right" and b["reason"] else b["status"] for b in backwards}
        for step in steps.get("steps", []):
            for place in (step["site"], *step["path"]):
                found = _place(place)
                if found is not None:
                    self.lines.add(found)
            if "kernel" in step:
                key, path, line = step["kernel"]
                self.kernels[(shown(path), line)] = key
                self.names[key] = (shown(path), line)
                paths = self.active.setdefault((shown(path), line), set())
                paths.update(tuple(t["path"]) for t in step["touches"] if t["delta"] is not None)

    def active_at(self, place: Place) -> frozenset[tuple[str, ...]]:
        """Parameters of the kernel at a place whose arrays had gradients in some launch."""
        return frozenset(self.active.get(place, ()))

    def kernel_at(self, location: Location) -> Place | None:
        """The launched kernel whose definition holds a location."""
        span = definition_span(location.path, location.line)
        if span is None:
            return None
        first, last = span
        return next((p for p in self.kernels if p[0] == location.path and first <= p[1] <= last), None)

    def calls(self, kernel: str, finding: Finding) -> bool:
        """Whether a launched kernel calls the function that a finding is in, as far as names tell."""
        span = definition_span(finding.location.path, finding.location.line)
        place = self.names.get(kernel)
        if span is None or place is None:
            return False
        name = name_at(finding.location.path, finding.location.line)
        return bool(name) and name in names_used(place[0], place[1])

    def verdict(self, finding: Finding) -> Verdict:
        if finding.code[3] in "125":
            reached = self.kernel_at(finding.location) is not None or any(self.calls(k, finding) for k in self.names)
        else:
            reached = any(
                (loc.path, line) in self.lines
                for loc in [finding.location]
                for line in range(loc.line, loc.end_line + 1)
            )
        if not reached or not self.statuses:
            return Verdict(
                Status.UNTESTED, "the program did not get there" if self.statuses else "no backward pass was judged"
            )
        if finding.code in UNSEEN:
            return Verdict(Status.INCONCLUSIVE, "what the program does with the gradient later is not measured")
        if self.statuses == {"right"}:
            return Verdict(Status.REFUTED, "the gradients of the program that runs it agree with finite differences")
        if "wrong" in self.statuses and finding.code[3] not in "125":
            return Verdict(Status.REFUTED, "undoing it does not change the gradient of this run")
        return Verdict(Status.INCONCLUSIVE, "the run neither showed nor excluded it")


def finding_of(proof: Proof) -> Finding:
    """A finding for what only the run found."""
    rule = RULES[proof.code]
    from warp_lint.confirm.wording import message_of

    message, help_text, notes = message_of(proof)
    return Finding(
        code=proof.code,
        name=rule.name,
        severity=rule.severity,
        location=statement(*proof.site),
        message=message,
        help=help_text,
        notes=tuple(Note(statement(*place), text) for place, text in notes if place != proof.site),
        subject=Subject("program", proof.kernel, proof.site[0], proof.site[1]),
        verdict=confirmed(proof),
    )
