"""Fit a phase plate with torch's SGD so that all rays meet in one point."""

import numpy as np
import warp as wp

wp.config.quiet = True

try:
    import torch
except ImportError:
    torch = None

HEIGHTS = np.linspace(-0.6, 0.6, 5)


def spot(arrived):
    return ((arrived - 0.05) ** 2).sum()


def main():
    if torch is None:
        print("AD = skipped, torch is not installed")
        print("FD = skipped, torch is not installed")
        return
    from bridge import Bench, TraceRays

    bench = Bench(HEIGHTS)
    plate = torch.tensor([0.05, -0.1], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([plate], lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        at = plate.detach().clone()
        spot(TraceRays.apply(plate, bench)).backward()
        gradient = plate.grad.clone()
        optimizer.step()
    print("AD plate =", gradient.numpy().round(8).tolist())

    def value(p):
        return spot(Bench(HEIGHTS).forward(p)).item()

    h, fd = 1e-6, []
    for e in h * torch.eye(2, dtype=torch.float64):
        fd.append((value(at + e) - value(at - e)) / (2.0 * h))
    print("FD plate =", np.round(fd, 8).tolist())


if __name__ == "__main__":
    main()
