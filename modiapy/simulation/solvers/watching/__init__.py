"""Observation of an integrator's steps: zero crossings, conditions of components, and progress in time."""
