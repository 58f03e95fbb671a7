"""Iteration at one instant until nothing changes, and the history of such instants."""
