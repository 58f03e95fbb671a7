"""Sensors; they change nothing in what they measure."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import Pin

PotentialSensor = Model(
    description="Measures the potential phi [V] of the pin p",
    p=Pin,
    phi=Var("p.v", output=True, unit="V"),
    equations=["p.i = 0"],
)

VoltageSensor = Model(
    description="Measures the voltage v [V] from p to n",
    p=Pin,
    n=Pin,
    v=Var("p.v - n.v", output=True, unit="V"),
    equations=["p.i = 0", "n.i = 0"],
)

CurrentSensor = Model(
    description="Measures the current i [A] from p to n",
    p=Pin,
    n=Pin,
    i=Var("p.i", output=True, unit="A"),
    equations=["p.v = n.v", "0 = p.i + n.i"],
)

PowerSensor = Model(
    description="Measures the power [W]: current from pc to nc times voltage from pv to nv",
    pc=Pin,
    nc=Pin,
    pv=Pin,
    nv=Pin,
    power=Var("pc.i*(pv.v - nv.v)", output=True, unit="W"),
    equations=["pc.v = nc.v", "0 = pc.i + nc.i", "pv.i = 0", "nv.i = 0"],
)

MultiSensor = Model(
    description="Measures the current i [A] from pc to nc, the voltage v [V] from pv to nv and their product, the power [W]",
    pc=Pin,
    nc=Pin,
    pv=Pin,
    nv=Pin,
    i=Var("pc.i", output=True, unit="A"),
    v=Var("pv.v - nv.v", output=True, unit="V"),
    power=Var("v*i", output=True, unit="W"),
    equations=["pc.v = nc.v", "0 = pc.i + nc.i", "pv.i = 0", "nv.i = 0"],
)
