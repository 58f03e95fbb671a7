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
    frame=Frame,
    to_frame=FromBonds,
    source=mSe | Map(n=3),
    torque=Se | Map(n=3, e0=0.0),
    force=vector("N"),
    equations=["source.s = force"],
    connect=[("to_frame.frame", "frame"), ("source.b", "to_frame.translation"), ("torque.b", "to_frame.rotation")],
)


def GravityPool(n: int) -> Model:
    """Return a pool of ``n`` point masses that attract each other after Newton, each in proportion to the masses ``mass`` [kg].

    Connect ``body[k].frame`` with the frame of the body k; the body brings its inertia itself.
    """
    forces = []
    for k in range(n):
        pulls = [
            f"mass[{j}]*(body[{j}].frame.P.x - body[{k}].frame.P.x)/norm(body[{j}].frame.P.x - body[{k}].frame.P.x)**3"
            for j in range(n)
            if j != k
        ]
        forces.append(f"body[{k}].force = G*mass[{k}]*({' + '.join(pulls)})" if pulls else f"body[{k}].force = [0, 0, 0]")
    return Model(
        description="Pool of n bodies of the masses mass [kg] that attract each other; G [m3/(kg.s2)] is Newton's constant",
        G=6.6743e-11,
        mass=[1.0] * n,
        body=Array(n, _Attracted),
        equations=forces,
    )
