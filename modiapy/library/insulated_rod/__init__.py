"""Heat conduction in a rod whose volumes become narrower where the temperature is steep, while the simulation runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...model.model import Model
from ..heat_transfer import HeatPort

if TYPE_CHECKING:
    from .component import Rod

__all__ = ["InsulatedRod"]


def _rod(scope: Any) -> Rod:
    from .component import Rod

    return Rod(scope)


InsulatedRod = Model(
    description="Heat conduction in a rod of the given length [m] and area [m2] whose surface is insulated, in n volumes;"
    " conductivity [W/(m.K)], density [kg/m3], specific_heat [J/(kg.K)], T_start [K] (a number, or a vector of means over equal"
    " parts). A volume is halved up to max_level times when the temperature over it differs by more than refine_above [K], and"
    " both halves are merged when it differs by less than coarsen_below over both; event indicators watch that, or, with"
    " check_period [s] above 0, it is checked periodically.",
    length=1.0,
    area=1e-4,
    conductivity=400.0,
    density=8960.0,
    specific_heat=385.0,
    T_start=293.15,
    n=20,
    max_level=0,
    refine_above=5.0,
    coarsen_below="0.4*refine_above",
    check_period=0.0,
    port_a=HeatPort,
    port_b=HeatPort,
    _component=_rod,
)
