"""Snapshots: the state of a run at a restart of its integrator, and a run that continues from it."""
