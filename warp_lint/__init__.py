"""Finds, proves and explains wrong gradients in programs written with NVIDIA Warp."""

__version__ = "0.1.0"
