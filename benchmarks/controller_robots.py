"""The robots of `benchmarks.controller` as our models, and the laws that move them.

A law is written once, for both engines: a function of the time and of what a controller reads. Each engine has its own order of
the joints, so a law is made for an order, and nothing is permuted in a loop.
"""

from __future__ import annotations

import importlib.metadata
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from modia3d import (
    ActionAttach,
    ContactPair,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    Plane,
    RevoluteWithFlange,
    Scene,
    Solid,
    SolidMaterial,
    Sphere,
    UniformGravity,
)
from modia3d.dynamics.kinematics import body_poses
from modia3d.files import import_urdf, read_scenario
from modia3d.topology import forest_of
from modiapy import Map, Model, Var, When
from modiapy.library import rotational, translational

Array = NDArray[np.float64]
Frames = Sequence[tuple[Array, Array, Array]]
"""Of each frame that a law looks at: Jacobian (6, nv) to ``(v_WF_W, w_WF_W)``, ``p_WF_W`` (3,), ``R_WF`` (3, 3)."""
Law = Callable[[float, Array, Array, Array, Array, Frames], Array]
"""``law(t, q, v, M, h, frames)``: torques [N.m] or forces [N] of the driven joints; h is the bias with gravity. ``q`` and ``v``
begin with those of a free base."""

SAMPLE = 1e-3
"""Time between two samples of a law [s]."""
GRAVITY = 9.81
FREQUENCY = 2.0
"""Of what moves the targets [rad/s]."""
MOSAR = Path(__file__).parents[1] / "scenarios" / "mosar" / "mosar.yaml"


@dataclass(frozen=True)
class Joint:
    """A driven joint and its servo in the equations: the target is ``start + amplitude sin(FREQUENCY t)``.

    Attributes:
        start: coordinate [rad or m].
        stiffness, damping: [N.m/rad, N.m.s/rad, or N/m, N.s/m].
        amplitude: [rad or m].
        posture, calm: of the law of a hand, `Hand` [1/s2, 1/s].
    """

    start: float
    stiffness: float
    damping: float
    amplitude: float
    posture: float = 10.0
    calm: float = 5.0
    slides: bool = False


@dataclass(frozen=True)
class Ground:
    """Feet, frames with a ball of this radius [m] at their origin, on the ground z = 0."""

    feet: tuple[str, ...]
    radius: float
    friction: float = 0.8


@dataclass(frozen=True)
class Robot:
    """A robot that is controlled.

    Attributes:
        machine: the model, whose driven joints have flanges to which nothing is connected.
        joints: those that are driven.
        frames: that the law of the Python loop looks at.
        make: makes the law for an order of the joints.
        gravity: along -z [m/s2].
        base: name of its free base, if it has one.
    """

    name: str
    machine: Model
    joints: Mapping[str, Joint]
    frames: tuple[str, ...]
    make: Callable[[Robot, Sequence[str]], Law]
    gravity: float = GRAVITY
    ground: Ground | None = None
    base: tuple[str, ...] = ()

    def law(self, order: Sequence[str]) -> Law:
        """Return the law of the Python loop for an order of the joints."""
        return self.make(self, order)

    def each(self, order: Sequence[str], field: str) -> Array:
        """Return a field of the joints in an order, shape (n,)."""
        return np.array([getattr(self.joints[name], field) for name in order])

    def driven(self) -> Model:
        """Return the model with an input ``u_JOINT`` for each joint."""
        return self._with(dict.fromkeys(self.joints, Var(input=True)), [])

    def clocked(self) -> Model:
        """Return the model with its servos as equations, sampled at each `SAMPLE`."""
        laws = []
        for name, joint in self.joints.items():
            q, v = (f"{name}.s", f"{name}.v") if joint.slides else (f"{name}.phi", f"{name}.w")
            target = f"{joint.start!r} + {joint.amplitude!r}*sin({FREQUENCY!r}*time)"
            laws.append(f"u_{name} = {joint.stiffness!r}*({target} - {q}) - {joint.damping!r}*{v}")
        return self._with(dict.fromkeys(self.joints, Var()), [When(f"sample(0, {SAMPLE!r})", laws)])

    def _with(self, efforts: Mapping[str, Any], equations: list[Any]) -> Model:
        parts: dict[str, Any] = {}
        connections: list[tuple[str, str]] = []
        for name, joint in self.joints.items():
            source, effort = (translational.Force, "f") if joint.slides else (rotational.Torque, "tau")
            parts |= {f"drive_{name}": source, f"u_{name}": efforts[name]}
            connections += [(f"drive_{name}.flange", f"{name}.flange"), (f"u_{name}", f"drive_{name}.{effort}")]
        return self.machine | Model(**parts, connect=connections, equations=equations)


def servos(robot: Robot, order: Sequence[str]) -> Law:
    """Return the law of `Robot.clocked`, for a loop in Python."""
    start, amplitude, K, D = (robot.each(order, field) for field in ("start", "amplitude", "stiffness", "damping"))
    q_at, v_at = (7, 6) if robot.base else (0, 0)

    def law(t: float, q: Array, v: Array, M: Array, h: Array, frames: Frames) -> Array:
        return K * (start + amplitude * math.sin(FREQUENCY * t) - q[q_at:]) - D * v[v_at:]  # type: ignore[no-any-return]

    return law


