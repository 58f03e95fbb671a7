"""Walls, rods and bodies (thesis, 7.2.4)."""

from __future__ import annotations

from ...model.control import If
from ...model.model import Map, Model, Par, Var
from ..bond_graphs import IF, J1, MGY, I, Sf, mSe
from .free_motion import PotentialFBM
from .interfaces import Frame, OneFrame, ToBonds
from .links import Shifted, Turned
from .orientation import PlanarRotation

Fixed = OneFrame | Model(
    description="Wall: a frame at r [m], parallel to the world",
    r=[0.0, 0.0, 0.0],
    velocity=Sf | Map(n=3, f0=0.0),
    angular_velocity=Sf | Map(n=3, f0=0.0),
    equations=["Connections.root(frame_b.P)", "frame_b.P.x = r", "frame_b.P.R = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"],
    connect=[("velocity.b", "to_b.translation"), ("angular_velocity.b", "to_b.rotation")],
)

FixedTranslation = Shifted | Model(
    description="Rod without mass: frame_b at the point r [m] of frame_a, parallel to it", r=[1.0, 0, 0]
)

FixedRotation = Turned | Model(
    description="frame_b is turned by angle [deg] about n relative to frame_a",
    n=Par([1, 0, 0], structural=True),
    e=Par("n/norm(n)", structural=True),
    angle=0.0,
    planar=PlanarRotation | Map(e="e", phi=Var("angle*pi/180")),
    equations=["R_rel = planar.R"],
    connect=[("turn.b", "to_b.rotation")],
)

MASS_PROPERTIES = {"m": 1.0, "I_11": 0.001, "I_22": 0.001, "I_33": 0.001, "I_21": 0.0, "I_31": 0.0, "I_32": 0.0}
"""Mass [kg] and elements of the inertia tensor [kg.m2] about the centre of mass, with the values that they have by default."""

SimpleBody = Model(
    description="Body of mass m [kg] and inertia tensor I_11, I_22, ... [kg.m2] about its centre of mass, frame_a, without a"
    " motion of its own: something else determines that of its frame",
    **MASS_PROPERTIES,
    inertia="[[I_11, I_21, I_31], [I_21, I_22, I_32], [I_31, I_32, I_33]]",
    frame_a=Frame,
    from_a=ToBonds,
    translation=J1 | Map(n=3, n_in=2, n_out=1),
    rotation=J1 | Map(n=3, n_in=1, n_out=2),
    mass=I | Map(n=3, I="m", sets_flow=False),
    tensor=IF | Map(n=3, I="inertia", sets_flow=False),
    gyrator=MGY | Map(I="inertia"),
    gravity=mSe | Map(n=3),
    equations=[
        If(
            "world3D.gravity_type == 'uniform'",
            ["gravity.s = m*world3D.g*world3D.n/norm(world3D.n)"],
            elseif=[("world3D.gravity_type == 'point'", ["gravity.s = -m*world3D.mue*frame_a.P.x/norm(frame_a.P.x)**3"])],
            otherwise=["gravity.s = [0, 0, 0]"],
        )
    ],
    connect=[
        ("frame_a", "from_a.frame"),
        ("from_a.translation", "translation.a[0]"),
        ("gravity.b", "translation.a[1]"),
        ("translation.b[0]", "mass.a"),
        ("from_a.rotation", "rotation.a[0]"),
        ("rotation.b[0]", "tensor.a"),
        ("rotation.b[1]", "gyrator.a"),
    ],
)

Body = SimpleBody | Model(
    description="Body of mass m [kg] and inertia tensor I_11, I_22, ... [kg.m2] about its centre of mass, frame_a. Where"
    " nothing else is the root of its tree of frames it moves freely: x_start [m], v_start [m/s], phi_start [deg], w_start"
    " [deg/s], use_quaternions and sequence_angles are those of FreeBodyMovement.",
    x_start=[0.0, 0.0, 0.0],
    v_start=[0.0, 0.0, 0.0],
    phi_start=[0.0, 0.0, 0.0],
    w_start=[0.0, 0.0, 0.0],
    use_quaternions=True,
    sequence_angles=[1, 2, 3],
    motion=PotentialFBM
    | Map(
        x_start="x_start",
        v_start="v_start",
        phi_start="phi_start",
        w_start="w_start",
        use_quaternions="use_quaternions",
        sequence_angles="sequence_angles",
    ),
    connect=[("motion.frame_b", "frame_a")],
)

BodyShape = Model(
    description="Rod of the vector r [m] from frame_a to frame_b with the mass m [kg] and the inertia tensor I_11, I_22, ..."
    " [kg.m2] about its centre of mass r_cm [m], all resolved in frame_a. It moves freely where nothing else is the root of"
    " its tree.",
    r=[1.0, 0.0, 0.0],
    r_cm="r/2",
    **MASS_PROPERTIES,
    frame_a=Frame,
    frame_b=Frame,
    to_b=FixedTranslation | Map(r="r"),
    to_cm=FixedTranslation | Map(r="r_cm"),
    body=Body | Map(**{name: name for name in MASS_PROPERTIES}),
    connect=[("frame_a", "to_b.frame_a", "to_cm.frame_a"), ("to_b.frame_b", "frame_b"), ("to_cm.frame_b", "body.frame_a")],
)
