import warp as wp

from .precision import real, vec


@wp.func
def attract(a: vec, b: vec, rest: real):
    d = b - a
    return (wp.length(d) - rest) * d


@wp.kernel
def pairwise(x: wp.array[vec], rest: wp.array[real], strength: wp.array[real], out: wp.array[vec]):
    i, j = wp.tid()
    if i == j:
        return
    wp.atomic_add(out, i, strength[0] * attract(x[i], x[j], rest[0]))


@wp.kernel
def respond(x: wp.array[vec], v: wp.array[vec], push: wp.array[vec], damping: wp.array[real], h: real,
            x1: wp.array[vec], v1: wp.array[vec]):
    i = wp.tid()
    u = v[i] + h * (push[i] - damping[0] * wp.length(v[i]) * v[i])
    v1[i] = u
    x1[i] = x[i] + h * u


@wp.kernel
def deviation(x: wp.array[vec], slot: wp.array[vec], weight: real, cost: wp.array[real]):
    i = wp.tid()
    wp.atomic_add(cost, 0, weight * wp.length_sq(x[i] - slot[i]))


@wp.kernel
def effort(push: wp.array[vec], weight: real, cost: wp.array[real]):
    i = wp.tid()
    wp.atomic_add(cost, 0, weight * wp.length_sq(push[i]))
