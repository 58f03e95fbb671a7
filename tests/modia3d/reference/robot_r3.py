"""The robot of `Modelica.Mechanics.MultiBody.Examples.Systems.RobotR3` (MSL 4.0): path, controllers, motors, gears, mechanics.

All figures are those of the Modelica Standard Library, which has them from M. Otter, *Objektorientierte Modellierung
mechatronischer Systeme am Beispiel geregelter Roboter* (1995).
"""

import math

from modia3d import Box, MassProperties, Model3D, Object3D, RevoluteWithFlange, Scene, Solid, UniformGravity
from modiapy import Map, Model, Var, When
from modiapy.library.blocks import PI, Add3, Feedback, Gain
from modiapy.library.electric import (
    Capacitor,
    CurrentSensor,
    Ground,
    IdealOpAmp,
    Inductor,
    Resistor,
    RotationalEMF,
    SignalVoltage,
)
from modiapy.library.paths import ptp_duration, ptp_path
from modiapy.library.rotational import BearingFriction, Flange, IdealGear, Inertia, SpringDamper

Controller = Model(
    description="Cascade of a P controller of the motor's angle and a PI controller of its speed.",
    kp=5.0,
    ks=0.5,
    Ts=0.05,
    ratio=1.0,
    angle_ref=Var(input=True),
    speed_ref=Var(input=True),
    motor_angle=Var(input=True),
    motor_speed=Var(input=True),
    gain1=Gain | Map(k="ratio"),
    gain2=Gain | Map(k="ratio"),
    feedback1=Feedback,
    P=Gain | Map(k="kp"),
    add3=Add3 | Map(k3=-1.0),
    PI=PI | Map(k="ks", T="Ts", x=Map(init=None)),
    connect=[
        ("angle_ref", "gain1.u"),
        ("speed_ref", "gain2.u"),
        ("gain1.y", "feedback1.u1"),
        ("motor_angle", "feedback1.u2"),
        ("feedback1.y", "P.u"),
        ("gain2.y", "add3.u1"),
        ("P.y", "add3.u2"),
        ("motor_speed", "add3.u3"),
        ("add3.y", "PI.u"),
    ],
)

Motor = Model(
    description="Motor with the circuit that controls its current; it begins in a steady state.",
    J=0.0013,
    k=1.1616,
    w=4590.0,
    D=0.6,
    current_ref=Var(input=True),
    flange=Flange,
    Vs=SignalVoltage,
    hall1=CurrentSensor,
    hall2=SignalVoltage,
    diff=IdealOpAmp,
    OpI=IdealOpAmp,
    power=IdealOpAmp,
    Rd1=Resistor | Map(R=100.0),
    Rd2=Resistor | Map(R=100.0),
    Rd3=Resistor | Map(R=100.0),
    Rd4=Resistor | Map(R=100.0),
    Ri=Resistor | Map(R=10.0),
    C=Capacitor | Map(C="0.004*D/w"),
    Rp1=Resistor | Map(R=200.0),
    Rp2=Resistor | Map(R=50.0),
    Ra=Resistor | Map(R=250.0),
    La=Inductor | Map(L="250/(2*D*w)"),
    emf=RotationalEMF | Map(k="k"),
    Jmotor=Inertia | Map(J="J"),
    g=Ground,
    initial_equations=["der(C.v) = 0", "der(La.i) = 0"],
    connect=[
        ("current_ref", "Vs.v"),
        ("hall1.i", "hall2.v"),
        ("Vs.p", "Rd2.p"),
        ("Rd2.n", "diff.n1", "Rd1.p"),
        ("Rd1.n", "diff.p2", "Ri.p"),
        ("hall2.p", "Rd3.p"),
        ("Rd3.n", "diff.p1", "Rd4.p"),
        ("Ri.n", "OpI.n1", "C.p"),
        ("C.n", "OpI.p2", "power.p1"),
        ("power.n1", "Rp1.p", "Rp2.p"),
        ("power.p2", "Rp1.n", "Ra.p"),
        ("Ra.n", "La.p"),
        ("La.n", "emf.p"),
        ("emf.n", "hall1.p"),
        ("Vs.n", "hall2.n", "Rd4.n", "OpI.p1", "diff.n2", "OpI.n2", "power.n2", "Rp2.n", "hall1.n", "g.p"),
        ("emf.flange", "Jmotor.flange_a"),
        ("Jmotor.flange_b", "flange"),
    ],
)

