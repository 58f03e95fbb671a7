"""Masses, rods, springs, dampers and gaps."""

from __future__ import annotations

from ...model.model import Model, Var
from .. import rotational
from .counterparts import counterpart
from .interfaces import CompliantWithSpeed, Rigid

Mass = Rigid | Model(
    description="Sliding mass m [kg] of length L [m]; m*a is the sum of the forces of both flanges",
    m=1.0,
    v=Var(start=0.0, unit="m/s", description="velocity"),
    a=Var(unit="m/s2", description="acceleration"),
    equations=["v = der(s)", "a = der(v)", "m*a = flange_a.f + flange_b.f"],
)

Rod = Rigid | Model(description="Rigid rod of length L [m] without mass", equations=["0 = flange_a.f + flange_b.f"])

Spring = counterpart(rotational.Spring) | Model(description="Linear spring with constant c [N/m], unstretched at s_rel0 [m]")

Damper = counterpart(rotational.Damper) | Model(description="Linear damper with constant d [N.s/m]")

SpringDamper = counterpart(rotational.SpringDamper) | Model(
    description="Linear spring c [N/m] and damper d [N.s/m] in parallel, unstretched at s_rel0 [m]"
)

ElastoGap = CompliantWithSpeed | Model(
    description="Contact that only pushes: below s_rel0 [m] a spring c*|s_rel - s_rel0|**n and a damper d [N.s/m] whose force"
    " is at most that of the spring; above it nothing. contact is 1 below s_rel0, else 0",
    c=1.0,
    d=1.0,
    s_rel0=0.0,
    n=1.0,
    contact=Var("1 if s_rel < s_rel0 else 0"),
    f_c=Var(unit="N", description="force of the spring"),
    f_d=Var(unit="N", description="force of the damper"),
    loss_power=Var("f_d*v_rel", unit="W", description="heat"),
    equations=[
        "f_c = -c*noEvent(abs(s_rel - s_rel0))**n if s_rel < s_rel0 else 0",
        "f_d = noEvent(min(max(d*v_rel, f_c), -f_c))",
        "f = f_c + f_d",
    ],
)

IdealGear = counterpart(rotational.IdealGear) | Model(
    description="Ideal gear without mass: flange_a moves ratio times as fast as flange_b"
)

IdealGearWithSupport = counterpart(rotational.IdealGearWithSupport) | Model(
    description="IdealGear whose housing is the flange support"
)

_LEVER = "ratio: position of flange_a per position of flange_b. Above 1 flange_b, below 0 the support lies between the others."

IdealLever = IdealGear | Model(description="Ideal lever without mass; " + _LEVER)

IdealLeverWithSupport = IdealGearWithSupport | Model(description="IdealLever that turns about the flange support; " + _LEVER)

Fixed = counterpart(rotational.Fixed) | Model(description="Flange fixed at the position s0 [m]")

RelativeStates = counterpart(rotational.RelativeStates) | Model(
    description="The distance s_rel and the velocity v_rel between both flanges are wanted as states"
)
