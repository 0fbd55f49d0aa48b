"""Smoke on a small grid: semi-Lagrangian advection, Jacobi pressure projection, buoyancy."""
