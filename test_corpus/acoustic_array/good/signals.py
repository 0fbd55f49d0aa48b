"""Delay-and-sum of microphones with learnable gains and a smoothing filter."""

import warp as wp


@wp.kernel
def apply_gain(raw: wp.array2d(dtype=wp.float64), gain: wp.array(dtype=wp.float64), out: wp.array2d(dtype=wp.float64)):
    mic, t = wp.tid()
    out[mic, t] = raw[mic, t] * gain[mic]


@wp.kernel
def smooth(x: wp.array2d(dtype=wp.float64), width: wp.array(dtype=wp.float64), y: wp.array2d(dtype=wp.float64)):
    mic, t = wp.tid()
    n = x.shape[1]
    a = x[mic, wp.max(t - 1, 0)]
    b = x[mic, wp.min(t + 1, n - 1)]
    w = width[0]
    y[mic, t] = (x[mic, t] + w * (a + b)) / (wp.float64(1.0) + wp.float64(2.0) * w)


@wp.kernel
def compress(x: wp.array2d(dtype=wp.float64), y: wp.array2d(dtype=wp.float64)):
    mic, t = wp.tid()
    y[mic, t] = wp.tanh(wp.float64(2.0) * x[mic, t])


@wp.kernel
def delay_and_sum(
    x: wp.array2d(dtype=wp.float64),
    delay: wp.array2d(dtype=int),
    direction: int,
    beam: wp.array(dtype=wp.float64),
):
    mic, t = wp.tid()
    shifted = t - delay[direction, mic]
    if shifted >= 0:
        wp.atomic_add(beam, t, x[mic, shifted])


@wp.kernel
def energy(beam: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64), slot: int):
    t = wp.tid()
    wp.atomic_add(out, slot, beam[t] * beam[t])
