"""How often this process generated machine code, by our code generator and by numba. Loading from a cache does not count."""

from __future__ import annotations

from ...acausal.kernel_cache import numba_compilations

_emitted = 0


def count_emission() -> None:
    """To be called wherever an object file is generated."""
    global _emitted
    _emitted += 1


def compilations() -> int:
    """Number of compilations until now; the difference of two calls says how many happened in between."""
    return _emitted + numba_compilations()
