import warp as wp


@wp.kernel
def biggest(m: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_max(m, 0, b[i])


@wp.kernel
def start(m: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    m[0] = b[0] * wp.float64(0.5)


@wp.kernel
def copy_out(m: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, m[0] * m[0])


def main():
    b = wp.array([0.5, 0.7, 1.1], dtype=wp.float64, requires_grad=True)
    c = wp.array([0.6, 1.7, 0.1], dtype=wp.float64, requires_grad=True)
    m = wp.full(1, -10.0, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(start, dim=1, inputs=[m, b])
        wp.launch(biggest, dim=3, inputs=[m, c])
        wp.launch(copy_out, dim=1, inputs=[m], outputs=[loss])
    tape.backward(loss)
    print("b.grad:", b.grad.numpy(), "c.grad:", c.grad.numpy())


if __name__ == "__main__":
    main()
