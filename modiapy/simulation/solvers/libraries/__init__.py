"""External libraries that integrators call by pointer: finding, loading, and use in several threads."""
