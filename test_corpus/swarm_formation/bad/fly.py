"""Which rest distance, strength and damping bring a swarm into formation?"""

import numpy as np
import warp as wp
from swarm.precision import vec
from swarm.rollout import Swarm
from swarm.state import State

wp.config.quiet = True

X = [[0.0, 0.0], [1.0, 0.1], [0.2, 0.9], [1.1, 1.2]]
V = [[0.1, 0.0], [-0.2, 0.1], [0.0, 0.3], [0.0, 0.0]]
SLOTS = [[0.0, 0.0], [0.8, 0.0], [0.0, 0.8], [0.8, 0.8]]


class Recorder:
    """Context manager around a tape; leaving it runs the backward pass for what was put into `loss`."""

    def __init__(self):
        self.tape = wp.Tape()
        self.loss = None

    def __enter__(self):
        self.tape.__enter__()
        return self

    def __exit__(self, *exc):
        self.tape.__exit__(*exc)
        self.tape.backward(self.loss)


def cost(**theta):
    return Swarm(**theta).cost(State(4, X, V), wp.array(SLOTS, dtype=vec))


def main():
    theta = {"rest": 0.7, "strength": 0.6, "damping": 0.5}
    swarm = Swarm(**theta)
    slots = wp.array(SLOTS, dtype=vec)
    with Recorder() as recorder:
        recorder.loss = swarm.cost(State(4, X, V), slots)

    h = 1e-6
    for name, value in theta.items():
        high, low = (cost(**{**theta, name: value + s * h}).numpy()[0] for s in (1, -1))
        print(f"AD {name} =", swarm.theta[name].grad.numpy().round(8).tolist())
        print(f"FD {name} =", [round(float(high - low) / (2 * h), 8)])


if __name__ == "__main__":
    main()
