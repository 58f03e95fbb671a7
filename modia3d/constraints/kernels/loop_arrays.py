"""The memory of closed loops as kernels see it."""

from __future__ import annotations

from modiapy.acausal.native_layout import record

from ..tables.loop_layout import LOOPS

loop_arrays = record(LOOPS)
"""(address) -> the fields of `LOOPS` there."""
