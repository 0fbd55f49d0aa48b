"""`--confirm`: each flagged kernel or func alone in a subprocess, and a verdict with numbers.

One subprocess compiles many kernels together. A kernel that crashes or hangs takes its subprocess
along; the rest is run again without it.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from warp_lint.codes import RULES
from warp_lint.confirm import judge
from warp_lint.confirm.describe import Facts, describe
from warp_lint.confirm.extract import Extractor, Item, UnresolvedError
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.process import Exit, Worker, python_command
from warp_lint.confirm.promote import DOUBLE, GENERIC_GUESSES
from warp_lint.confirm.judge import Outcome
from warp_lint.confirm.wrap import PREFIX, VALUE_PREFIX, sink_source, wrap
from warp_lint.findings import Finding, Note, Severity, Status, Subject, Verdict
from warp_lint.syntax.module import Definition, Module
from warp_lint.syntax.project import External, Project

BATCH = 48
SMALL = 2  # integers of the second attempt at a kernel that crashed or hung stay below this
_CONFIG = ("enable_vector_component_overwrites", "max_unroll")
_MODULE_OPTIONS = ("max_unroll", "enable_vector_component_overwrites", "fast_math")


@dataclass(slots=True)
class Trial:
    """One kernel or func to run. `keys` are its variants: one, or a guess each for `Any`."""

    definition: Definition
    role: str
    codes: set[str] = field(default_factory=set)
    outcome: Outcome | None = None
    variants: list[dict[str, Any]] = field(default_factory=list)


def confirm_kernels(findings: Sequence[Finding], project: Project, options: ConfirmOptions) -> list[Finding]:
    """The findings with verdicts where their subject is a kernel or func, and those that only running
    the code can find. Never raises for what the user's code does."""
    trials = _Trials(project)
    for finding in findings:
        if finding.subject is not None and finding.subject.kind in ("kernel", "func"):
            trials.want(finding.subject, finding.code)
    if options.mode == "all":
        for module in list(project.modules()):
            trials.want_all(module)
    for module in {t.definition.module for t in trials.found.values()} | (
        set(project.modules()) if options.mode == "all" else _modules(findings, project)
    ):
        trials.want_custom(module)
    trials.run(options)
    confirmed = [_with_verdict(finding, trials) for finding in findings]
    return sorted([*confirmed, *_extra(trials, confirmed, options)], key=Finding.sort_key)


def _modules(findings: Sequence[Finding], project: Project) -> set[Module]:
    paths = {finding.location.path for finding in findings}
    return {module for module in project.modules() if module.path in paths}


def _with_verdict(finding: Finding, trials: _Trials) -> Finding:
    subject = finding.subject
    if subject is None or subject.kind not in ("kernel", "func"):
        return finding
    trial = trials.of(subject)
    if trial is None:
        reason = f"`{subject.qualname}` can't be found in `{subject.path}`"
        return finding.with_verdict(Verdict(Status.INCONCLUSIVE, reason))
    if trial.outcome is None:
        return finding.with_verdict(Verdict(Status.UNTESTED, "not run"))
    shown = judge.verdict(finding.code, trial.outcome, trial.codes)
    return finding.with_verdict(replace(shown, where=_user_words(shown.where)) if trial.role == "func" else shown)


