"""Gravity of the world, and between bodies."""

from __future__ import annotations

from ...model.array import Array
from ...model.model import Map, Model, Par
from ..bond_graphs import Se, mSe
from .interfaces import Frame, FromBonds, vector

World3D = Model(
    description="Gravity: g [m/s2] along n, both in the world; gravity_type is uniform, point (of the field constant mue"
    " [m3/s2], in the origin) or none. Bodies find it by the name world3D in the models around them",
    gravity_type=Par("uniform", choices=("uniform", "point", "none")),
    g=9.81,
    n=[0, -1, 0],
    mue=3.986e14,
)

_Attracted = Model(
    description="A body of a gravity pool: force on frame",
    mass=1.0,
    frame=Frame,
    to_frame=FromBonds,
    source=mSe | Map(n=3),
    torque=Se | Map(n=3, e0=0.0),
    force=vector("N"),
    equations=["source.s = force"],
    connect=[("to_frame.frame", "frame"), ("source.b", "to_frame.translation"), ("torque.b", "to_frame.rotation")],
)


def GravityPool(*masses: float) -> Model:
    """Return a pool of point masses that attract each other after Newton; connect ``body[k].frame`` with their frames.

    Args:
        masses: of the bodies [kg].
    """
    n = len(masses)
    forces = []
    for k in range(n):
        pulls = [
            f"G*mass[{k}]*mass[{j}]*(body[{j}].frame.P.x - body[{k}].frame.P.x)"
            f"/norm(body[{j}].frame.P.x - body[{k}].frame.P.x)**3"
            for j in range(n)
            if j != k
        ]
        forces.append(f"body[{k}].force = {' + '.join(pulls)}")
    return Model(
        description="Pool of bodies that attract each other with the gravitational constant G [m3/(kg.s2)]",
        G=6.6743e-11,
        mass=list(masses),
        body=Array(n, _Attracted),
        equations=forces,
    )
