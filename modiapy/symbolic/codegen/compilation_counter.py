"""Counter of the machine code that this thread generated, by our code generator and by numba. A cached one does not count."""

from __future__ import annotations

from threading import local

from ...acausal.disk.kernel_cache import numba_compilations


class _Emitted(local):
    """Number of object files that a thread has generated."""

    number = 0


_emitted = _Emitted()


def count_emission() -> None:
    """Count an object file that is generated."""
    _emitted.number += 1


def compilations() -> int:
    """Number of compilations in this thread until now; the difference of two calls says how many happened in between."""
    return _emitted.number + numba_compilations()
