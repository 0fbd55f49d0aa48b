"""Which programs of a project can get to a tape, and what becomes of the others."""

import textwrap

from warp_lint.host import trace_project
from warp_lint.host.reach import Reach
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project
from warp_lint.trace.activity import launch_contexts
from warp_lint.trace.model import TapeEvent

LIBRARY = """
import warp as wp

@wp.kernel
def advance(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]

@wp.kernel
def fit(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * 2.0

class Base:
    def step(self, x, y):
        self.substep(x, y)

class Euler(Base):
    def substep(self, x, y):
        wp.launch(advance, dim=4, inputs=[x], outputs=[y])

class Fitted(Base):
    '''Opens a wp.Tape(): said in words only here.'''

    def substep(self, x, y):
        tape = wp.Tape()
        with tape:
            wp.launch(fit, dim=4, inputs=[x], outputs=[y])
        tape.backward(grads={y: x})

SOLVERS = {"euler": Euler}
EVERY = {"euler": Euler, "fitted": Fitted}
"""

PROGRAM = """
import warp as wp
from library import *

class Example:
    def __init__(self):
        self.solver = SOLVER
        self.x = wp.ones(4, dtype=float, requires_grad=True)
        self.y = wp.zeros(4, dtype=float, requires_grad=True)

    def step(self):
        self.solver.step(self.x, self.y)

def main():
    Example().step()

if __name__ == "__main__":
    main()
"""


def project(tmp_path, files):
    made = Project(tmp_path)
    for name, source in files.items():
        (tmp_path / name).write_text(textwrap.dedent(source))
    return made, {name: made.module_at(tmp_path / name) for name in files}


def test_only_what_is_mentioned_is_reached(tmp_path):
    solvers = ["Euler()", "Fitted()", "SOLVERS['euler']()", "EVERY['euler']()"]
    files = {f"p{k}.py": PROGRAM.replace("SOLVER\n", f"{solver}\n") for k, solver in enumerate(solvers)}
    made, modules = project(tmp_path, {"library.py": LIBRARY, **files})
    programs = {modules[name] for name in files}
    reach = Reach(made, list(modules.values()), programs)
    # Each program's own Example counts, and methods of classes that nothing mentions don't.
    assert [reach.leads(modules[name], "main()") for name in files] == [False, True, False, True]
    assert [kernel.name for kernel in reach.launched()] == ["advance"]


def test_programs_without_tapes_are_not_run_but_their_kernels_are_known(tmp_path):
    files = {f"p{k}.py": PROGRAM.replace("SOLVER\n", "Euler()\n") for k in range(9)}
    files["q.py"] = PROGRAM.replace("SOLVER\n", "Fitted()\n")
    made, modules = project(tmp_path, {"library.py": LIBRARY, **files})
    traces = trace_project(made, list(modules.values()), Settings())
    entered = [t.entry.path for t in traces if any(isinstance(e, TapeEvent) for e in t.events)]
    assert [path.rpartition("/")[2] for path in entered] == ["q.py"]
    assert len(traces) == 2
    statuses = {loc.line: activity.status for loc, activity in launch_contexts(traces, Settings()).items()}
    assert statuses == {5: "inactive", 10: "active"}


def test_a_program_that_another_one_imports(tmp_path):
    helper = PROGRAM.replace("SOLVER\n", "Fitted()\n")
    files = {
        "helper.py": helper,
        "p.py": "from helper import Example\n\nif __name__ == '__main__':\n    Example().step()\n",
    }
    made, modules = project(tmp_path, {"library.py": LIBRARY, **files})
    reach = Reach(made, list(modules.values()), {modules[name] for name in files})
    assert not reach.leads(modules["p.py"], "Example().step()")
    assert reach.leads(modules["p.py"], "Example().step()", [modules["helper.py"]])
