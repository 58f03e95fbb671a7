"""Forces that the engine applies inside, one element per file; their machine code is in `kernels`, a file each."""
