"""What single constructs put into a trace."""

import textwrap

from warp_lint.host import trace_project
from warp_lint.host.values import Unknown
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project
from warp_lint.trace import model

PRELUDE = """
import numpy as np
import warp as wp

@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]

@wp.kernel
def scale(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * s
"""


def traces(tmp_path, body):
    file = tmp_path / "program.py"
    file.write_text(PRELUDE + textwrap.dedent(body))
    project = Project(tmp_path)
    return trace_project(project, [project.module_at(file)], Settings())


def only(tmp_path, body, kind):
    (trace,) = traces(tmp_path, body)
    return [e for e in trace.events if isinstance(e, kind)]


def main(body):
    return 'if __name__ == "__main__":\n' + textwrap.indent(textwrap.dedent(body), "    ")


def test_scalar_computed_on_the_host_names_its_source(tmp_path):
    body = """
    x = wp.ones(3, dtype=float, requires_grad=True)
    y = wp.zeros(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(scale, dim=3, inputs=[x, float(x.numpy()[0])], outputs=[y])
    """
    (launch,) = only(tmp_path, main(body), model.Launch)
    assert {path: [a.name for a in found] for path, found in launch.scalar_sources.items()} == {("s",): ["x"]}


def test_host_round_trip_of_an_array(tmp_path):
    body = """
    x = wp.ones(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        y = wp.array(x.numpy() * 2.0, dtype=float, requires_grad=True)
    """
    made = only(tmp_path, main(body), model.Allocate)
    assert [(e.array.name, [a.name for a in e.source_arrays]) for e in made] == [("x", []), ("y", ["x"])]


def test_slices_of_unknown_start_compare_by_offset(tmp_path):
    body = """
    def run(k):
        x = wp.zeros(10, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(square, dim=1, inputs=[x[k:k + 1]], outputs=[x[k + 1:k + 2]])
    """
    (trace,) = traces(tmp_path, body)
    launch = next(e for e in trace.events if isinstance(e, model.Launch))
    read, write = launch.arguments[("x",)], launch.arguments[("y",)]
    assert model.overlap(read.region, write.region) is model.Overlap.NONE
    assert model.overlap(read.region, read.region) is model.Overlap.YES


def test_unknown_bound_runs_first_second_and_last(tmp_path):
    body = """
    def run(n):
        states = [wp.zeros(3, dtype=float, requires_grad=True) for _ in range(n + 1)]
        with wp.Tape() as tape:
            for i in range(n):
                wp.launch(square, dim=3, inputs=[states[i]], outputs=[states[i + 1]])
            wp.launch(square, dim=3, inputs=[states[-1]], outputs=[states[-1]])
    """
    (trace,) = traces(tmp_path, body)
    first = trace.events[: trace.second_call_from]
    launches = [e for e in first if isinstance(e, model.Launch)]
    roots = [(e.arguments[("x",)].region.root, e.arguments[("y",)].region.root) for e in launches]
    assert roots[0][1] == roots[1][0]
    assert roots[2][1] == roots[3][0]
    assert len({root for pair in roots for root in pair}) == 5
    assert [type(e).__name__ for e in first if isinstance(e, (model.Gap, model.Launch))] == [
        "Launch",
        "Launch",
        "Gap",
        "Launch",
        "Launch",
    ]


def test_arms_of_an_unknown_condition_carry_opposite_guards(tmp_path):
    body = """
    def run(mode):
        x = wp.zeros(3, dtype=float, requires_grad=True)
        y = wp.zeros(3, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            if mode == "a":
                wp.launch(square, dim=3, inputs=[x], outputs=[y])
            else:
                wp.launch(square, dim=3, inputs=[y], outputs=[x])
            if mode == "a":
                wp.launch(square, dim=3, inputs=[y], outputs=[y])
    """
    (trace,) = traces(tmp_path, body)
    launches = [e for e in trace.events[: trace.second_call_from] if isinstance(e, model.Launch)]
    guards = [e.guards for e in launches]
    assert [g.arm for (g,) in guards] == [True, False, True]
    assert len({g.branch for (g,) in guards}) == 1


def test_rest_of_a_function_after_an_early_return_carries_the_guard(tmp_path):
    body = """
    def run(flag):
        x = wp.zeros(3, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            if flag:
                return x
            wp.launch(square, dim=3, inputs=[x], outputs=[x])
    """
    (trace,) = traces(tmp_path, body)
    launch = next(e for e in trace.events if isinstance(e, model.Launch))
    assert [g.arm for g in launch.guards] == [False]


