"""Layouts of the memory of the engine's machine code: of the context, of signals, of what results need.

A layout (`modiapy.acausal.memory_layout`) is written once; allocation, the words with sizes and addresses, and the named
tuples that kernels see (`accessors.py`) follow. What is new to a segment gets a line in `context.SEGMENT`, or in
`context.WORKING` if it changes within.
"""
