"""Programs that make it hard. The argument names how."""

import atexit
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import warp as wp

wp.config.quiet = True


@wp.kernel
def square(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    b[i] = a[i] * a[i]


@wp.kernel
def total(a: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, a[i])


@wp.kernel
def stray(a: wp.array(dtype=wp.float64), far: int):
    a[far] = wp.float64(1.0)


def zeros(n):
    return wp.zeros(n, dtype=wp.float64, requires_grad=True)


def good(n=2):
    a = wp.array(np.arange(1.0, n + 1.0), dtype=wp.float64, requires_grad=True)
    b, loss = zeros(n), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=n, inputs=[a], outputs=[b])
        wp.launch(total, dim=n, inputs=[b], outputs=[loss])
    tape.backward(loss)
    return a.grad.numpy().tolist()


def gpu():
    wp.zeros(3, device="cuda:0")


def bounds():
    good()
    wp.launch(stray, dim=1, inputs=[zeros(2), 1 << 30])


def prints():
    for _ in range(20_000):
        print("x" * 200)
    good()


def late_error():
    atexit.register(lambda: 1 / 0)
    good()


def _child(_):
    return good()


def pool():
    import multiprocessing

    good()
    with multiprocessing.get_context("fork").Pool(2) as workers:
        print(workers.map(_child, range(2)))


def spawned():
    import multiprocessing

    good()
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        print(workers.map(abs, [-1]))


def reads():
    good()
    print("read", repr(sys.stdin.readline()))


def only_thread():
    thread = threading.Thread(target=good)
    thread.start()
    thread.join()


def interrupted():
    good()
    raise KeyboardInterrupt


def terminated():
    good()
    os.kill(os.getpid(), signal.SIGTERM)


def forked():
    if os.fork() == 0:
        good()
        os._exit(0)
    os.wait()
    good()


def again():
    if os.environ.get("AGAIN"):
        good()
        return
    good()
    sys.stdout.flush()
    os.environ["AGAIN"] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])


def called():
    good()
    print(subprocess.run([sys.executable, "-c", "print(5)"], capture_output=True, text=True, check=True).stdout)


def closed():
    good()
    os.close(1)
    os.close(2)
    good()


def every_handle():
    """Close what a daemon closes."""
    good()
    os.closerange(3, 256)
    good()


def moved():
    os.chdir("/")
    sys.argv[:] = ["elsewhere"]
    sys.path.clear()
    good()


def graph(overwrite=False):
    a = wp.array([1.0, 2.0], dtype=wp.float64, requires_grad=True)
    b, loss = zeros(2), zeros(1)
    tape = wp.Tape()
    with wp.ScopedCapture(device="cpu") as capture:
        with tape:
            wp.launch(square, dim=2, inputs=[a], outputs=[b])
            wp.launch(total, dim=2, inputs=[b], outputs=[loss])
        if overwrite:
            a.fill_(3.0)
        tape.backward(loss)
    for _ in range(2):
        wp.capture_launch(capture.graph)
    print("grad", a.grad.numpy())


def wrong_graph():
    graph(True)


def recursion():
    good()

    def deeper(n):
        return deeper(n + 1)

    deeper(0)


def replaced():
    original = wp.launch

    def launch(*args, **kwargs):
        return original(*args, **kwargs)

    wp.launch = launch
    good()


def reloaded():
    good()
    for name in [n for n in sys.modules if n == "warp" or n.startswith("warp.")]:
        del sys.modules[name]
    import warp

    print(warp.__version__)


def hook():
    sys.excepthook = lambda *_: print("mine")
    good()
    raise ValueError("seen by the program")


def nameless():
    exec(compile("good()", "<made up>", "exec"), {"good": good})


def alarm():
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(3))
    signal.alarm(1)
    while True:
        good()


def children():
    """Reap whatever child ends."""
    signal.signal(signal.SIGCHLD, lambda *_: None)
    good()
    good()


def waits():
    """Wait for every child."""
    good()
    try:
        os.wait()
    except ChildProcessError:
        good()


def shallow():
    good()
    sys.setrecursionlimit(60)
    good()


def workers():
    """Tapes of two threads that have ended by the time the main one opens its own."""
    for _ in range(2):
        worker = threading.Thread(target=good)
        worker.start()
        worker.join()
    good()


def thread_fails():
    good()
    worker = threading.Thread(target=fails, name="worker")
    worker.start()
    worker.join()


def fails():
    with wp.Tape():
        wp.launch(square, dim=1, inputs=[], outputs=[])


def ignores_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    good()
    good()


def little_memory():
    import resource

    good()
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    good()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
