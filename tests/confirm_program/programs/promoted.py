"""What a program in double precision meets: functions that exist in single precision only, defaults, fields of structs,
hash grids, adjoints by hand, literals of half precision. `mesh` makes an object that can't be had."""

import sys

import numpy as np
import warp as wp

wp.config.quiet = True


@wp.struct
class Body:
    gain: float
    turn: wp.quat
    frame: wp.mat33


@wp.func
def square(x: float):
    return x * x


@wp.func_grad(square)
def adj_square(x: float, ret: float):
    wp.adjoint[x] += 2.0 * x * ret


@wp.kernel
def gather(grid: wp.uint64, x: wp.array(dtype=wp.vec3), body: Body, loss: wp.array(dtype=float)):
    i = wp.tid()
    state = wp.rand_init(7, i)
    scale = wp.randf(state, 0.5, 1.5) + wp.sample_unit_sphere(state)[0] + float(wp.float16(0.25))
    offset = wp.curlnoise(state, wp.vec3(0.1, 0.2, float(i)))
    turned = wp.quat_rotate(wp.quat_identity() * body.turn, body.frame * x[i])
    total = square(turned[0]) * body.gain * scale + offset[1] + wp.noise(state, offset)
    for j in wp.hash_grid_query(grid, x[i], 0.5):
        d = wp.outer(x[i] - x[j], wp.vec3(1.0, 0.5, 0.25))
        total += wp.trace(wp.identity(n=3, dtype=float) * d) * scale
    wp.atomic_add(loss, 0, total)


def main():
    if sys.argv[1:] == ["mesh"]:
        points = wp.array(np.eye(3, dtype=np.float32), dtype=wp.vec3)
        wp.Mesh(points, wp.array([0, 1, 2], dtype=int))
    body = Body()
    body.gain, body.turn, body.frame = 2.0, wp.quat_rpy(0.1, 0.2, 0.3), wp.mat33(np.eye(3, dtype=np.float32))
    x = wp.array(np.random.default_rng(0).random((6, 3)).astype(np.float32), dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    grid = wp.HashGrid(8, 8, 8)
    grid.build(x, 0.5)
    with wp.Tape() as tape:
        wp.launch(gather, dim=6, inputs=[grid.id, x, body, loss])
    tape.backward(loss)
    print(float(loss.numpy()[0]), loss.dtype.__name__)


main()
