"""The kernels and funcs to run for a set of findings, prepared as plain data for the worker."""

from __future__ import annotations

import ast
import json
import sys
from dataclasses import dataclass, field
from typing import Any

from warp_lint.confirm import judge
from warp_lint.confirm.batch import BATCH, Batch
from warp_lint.confirm.describe import Facts, describe
from warp_lint.confirm.extract import Extractor
from warp_lint.confirm.items import Item, UnresolvedError
from warp_lint.confirm.judge import Outcome
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.promote import DOUBLE, GENERIC_GUESSES
from warp_lint.confirm.setup import settings_of
from warp_lint.confirm.wrap import PREFIX, wrap
from warp_lint.findings import Location, Subject
from warp_lint.kernels.detect import options_of
from warp_lint.syntax.module import Definition, Module
from warp_lint.syntax.project import Project


@dataclass(slots=True)
class Trial:
    """One kernel or func to run. `keys` are its variants: one, or a guess each for `Any`."""

    definition: Definition
    role: str
    codes: set[str] = field(default_factory=set)
    outcome: Outcome | None = None
    variants: list[dict[str, Any]] = field(default_factory=list)
    needs: list[Item] = field(default_factory=list)

    @property
    def assumed(self) -> str:
        """What was made up, as words to put after a verdict's method."""
        made = sorted({item.assumed for item in self.needs if item.assumed})
        return f"assuming {', '.join(made)}" if made else ""


class Trials:
    """The kernels and funcs to run, each once, whatever the number of findings about it."""

    def __init__(self, project: Project, python: str = sys.executable) -> None:
        self.project = project
        self.extractor = Extractor(project, python)
        self.found: dict[ast.AST, Trial] = {}
        self._subjects: dict[tuple[str, str, int], ast.AST] = {}

    def want(self, subject: Subject, code: str, location: Location | None = None) -> None:
        """`location`: what inputs have to reach before they can refute it."""
        definition = self._definition(subject)
        if definition is None:
            return
        if location is not None and (location.path, location.line) not in self.extractor.marks:
            self.extractor.marks.append((location.path, location.line))
        self._subjects[subject.path, subject.qualname, subject.line] = definition.node
        self._add(definition, subject.kind).codes.add(code)

    def want_all(self, module: Module) -> None:
        for definition in list(module.functions()):
            if self.extractor.role(definition) == "kernel" and not self._backward_disabled(definition):
                self._add(definition, "kernel").codes.add(judge.ALL)

    def want_custom(self, module: Module) -> None:
        """Funcs with a gradient of their own."""
        for definition in list(module.functions()):
            if self.extractor.role(definition) in ("func", "func_native") and self._has_gradient(definition):
                self._add(definition, "func").codes.add(judge.CUSTOM)

    def missed(self, trial: Trial, location: Location) -> bool:
        """Whether no inputs reached a place in the code that was run."""
        at = (location.path, location.line)
        if trial.outcome is None or trial.outcome.reached is None or at not in self.extractor.marks:
            return False
        number = self.extractor.marks.index(at)
        return number in trial.outcome.marks and number not in trial.outcome.reached

    def customised(self, trial: Trial) -> list[Trial]:
        """Funcs that a kernel rests on whose own gradients aren't the derivatives of their forwards."""
        found = []
        for item in trial.needs:
            other = self.found.get(item.definition.node) if item.definition is not None else None
            if other is None or other is trial or other.outcome is None or judge.CUSTOM not in other.codes:
                continue
            if any(s["outcome"] == "mismatch" for s in other.outcome.samples):
                found.append(other)
        return found

    def deliberate(self, trial: Trial) -> str | None:
        """The name of a func below a kernel whose gradient differs on purpose."""
        for other in self.customised(trial):
            if other.outcome is not None and judge.disagrees(other.outcome) is None:
                return other.definition.name
        return None

    def _custom_below(self) -> None:
        """Funcs with gradients of their own that kernels rest on are tested too, wherever they are."""
        for trial in list(self.found.values()):
            for item in trial.needs:
                definition = item.definition
                if definition is not None and item.kind in ("func", "func_native") and self._has_gradient(definition):
                    self._add(definition, "func").codes.add(judge.CUSTOM)

    def _has_gradient(self, definition: Definition) -> bool:
        return any(self.extractor.role(c) == "func_grad" for c in self.extractor.companions(definition))

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
        return not options_of(self.project, definition).backward

    # Running

    def run(self, options: ConfirmOptions) -> None:
        groups: dict[str, list[Trial]] = {}
        done = 0
        self._prepare_all(options)
        self._custom_below()
        self._prepare_all(options)
        for trial in self.found.values():
            if trial.outcome is not None:
                continue
            # Settings of Warp are global to a process and to a module.
            key = json.dumps(settings_of(self.project, trial.definition.module), sort_keys=True, default=str)
            groups.setdefault(key, []).append(trial)
        total = sum(map(len, groups.values()))
        for trials in groups.values():
            for first in range(0, len(trials), BATCH):
                batch = trials[first : first + BATCH]
                Batch(self, batch, options, done, total).run()
                done += len(batch)

    def _prepare_all(self, options: ConfirmOptions) -> None:
        for trial in self.found.values():
            if trial.variants or trial.outcome is not None:
                continue
            try:
                self._prepare(trial, options)
            except UnresolvedError as error:
                trial.outcome = Outcome(failed=f"`{error.name}` can't be had without its program: {error.why}")

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
            trial.needs += closure
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
                    "marks": sorted({number for i in closure for number in i.marks}) if regular else [],
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
        roles={f"{PREFIX}{name}": role for name, role in facts.roles.items()},
        choices={f"{PREFIX}{name}": values for name, values in facts.choices.items()},
        handles={f"{PREFIX}{name}": kind for name, kind in facts.handles.items()},
        follows=facts.follows,
    )
