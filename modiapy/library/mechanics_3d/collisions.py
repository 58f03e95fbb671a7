"""Hard collisions: the velocities of all parts jump at one event (thesis, chapter 8).

The three impulses of the thesis (impact, friction, correction), which follow each other by nanoseconds there, are one here.
"""

from __future__ import annotations

from ...model.array import Array
from ...model.control import If
from ...model.model import Map, Model, Par, Var
from ...model.when import Assert, When
from ..bond_graphs.impulses import REFUSED
from .interfaces import SIZE, Frame, impulse, vector

_LAW = [
    "F = P[0]*normal + P[1]*tangent + P[2]*lateral",
    "frame_a.F = F",
    "frame_b.F = -F",
    "frame_a.T = frame_a.P.R@cross(r_a, F)",
    "frame_b.T = -frame_b.P.R@cross(r_b, F)",
    "du = frame_b.dv + cross(transpose(frame_b.P.R)@frame_b.dw, r_b)"
    " - (frame_a.dv + cross(transpose(frame_a.P.R)@frame_a.dw, r_a))",
    "0 = (dot(normal, du) + (1 + elasticity)*dot(normal, u) if hit else P[0])",
    "slides = mu_R <= 0 or speed > s_small and mu_R*P[0]*speed - norm(P[1:])*speed < mu_R*P[0]*(speed + dot(tangent, du))",
    "0 = (speed + dot(tangent, du) if hit and not slides else P[1] + (mu_R*P[0] if hit and speed > s_small else 0))",
    "0 = (dot(lateral, du) if hit and not slides else P[2])",
    Assert("not initial() or distance > -1e-8", "the surfaces overlap at the beginning"),
    When("hit", ["F_last = F", "collisions = pre(collisions) + 1"]),
]
"""Newton's law of restitution along the normal. Friction along the surfaces is mu_R times the normal impulse against the slip,
or what ends the slip if that is less.
"""

_Collision = Model(
    elasticity=Par(1.0, min=0, max=1),
    mu_R=Par(0.0, min=0),
    s_small=1e-4,
    n_impulse=SIZE,
    frame_a=Frame,
    frame_b=Frame,
    distance=Var(unit="m", description="of both surfaces; negative where they overlap"),
    normal=vector(description="unit vector from a to b, in the world"),
    r_a=vector("m", description="from frame_a to the point of contact, in the world"),
    r_b=vector("m", description="from frame_b to the point of contact, in the world"),
    u=vector("m/s", description="velocity of b relative to a in the point of contact"),
    slip=vector("m/s", description="its part along the surfaces"),
    speed=Var("norm(slip)", unit="m/s", description="speed of the slip"),
    other=vector(description="a direction that is not the normal"),
    tangent=vector(description="direction of the slip, or any direction along the surfaces"),
    lateral=vector(description="third direction"),
    touching=Var("distance < 0", type="Boolean", init=False),
    approaching=Var("touching and noEvent(dot(normal, u) < 0)", type="Boolean", init=False),
    hit=Var("edge(approaching)", type="Boolean", init=False, description="true at the event of a collision"),
    slides=Var(type="Boolean", init=False, description="the surfaces still slide after a collision; otherwise they hold"),
    P=impulse("N.s", description="impulse on frame_b along the normal, the tangent and the third direction"),
    F=impulse("N.s", description="impulse on frame_b, in the world"),
    du=impulse("m/s", description="jump of u"),
    F_last=Var(init=[0.0, 0.0, 0.0], unit="N.s", description="impulse on frame_b of the last collision, in the world"),
    collisions=Var(type="Integer", init=0, description="number of collisions so far"),
    equations=[
        "u = frame_b.P.v + cross(transpose(frame_b.P.R)@frame_b.P.w, r_b)"
        " - (frame_a.P.v + cross(transpose(frame_a.P.R)@frame_a.P.w, r_a))",
        "slip = u - dot(normal, u)*normal",
        "other = noEvent(cross(normal, [0, 1, 0] if abs(normal[0]) > 0.6 else [1, 0, 0]))",
        "tangent = noEvent(slip/speed if speed > s_small else other/norm(other))",
        "lateral = cross(normal, tangent)",
        "frame_a.f = [0, 0, 0]",
        "frame_a.t = [0, 0, 0]",
        "frame_b.f = [0, 0, 0]",
        "frame_b.t = [0, 0, 0]",
        If("n_impulse > 0", _LAW, otherwise=["slides = False", "F_last = [0, 0, 0]", "collisions = 0", REFUSED]),
    ],
)

