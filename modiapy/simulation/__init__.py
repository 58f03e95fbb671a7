"""

Arguments and results: docs/simulation.md. State vector `x = (x_inv, x_var of component 0, x_var of
component 1, ...)`; indicators alike. Initial event, then segments: integrate to the next time event or root, handle
the event (`EventIteration`: relations settle, states are re-initialised, `pre(v)` becomes v, until nothing changes;
components vote), at a change call `init_segment` of all components, build a new integrator of the new size, go on.
Segments may have zero length.
"""