def test_second_call_is_marked_and_assumed(tmp_path):
    body = """
    class Sim:
        def __init__(self):
            self.x = wp.zeros(3, dtype=float, requires_grad=True)

        def step(self):
            with wp.Tape() as tape:
                wp.launch(square, dim=3, inputs=[self.x], outputs=[self.x])
            tape.backward(self.x)
    """
    (trace,) = traces(tmp_path, body)
    launches = [
        (i >= trace.second_call_from, e.assumed) for i, e in enumerate(trace.events) if isinstance(e, model.Launch)
    ]
    assert launches == [(False, False), (True, True)]
    assert len({e.arguments[("x",)].region.root for e in trace.events if isinstance(e, model.Launch)}) == 1


def test_unknown_call_with_arrays_is_opaque_and_noted(tmp_path):
    body = """
    x = wp.zeros(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        import solver_of_somebody
        solver_of_somebody.step(x)
    """
    (trace,) = traces(tmp_path, main(body))
    (opaque,) = [e for e in trace.events if isinstance(e, model.Opaque)]
    assert (opaque.function, [a.name for a in opaque.arrays]) == ("solver_of_somebody.step", ["x"])
    assert [(loc.line, reason) for loc, reason in trace.incomplete] == [
        (opaque.location.line, "call of `solver_of_somebody.step`, whose source isn't known")
    ]


def test_view_of_a_gradient_is_read_where_it_is_used(tmp_path):
    body = """
    x = wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[x])
    tape.backward(x)
    kept = x.grad.numpy()
    tape.zero()
    print(kept)
    """
    reads = only(tmp_path, main(body), model.GradientRead)
    assert [(e.kind, e.keeps_view) for e in reads] == [("numpy", True), ("view", False)]


def test_graph_runs_when_it_is_launched(tmp_path):
    body = """
    x = wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with wp.ScopedCapture() as capture:
        with tape:
            wp.launch(square, dim=3, inputs=[x], outputs=[x])
        tape.backward(x)
    x.zero_()
    for _ in range(2):
        wp.capture_launch(capture.graph)
    """
    (trace,) = traces(tmp_path, main(body))
    names = [getattr(e, "action", type(e).__name__) for e in trace.events]
    assert names == ["Allocate", "Fill", "enter", "Launch", "exit", "Backward", "Backward"]
    assert [e.replayed for e in trace.events if isinstance(e, model.Backward)] == [False, True]


def test_launch_knows_what_the_call_writes(tmp_path):
    body = """
    states = [wp.zeros(3, dtype=float) for _ in range(2)]
    now, then = states
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[now], outputs=[states[1]])
        wp.launch(square, 3, [now, then])
        wp.launch(square, 3, states)
    """
    (trace,) = traces(tmp_path, main(body))
    texts = [sorted(e.texts.values()) for e in trace.events if isinstance(e, model.Launch)]
    assert texts == [["now", "states[1]"], ["now", "then"], []]


def test_names_of_unknowns_stay_short():
    assert len(Unknown("a + " * 1000).text) == 160


def test_torch_function_runs_forward_then_backward(tmp_path):
    body = """
    import torch

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.tape = wp.Tape()
            ctx.x = wp.from_torch(x)
            ctx.y = wp.zeros(3, dtype=float, requires_grad=True)
            with ctx.tape:
                wp.launch(square, dim=3, inputs=[ctx.x], outputs=[ctx.y])
            return wp.to_torch(ctx.y)

        @staticmethod
        def backward(ctx, grad):
            ctx.tape.backward(grads={ctx.y: wp.from_torch(grad)})
            return wp.to_torch(ctx.tape.gradients[ctx.x])
    """
    (trace,) = traces(tmp_path, body)
    (first, _) = [e for e in trace.events if isinstance(e, model.Backward)]
    launch = next(e for e in trace.events if isinstance(e, model.Launch))
    assert [target for target, _ in first.seeds] == [launch.arguments[("y",)]]


def test_no_crash_on_odd_code(tmp_path):
    body = """
    def run(a, *b, c=1, **d):
        with wp.Tape() as tape:
            x = a[...][None, ::-1].T @ b
            del x, a
            async def f(): return await f()
            y: int
            z = lambda *p, q=x: (yield)
            wp.launch(a.b.c[d], **d)
            [*m, n] = b
            print(f"{n!r:>{c}}", *m, **d)
            while True:
                if n: continue
                break
            return f(), z(), ~c, -b, +d, not y
    """
    found = traces(tmp_path, body)
    assert all("internal" not in reason for trace in found for _, reason in trace.incomplete)
    assert any(isinstance(e, model.TapeEvent) for trace in found for e in trace.events)
