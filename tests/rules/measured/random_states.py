"""Random numbers in loops: the state is a variable that every draw changes."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
INTS = {"n": 4}


@wp.func
def noisy(x: wp.float64, st: wp.uint32):
    return x * F(wp.randf(st))


@wp.kernel
def r_loop(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        s += x[j] * F(wp.randf(st))  # ADJ105
    o[i] = s


@wp.kernel
def r_loop_same(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        s += x[i] * F(wp.randf(st))
    o[i] = s


@wp.kernel
def r_loop_added(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        s += x[j] + F(wp.randf(st))
    o[i] = s


@wp.kernel
def r_loop_own_seed(x: A, o: A, n: int):
    i = wp.tid()
    s = F(0.0)
    for j in range(n):
        st = wp.rand_init(n, j)
        s += x[j] * F(wp.randf(st))
    o[i] = s


@wp.kernel
def r_unrolled(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(4):
        s += x[j] * F(wp.randf(st))
    o[i] = s


@wp.kernel
def r_after_loop(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        s += x[j] + F(wp.randf(st))  # ADJ106
    o[i] = s + x[i] * F(wp.randf(st))


@wp.kernel
def r_before_loop(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    r = F(wp.randf(st))
    s = x[i] * r
    for j in range(n):
        s += x[j] + F(wp.randf(st))
    o[i] = s


@wp.kernel
def r_range(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        k = wp.randi(st, 0, 6)
        s += x[k]
    o[i] = s


@wp.kernel
def r_range_weighted(x: A, y: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        k = wp.randi(st, 0, 6)  # ADJ105
        s += x[k] * y[j]
    o[i] = s


@wp.kernel
def r_branch(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        if wp.randf(st) > 0.5:  # ADJ105
            s += x[j]
    o[i] = s


@wp.kernel
def r_func(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    o[i] = noisy(x[i], st) + noisy(x[0], st)


@wp.kernel
def r_func_loop(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        s += noisy(x[j], st)
    o[i] = s


@wp.kernel
def r_walk(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    p = x[i]
    for j in range(n):
        p += F(wp.randn(st)) * F(0.1)
    o[i] = p


@wp.kernel
def r_walk_scaled(x: A, y: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    p = x[i]
    for j in range(n):
        p += F(wp.randn(st)) * y[i]
    o[i] = p


@wp.kernel
def r_walk_scaled_while(x: A, y: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    p = x[i]
    j = int(0)
    while j < n:
        p += F(wp.randn(st)) * y[i]
        j += 1
    o[i] = p


@wp.kernel
def r_noise(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        s += x[j] * F(wp.noise(st, float(j) * 0.3))
    o[i] = s


@wp.kernel
def r_disk(x: A, o: A, n: int):
    i = wp.tid()
    st = wp.rand_init(n, i)
    s = F(0.0)
    for j in range(n):
        d = wp.sample_unit_disk(st)  # ADJ105
        s += x[j] * F(d[0])
    o[i] = s