def hand(robot: Robot, order: Sequence[str]) -> Law:
    """Return the impedance of a hand on a circle: ``J^T (K e - D J v) + h + M (k (q_0 - q) - d v)``.

    Cartesian impedance without shaping of the inertia (Ott, 2008), beside a weak posture by computed torque.
    """
    start, posture, calm = (robot.each(order, field) for field in ("start", "posture", "calm"))
    K, D = np.array([600.0] * 3 + [40.0] * 3), np.array([50.0] * 3 + [4.0] * 3)
    radius, error = 0.05, np.zeros(6)
    first: list[Array] = []

    def law(t: float, q: Array, v: Array, M: Array, h: Array, frames: Frames) -> Array:
        J, p, R = frames[0]
        if not first:
            first.extend((p.copy(), R.copy()))
        place, turned = first
        np.subtract(place, p, out=error[:3])
        phase = FREQUENCY * t
        error[1] += radius * math.sin(phase)
        error[2] += radius * (math.cos(phase) - 1.0)
        (_, xy, xz), (yx, _, yz), (zx, zy, _) = (turned @ R.T).tolist()
        error[3:] = 0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy)
        return (K * error - D * (J @ v)) @ J + h + M @ (posture * (start - q) - calm * v)  # type: ignore[no-any-return]

    return law


def computed_torque(robot: Robot, order: Sequence[str]) -> Law:
    """Return ``M (k (q_d - q) - d v) + h``, computed torque of all joints."""
    start, amplitude, posture, calm = (robot.each(order, field) for field in ("start", "amplitude", "posture", "calm"))

    def law(t: float, q: Array, v: Array, M: Array, h: Array, frames: Frames) -> Array:
        return M @ (posture * (start + amplitude * math.sin(FREQUENCY * t) - q) - calm * v) + h  # type: ignore[no-any-return]

    return law


def squat(robot: Robot, order: Sequence[str]) -> Law:
    """Return ``K (q_d - q) - D v - sum(J_i^T f_i)`` of legs: the joints squat, the feet carry the weight in equal parts."""
    pull = servos(robot, order)
    share = robot.gravity * forest_of(robot.machine).floats[:, 12].sum() / len(robot.frames)

    def law(t: float, q: Array, v: Array, M: Array, h: Array, frames: Frames) -> Array:
        torque = pull(t, q, v, M, h, frames)
        for J, _, _ in frames:
            torque -= share * J[2, 6:]
        return torque

    return law


def bare(file: str) -> str:
    """Return a URDF of example-robot-data with links and joints only: no friction, no damping, no coupled joints."""
    found = importlib.metadata.distribution("example-robot-data").files or []
    tree = ElementTree.parse(str(next(path for path in found if path.name == file).locate()))
    for parent in list(tree.iter()):
        for child in list(parent):
            if child.tag in ("visual", "collision", "mimic", "dynamics", "transmission", "gazebo", "material"):
                parent.remove(child)
    return ElementTree.tostring(tree.getroot(), encoding="unicode")


