"""The mechanisms of `loop_mechanisms` as `Model3D`: all joints are declared, none is said to be cut."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .common import seconds
from .loop_mechanisms import WORLD, Array, Joint, Mechanism, X, arm
from .loop_reference import ClosedTree, grid

PERIOD = 0.01
"""Between two changes of the arm [s]."""


class Ours:
    """A mechanism, instantiated.

    Attributes:
        found: positions of the probes at the output points of the last simulation, shape (points, probes, 3).
        residual: by how much joints were open in it, at most [m, rad].
    """

    def __init__(self, mechanism: Mechanism, points: int) -> None:
        from modiapy import instantiate

        self.mechanism, self.points = mechanism, points
        self.simulation = instantiate(model(mechanism))
        self.found = np.zeros((points, len(mechanism.probes), 3))
        self.residual = math.nan

    def run(self, tolerance: float, solver: str = "cvode") -> float:
        """Simulate: wall-clock time [s]."""
        m, results = self.mechanism, []
        interval = m.stop_time / self.points
        time_s = seconds(
            lambda: results.append(self.simulation.simulate(m.stop_time, tolerance=tolerance, interval=interval, solver=solver))
        )
        (result,) = results
        time = np.asarray(result.time)
        last = [int(np.flatnonzero(np.abs(time - t) < 1e-9 * m.stop_time)[-1]) for t in grid(m, self.points)]
        for i in range(len(m.probes)):
            self.found[:, i] = np.asarray(result[f"probe{i}.r_abs"])[last]
        self.residual = max(_opening(result, joint) for joint in m.joints)
        return time_s


def model(m: Mechanism) -> Any:
    """Return a mechanism; at the start the frames of all bodies are parallel to the world, and the joints' coordinates zero."""
    from modia3d import (
        Fix,
        MassProperties,
        Model3D,
        NoGravity,
        Object3D,
        Prismatic,
        Revolute,
        Scene,
        Solid,
        Sphere,
        SpringDamperPtP,
        UniformGravity,
        WorldTorque,
    )

    tree, g = ClosedTree(m), float(np.linalg.norm(m.gravity))
    gravity = UniformGravity(g=g, n=(m.gravity / g).tolist()) if g else NoGravity()
    entries: dict[str, Any] = {WORLD: Object3D(feature=Scene(gravity=gravity))}
    origins = {body.name: body.origin for body in m.bodies} | {WORLD: np.zeros(3)}

    def frame(parent: str, point: Array) -> Any:
        return Object3D(parent=parent, translation=(point - origins[parent]).tolist())

    for body in m.bodies:
        I = body.inertia
        moments = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        properties = MassProperties(body.mass, (body.centre - body.origin).tolist(), *moments)
        entries[body.name] = Object3D(feature=Solid(shape=Sphere(0.1 * m.size), mass_properties=properties))
    for joint in m.joints:
        one, two = f"{joint.name}_1", f"{joint.name}_2"
        entries |= {one: frame(joint.one, joint.point), two: frame(joint.two, joint.point)}
        if joint.kind == "fixed":
            entries[joint.name] = Fix(one, two)
        else:
            made = Revolute if joint.kind == "revolute" else Prismatic
            speed = {"w" if joint.kind == "revolute" else "v": tree.joint_speed(joint)}
            entries[joint.name] = made(one, two, joint.axis.tolist(), **speed)
    for k, spring in enumerate(m.springs):
        fixed, moved = f"spring{k}_1", f"spring{k}_2"
        entries |= {fixed: frame(WORLD, spring.fixed), moved: frame(spring.body, spring.point)}
        entries[f"spring{k}"] = SpringDamperPtP(
            obj1=fixed, obj2=moved, stiffness=spring.stiffness, nominal_length=spring.length
        )
    for k, (name, torque) in enumerate(m.torques):
        entries[f"torque{k}"] = WorldTorque(obj=name, torque=torque.tolist())
    entries |= {f"probe{k}": frame(name, point) for k, (name, point) in enumerate(m.probes)}
    return Model3D(**entries)


def _opening(result: Any, joint: Joint) -> float:
    """By how much a joint is open over time, at most: distance of its frames [m], angle between its axes [rad]."""
    (R_1, r_1), (R_2, r_2) = ([np.asarray(result[f"{joint.name}_{k}.{name}"]) for name in ("R_abs", "r_abs")] for k in (1, 2))
    axis = joint.axis / np.linalg.norm(joint.axis)
    gap, turn = r_2 - r_1, np.linalg.norm(R_2 @ axis - R_1 @ axis, axis=1)
    if joint.kind == "prismatic":
        gap = gap - (gap @ axis)[:, None] * axis
    if joint.kind != "revolute":
        turn = np.abs(R_2 - R_1).max(axis=(1, 2))
    return float(max(np.linalg.norm(gap, axis=1).max(), turn.max()))


def held_arm(changes: int, *, loop: bool) -> Any:
    """Return the arm at rest without gravity, whose free end is attached and released, or a module beside it, so many times in
    all.
    """
    from modia3d import ActionAttach, ActionRelease, ActionWait, ModelActions, Object3D
    from modiapy import Model

    m = arm()
    end, weld = m.bodies[-1], m.joints[-1]
    free = Mechanism(m.case, m.bodies, m.joints[:-1], np.zeros(3), m.stop_time, 0.0, m.probes, m.size)
    half_turn = (math.pi, 0.0, 0.0)
    entries: dict[str, Any] = {
        "tip": Object3D(parent=end.name, translation=(weld.point - end.origin).tolist(), lockable=True),
        "wall": Object3D(parent=WORLD, translation=weld.point.tolist(), rotation=half_turn, lockable=True),
        "module": Object3D(feature=model(free)[end.name]["feature"], translation=(weld.point + 0.1 * X).tolist()),
        "face": Object3D(parent="module", translation=(-0.1, 0.0, 0.0), rotation=half_turn, lockable=True),
    }

    def program(actions: Any) -> None:
        ActionWait(actions, PERIOD)
        for change in range(changes):
            if change % 2:
                ActionRelease(actions, "tip")
            else:
                ActionAttach(actions, "tip", "wall" if loop else "face")
            ActionWait(actions, PERIOD)

    return model(free) | Model(**entries, actions=ModelActions(program))