_Gear = Model(
    ratio=-105.0,
    Rv0=0.4,
    Rv1=0.13 / 160.0,
    flange_a=Flange,
    flange_b=Flange,
    gear=IdealGear | Map(ratio="ratio"),
    bearing=BearingFriction | Map(tau_pos="[[0, Rv0], [1, Rv0 + Rv1]]"),
)

GearType1 = _Gear | Model(
    description="Elastic gear with friction on the side of the motor; it begins without motion of the spring.",
    c=43.0,
    d=0.005,
    spring=SpringDamper | Map(c="c", d="d"),
    a_rel=Var("der(spring.w_rel)"),
    initial_equations=["spring.w_rel = 0", "a_rel = 0"],
    connect=[
        ("flange_a", "bearing.flange_a"),
        ("bearing.flange_b", "spring.flange_a"),
        ("spring.flange_b", "gear.flange_a"),
        ("gear.flange_b", "flange_b"),
    ],
)

GearType2 = _Gear | Model(
    description="Rigid gear with friction on the side of the arm. peak: static over sliding friction.",
    peak=1.0,
    bearing=Map(peak="peak"),
    connect=[("flange_a", "gear.flange_a"), ("gear.flange_b", "bearing.flange_a"), ("bearing.flange_b", "flange_b")],
)

_Axis = Model(
    angle_ref=Var(input=True),
    speed_ref=Var(input=True),
    flange=Flange,
    controller=Controller,
    motor=Motor,
    connect=[
        ("angle_ref", "controller.angle_ref"),
        ("speed_ref", "controller.speed_ref"),
        ("controller.PI.y", "motor.current_ref"),
        ("motor.flange", "gear.flange_a"),
        ("gear.flange_b", "flange"),
    ],
    equations=["controller.motor_angle = motor.Jmotor.phi", "controller.motor_speed = motor.Jmotor.w"],
)


def axis1(ratio: float, w: float, c: float, cd: float, Rv0: float, Rv1: float) -> Model:
    """The drive of one of the first three joints (`AxisType1`)."""
    gear = GearType1 | Map(ratio=ratio, c=c, d=cd, Rv0=Rv0, Rv1=Rv1)
    return _Axis | Model(gear=gear, controller=Map(ratio=ratio), motor=Map(w=w))


def axis2(ratio: float, k: float, w: float, D: float, J: float, Rv0: float, Rv1: float, peak: float) -> Model:
    """The drive of one of the last three joints (`AxisType2`)."""
    gear = GearType2 | Map(ratio=ratio, Rv0=Rv0, Rv1=Rv1, peak=peak / Rv0)
    return _Axis | Model(gear=gear, controller=Map(ratio=ratio), motor=Map(k=k, w=w, D=D, J=J))


AXES = (
    axis1(-105.0, 4590.0, 43.0, 0.005, 0.4, 0.13 / 160.0),
    axis1(210.0, 5500.0, 8.0, 0.01, 0.5, 0.1 / 130.0),
    axis1(60.0, 5500.0, 58.0, 0.04, 0.7, 0.2 / 130.0),
    axis2(-99.0, 0.2365, 6250.0, 0.55, 1.6e-4, 21.8, 9.8, 26.7),
    axis2(79.2, 0.2608, 6250.0, 0.55, 1.8e-4, 30.1, 0.03, 39.6),
    axis2(-99.0, 0.0842, 7400.0, 0.27, 4.3e-5, 10.9, 3.92, 16.8),
)

START = tuple(math.radians(x) for x in (-60, 20, 90, 0, -110, 0))
END = tuple(math.radians(x) for x in (60, -70, -35, 45, 110, 45))
LIMITS = (3.0, 1.5, 5.0, 3.1, 3.1, 4.1), (15.0, 15.0, 15.0, 60.0, 60.0, 60.0)
"""Largest speeds and accelerations of the reference motion."""


