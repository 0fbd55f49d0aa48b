"""A rover on rough ground, written with everything that looks dangerous in a kernel and isn't.

Locals multiplied in place, unrolled loops that carry products, components of fresh vectors, sums over run-time loops,
guards before singular operations, early returns, stored accumulators.
"""

import numpy as np
import warp as wp

wp.config.quiet = True

WHEELS = wp.constant(4)


@wp.struct
class Wheel:
    at: wp.vec2d
    load: wp.float64
    grip: wp.float64


@wp.func
def terrain(x: wp.float64, bump: wp.array(dtype=wp.float64)):
    """Height from the bumps' amplitudes; a sum over a run-time loop is returned as it is."""
    height = wp.float64(0.0)
    for k in range(bump.shape[0]):
        height += bump[k] * wp.sin(wp.float64(k + 1) * x)
    return height


@wp.func
def suspension(compression: wp.float64):
    if compression <= wp.float64(0.0):
        return wp.float64(0.0)
    return wp.sqrt(compression) * compression


@wp.func
def weighted(w: Wheel):
    return w.load * w.grip / (wp.float64(1.0) + wp.length_sq(w.at))


@wp.kernel
def ride(
    bump: wp.array(dtype=wp.float64),
    spring: wp.array(dtype=wp.float64),
    axle: wp.array(dtype=wp.float64),
    start: wp.array(dtype=wp.vec3d),
    comfort: wp.array(dtype=wp.float64),
    tilt: wp.array(dtype=wp.vec2d),
):
    rover = wp.tid()
    if rover >= comfort.shape[0]:
        return

    pose = start[rover]
    heave = pose[1]
    heave *= wp.float64(1.5)
    heave = heave * heave + pose[1]

    decay = wp.float64(1.0)
    total = wp.float64(0.0)
    lean = wp.vec2d()
    for j in range(WHEELS):
        x = pose[0] + axle[j]
        ground = terrain(x, bump)
        wheel = Wheel()
        wheel.at = wp.vec2d(x, ground)
        wheel.load = spring[j] * suspension(ground - heave + wp.float64(0.6))
        wheel.grip = wp.exp(-ground * ground)
        decay *= wp.float64(0.5) + wheel.grip
        total += weighted(wheel) * decay
        if j % 2 == 0:
            lean = lean + wp.vec2d(wheel.load, wp.float64(0.0))
        else:
            lean = lean - wp.vec2d(wheel.load, ground)

    fresh = wp.vec2d()
    fresh[0] = lean[0] * total
    fresh[1] = wp.tanh(lean[1])
    tilt[rover] = fresh
    comfort[rover] = total


@wp.kernel
def rating(
    comfort: wp.array(dtype=wp.float64),
    tilt: wp.array(dtype=wp.vec2d),
    rivals: int,
    rate: wp.array(dtype=wp.float64),
):
    rover = wp.tid()
    total = wp.float64(0.0)
    for other in range(rivals):
        if other == rover:
            continue
        total += comfort[other] * tilt[other][1]
    rate[rover] = comfort[rover] + total / wp.float64(rivals)
    size = wp.length(tilt[rover])
    if size > wp.float64(1.0e-9):
        rate[rover] += wp.log(size)


@wp.kernel
def mean(rate: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    rover = wp.tid()
    safe = wp.max(rate[rover] * rate[rover], wp.float64(1.0e-6))
    wp.atomic_add(loss, 0, wp.sqrt(safe) / wp.float64(rate.shape[0]))


def drive(bump, spring, start):
    n = len(start)
    axle = wp.array([0.0, 0.4, 0.8, 1.2], dtype=wp.float64)
    comfort = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    tilt = wp.zeros(n, dtype=wp.vec2d, requires_grad=True)
    rate = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(ride, dim=32, inputs=[bump, spring, axle, start], outputs=[comfort, tilt])
    wp.launch(rating, dim=n, inputs=[comfort, tilt, n], outputs=[rate])
    wp.launch(mean, dim=n, inputs=[rate], outputs=[loss])
    return loss


def main():
    values = {
        "bump": np.array([0.2, -0.1, 0.05]),
        "spring": np.array([3.0, 2.0, 2.5, 3.5]),
        "start": np.array([[0.1, 0.2, 0.0], [0.7, 0.1, 0.0], [1.3, 0.3, 0.0]]),
    }
    kinds = {"bump": wp.float64, "spring": wp.float64, "start": wp.vec3d}

    def arrays(at, **options):
        return {name: wp.array(at[name], dtype=kinds[name], **options) for name in kinds}

    leaves = arrays(values, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = drive(**leaves)
    tape.backward(loss)

    h = 1e-6
    for name, array in leaves.items():
        fd = np.zeros(values[name].shape)
        for k in np.ndindex(fd.shape):
            for sign in (1.0, -1.0):
                moved = {n: v.copy() for n, v in values.items()}
                moved[name][k] += sign * h
                fd[k] += sign * drive(**arrays(moved)).numpy()[0] / (2.0 * h)
        print(f"AD {name} =", array.grad.numpy().flatten().round(7).tolist())
        print(f"FD {name} =", fd.flatten().round(7).tolist())


if __name__ == "__main__":
    main()
