"""Abstract interpreter of host code: predicts what happens to arrays around tapes. Never executes user code."""

from warp_lint.host.entries import follow_project, trace_project

__all__ = ["follow_project", "trace_project"]
