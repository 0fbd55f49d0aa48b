"""Grids and trees under a tape. The argument names what is done with them."""

import sys

import numpy as np
import warp as wp

wp.config.quiet = True


@wp.kernel
def density(grid: wp.uint64, x: wp.array(dtype=wp.vec3), w: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = wp.float32(0.0)
    for j in wp.hash_grid_query(grid, x[i], 0.5):
        d = wp.length_sq(x[i] - x[j])
        if d < 0.25:
            s += w[j] * (0.25 - d)
    out[i] = s


@wp.kernel
def spread(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    y[i] = x[i] * 1.7


@wp.kernel
def distance(mesh: wp.uint64, x: wp.array(dtype=wp.vec3), k: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    query = wp.mesh_query_point(mesh, x[i], 10.0)
    if query.result:
        p = wp.mesh_eval_position(mesh, query.face, query.u, query.v)
        out[i] = out[i] + k[0] * wp.length_sq(x[i] - p)


@wp.kernel
def lift(points: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    points[i] = points[i] + wp.vec3(0.0, 1.0, 0.0)


@wp.kernel
def total(a: wp.array(dtype=float), b: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, a[i] * a[i] + b[i])


@wp.kernel
def inside(mesh: wp.uint64, x: wp.array(dtype=wp.vec3), k: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    for _face in wp.mesh_query_aabb(mesh, x[i] - wp.vec3(0.1), x[i] + wp.vec3(0.1)):
        out[i] += k[0] * x[i][0]


X = np.array([[0.1 * i, 0.05 * (i % 3), 0.02 * i] for i in range(12)], np.float32)


def grids(rebuilt):
    x = wp.array(X, dtype=wp.vec3, requires_grad=True)
    w = wp.array(np.linspace(1.0, 2.0, 12, dtype=np.float32), requires_grad=True)
    a, b = (wp.zeros(12, dtype=float, requires_grad=True) for _ in range(2))
    y = wp.zeros(12, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    first = wp.HashGrid(8, 8, 8)
    second = first if rebuilt else wp.HashGrid(8, 8, 8)
    tape = wp.Tape()
    with tape:
        first.build(x, 0.5)
        wp.launch(density, dim=12, inputs=[first.id, x, w], outputs=[a])
        wp.launch(spread, dim=12, inputs=[x], outputs=[y])
        second.build(points=y, radius=0.5)
        wp.launch(density, dim=12, inputs=[second.id, y, w], outputs=[b])
        wp.launch(total, dim=12, inputs=[a, b], outputs=[loss])
    tape.backward(loss)


def meshes(moved, gradient):
    corners = np.array([[-1, 0, -1], [3, 0, -1], [3, 0.3, 3], [-1, 0, 3]], np.float32)
    points = wp.array(corners, dtype=wp.vec3, requires_grad=gradient)
    mesh = wp.Mesh(points, wp.array(np.array([0, 1, 2, 0, 2, 3], np.int32)))
    x = wp.array(X + np.array([0.0, 0.4, 0.0], np.float32), dtype=wp.vec3, requires_grad=True)
    k = wp.array(np.ones(1, np.float32), requires_grad=True)
    a, b = (wp.zeros(12, dtype=float, requires_grad=True) for _ in range(2))
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(distance, dim=12, inputs=[mesh.id, x, k], outputs=[a])
        if moved:
            wp.launch(lift, dim=4, inputs=[points], record_tape=False)
            mesh.refit()
        wp.launch(distance, dim=12, inputs=[mesh.id, x, k], outputs=[b])
        wp.launch(total, dim=12, inputs=[a, b], outputs=[loss])
    tape.backward(loss)


def boxes():
    """The tree alone matters: the query compares boxes, and the points are as they were."""
    points = wp.array(np.array([[-1, 0, -1], [3, 0, -1], [3, 0, 3]], np.float32), dtype=wp.vec3)
    mesh = wp.Mesh(points, wp.array(np.array([0, 1, 2], np.int32)))
    x = wp.array(X, dtype=wp.vec3, requires_grad=True)
    k = wp.array(np.ones(1, np.float32), requires_grad=True)
    a, b = (wp.zeros(12, dtype=float, requires_grad=True) for _ in range(2))
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(inside, dim=12, inputs=[mesh.id, x, k], outputs=[a])
        before = points.numpy().copy()
        points.assign(before + np.array([0.0, 5.0, 0.0], np.float32))
        mesh.refit()  # boxes
        points.assign(before)
        wp.launch(total, dim=12, inputs=[a, b], outputs=[loss])
    tape.backward(loss)


match sys.argv[1]:
    case "rebuilt":
        grids(True)
    case "two":
        grids(False)
    case "moved":
        meshes(True, False)
    case "still":
        meshes(False, False)
    case "corners":
        meshes(False, True)
    case "refit":
        boxes()
