"""Names of earlier versions, which still work, with a warning; light to import."""

from __future__ import annotations

from collections.abc import Mapping

_TAKEN = {
    "celsius": ("blocks.SISO", "heat_transfer.HeatPort"),
    "drives": ("blocks.PI", *(f"rotational.{name}" for name in ("Flange", "IdealGear", "Inertia", "SpringDamper", "Torque"))),
    "insulated_rod": ("heat_transfer.HeatPort",),
}
"""Models that libraries took from others, and offered to scenarios under their own name."""

RENAMED: Mapping[str, tuple[str, str, str]] = {
    old: (new, "0.1.0", "0.2.0")
    for old, new in {
        "Spring": "SpringShape",
        **{f"{library}.{new.partition('.')[2]}": new for library, models in _TAKEN.items() for new in models},
    }.items()
}
"""Old name of this package or of scenarios -> the new one, the versions in which it was renamed and in which it goes away."""
