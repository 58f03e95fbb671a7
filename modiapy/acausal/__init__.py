"""Names for writers of predefined acausal components; docs/components.md is the guide.

The names for kernels need numba, which is imported when one of them is first used.
"""

from __future__ import annotations

from ..model.lazy_exports import lazy_exports

_MODULES = {
    "model.errors": ("Reason",),
    "acausal.abilities": (
        "Assembles", "Equations", "Jumps", "KnowsEquations", "NamesSignals", "Notes", "OffersViews", "Saves", "StoresSignals",
        "Waits",
    ),
    "acausal.calls": ("call_equation", "kernel_address"),
    "acausal.protocol": (
        "CONTEXT", "CONTEXT_SLOTS", "STATUS_OK", "AcausalComponent", "CallEquation", "ComponentFunction", "ComponentRun",
        "ComponentScope", "Mode", "Slot",
    ),
    "acausal.segment": (
        "Poses", "SegmentChange", "SegmentLayout", "SegmentStart", "SignalReader", "Sparsity", "StateIndex",
        "StateProjection", "Trajectory",
    ),
    "acausal.native": (
        "COMPONENT_SIGNATURE", "PROJECTION_SIGNATURE", "cfunc", "component_function", "float64_array", "int32_array",
        "int64_array", "njit",
    ),
}  # fmt: skip
HOMES = {name: f"modiapy.{module}" for module, names in _MODULES.items() for name in names}
"""Module of each name."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
