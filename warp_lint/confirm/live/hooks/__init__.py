"""Hooks under Warp's public surface, by kind. Each calls what it stands for once, with the same arguments."""
