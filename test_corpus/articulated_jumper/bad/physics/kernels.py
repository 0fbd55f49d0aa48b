import warp as wp


@wp.func
def soft_limit(q: wp.float64, limit: wp.float64):
    over = wp.max(wp.abs(q) - limit, wp.float64(0.0))
    return -wp.float64(50.0) * over * over * wp.sign(q)


@wp.kernel
def eval_drives(
    q: wp.array(dtype=wp.float64),
    qd: wp.array(dtype=wp.float64),
    target: wp.array(dtype=wp.float64),
    ke: wp.array(dtype=wp.float64),
    kd: wp.array(dtype=wp.float64),
    limit: wp.array(dtype=wp.float64),
    f: wp.array(dtype=wp.float64),
):
    j = wp.tid()
    drive = ke[j] * (target[j] - q[j]) - kd[j] * qd[j]
    wp.atomic_add(f, j, drive + soft_limit(q[j], limit[j]))


@wp.kernel
def eval_coupling(q: wp.array(dtype=wp.float64), stiffness: wp.float64, f: wp.array(dtype=wp.float64)):
    j = wp.tid()
    t = stiffness * wp.sin(q[j + 1] - q[j])
    wp.atomic_add(f, j, t)
    wp.atomic_add(f, j + 1, -t)


@wp.kernel
def integrate_joints(
    q: wp.array(dtype=wp.float64),
    qd: wp.array(dtype=wp.float64),
    f: wp.array(dtype=wp.float64),
    armature: wp.array(dtype=wp.float64),
    dt: wp.float64,
    q_new: wp.array(dtype=wp.float64),
    qd_new: wp.array(dtype=wp.float64),
):
    j = wp.tid()
    v = qd[j] + dt * f[j] / armature[j]
    qd_new[j] = v
    q_new[j] = q[j] + dt * v
