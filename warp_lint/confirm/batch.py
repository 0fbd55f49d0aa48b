"""Subprocess runs for many kernels: one after another until each has an outcome."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.judge import Outcome, agrees
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.prewarm import Place, take
from warp_lint.confirm.process import Exit, Worker
from warp_lint.confirm.setup import settings_of
from warp_lint.confirm.wrap import sink_source

if TYPE_CHECKING:
    from warp_lint.confirm.subjects import Trial, Trials

BATCH = 48
SMALL = 2  # integers of the second attempt at a kernel that crashed stay below this


class Batch:
    """The subprocess runs for kernels under the same settings."""

    def __init__(self, trials: Trials, ready: list[Trial], options: ConfirmOptions, done: int, total: int) -> None:
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
            if pending or any(self._waits(t) for t in group):
                # What is done is compiled again: the same module is in the cache already.
                groups += self._work(group, [t["key"] for t in group if t["key"] in self.outcomes])
        for trial in self.ready:
            trial.outcome = _best([self.outcomes.get(v["key"], Outcome(failed="not run")) for v in trial.variants])

    def _waits(self, target: dict[str, Any]) -> bool:
        """Whether it is still to be seen what inputs reached."""
        outcome = self.outcomes.get(target["key"])
        return bool(outcome and target["marks"] and outcome.reached is None and agrees(outcome.samples))

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
        job["agreeing"] = [t["key"] for t in targets if t["key"] in skip and self._waits(t)]
        text = json.dumps(job)
        place = Place(runs / hashlib.sha256(f"{text}{id(self)}".encode()).hexdigest()[:16])
        patience = options.compile_timeout
        try:
            ready = _given(job, options)
            if ready is None:
                _write(job, place)
                worker = place.launch(options, str(place.task))
            else:
                place, worker = ready
        except OSError as error:
            place.clear()
            self._fail(targets, f"`{options.python}` can't be run: {error.strerror}")
            return []
        current: str | None = None
        adjoint = False
        compiling: list[str] = []
        for event in worker.events(patience):
            kind = event.get("event")
            if kind == "compiling":
                compiling = [str(k) for k in _list(event.get("keys"))]
                worker.patience = patience
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
            elif kind == "reach":
                key = str(event["key"])
                compiling = []
                worker.patience = options.kernel_timeout * 2 + 2.0
                if key in self.outcomes:
                    self.outcomes[key] = _further(self.outcomes[key], event)
        again = self._after(worker, targets, current, compiling, adjoint)
        place.clear()
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
                part = "adjoint" if adjoint else "kernel"
                reason = f"the {part} {what}" + (" where the forward didn't" if adjoint else "")
                self.outcomes[current] = Outcome(failed=reason, adjoint_died=adjoint)
            return [targets]
        pending = [t for t in targets if t["key"] not in self.outcomes]
        if not pending:
            # It died while it looked for what inputs reach: on with the next kernel.
            return [targets] if not compiling else []
        if compiling and len(pending) > 1:
            suspects = [t for t in pending if t["key"] in compiling]
            if len(suspects) < len(pending):
                return [[t for t in pending if t["key"] not in compiling], suspects]
            half = len(pending) // 2
            return [pending[:half], pending[half:]]
        reason = (
            f"the compiler {what}" if compiling else f"Warp can't be run by `{self.options.python}`: {ended.detail}"
        )
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
        config, kept = settings_of(self.trials.project, self.ready[0].definition.module)
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
    """Change a kernel's facts for another attempt; whether there is one."""
    if ended.reason == "timed out":
        facts["chains"] += 1  # perhaps a loop follows integers from one to the next
        return bool(facts["follows"] and facts["chains"] <= 2)
    if ended.reason != "crashed":
        return False
    if ended.detail == "SIGFPE":  # a division of integers
        again: bool = not facts["nonzero"]
        facts["nonzero"] = True
        return again
    if facts["small"] != SMALL:
        facts["small"] = SMALL  # perhaps an index was too large for something
        return True
    again = facts["follows"] and not facts["chains"]
    facts["chains"] = facts["chains"] or 1  # perhaps a loop ran out of what it searches
    return bool(again)


def _outcome(event: dict[str, Any]) -> Outcome:
    if event.get("failed"):
        return Outcome(failed=str(event["failed"]))
    return Outcome(
        samples=[s for s in _list(event.get("samples")) if isinstance(s, dict)],
        singular=[s for s in _list(event.get("singular")) if isinstance(s, dict)],
        precision=str(event.get("precision", "")),
    )


def _further(outcome: Outcome, event: dict[str, Any]) -> Outcome:
    """What more inputs reached, and the samples that were taken to get further."""
    return replace(
        outcome,
        samples=[*outcome.samples, *(s for s in _list(event.get("samples")) if isinstance(s, dict))],
        marks=frozenset(map(int, _list(event.get("marks")))),
        reached=frozenset(outcome.reached or ()) | frozenset(map(int, _list(event.get("reached")))),
    )


def _write(job: dict[str, Any], place: Place) -> None:
    job["events"] = str(place.events)
    place.task.write_text(json.dumps(job), encoding="utf-8")


def _given(job: dict[str, Any], options: ConfirmOptions) -> tuple[Place, Worker] | None:
    """A worker that was waiting and has the job now."""
    ready = take(options)
    if ready is None:
        return None
    place, worker = ready
    try:
        _write(job, place)
        worker.give(str(place.task))
    except OSError:  # it has ended meanwhile
        worker.stop()
        place.clear()
        return None
    return ready


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _best(outcomes: list[Outcome]) -> Outcome:
    """Of several guesses for `Any`, one that shows a mismatch, else one that ran."""
    ran = [o for o in outcomes if not o.failed]
    for outcome in ran:
        if any(s["outcome"] == "mismatch" for s in [*outcome.samples, *outcome.singular]):
            return outcome
    return ran[0] if ran else outcomes[0]