def ends(time: float) -> When:
    """`terminateSimulation` of the path planning."""
    return When(f"time >= {time!r}", ["terminate('end condition reached')"])


def one_axis() -> Model:
    """`RobotR3.OneAxis`: the second axis with an inertia in the place of the arm."""
    start, end, limits = [0.0], [math.radians(120.0)], ([3.0], [10.0])
    return Model(
        path=ptp_path(["axis"], [start, end], *limits),
        axis=AXES[1],
        load=Inertia | Map(J=1.3 * 15.0, phi=Var(init=0.0), w=Var(init=0.0)),
        initial_equations=["der(load.w) = 0"],
        connect=[
            ("path.axis.position", "axis.angle_ref"),
            ("path.axis.velocity", "axis.speed_ref"),
            ("axis.flange", "load.flange_a"),
        ],
        equations=[ends(ptp_duration(start, end, *limits) + 0.5)],
    )


def _link(m: float, r_CM: tuple[float, ...] = (0.0, 0.0, 0.0), I: tuple[float, ...] = (0.0,) * 4, **fields) -> Object3D:
    """A body with the inertia ``I`` = (I_11, I_22, I_33, I_21) about its centre of mass."""
    return Object3D(feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=MassProperties(m, r_CM, *I)), **fields)


LENGTHS = ((0, 0.351, 0), (0, 0.324, 0.3), (0, 0.65, 0), (0, 0.414, -0.155), (0, 0.186, 0), (0, 0.125, 0))
"""From each joint to the next [m]; the first from the ground."""

ROTATIONS = ("y", "x", "x", "y", "x", "y")


def mechanics(start: tuple[float, ...] = START) -> Model3D:
    """`MechanicalStructure` with the load of `FullRobot`: 15 kg at (0.1, 0.25, 0.1) m from the last flange."""
    links = {
        "b1": _link(1.0, I=(0.58, 1.16, 0.58, 0.0)),  # I_11 and I_33, of which it feels nothing, are zero there
        "b2": _link(56.5, (0.172, 0.205, 0.0), (2.58, 0.64, 2.73, -0.46)),
        "b3": _link(26.4, (0.064, -0.034, 0.0), (0.279, 0.245, 0.413, -0.070)),
        "b4": _link(28.7, I=(1.67, 0.081, 1.67, 0.0)),
        "b5": _link(5.2, I=(1.25, 0.81, 1.53, 0.0)),
        "b6": _link(0.5, (0.05, 0.05, 0.05)),
    }
    ends = {f"e{k}": Object3D(parent=f"b{k}" if k else "world", translation=r) for k, r in enumerate(LENGTHS)}
    joints = {
        f"r{k + 1}": RevoluteWithFlange(f"e{k}", f"b{k + 1}", axis, phi=Var(init=start[k]), w=Var(init=0.0))
        for k, axis in enumerate(ROTATIONS)
    }
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(9.81, "-y"))),
        load=_link(15.0, parent="b6", translation=(0.1, 0.25, 0.1)),
        **links,
        **ends,
        **joints,
    )


def full_robot() -> Model:
    """`RobotR3.FullRobot`: it begins at rest, and ends half a second after its path."""
    names = [f"q{k}" for k in range(1, 7)]
    connect = []
    for k in range(1, 7):
        connect += [
            (f"path.q{k}.position", f"axis{k}.angle_ref"),
            (f"path.q{k}.velocity", f"axis{k}.speed_ref"),
            (f"axis{k}.flange", f"r{k}.flange"),
        ]
    return mechanics() | Model(
        path=ptp_path(names, [START, END], *LIMITS),
        **{f"axis{k}": axis for k, axis in enumerate(AXES, 1)},
        initial_equations=[f"der(r{k}.w) = 0" for k in range(1, 7)],
        connect=connect,
        equations=[ends(ptp_duration(START, END, *LIMITS) + 0.5)],
    )
