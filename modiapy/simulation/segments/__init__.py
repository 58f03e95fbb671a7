"""One segment: layouts of the components, states, integrator, stored points; what components see of it."""
