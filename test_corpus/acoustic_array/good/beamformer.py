"""The processing chain, and the sensitivities of every direction's energy."""

from collections import deque

import numpy as np
import signals
import warp as wp


class Chain:
    def __init__(self, raw, gain, width, passes=3):
        self.raw = wp.array(raw, dtype=wp.float64)
        self.mics, self.samples = raw.shape
        self.gain = wp.array(gain, dtype=wp.float64, requires_grad=True)
        self.width = wp.array([width], dtype=wp.float64, requires_grad=True)
        self.passes = passes
        delays = np.array([[0, 0, 0], [0, 1, 2], [2, 1, 0]])
        self.delay = wp.array(delays, dtype=int)
        self.directions = len(delays)

    def block(self):
        return wp.zeros((self.mics, self.samples), dtype=wp.float64, requires_grad=True)

    def filtered(self):
        """Gain, then repeated smoothing and compression; the history of blocks is kept."""
        history = deque([self.block()])
        wp.launch(signals.apply_gain, dim=self.raw.shape, inputs=[self.raw, self.gain], outputs=[history[-1]])
        for _ in range(self.passes):
            smoothed, compressed = self.block(), self.block()
            wp.launch(signals.smooth, dim=self.raw.shape, inputs=[history[-1], self.width], outputs=[smoothed])
            wp.launch(signals.compress, dim=self.raw.shape, inputs=[smoothed], outputs=[compressed])
            history.append(compressed)
        return history[-1]

    def energies(self):
        x = self.filtered()
        out = wp.zeros(self.directions, dtype=wp.float64, requires_grad=True)
        for d in range(self.directions):
            beam = wp.zeros(self.samples, dtype=wp.float64, requires_grad=True)
            wp.launch(signals.delay_and_sum, dim=x.shape, inputs=[x, self.delay, d], outputs=[beam])
            wp.launch(signals.energy, dim=self.samples, inputs=[beam], outputs=[out, d])
        return out

    def sensitivities(self):
        """d energy[d] / d (gain, width); shape (directions, mics + 1)."""
        tape = wp.Tape()
        with tape:
            out = self.energies()

        def row(d):
            tape.backward(grads={out: wp.array(np.eye(self.directions)[d], dtype=wp.float64)})
            result = np.concatenate([self.gain.grad.numpy(), self.width.grad.numpy()])
            tape.zero()
            return result

        return np.stack([row(d) for d in range(self.directions)])
