"""Compiled code on disk: a folder that nobody else may write, files with checksums that are written whole or not at all.

`kernel_cache` keeps what numba compiled, under a hash of all that a kernel is made of (`sources`, `definitions`);
`machine_code` takes kernels from the library that was installed with the package. Nothing here needs what is outside.
"""
