"""Elements of bond graphs that mechanics in space needs besides the usual ones (thesis, 7.2.3)."""

from __future__ import annotations

from ...model.model import Model, Par, Var
from ..bond_graphs import TF2_flow, TwoPort, mTF2_flow, mTF_flow
from ..bond_graphs.impulses import with_impulses
from .interfaces import matrix, vector

IN_PLANE = {
    "other": "[0, 1, 0] if abs(e[0]) > 0.1 else ([0, 0, 1] if abs(e[1]) > 0.1 else [1, 0, 0])",
    "e_a": "cross(e, other)/norm(cross(e, other))",
    "e_b": "cross(e_a, e)",
}
"""Parameters of two unit vectors e_a, e_b that are orthogonal to each other and to the unit vector e."""

Lever = TwoPort | Model(
    description="Lever r [m]: the angular velocity f1 becomes the velocity f2 = cross(f1, r), the force e2 the torque e1 ="
    " cross(r, e2)",
    n=3,
    r=vector("m"),
    equations=with_impulses("f2 = cross(f1, r)", "e1 = cross(r, e2)"),
)

ToWorld = mTF_flow | Model(
    description="Transformer from a system in which R resolves vectors of the world to the world; R is orthogonal, so that no"
    " system of equations has to be solved in either direction",
    n=3,
    R=matrix(),
    M=Var("transpose(R)"),
)

AlongAxis = TF2_flow | Model(
    description="Transformer from a single bond to a bond in space along the unit vector e",
    n_a=1,
    n_b=3,
    e=Par([0, 0, 1], structural=True),
    M=Par("[[e[0]], [e[1]], [e[2]]]", structural=True),
)

AlongDirection = mTF2_flow | Model(
    description="Transformer from a single bond to a bond in space along the unit vector e that changes",
    n_a=1,
    n_b=3,
    e=vector(),
    M=Var("[[e[0]], [e[1]], [e[2]]]"),
)
