"""One place to switch precision."""

import warp as wp

DOUBLE = True

real = wp.float64 if DOUBLE else wp.float32
vec = wp.vec2d if DOUBLE else wp.vec2
