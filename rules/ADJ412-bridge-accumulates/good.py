"""A Warp spring as a torch function, on arrays that live as long as the program and are cleared after each backward."""

import warp as wp

try:
    import torch
except ImportError:
    torch = None


@wp.kernel
def stretch(x: wp.array(dtype=wp.float64), energy: wp.array(dtype=wp.float64)):
    i = wp.tid()
    energy[i] = x[i] * x[i] * x[i]


class Spring:
    """Persistent arrays shared by all calls."""

    def __init__(self, n):
        self.x = wp.zeros(n, dtype=wp.float64, requires_grad=True)
        self.energy = wp.zeros(n, dtype=wp.float64, requires_grad=True)


if torch is not None:

    class SpringEnergy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, spring):
            ctx.spring = spring
            ctx.tape = wp.Tape()
            wp.copy(spring.x, wp.from_torch(x.detach()))
            with ctx.tape:
                wp.launch(stretch, dim=x.shape[0], inputs=[spring.x], outputs=[spring.energy])
            return wp.to_torch(spring.energy).clone()

        @staticmethod
        def backward(ctx, grad_energy):
            ctx.tape.backward(grads={ctx.spring.energy: wp.from_torch(grad_energy.contiguous())})
            grad_x = wp.to_torch(ctx.spring.x.grad).clone()
            ctx.tape.zero()
            return grad_x, None


def main():
    if torch is None:
        print("AD = skipped, torch is not installed")
        print("FD = skipped, torch is not installed")
        return
    spring = Spring(3)
    start = torch.tensor([0.5, 1.0, 1.5], dtype=torch.float64)
    for _ in range(2):
        x = start.clone().requires_grad_()
        SpringEnergy.apply(x, spring).sum().backward()
    print("AD =", x.grad.numpy().round(6).tolist())

    h, fd = 1e-6, []
    for e in h * torch.eye(3, dtype=torch.float64):
        high, low = SpringEnergy.apply(start + e, spring).sum(), SpringEnergy.apply(start - e, spring).sum()
        fd.append(round(float(high - low) / (2.0 * h), 6))
    print("FD =", fd)


if __name__ == "__main__":
    main()
