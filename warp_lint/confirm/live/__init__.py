"""Checks of the gradients of a running program: recorder, shadow tape, finite differences by replay."""
