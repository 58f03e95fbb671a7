"""The memory of a segment as kernels see it: ``(address)`` -> named tuple of sizes and arrays."""

from __future__ import annotations

from modiapy.acausal.native import part
from modiapy.acausal.native_layout import record

from .context import ENGINE, PATHS
from .over_time import OVER_TIME
from .signal_layout import SIGNALS

segment = record(ENGINE)
reference_paths = record(PATHS)
exchanged = record(SIGNALS)
over_time = record(OVER_TIME)


@part
def time_of_functions(context):  # type: ignore[no-untyped-def]
    """Return when functions of time are evaluated [s]: what ends at an event sees them as they are before they jump there."""
    s = segment(context)
    return min(s.time, s.before[0])
