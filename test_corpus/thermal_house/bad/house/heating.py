from __future__ import annotations

import warp as wp

from .fields import REAL, Fields, make, parameter
from .launching import launch


class Kernels:
    """Namespace of this module's kernels."""

    @wp.kernel
    def conduct(
        temperature: wp.array(dtype=REAL),
        walls: wp.array(dtype=wp.vec2i),
        conductance: wp.array(dtype=REAL),
        flux: wp.array(dtype=REAL),
    ):
        w = wp.tid()
        a = walls[w][0]
        b = walls[w][1]
        q = conductance[w] * (temperature[b] - temperature[a])
        wp.atomic_add(flux, a, q)
        wp.atomic_sub(flux, b, q)

    @wp.kernel
    def radiate(temperature: wp.array(dtype=REAL), emission: wp.array(dtype=REAL), flux: wp.array(dtype=REAL)):
        r = wp.tid()
        t = temperature[r]
        wp.atomic_sub(flux, r, emission[0] * t * t * t * t)

    @wp.kernel
    def thermostat(
        temperature: wp.array(dtype=REAL),
        setpoint: wp.array(dtype=REAL),
        power: wp.array(dtype=REAL),
        heat: wp.array(dtype=REAL),
    ):
        r = wp.tid()
        heat[r] = REAL(0.5) * power[r] * (REAL(1.0) - wp.tanh(REAL(2.0) * (temperature[r] - setpoint[0])))

    @wp.kernel
    def warm(
        temperature: wp.array(dtype=REAL),
        flux: wp.array(dtype=REAL),
        heat: wp.array(dtype=REAL),
        dt: REAL,
        warmer: wp.array(dtype=REAL),
    ):
        r = wp.tid()
        warmer[r] = temperature[r] + dt * (flux[r] + heat[r])

    @wp.kernel
    def discomfort(
        temperature: wp.array(dtype=REAL), wanted: wp.array(dtype=REAL), bill: wp.array(dtype=REAL)
    ):
        r = wp.tid()
        d = temperature[r] - wanted[r]
        wp.atomic_add(bill, 0, d * d)

    @wp.kernel
    def fuel(heat: wp.array(dtype=REAL), price: REAL, bill: wp.array(dtype=REAL)):
        r = wp.tid()
        wp.atomic_add(bill, 0, price * heat[r] * heat[r])


class House:
    def __init__(self, conductance, power, setpoint, rooms: int = 4):
        self.rooms = rooms
        self.dt = 0.1
        self.fixed = Fields(
            walls=wp.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], dtype=wp.vec2i),
            emission=wp.array([0.01], dtype=REAL),
            wanted=wp.array([1.0, 1.1, 0.9, 0.8], dtype=REAL),
        )
        self.parameters = Fields(
            conductance=parameter(conductance), power=parameter(power), setpoint=parameter([setpoint])
        )

    def hour(self, now: Fields, bill: wp.array) -> Fields:
        p, c, n = self.parameters, self.fixed, self.rooms
        flux = make(n, grad=True)
        heat = make(n)
        then = make(None, like=now.temperature, grad=True)
        launch(Kernels.conduct, c.walls.shape[0], [now.temperature, c.walls, p.conductance], [flux])
        launch(Kernels.radiate, n, [now.temperature, c.emission], [flux])
        launch(Kernels.thermostat, n, [now.temperature, p.setpoint, p.power], [heat])
        launch(Kernels.warm, n, [now.temperature, flux, heat, self.dt], [then])
        launch(Kernels.fuel, n, [heat, 0.05], [bill])
        return Fields(temperature=then)

    def day(self, hours: int = 6) -> wp.array:
        bill = make(1, grad=True)
        now = Fields(temperature=wp.array([0.5, 0.7, 0.2, 0.4], dtype=REAL, requires_grad=True))
        for _ in range(hours):
            now = self.hour(now, bill)
        launch(Kernels.discomfort, self.rooms, [now.temperature, self.fixed.wanted], [bill])
        return bill
