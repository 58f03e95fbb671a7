"""The kinds of constraints, one in a file, and what they have in common (`constraint`, `row`)."""
