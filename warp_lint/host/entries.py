"""Entry points: where abstract runs start, and with what arguments."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterable
from typing import Any

from warp_lint.findings import Location
from warp_lint.host import calls, graphs, imports, objects, scopes, torch_bridge
from warp_lint.host.call_sites import CallSites
from warp_lint.host.definitions import instantiate, is_torch_function
from warp_lint.host.machine import (
    EntryOverError,
    Frame,
    LeaveGeneratorError,
    Machine,
    OverrunError,
    RaisedError,
    StopProgramError,
)
from warp_lint.host.reach import Reach
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    BoundMethod,
    ClassValue,
    FunctionValue,
    Instance,
    ModuleValue,
    Unknown,
)
from warp_lint.kernels.effects import Effects
from warp_lint.settings import Settings
from warp_lint.syntax.module import Module
from warp_lint.syntax.project import External, Project
from warp_lint.trace.model import GradientRead, Launch, Trace

RECURSION_LIMIT = 7_000
MAX_BUILD_DEPTH = 3
MANY = 8  # files from which on it is worth asking which programs can get to a tape
COLLECT_AFTER = 200_000  # statements; frames and closures are cyclic


def trace_project(project: Project, modules: Iterable[Module], settings: Settings) -> list[Trace]:
    """All traces of `follow_project`."""
    traces: list[Trace] = []
    follow_project(project, modules, settings, traces.append)
    return traces


def follow_project(
    project: Project, modules: Iterable[Module], settings: Settings, take: Callable[[Trace], None]
) -> None:
    """Hand over one trace per entry point of the modules: programs, tests, then functions whose tapes nothing
    reached. A large project has more of them than fit into memory together.

    Nothing is executed. An internal error ends the entry's trace, which then says so in `incomplete`.
    """
    chosen = sorted(modules, key=lambda module: module.path)
    files = {module.file for module in chosen}

    def is_user(module: Module) -> bool:
        if module.file in files:
            return True
        if "site-packages" in module.file.parts:
            return False
        return not any(base in module.file.parents for base in project.search_path)

    machine = Machine(project, settings, is_user)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    # Automatic collections would go through all syntax trees again and again: two thirds of the time.
    collects = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        _Planner(machine, chosen, take).run()
    finally:
        sys.setrecursionlimit(limit)
        gc.unfreeze()
        if collects:
            gc.enable()


class _Planner:
    def __init__(self, m: Machine, modules: list[Module], take: Callable[[Trace], None]) -> None:
        self.m = m
        self.modules = modules
        self.take = take
        self.outlines: dict[Module, scopes.Outline] = {}
        self._leads: dict[Module, bool] = {}
        self.sites = CallSites(m)
        self.reach: Reach | None = None
        self._uncollected = 0

    def outline(self, module: Module) -> scopes.Outline:
        found = self.outlines.get(module)
        if found is None:
            found = self.outlines[module] = scopes.outline(module)
        return found

    def run(self) -> None:
        relevant = [module for module in self.modules if self._leads_to_tape(module)]
        if len(relevant) > MANY:
            scripts = {module for module in self.modules if _is_script(module)}
            self.reach = Reach(self.m.project, self.modules, scripts)
        for module in relevant:
            outline = self.outline(module)
            if (outline.has_main or outline.top_scopes or self._script(outline)) and self._reaches(module, None):
                self._entry(Location(module.path, 1, 1, 1, 1), lambda module=module: self._main(module))  # type: ignore[misc]
                self.m.forget(module)
        for module in relevant:
            self._tests(self.outline(module))
            self.m.forget(module)
        for module in relevant:
            if scopes.mentions_tape(module):
                self._functions(self.outline(module))
                self.m.forget(module)
        for module in relevant:
            if scopes.mentions_tape(module):
                self._directed(self.outline(module))
        if self.reach is not None:
            self._untaped(self.reach)

    def _reaches(self, module: Module, routine: scopes.Routine | None) -> bool:
        """Can the program (or a test of the module) get to a tape? Unless there are many, it may try."""
        if self.reach is None:
            return True
        if routine is not None:
            nodes: list[ast.stmt] = [routine.node, *_fixtures(routine)]
        else:
            skipped = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            nodes = [node for node in module.tree.body if not isinstance(node, skipped)]
        lines = [line for node in nodes for line in module.lines[node.lineno - 1 : node.end_lineno or node.lineno]]
        return self.reach.leads(module, "\n".join(lines), self._scripts_of(module, set()))

    def _scripts_of(self, module: Module, seen: set[Module]) -> set[Module]:
        """Programs and tests that a module imports, at any distance."""
        assert self.reach is not None
        for target in self._imports(module):
            if target in self.reach.scripts and target not in seen:
                seen.add(target)
                self._scripts_of(target, seen)
        return seen

    def _untaped(self, reach: Reach) -> None:
        """One trace for the programs that were left out: they launch kernels, none of them on a tape."""
        trace = Trace(Location(self.modules[0].path, 1, 1, 1, 1))
        for kernel in reach.launched():
            effects = Effects(kernel.name, kernel.location, ())
            trace.events.append(
                Launch(location=trace.entry, kernel=kernel.name, effects=effects, arguments={}, recorded=False)
            )
        if trace.events:
            self.take(trace)

    def _leads_to_tape(self, module: Module) -> bool:
        """Does the module speak of tapes, or a module that it imports, at any distance?"""
        found = self._leads.get(module)
        if found is None:
            # Everything that is imported from here; what leads to a tape is spread backwards.
            importers: dict[Module, list[Module]] = {module: []}
            pending, leading = [module], []
            while pending:
                one = pending.pop()
                if self._leads.get(one) or scopes.mentions_tape(one):
                    leading.append(one)
                elif one not in self._leads:
                    for target in self._imports(one):
                        if target not in importers:
                            importers[target] = []
                            pending.append(target)
                        importers[target].append(one)
            self._leads.update(dict.fromkeys(importers, False))
            while leading:
                one = leading.pop()
                if not self._leads[one]:
                    self._leads[one] = True
                    leading += importers[one]
            found = self._leads[module]
        return found

    def _imports(self, module: Module) -> set[Module]:
        """Project modules that the top level of a module imports."""
        found = set()
        for bindings in module.scope.bindings.values():
            for binding in bindings:
                if binding.kind == "import":
                    found.add(self._import_target(module, binding.node, binding.attribute))
        return {target for target in found if target is not None and target is not module}

    def _imported_leads(self, module: Module) -> set[str]:
        """Names of a module that it imports from others that lead to a tape."""
        names: set[str] = set()
        for name, bindings in module.scope.bindings.items():
            for binding in bindings:
                if binding.kind == "import":
                    target = self._import_target(module, binding.node, binding.attribute)
                    if target is not None and target is not module and self._leads_to_tape(target):
                        names.add(name)
        return names

    def _import_target(self, module: Module, node: ast.AST, attribute: str | None) -> Module | None:
        """The project module that an import leads to, if it is one of those that are checked."""
        if isinstance(node, ast.ImportFrom):
            base = imports.absolute_name(module, node)
            names = [f"{base}.{attribute}", base] if base else [attribute or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            return None
        for name in names:
            head = (name or "").partition(".")[0]
            if not name or head in ("warp", "numpy", "torch") or head in sys.stdlib_module_names:
                continue
            found = self.m.project.find_module(name, module)
            if found is not None and self.m.is_user(found):
                return found
        return None

    def _script(self, outline: scopes.Outline) -> bool:
        """Does the top level name functions, methods or imports that lead to a tape?"""
        names = self._imported_leads(outline.module)
        for routine in outline.routines:
            if routine.scopes or routine.backward:
                name, owner = routine.node.name, routine.owner
                names.add(owner.name if owner is not None and name.startswith("__") else name)
        return bool(scopes.spread(outline.routines, names) & outline.top_names)

    # Running

    def _entry(self, location: Location, run: Callable[[], None]) -> Trace:
        m = self.m
        m.reset()
        trace = Trace(location)
        m.trace = trace
        m.frame = Frame(ModuleValue(self.modules[0]), False, None)
        try:
            run()
        except StopProgramError:
            pass
        except (EntryOverError, OverrunError):
            m.give_up("budget of the entry used up")
        except RaisedError:
            m.give_up("the program ends with an exception")
        except LeaveGeneratorError:
            m.give_up("a generator that was left early")
        except RecursionError:
            self._note(trace, location, "nested too deeply")
        except Exception as error:
            if DEBUG:
                raise
            self._note(trace, location, f"internal error ({type(error).__name__}: {error})")
        finally:
            graphs.flush(m)
            m.trace = m.sink
            m.undo(0)
            m.forced = {}
        if trace.events:
            self.take(trace)
        self._uncollected += m.steps
        if self._uncollected > COLLECT_AFTER:
            self._uncollected = 0
            gc.collect()
        return trace

    @staticmethod
    def _note(trace: Trace, location: Location, reason: str) -> None:
        trace.incomplete.append((location, reason))
        trace.complete = False

    def _main(self, module: Module) -> None:
        m = self.m
        value = ModuleValue(module, is_main=True)
        imported = m.modules.get(module)
        m.modules[module] = value
        try:
            imports.run_module(m, value)
        finally:
            if imported is not None:
                m.modules[module] = imported
            else:
                del m.modules[module]

    def _tests(self, outline: scopes.Outline) -> None:
        """Test functions and methods that lead to a tape of this file (or use one of another file)."""
        wanted = [r for r in outline.routines if r.scopes or r.backward]
        names = {r.node.name for r in wanted} | self._imported_leads(outline.module)
        grown = True
        while grown:
            grown = False
            for routine in outline.routines:
                if routine.node.name not in names and routine.names & names:
                    names.add(routine.node.name)
                    grown = True
        for routine in outline.routines:
            wanted_test = routine.is_test and routine.node.name in names and routine.node not in self.m.called
            if wanted_test and self._reaches(outline.module, routine):
                self._call_routine(outline, [routine], times=1)

    def _functions(self, outline: scopes.Outline) -> None:
        m = self.m
        missing = [r for r in outline.routines if any(s not in m.reached for s in r.scopes)]
        owners: list[ast.ClassDef | None] = []
        for routine in missing:
            if routine.owner not in owners:
                owners.append(routine.owner)
        for owner in owners:
            group = [r for r in outline.routines if r.owner is owner]
            wanted = [r for r in group if any(s not in m.reached for s in r.scopes)]
            if not wanted:
                continue
            if owner is not None:
                also = [r for r in group if r.backward and r not in wanted and r.node not in m.called]
                self._call_routine(outline, scopes.leading(group, [*wanted, *also]), times=2)
                wanted = [r for r in group if any(s not in m.reached for s in r.scopes)]
                for routine in wanted:
                    self._call_routine(outline, [routine], times=2)
            else:
                for routine in scopes.leading(group, wanted):
                    if routine.node not in m.called:
                        self._call_routine(outline, [routine], times=2)
                for routine in wanted:
                    if any(s not in m.reached for s in routine.scopes):
                        self._call_routine(outline, [routine], times=2)

    def _directed(self, outline: scopes.Outline) -> None:
        """Scopes that no run reached: force the conditions around them, by their text, everywhere."""
        m = self.m
        for routine in outline.routines:
            for scope in routine.scopes:
                if scope in m.reached:
                    continue
                forced = {
                    outline.module.segment(test): arm for test, arm in scopes.enclosing_conditions(routine.node, scope)
                }
                if forced:
                    self._call_routine(outline, [routine], times=2, forced=forced)

    # Calling

    def _call_routine(
        self, outline: scopes.Outline, routines: list[scopes.Routine], times: int, forced: dict[str, bool] | None = None
    ) -> None:
        m = self.m
        module = outline.module
        first = routines[0]
        if all(routine.is_test for routine in routines):
            times = 1  # nobody calls a test again on the same instance
        location = m.location(module, first.node)

        def run() -> None:
            m.forced = forced or {}
            value = imports.load(m, module)
            m.frame = imports.module_frame(m, value)
            m.frame.user = False
            targets: list[Any] = []
            for routine in routines:
                found = self._targets(value, routine)
                # Forward and backward of a torch function are one target.
                if not (targets and found and callable(found[0]) and callable(targets[0])):
                    targets.extend(found)
            prepared = [(target, *self._arguments(target)) for target in targets]
            for turn in range(times):
                if turn == 1:
                    m.trace.second_call_from = len(m.trace.events)
                    m.assumed += 1
                for target, args, kwargs in prepared:
                    if callable(target):
                        target()
                        continue
                    result = calls.call_value(m, None, target, list(args), dict(kwargs))
                    _returned(m, result)
                    if isinstance(result, FunctionValue) and result.lexical is not None and result.kind == "plain":
                        # A factory: what it makes holds the tape.
                        inner, named = self._arguments(result)
                        calls.call_value(m, None, result, inner, named)

        self._entry(location, run)

    def _targets(self, value: ModuleValue, routine: scopes.Routine) -> list[Any]:
        m = self.m
        if routine.owner is None:
            found = value.namespace.get(routine.node.name, MISSING)
            function = _function_of(found, routine.node)
            if function is None and isinstance(found, FunctionValue):
                return [found]
            return [function] if function is not None else []
        cls = self._class(value, routine.owner)
        if cls is None:
            return []
        member = cls.namespace.get(routine.node.name, MISSING)
        if is_torch_function(cls):
            return [lambda: self._torch(cls)]
        if isinstance(member, FunctionValue) and member.kind == "static":
            return [member]
        instances = self._instances(cls)
        result: list[Any] = []
        for instance in instances:
            bound = objects.bind(m, member, instance, cls) if isinstance(member, FunctionValue) else None
            if isinstance(bound, (BoundMethod, FunctionValue)):
                result.append(bound)
        return result

    def _torch(self, cls: ClassValue) -> None:
        """`forward`, then `backward`, as torch would call them."""
        m = self.m
        forward = cls.lookup("forward")
        if isinstance(forward, FunctionValue):
            ctx = torch_bridge.context(m)
            args, kwargs = self._arguments(BoundMethod(forward, ctx))
            result = calls.call_function(m, forward, [ctx, *args], kwargs)
            torch_bridge.run_backward(m, cls, ctx, len(result) if isinstance(result, tuple) else 1)

    def _class(self, value: ModuleValue, node: ast.ClassDef) -> ClassValue | None:
        found = value.namespace.get(node.name)
        if isinstance(found, ClassValue):
            return found
        return None

    def _instances(self, cls: ClassValue) -> list[Instance]:
        """An instance by the real constructor; for an abstract class, of its project subclasses."""
        m = self.m
        key = ("instances", cls)
        if m.entry_instances.get("trace") is not m.trace:
            m.entry_instances = {"trace": m.trace}
        made = m.entry_instances.get(key)
        if made is None:
            kinds = self._concrete(cls)
            made = [i for i in (self.build(kind, 0) for kind in kinds) if isinstance(i, Instance)]
            m.entry_instances[key] = made
        return list(made)

    def _concrete(self, cls: ClassValue) -> list[ClassValue]:
        if not _is_abstract(cls):
            return [cls]
        found: list[ClassValue] = []
        for value in list(self.m.modules.values()):
            for candidate in list(value.namespace.values()):
                if (
                    isinstance(candidate, ClassValue)
                    and candidate is not cls
                    and cls in candidate.mro
                    and candidate not in found
                ):
                    found.append(candidate)
        return found[:3] or [cls]

    def build(self, cls: ClassValue, depth: int) -> Any:
        """An instance with arguments from defaults, annotations, or unknown ones."""
        m = self.m
        init = cls.lookup("__init__")
        if isinstance(init, FunctionValue):
            args, kwargs = self._arguments(BoundMethod(init, None), depth)
        else:
            args, kwargs = [], {}
        instance = instantiate(m, None, cls, args, kwargs)
        if isinstance(instance, Instance):
            instance.name = instance.name or "self"
            setup = cls.lookup("setUp")
            if isinstance(setup, FunctionValue):
                calls.call_function(m, setup, [instance], {})
        return instance

    def _arguments(self, target: Any, depth: int = 0) -> tuple[list[Any], dict[str, Any]]:
        """Arguments for an entry: defaults stand, annotated project classes are built, the rest is unknown."""
        function = target.function if isinstance(target, BoundMethod) else target
        if not isinstance(function, FunctionValue):
            return [], {}
        spec = function.node.args
        every = [*spec.posonlyargs, *spec.args]
        if isinstance(target, BoundMethod):
            every = every[1:]
        required = every[: len(every) - len(function.defaults)] if function.defaults else every
        owner = function.owner
        name = owner.name if owner is not None and function.name == "__init__" else function.name
        known = self.sites.arguments(function.home, name, [a.arg for a in every]) if required else {}
        args = [known[a.arg] if a.arg in known else self._argument(a, function, depth) for a in required]
        kwargs = {
            a.arg: self._argument(a, function, depth) for a in spec.kwonlyargs if a.arg not in function.kw_defaults
        }
        return args, kwargs

    def _argument(self, arg: ast.arg, function: FunctionValue, depth: int) -> Any:
        m = self.m
        if arg.annotation is not None and depth < MAX_BUILD_DEPTH:
            annotation = arg.annotation
            if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
                try:
                    annotation = ast.parse(annotation.value, mode="eval").body
                except SyntaxError:
                    return Unknown(arg.arg)
            if isinstance(annotation, (ast.Name, ast.Attribute)):
                from warp_lint.host.launch import _evaluate

                kind = _evaluate(m, annotation, function)
                if isinstance(kind, ClassValue) and m.is_user(kind.module) and kind.kind in ("plain", "dataclass"):
                    instance = self.build(self._concrete(kind)[0], depth + 1)
                    if isinstance(instance, Instance):
                        instance.name = arg.arg
                    return instance
                if isinstance(kind, External) and kind.name == "warp.Tape":
                    return m.new_tape(arg.arg)
        return Unknown(arg.arg)


DEBUG = False


def _is_script(module: Module) -> bool:
    name = module.file.name
    return "__main__" in module.source or name.startswith("test_") or name.endswith("_test.py")


def _fixtures(routine: scopes.Routine) -> list[ast.stmt]:
    """What runs around a test method."""
    body = routine.owner.body if routine.owner is not None else []
    return [n for n in body if isinstance(n, ast.FunctionDef) and n.name in ("setUp", "setUpClass", "tearDown")]


def _returned(m: Machine, result: Any) -> None:
    """Gradients that an entry returns are what its callers want."""
    found: dict[int, ArrayValue] = {}
    calls.reachable(result, found, {})
    for array in found.values():
        if array.gradient_of is not None:
            m.emit(GradientRead, array=array.gradient_of, kind="return")


def _function_of(value: Any, node: ast.AST) -> FunctionValue | None:
    """The function behind a module-level name, also through a decorator."""
    if isinstance(value, FunctionValue) and value.node is node:
        return value
    if isinstance(value, FunctionValue) and value.lexical is not None:
        for inner in value.lexical.vars.values():
            if isinstance(inner, FunctionValue) and inner.node is node:
                return value
    return None


def _is_abstract(cls: ClassValue) -> bool:
    """Does a method that the class leaves open only raise, or carry `@abstractmethod`?"""
    names: set[str] = set()
    for base in cls.mro:
        if isinstance(base, ClassValue):
            names.update(base.namespace)
    for name in sorted(names):
        member = cls.lookup(name)
        node = member.node if isinstance(member, FunctionValue) else None
        if not isinstance(node, ast.FunctionDef) or name.startswith("__"):
            continue
        if any("abstractmethod" in ast.unparse(d) for d in node.decorator_list):
            return True
        body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        if len(body) == 1 and isinstance(body[0], ast.Raise) and "NotImplementedError" in ast.unparse(body[0]):
            return True
    return False
