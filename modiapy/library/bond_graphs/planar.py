"""Transformers and positions of planar mechanics: bonds of size 3 with the forces along x and y and the torque as efforts.

Positive angles turn clockwise, from y to x, as in MultiBondLib's PlanarMechanics.AdditionalMBG.
"""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import with_impulses
from .ports import TwoDiffPort, TwoPort

_PHI = Var(input=True, unit="rad", description="angle of the body")
_AMPL = Var(input=True, start=1.0, description="factor of the vector d; 1 if nothing is connected")
_TURNED = {"x": "(cos({0})*d[0] + sin({0})*d[1])", "y": "(-sin({0})*d[0] + cos({0})*d[1])"}
_X, _Y = (text.format("phi") for text in _TURNED.values())

prismaticTF = TwoDiffPort | Model(
    description="Transformer of a sliding joint along the direction d of a body that is turned by the input phi [rad]: from the"
    " speed along it (size 1) to the velocity (size 2)",
    n_a=1,
    n_b=2,
    d=[1.0, 0.0],
    phi=_PHI,
    equations=with_impulses(f"f2 = [{_X}*f1[0], {_Y}*f1[0]]", f"[e1[0]] = [{_X}*e2[0] + {_Y}*e2[1]]"),
)

translationalTF = TwoPort | Model(
    description="Transformer of a shift by ampl*d [m] in a body that is turned by the input phi [rad]; ampl is an input, 1 by"
    " default",
    n=3,
    d=[1.0, 0.0],
    phi=_PHI,
    ampl=_AMPL,
    x=Var(f"{_X}*ampl", unit="m", description="shift along x"),
    y=Var(f"{_Y}*ampl", unit="m", description="shift along y"),
    equations=with_impulses("f2 = [f1[0] + y*f1[2], f1[1] - x*f1[2], f1[2]]", "e1 = [e2[0], e2[1], e2[2] + y*e2[0] - x*e2[1]]"),
)

Translation = Model(
    description="Position q2 [m, m, rad] of a frame that is shifted by ampl*d in the frame q1 and turned by phi; ampl is 1 by"
    " default, phi 0",
    d=[1.0, 0.0],
    q1=Var(input=True, shape=3),
    ampl=_AMPL,
    phi=Var(input=True, start=0.0, unit="rad"),
    q2=Var(output=True, shape=3),
    equations=[f"q2 = [q1[0] + {_TURNED['x'].format('q1[2]')}*ampl, q1[1] + {_TURNED['y'].format('q1[2]')}*ampl, q1[2] + phi]"],
)
