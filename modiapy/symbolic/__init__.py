"""Compilation of what a user wrote to machine code, a folder for each stage.

``flattening`` -> `FlatModel` (``flat``), with events taken out by ``hybrid`` -> ``structure`` -> `SortedModel` ->
``codegen`` -> `CompiledModel`. ``terms`` and ``kernels`` are used by all, ``interpreter`` and ``analysis`` look at the
results."""