_OF_LAW = (
    " The elasticity is the ratio of the speeds after and before, mu_R the coefficient of friction; slip slower than s_small"
    " [m/s] ends. F_last is the impulse [N.s] of the last collision on frame_b, in the world."
)

CollisionSphereSphere = _Collision | Model(
    description="Collision of two spheres of radii ra, rb [m] about both frames." + _OF_LAW,
    ra=1.0,
    rb=1.0,
    d=Var("frame_b.P.x - frame_a.P.x", shape=3, elements=True, unit="m"),
    equations=["normal = d/norm(d)", "distance = norm(d) - ra - rb", "r_a = ra*normal", "r_b = -rb*normal"],
)

CollisionSpherePlane = _Collision | Model(
    description="Collision of a sphere of radius ra [m] about frame_a with the plane through frame_b whose normal is Nb, in"
    " frame_b." + _OF_LAW,
    ra=1.0,
    Nb=[0, 1, 0],
    equations=[
        "normal = -transpose(frame_b.P.R)@(Nb/norm(Nb))",
        "distance = dot(normal, frame_b.P.x - frame_a.P.x) - ra",
        "r_a = ra*normal",
        "r_b = frame_a.P.x + r_a - frame_b.P.x",
    ],
)

EnergyInjection = Model(
    description="Impulse on frame_a along n, in the frame, when the input u becomes true. The energy of all parts grows by E"
    " [J].",
    n=[1, 0, 0],
    E=1.0,
    n_impulse=SIZE,
    frame_a=Frame,
    u=Var(type="Boolean", input=True),
    hit=Var("edge(u)", type="Boolean", init=False),
    backwards=Var(type="Boolean", init=False, description="the frame moved against n when u became true"),
    direction=Var("transpose(frame_a.P.R)@(n/norm(n))", shape=3, elements=True, description="n in the world"),
    P=impulse("N.s", description="impulse along n; its other elements are zero"),
    equations=[
        "frame_a.f = [0, 0, 0]",
        "frame_a.t = [0, 0, 0]",
        If(
            "n_impulse > 0",
            [
                "frame_a.F = -P[0]*direction",
                "frame_a.T = 0*P",
                "0 = (P[0]*dot(direction, frame_a.P.v + frame_a.dv/2) - E if hit else P[0])",
                When("hit", ["backwards = noEvent(dot(direction, frame_a.P.v) < -1e-9)"]),
                Assert(
                    "not backwards",
                    "energy is injected against the motion, so that its impulse is not the only one possible",
                ),
                "0 = P[1]",
                "0 = P[2]",
            ],
            otherwise=["backwards = False", REFUSED],
        ),
    ],
)


def CollisionPool(n: int) -> Model:
    """Return a pool of n spheres of which any two may collide; connect ``frames[k]`` with their frames.

    Args:
        n: number of spheres, 1 or more.
    """
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    law = {"elasticity": "elasticity", "mu_R": "mu_R"}
    return Model(
        description="Pool of spheres of the given radius [m], a list, of which any two may collide" + _OF_LAW,
        radius=[1.0] * n,
        elasticity=Par(1.0, min=0, max=1),
        mu_R=Par(0.0, min=0),
        frames=Array(n, Frame),
        **{f"pair{i}_{j}": CollisionSphereSphere | Map(ra=f"radius[{i}]", rb=f"radius[{j}]", **law) for i, j in pairs},
        connect=[(f"frames[{k}]", f"pair{i}_{j}.{end}") for i, j in pairs for k, end in ((i, "frame_a"), (j, "frame_b"))],
    )
