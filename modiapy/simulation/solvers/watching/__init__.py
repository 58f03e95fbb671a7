"""Watching while an integrator steps: zero crossings, conditions that are waited for, and progress in time."""
