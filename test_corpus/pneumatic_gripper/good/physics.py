"""Pneumatics of a soft gripper: valves, chambers, and fingers that touch an object."""

import warp as wp
from warp import array, constant, float64, func, func_grad, kernel, struct

ATMOSPHERE = constant(float64(1.0))
NO_CONTACT = constant(-1)


@struct
class Valve:
    supply: float64
    opening: float64


@func
def orifice(upstream: float64, downstream: float64):
    """Mass flow through an orifice, odd in the pressure difference and smooth in the middle."""
    dp = upstream - downstream
    return dp / wp.sqrt(wp.sqrt(dp * dp + float64(0.01)))


@func_grad(orifice)
def adj_orifice(upstream: float64, downstream: float64, adj_ret: float64):
    dp = upstream - downstream
    r = dp * dp + float64(0.01)
    root = wp.sqrt(wp.sqrt(r))
    d = (float64(1.0) - float64(0.5) * dp * dp / r) / root
    wp.adjoint[upstream] += d * adj_ret
    wp.adjoint[downstream] += -d * adj_ret


@func
def chamber_force(pressure: float64, bulge: float64):
    return bulge * (pressure - ATMOSPHERE) * (float64(1.0) + float64(0.2) * wp.tanh(pressure))


@func
def leak(pressure: float64, rate: float64):
    return rate * (pressure - ATMOSPHERE)


@kernel
def inflate(
    valve: Valve,
    leakage: array(dtype=float64),
    pressure: array(dtype=float64),
    dt: float64,
    pressure_out: array(dtype=float64),
):
    chamber = wp.tid()
    p = pressure[chamber]
    spill = leak(p, leakage[chamber])
    flow = valve.opening * orifice(valve.supply, p)
    back = float64(0.1) * p * p
    pressure_out[chamber] = p + dt * (flow - spill - back)


@kernel(enable_backward=False)
def find_contacts(
    gap: array(dtype=float64), reach: float64, count: array(dtype=int), slot: array(dtype=int)
):
    finger = wp.tid()
    slot[finger] = NO_CONTACT
    if gap[finger] < reach:
        slot[finger] = wp.atomic_add(count, 0, 1)


@kernel
def squeeze(
    slot: array(dtype=int),
    pressure: array(dtype=float64),
    bulge: array(dtype=float64),
    squeezed: array(dtype=float64),
):
    """Forces of the fingers in contact, packed to the front."""
    finger = wp.tid()
    k = slot[finger]
    if k != NO_CONTACT:
        squeezed[k] = chamber_force(pressure[finger], bulge[finger])


@kernel
def grip_quality(
    squeezed: array(dtype=float64),
    distance: array(dtype=float64),
    fingers: int,
    pad: float64,
    quality: array(dtype=float64),
):
    """Weighted grip on each of several points of the object; forces further than the pad don't count."""
    point = wp.tid()
    grip = float64(0.0)
    for k in range(fingers):
        if distance[k] <= pad:
            weight = wp.exp(-distance[k] * distance[k] * float64(point + 1))
            grip += weight * squeezed[k] * squeezed[k]
    quality[point] = grip


@kernel
def misfit(quality: array(dtype=float64), measured: array(dtype=float64), loss: array(dtype=float64)):
    point = wp.tid()
    d = quality[point] - measured[point]
    wp.atomic_add(loss, 0, d * d)
