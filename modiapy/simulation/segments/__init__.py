"""Segment of a simulation: layouts of the components, states, integrator, stored points; the view of components."""