def _extra(trials: _Trials, findings: Sequence[Finding], options: ConfirmOptions) -> list[Finding]:
    """Findings that only numbers show: a func's own gradient, and with mode "all" any kernel."""
    made = []
    flagged = {(f.subject.path, f.subject.qualname) for f in findings if f.subject is not None}
    for trial in trials.found.values():
        if trial.outcome is None or trial.outcome.failed:
            continue
        definition = trial.definition
        companions = trials.extractor.companions(definition) if trial.role == "func" else []
        grads = [c for c in companions if trials.extractor.role(c) == "func_grad"]
        where = definition
        if grads:
            sample = judge.disagrees(trial.outcome)
            where = grads[0]
            message = f"`{where.name}` differs from the derivative of `{definition.name}`"
            note = Note(definition.location, f"`{definition.name}` is defined here")
        elif options.mode == "all" and trial.role == "kernel":
            if (definition.module.path, definition.qualname) in flagged:
                continue
            sample = judge.wrong(trial.outcome)
            message = f"The gradient of `{definition.name}` differs from finite differences"
            note = None
        else:
            continue
        if sample is None:
            continue
        shown = Verdict(
            Status.CONFIRMED,
            "",
            f"central differences of the {trial.role} alone, {trial.outcome.precision} precision",
            sample["ad"],
            sample["fd"],
            _relative(sample),
            _user_words(sample["where"]),
        )
        rule = RULES.get("ADJ206")
        made.append(
            Finding(
                code="ADJ206",
                name=rule.name if rule is not None else "adjoint-disagrees",
                severity=Severity.ERROR,
                location=where.location,
                message=message,
                help="compare the adjoint with the derivative of the forward, term by term",
                notes=(note,) if note is not None else (),
                subject=Subject(trial.role, definition.qualname, definition.module.path, definition.location.line),
                context=where.module.lines[where.location.line - 1],
                verdict=shown,
            )
        )
    return made


def _relative(sample: judge.Sample) -> float:
    ad, fd = sample["ad"], sample["fd"]
    if ad is None or fd is None or not math.isfinite(ad):
        return math.inf
    size = max(abs(ad), abs(fd))
    return abs(ad - fd) / size if size > 0.0 else 0.0


def _user_words(where: str) -> str:
    """Names as the user wrote them: the arguments of a func alone have a prefix, and values an index
    of their own per thread."""
    if where.startswith("p_out["):
        return "the value returned"
    if where.startswith(VALUE_PREFIX):
        name, _, rest = where.removeprefix(VALUE_PREFIX).partition("[")
        return name + rest.partition("]")[2]
    return where.removeprefix(PREFIX)


