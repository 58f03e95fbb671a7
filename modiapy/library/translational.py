"""One-dimensional translational mechanics.

Conventions of Modelica.Mechanics.Translational: a cut force ``f`` is positive when it acts on the component, along its axis; SI
units.
"""

from __future__ import annotations

from ..model.model import Model, Var

Flange = Model(
    description="Mechanical flange of a sliding part",
    s=Var(potential=True, unit="m", description="absolute position"),
    f=Var(flow=True, unit="N", description="cut force"),
)

Mass = Model(
    description="Sliding mass m [kg] of length L [m]; m*a is the sum of the forces of both flanges",
    m=1.0,
    L=0.0,
    flange_a=Flange,
    flange_b=Flange,
    s=Var(start=0.0, unit="m", description="position of the middle"),
    v=Var(start=0.0, unit="m/s", description="velocity"),
    a=Var(unit="m/s2", description="acceleration"),
    equations=[
        "flange_a.s = s - L/2",
        "flange_b.s = s + L/2",
        "v = der(s)",
        "a = der(v)",
        "m*a = flange_a.f + flange_b.f",
    ],
)

SpringDamper = Model(
    description="Linear spring c [N/m] and damper d [N.s/m] in parallel, unstretched at s_rel0 [m]",
    c=1.0,
    d=1.0,
    s_rel0=0.0,
    flange_a=Flange,
    flange_b=Flange,
    s_rel=Var(start=0.0, unit="m", description="position of flange_b relative to flange_a"),
    v_rel=Var(unit="m/s", description="velocity of flange_b relative to flange_a"),
    f=Var(unit="N", description="force on flange_b"),
    equations=[
        "s_rel = flange_b.s - flange_a.s",
        "v_rel = der(s_rel)",
        "f = c*(s_rel - s_rel0) + d*v_rel",
        "flange_b.f = f",
        "flange_a.f = -f",
    ],
)

Fixed = Model(
    description="Flange fixed at the position s0 [m]",
    s0=0.0,
    flange=Flange,
    equations=["flange.s = s0"],
)

Force = Model(
    description="External force f [N] that drives the flange",
    f=Var(input=True, unit="N"),
    flange=Flange,
    equations=["flange.f = -f"],
)
