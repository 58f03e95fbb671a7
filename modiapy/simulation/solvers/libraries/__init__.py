"""Libraries of others that integrators call by pointer: how they are found and loaded, and used in several threads."""