def imported(file: str, joints: Mapping[str, Joint], floating: bool = False) -> Any:
    """Return the model of a `bare` URDF, without limits of its joints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(bare(file))
        positions = {name: joint.start for name, joint in joints.items()}
        return import_urdf(path, positions=positions, flanges="all", limits=False, floating=floating)


def panda() -> Robot:
    """The arm of Franka Emika with its hand and fingers."""
    starts = (0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8)
    gains = ((200.0, 15.0), (600.0, 50.0), (200.0, 15.0), (300.0, 25.0), (60.0, 3.0), (60.0, 3.0), (15.0, 0.6))
    joints = {f"panda_joint{k}": Joint(start, *gains[k - 1], 0.2) for k, start in enumerate(starts, 1)}
    joints |= {f"panda_finger_joint{k}": Joint(0.02, 100.0, 1.5, 0.01, 900.0, 60.0, slides=True) for k in (1, 2)}
    return Robot("panda", imported("panda.urdf", joints), joints, ("panda_hand",), hand)


def ur5() -> Robot:
    """The arm of Universal Robots."""
    names = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")
    starts = (0.3, -1.2, 1.6, -1.0, -1.3, 0.2)
    gains = ((900.0, 90.0), (900.0, 90.0), (500.0, 40.0), (100.0, 6.0), (100.0, 6.0), (20.0, 0.6))
    joints = {name: Joint(start, *gain, 0.2) for name, start, gain in zip(names, starts, gains, strict=True)}
    return Robot("UR5", imported("ur5_robot.urdf", joints), joints, ("tool0",), hand)


def walking_robot() -> Robot:
    """The arm of `scenarios/mosar` on its platform: one module in its hand, the others where they stand, no gravity."""
    grasp = (-0.526157014, 1.398006497, 0.766109890, -2.159827297, 0.516864649, -0.551257618, 0.334465323)
    gains = ((600.0, 60.0), (600.0, 60.0), (400.0, 40.0), (600.0, 60.0), (100.0, 6.0), (150.0, 12.0), (60.0, 4.0))
    joints = {f"joint{k}": Joint(angle, *gains[k - 1], 0.1) for k, angle in enumerate(grasp, 1)}
    read = read_scenario(MOSAR).model
    kept = {name: part for name, part in read.items() if name != "connect" and not name.startswith("drive")}
    kept |= {name: kept[name] | Map(phi=Var(init=joint.start)) for name, joint in joints.items()}
    stacks = {"X1Y1": ("boxX1Y1Z1",), "X1Y2": ("boxX1Y2Z1", "boxX1Y2Z2"), "X5Y1": ("boxX5Y1Z1",), "X5Y2": ("boxX5Y2Z1",)}

    def program(actions: Any) -> None:
        ActionAttach(actions, "blueEnd", "platform.X2Y2")
        ActionAttach(actions, "boxX1Y1Z2.Xpos", "greenEnd")
        for place, boxes in stacks.items():
            below = f"platform.{place}"
            for box in boxes:
                ActionAttach(actions, f"{box}.Zneg", below)
                below = f"{box}.Zpos"

    machine = Model(**kept) | Map(actions=ModelActions(program))
    return Robot("walking robot", machine, joints, ("greenEnd",), hand, gravity=0.0)


def solo() -> Robot:
    """The quadruped Solo12 on the ground, with balls as feet."""
    joints, legs, radius = {}, ("FL", "FR", "HL", "HR"), 0.016
    for leg in legs:
        side = 1.0 if leg[0] == "F" else -1.0
        for part, start, amplitude in (("HAA", 0.0, 0.0), ("HFE", 0.8, 0.1), ("KFE", -1.6, -0.2)):
            joints[f"{leg}_{part}"] = Joint(side * start, 8.0, 0.1, side * amplitude)
    feet = tuple(f"{leg}_FOOT" for leg in legs)
    machine = imported("solo12.urdf", joints, floating=True)
    height = radius - lowest(machine, joints, feet)
    tread = SolidMaterial(1000.0, name="Tread", youngs_modulus=1e7, poisson_ratio=0.45)
    gravity = UniformGravity(GRAVITY, (0.0, 0.0, -1.0))
    pair = ContactPair(restitution=0.0, sliding_friction=0.8)
    parts = {
        f"{foot}_ball": Object3D(parent=foot, feature=Solid(Sphere(2.0 * radius), contact_material=tread, collision=True))
        for foot in feet
    }
    machine |= Model(
        world=Object3D(feature=Scene(gravity=gravity, contact_pairs={"Tread, Tread": pair})),
        ground=Object3D(parent="world", feature=Solid(Plane("z"), contact_material=tread, collision=True)),
        base_link=Map(translation=(0.0, 0.0, height)),
        **parts,
    )
    return Robot("solo", machine, joints, feet, squat, ground=Ground(feet, radius), base=("base_link",))


def lowest(machine: Model, joints: Mapping[str, Joint], frames: Sequence[str]) -> float:
    """Return the least height of frames [m], with the free base at the origin."""
    forest = forest_of(machine)
    q = np.zeros(forest.nq)
    for name, (_, at, _) in forest.indices.items():
        if name in joints:
            q[at] = joints[name].start
        else:
            q[at + 3] = 1.0  # of the base's quaternion
    R, p = np.empty((forest.n, 9)), np.empty((forest.n, 3))
    body_poses(forest.ints, forest.floats, q, R, p)
    heights = []
    for i, node in enumerate(forest.graph.frames):
        if node.name in frames:
            body, _, p_BF = forest.frame_pose(i)
            heights.append((p[body] + R[body].reshape(3, 3) @ p_BF)[2])
    return float(min(heights))


def chain(n: int) -> Robot:
    """Return a chain of equal links whose axes alternate, moved by computed torque."""
    length, mass = 0.3, 1.0
    across = mass * length**2 / 12
    solid = MassProperties(mass, (0.0, 0.0, -0.5 * length), across, across, 0.01 * across)
    parts: dict[str, Any] = {"world": Object3D(feature=Scene(gravity=UniformGravity(GRAVITY, (0.0, 0.0, -1.0))))}
    joints = {f"joint{k}": Joint(0.1, 0.0, 0.0, 0.1, 100.0, 20.0) for k in range(n)}
    end = "world"
    for k, (name, joint) in enumerate(joints.items()):
        parts[f"link{k}"] = Object3D(feature=Solid(mass_properties=solid))
        parts[f"end{k}"] = Object3D(parent=f"link{k}", translation=(0.0, 0.0, -length))
        parts[name] = RevoluteWithFlange(obj1=end, obj2=f"link{k}", axis="xy"[k % 2], phi=Var(init=joint.start))
        end = f"end{k}"
    return Robot(f"chain of {n}", Model3D(**parts), joints, (), computed_torque)


ROBOTS: Mapping[str, Callable[[], Robot]] = {"panda": panda, "UR5": ur5, "walking robot": walking_robot, "solo": solo}
"""By name, in the order of the rows."""