class _Trials:
    """The kernels and funcs to run, each once, whatever the number of findings about it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.extractor = Extractor(project)
        self.found: dict[ast.AST, Trial] = {}
        self._subjects: dict[tuple[str, str, int], ast.AST] = {}

    def want(self, subject: Subject, code: str) -> None:
        definition = self._definition(subject)
        if definition is None:
            return
        self._subjects[subject.path, subject.qualname, subject.line] = definition.node
        self._add(definition, subject.kind).codes.add(code)

    def want_all(self, module: Module) -> None:
        for definition in list(module.functions()):
            if self.extractor.role(definition) == "kernel" and not self._backward_disabled(definition):
                self._add(definition, "kernel").codes.add("all")

    def want_custom(self, module: Module) -> None:
        """Funcs with a gradient of their own."""
        for definition in list(module.functions()):
            if self.extractor.role(definition) in ("func", "func_native") and any(
                self.extractor.role(c) == "func_grad" for c in self.extractor.companions(definition)
            ):
                self._add(definition, "func").codes.add("ADJ206")

    def of(self, subject: Subject) -> Trial | None:
        node = self._subjects.get((subject.path, subject.qualname, subject.line))
        return self.found.get(node) if node is not None else None

    def _add(self, definition: Definition, kind: str) -> Trial:
        if definition.node not in self.found:
            role = self.extractor.role(definition) or kind
            role = "kernel" if role == "kernel" else "func"
            self.found[definition.node] = Trial(definition, role)
        return self.found[definition.node]

    def _definition(self, subject: Subject) -> Definition | None:
        candidates = [
            definition
            for module in self.project.modules()
            if module.path == subject.path
            for definition in module.functions()
            if definition.qualname == subject.qualname
        ]
        if not candidates:
            return None
        return min(candidates, key=lambda d: abs(d.location.line - subject.line))

    def _backward_disabled(self, definition: Definition) -> bool:
        _, decorator = self.extractor.decoration(definition)
        if isinstance(decorator, ast.Call):
            for keyword in decorator.keywords:
                if keyword.arg == "enable_backward" and isinstance(keyword.value, ast.Constant):
                    return keyword.value.value is False
        settings = module_settings(self.project, definition.module)
        return settings.get("enable_backward") is False

    # Running

    def run(self, options: ConfirmOptions) -> None:
        groups: dict[str, list[Trial]] = {}
        done = 0
        for trial in self.found.values():
            try:
                self._prepare(trial, options)
                if trial.outcome is not None:
                    continue
            except UnresolvedError as error:
                trial.outcome = Outcome(failed=f"`{error.name}` can't be had without its program: {error.why}")
                continue
            # Settings of Warp are global to a process and to a module.
            key = json.dumps(_settings(self.project, trial.definition.module), sort_keys=True, default=str)
            groups.setdefault(key, []).append(trial)
        total = sum(map(len, groups.values()))
        for trials in groups.values():
            for first in range(0, len(trials), BATCH):
                batch = trials[first : first + BATCH]
                _Batch(self, batch, options, done, total).run()
                done += len(batch)

    def _prepare(self, trial: Trial, options: ConfirmOptions) -> None:
        definition = trial.definition
        if trial.role == "kernel" and self._backward_disabled(definition):
            trial.outcome = Outcome(failed=f"the backward pass of `{definition.name}` is disabled")
            return
        facts = describe(self.project, definition)
        name = f"{definition.qualname}@{definition.location.line}:{definition.module.path}"
        if trial.role == "kernel":
            first = self.extractor.definition(definition, "kernel")
            generic = first.generic
            items = (
                [self.extractor.definition(definition, "kernel", str(k)) for k in range(len(GENERIC_GUESSES["double"]))]
                if generic
                else [first]
            )
        else:
            index = frozenset(p for p, role in facts.roles.items() if role == "index")
            first = wrap(self.extractor, definition, "0", index)
            items = [first]
            if first.generic:
                count = len(GENERIC_GUESSES["double"])
                items += [wrap(self.extractor, definition, str(k), index) for k in range(1, count)]
            facts = _wrapped_facts(facts)
        singular = bool(trial.codes & judge.SINGULAR)
        regular = bool(trial.codes - judge.SINGULAR)
        for number, item in enumerate(items):
            closure = self._closure(item)
            single = any(i.single_only for i in closure)
            trial.variants.append(
                {
                    "key": f"{name}#{number}",
                    "item": item.name,
                    "double": regular and not single and options.precision == "auto",
                    "regular": regular,
                    "singular": singular,
                    "single": single or any(i.externals & DOUBLE.keys() for i in closure),
                    "sink": trial.role == "func",
                    "facts": facts.as_json(),
                    "kinds": sorted({kind for i in closure for kind in i.handles}),
                    "literals": sorted({v for i in closure for v in i.literals}),
                }
            )

    def _closure(self, item: Item) -> list[Item]:
        found: dict[str, Item] = {}
        stack = [item.name]
        while stack:
            name = stack.pop()
            if name not in found and name in self.extractor.items:
                found[name] = self.extractor.items[name]
                stack.extend(found[name].needs)
        return list(found.values())


def _wrapped_facts(facts: Facts) -> Facts:
    """Facts of the kernel around a func, whose parameters have a prefix."""
    return Facts(
        threads=1,
        tiled=False,
        roles={f"p_{name}": role for name, role in facts.roles.items()},
        choices={f"p_{name}": values for name, values in facts.choices.items()},
        handles={f"p_{name}": kind for name, kind in facts.handles.items()},
    )


class _Batch:
    """The subprocess runs for kernels under the same settings."""

    def __init__(self, trials: _Trials, ready: list[Trial], options: ConfirmOptions, done: int, total: int) -> None:
        self.trials = trials
        self.ready = ready
        self.options = options
        self.done = done
        self.total = total
        self.outcomes: dict[str, Outcome] = {}

    def run(self) -> None:
        targets = [variant for trial in self.ready for variant in trial.variants]
        groups = [targets]
        while groups:
            group = groups.pop()
            pending = [t for t in group if t["key"] not in self.outcomes]
            if pending:
                # What is done is compiled again: the same module is in the cache already.
                groups += self._work(group, [t["key"] for t in group if t["key"] in self.outcomes])
        for trial in self.ready:
            trial.outcome = _best([self.outcomes.get(v["key"], Outcome(failed="not run")) for v in trial.variants])

    def _work(self, targets: list[dict[str, Any]], skip: list[str]) -> list[list[dict[str, Any]]]:
        """Run one subprocess; what has to be run again."""
        options = self.options
        folder = Path(options.cache_dir).absolute()
        runs = folder / "runs"
        try:
            runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._fail(targets, f"the cache folder can't be made: {error.strerror}")
            return []
        job = self._job(targets, folder)
        job["skip"] = skip
        text = json.dumps(job)
        stem = runs / hashlib.sha256(f"{text}{id(self)}".encode()).hexdigest()[:16]
        events, log, task = stem.with_suffix(".events"), stem.with_suffix(".log"), stem.with_suffix(".json")
        job["events"] = str(events)
        task.write_text(json.dumps(job), encoding="utf-8")
        patience = options.compile_timeout
        command = [*python_command(options.python), "-m", "warp_lint.confirm.worker", str(task)]
        try:
            worker = Worker(command, events, log, cwd=runs)
        except OSError as error:
            self._fail(targets, f"`{options.python}` can't be run: {error.strerror}")
            return []
        current: str | None = None
        adjoint = False
        compiling: list[str] = []
        for event in worker.events(patience):
            kind = event.get("event")
            if kind == "compiling":
                compiling = [str(k) for k in _list(event.get("keys"))]
            elif kind == "start":
                compiling, adjoint = [], False
                current = str(event["key"])
                worker.patience = options.kernel_timeout * 2 + 2.0
                if options.progress is not None:
                    options.progress(self.done + len(self.outcomes), self.total, current.partition("@")[0])
            elif kind == "stage":
                adjoint = event.get("adjoint") is True
            elif kind == "result":
                self.outcomes[str(event["key"])] = _outcome(event)
                current = None
        again = self._after(worker, targets, current, compiling, adjoint)
        for path in (events, log, task):
            path.unlink(missing_ok=True)
        return again

    def _after(
        self, worker: Worker, targets: list[dict[str, Any]], current: str | None, compiling: list[str], adjoint: bool
    ) -> list[list[dict[str, Any]]]:
        ended = worker.exit
        if ended is None or ended.reason == "done":
            return []
        what = {"timed out": "ran too long", "crashed": f"crashed ({ended.detail})"}.get(
            ended.reason, f"ended with an error: {ended.detail}"
        )
        if current is not None:
            target = next(t for t in targets if t["key"] == current)
            if not _gentler(target["facts"], ended):
                crashed = adjoint and ended.reason == "crashed"
                part = "adjoint" if adjoint else "kernel"
                reason = f"the {part} {what}" + (" where the forward didn't" if crashed else "")
                self.outcomes[current] = Outcome(failed=reason, adjoint_crashed=crashed)
            return [targets]
        pending = [t for t in targets if t["key"] not in self.outcomes]
        if compiling and len(pending) > 1:
            suspects = [t for t in pending if t["key"] in compiling]
            if len(suspects) < len(pending):
                return [[t for t in pending if t["key"] not in compiling], suspects]
            half = len(pending) // 2
            return [pending[:half], pending[half:]]
        reason = f"the compiler {what}" if compiling else f"Warp can't be run by `{self.options.python}`: {ended.detail}"
        self._fail(pending, reason)
        return []

    def _fail(self, targets: list[dict[str, Any]], reason: str) -> None:
        for target in targets:
            self.outcomes[target["key"]] = Outcome(failed=reason)

    def _job(self, targets: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
        extractor = self.trials.extractor
        wanted: set[str] = set()
        stack = [t["item"] for t in targets]
        while stack:
            name = stack.pop()
            if name not in wanted and name in extractor.items:
                wanted.add(name)
                stack.extend(extractor.items[name].needs)
        items: dict[str, Any] = {
            name: {"kind": item.kind, "sources": item.sources, "needs": item.needs}
            for name, item in extractor.items.items()
            if name in wanted
        }
        if any(t["sink"] for t in targets):
            sources = {p: sink_source(p) for p in ("original", "double")}
            items["_sink"] = {"kind": "func", "sources": sources, "needs": []}
        config, kept = _settings(self.trials.project, self.ready[0].definition.module)
        header = f"wp.set_module_options({kept!r})" if kept else ""
        return {
            "items": items,
            "targets": targets,
            "header": header,
            "config": config,
            "folder": str(folder),
            "events": "",
            "seed": self.options.seed,
            "memory": self.options.memory,
            "budget": self.options.kernel_timeout,
        }


def _gentler(facts: dict[str, Any], ended: Exit) -> bool:
    """Change a kernel's facts for a second attempt; whether there is one."""
    if ended.reason != "crashed":
        return False
    if ended.detail == "SIGFPE":  # a division of integers
        again = not facts["nonzero"]
        facts["nonzero"] = True
        return again
    again = facts["small"] != SMALL
    facts["small"] = SMALL  # perhaps an index was too large for something
    return again


