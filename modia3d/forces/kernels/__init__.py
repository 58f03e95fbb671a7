"""Kernels that all elements share: frames, laws, calls by address, massless points."""
