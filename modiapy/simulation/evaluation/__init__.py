"""A model evaluated at one point, in the memory of one run: relations, assertions, constraints, why it failed."""
