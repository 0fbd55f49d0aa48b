"""A soft walker: point masses in a row, springs whose rest lengths are actuated."""

import warp as wp

DT = wp.constant(wp.float64(0.02))


@wp.kernel(enable_backward=False)
def observe(
    x: wp.array(dtype=wp.float64),
    v: wp.array(dtype=wp.float64),
    time: wp.float64,
    observation: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    n = x.shape[0]
    if i < n:
        observation[i] = x[i] - x[0]
    elif i < 2 * n:
        observation[i] = v[i - n]
    else:
        observation[i] = wp.sin(time * wp.float64(6.0))


@wp.kernel
def actuate(
    x: wp.array(dtype=wp.float64),
    action: wp.array(dtype=wp.float64),
    stiffness: wp.array(dtype=wp.float64),
    force: wp.array(dtype=wp.float64),
):
    s = wp.tid()
    length = x[s + 1] - x[s]
    rest = wp.float64(0.5) * (wp.float64(1.0) + wp.float64(0.4) * action[s])
    tension = stiffness[s] * (length - rest) * (wp.float64(1.0) + length * length)
    wp.atomic_add(force, s, tension)
    wp.atomic_sub(force, s + 1, tension)


@wp.func
def ground_friction(v: wp.float64):
    """Scales of the belly: little friction forwards, much backwards."""
    forwards = wp.float64(0.5) * (v + wp.sqrt(v * v + wp.float64(0.01)))
    return -wp.float64(0.3) * forwards - wp.float64(3.0) * (v - forwards)


@wp.kernel
def advance(
    x: wp.array(dtype=wp.float64),
    v: wp.array(dtype=wp.float64),
    force: wp.array(dtype=wp.float64),
    x_next: wp.array(dtype=wp.float64),
    v_next: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    w = v[i] + DT * (force[i] + ground_friction(v[i]))
    v_next[i] = w
    x_next[i] = x[i] + DT * w


@wp.kernel
def progress(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_sub(loss, 0, x[i])
