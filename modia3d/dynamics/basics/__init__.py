"""Arrays and algebra of the kernels: columns of a forest, spatial vectors, formulas written into their callers.

Time to compile (cold start): the formulas of `algebra` are plain Python functions without branches; `formula` writes
their instructions into the kernel that calls them, in a tenth of the time of a compiled function. What only machine code
calls has no wrappers for Python (`kernel`, `native.part`), and no kernel counts references to arrays
(`native.WITHOUT_OBJECTS`): numba then refuses a function that allocates or returns an array of its own (a tuple of arrays
it returns)."""
