"""Memory of a segment as the machine code of a rod sees it (plain Python, no numba)."""

from __future__ import annotations

from ...acausal.memory_layout import Layout, elsewhere, size

_n = size("n_x")

ROD = Layout(
    elsewhere("conductances", _n + 1),
    elsewhere("capacities", _n),
    elsewhere("spans", 2 * _n),
    elsewhere("thresholds", 2),
)
"""In the slots of the context that belong to the component, ``n_x`` is the number of volumes. Conductances between the centres
of neighbours and, at both ends, between port and centre [W/K]; heat capacities [J/K]. Where the grid is watched (indicators):
what a heat flow makes of the temperature over a volume [K/W], first of volumes that may be split, else 0, then of those that
may be merged with the next one, else 0; both thresholds [K]; 0 where nothing can be split, or merged: there is no indicator."""
