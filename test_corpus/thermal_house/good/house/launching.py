"""A thin wrapper, so that every launch has a name in the profile."""

import warp as wp


def launch(kernel, size, reads, writes, **options):
    with wp.ScopedTimer(kernel.key, active=options.pop("profile", False)):
        wp.launch(kernel, dim=size, inputs=list(reads), outputs=list(writes), **options)
