"""Names for writers of predefined acausal components; docs/components.md is the guide.

The names for kernels need numba, which is imported when one of them is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.errors import Reason
from .abilities import Assembles, Equations, Jumps, KnowsEquations, NamesSignals, Notes, Saves, StoresSignals, Waits
from .calls import call_equation, kernel_address
from .protocol import (
    CONTEXT,
    CONTEXT_SLOTS,
    STATUS_OK,
    AcausalComponent,
    CallEquation,
    ComponentFunction,
    ComponentRun,
    ComponentScope,
    Mode,
    Slot,
)
from .segment import Poses, Read, SegmentChange, SegmentLayout, SegmentStart, Sparsity, StateIndex, StateProjection, Trajectory

if TYPE_CHECKING:
    from .native import COMPONENT_SIGNATURE, PROJECTION_SIGNATURE, float64_array, int32_array, int64_array

__all__ = [
    "COMPONENT_SIGNATURE",
    "CONTEXT",
    "CONTEXT_SLOTS",
    "PROJECTION_SIGNATURE",
    "STATUS_OK",
    "AcausalComponent",
    "Assembles",
    "CallEquation",
    "ComponentFunction",
    "ComponentRun",
    "ComponentScope",
    "Equations",
    "Jumps",
    "KnowsEquations",
    "Mode",
    "NamesSignals",
    "Notes",
    "Poses",
    "Read",
    "Reason",
    "Saves",
    "SegmentChange",
    "SegmentLayout",
    "SegmentStart",
    "Slot",
    "Sparsity",
    "StateIndex",
    "StateProjection",
    "StoresSignals",
    "Trajectory",
    "Waits",
    "call_equation",
    "float64_array",
    "int32_array",
    "int64_array",
    "kernel_address",
]

if not TYPE_CHECKING:  # to a type checker any name would be there

    def __getattr__(name: str) -> Any:
        if name in ("COMPONENT_SIGNATURE", "PROJECTION_SIGNATURE", "float64_array", "int32_array", "int64_array"):
            from . import native

            return getattr(native, name)
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