def _outcome(event: dict[str, Any]) -> Outcome:
    if event.get("failed"):
        return Outcome(failed=str(event["failed"]))
    return Outcome(
        samples=[s for s in _list(event.get("samples")) if isinstance(s, dict)],
        singular=[s for s in _list(event.get("singular")) if isinstance(s, dict)],
        precision=str(event.get("precision", "")),
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _best(outcomes: list[Outcome]) -> Outcome:
    """Of several guesses for `Any`, one that shows a mismatch, else one that ran."""
    ran = [o for o in outcomes if not o.failed]
    for outcome in ran:
        if any(s["outcome"] == "mismatch" for s in [*outcome.samples, *outcome.singular]):
            return outcome
    return ran[0] if ran else outcomes[0]


def _settings(project: Project, module: Module) -> tuple[dict[str, object], dict[str, object]]:
    """What Warp's configuration and the module's options have to be."""
    options = module_settings(project, module)
    return config_settings(project, module), {k: v for k, v in options.items() if k in _MODULE_OPTIONS}


def module_settings(project: Project, module: Module) -> dict[str, object]:
    """Literal options that a file sets by `wp.set_module_options({...})`."""
    found: dict[str, object] = {}
    for statement in _statements(module.tree.body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            callee = project.resolve(module, module.scope, call.func)
            if isinstance(callee, External) and callee.name == "warp.set_module_options" and call.args:
                try:
                    value = ast.literal_eval(call.args[0])
                except (ValueError, TypeError, SyntaxError):
                    continue
                if isinstance(value, dict):
                    found.update({str(k): v for k, v in value.items()})
    return found


def config_settings(project: Project, module: Module) -> dict[str, object]:
    """Literal `wp.config` settings that change adjoints, from this file and the project's others."""
    found: dict[str, object] = {}
    for source in [*(m for m in _importers(project, module) if m is not module), module]:
        for statement in _all_statements(source):
            if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)):
                continue
            for target in statement.targets:
                if not isinstance(target, ast.Attribute) or target.attr not in _CONFIG:
                    continue
                owner = project.resolve(source, source.scope, target.value)
                if isinstance(owner, External) and owner.name == "warp.config":
                    found[target.attr] = statement.value.value
    return found


def _importers(project: Project, module: Module) -> list[Module]:
    """Files of the project that import a file: a program may configure Warp before its kernels are built."""
    found = []
    for other in project.modules():
        for bindings in other.scope.bindings.values():
            imports = [b for b in bindings if b.kind == "import" and b.module.rpartition(".")[2] == module.file.stem]
            named = [b for b in bindings if b.kind == "import" and b.attribute == module.file.stem]
            if imports or named:
                found.append(other)
                break
    return found


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """Statements at module level, inside `if` and `try` too."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _statements(getattr(statement, name, []))


def _all_statements(module: Module) -> Iterable[ast.stmt]:
    if "config" not in module.source:
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.stmt):
            yield node


def untested(finding: Finding, reason: str) -> Finding:
    """A finding about something that was not run."""
    return replace(finding, verdict=Verdict(Status.UNTESTED, reason))
