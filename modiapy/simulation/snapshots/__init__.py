"""The state of a run at a restart of its integrator, and a run that goes on from there."""
