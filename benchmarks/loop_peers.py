"""The mechanisms of `loop_mechanisms` in MuJoCo and in Exudyn, and the settings among which their best is looked for.

MuJoCo: a tree of joints, loops by equality constraints, which are soft: as stiff as a step allows (time constant of two steps),
or by a stiffness and damping of the constraint's error that are a part of what a step allows; impedance as hard as it gets.
Exudyn: bodies with absolute coordinates, in the plane where the mechanism moves in one; joints as constraints; generalized
alpha on positions (index 3) or speeds (index 2), the trapezoidal rule (index 2); only its dense solver takes redundant rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .common import seconds
from .loop_mechanisms import WORLD, Array, Joint, Mechanism, axes_about
from .loop_reference import ClosedTree

STEPS = tuple(2**k for k in range(18))
"""Numbers of steps between two output points that are tried, in this order."""


@dataclass(frozen=True)
class Setting:
    """How a peer simulates.

    Attributes:
        method: integrator.
        steps: number of steps between two output points.
        stiffness: of MuJoCo's constraints: 0.0: time constant of two steps; else natural frequency as a part of 1/step.
    """

    method: str
    steps: int
    stiffness: float = 0.0

    def __str__(self) -> str:
        return f"{self.method}, {self.steps} steps" + (f", stiffness {self.stiffness:g}" if self.stiffness else "")


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


class Mujoco:
    """The mechanism in MuJoCo."""

    def __init__(self, mechanism: Mechanism, points: int) -> None:
        import mujoco

        self.mechanism, self.points = mechanism, points
        self.model = mujoco.MjModel.from_xml_string(self._xml())
        self.data = mujoco.MjData(self.model)
        tree = ClosedTree(mechanism)
        self.speeds = np.zeros(self.model.nv)
        for joint, v in zip(mechanism.tree, tree.speeds, strict=True):
            self.speeds[self.model.joint(joint.name).dofadr[0]] = v
        self.found = np.zeros((points, len(mechanism.probes), 3))

    def _xml(self) -> str:
        m = self.mechanism
        origins = {body.name: body.origin for body in m.bodies} | {WORLD: np.zeros(3)}
        children: dict[str, list[int]] = {}
        for k, joint in enumerate(m.tree):
            children.setdefault(joint.one, []).append(k)
        sites = [(name, f"probe{k}", point) for k, (name, point) in enumerate(m.probes)]
        for k, spring in enumerate(m.springs):
            sites += [(WORLD, f"fixed{k}", spring.fixed), (spring.body, f"moved{k}", spring.point)]

        def inside(parent: str) -> Iterator[str]:
            yield from (f'<site name="{site}" pos="{_text(p - origins[at])}"/>' for at, site, p in sites if at == parent)
            for k in children.get(parent, ()):
                body, joint = m.bodies[k], m.tree[k]
                I = body.inertia
                kind = {"revolute": "hinge", "prismatic": "slide"}[joint.kind]
                yield f'<body name="{body.name}" pos="{_text(body.origin - origins[parent])}">'
                yield f'<inertial pos="{_text(body.centre - body.origin)}" mass="{body.mass!r}"'
                yield f' fullinertia="{_text((I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))}"/>'
                yield f'<joint name="{joint.name}" type="{kind}" pos="{_text(joint.point - body.origin)}"'
                yield f' axis="{_text(joint.axis)}"/>'
                yield from inside(body.name)
                yield "</body>"

        equalities = [line for joint in m.cuts for line in self._equality(joint, origins)]
        springs = []
        for k, s in enumerate(m.springs):
            ends = f'<site site="fixed{k}"/><site site="moved{k}"/>'
            springs.append(f'<spatial stiffness="{s.stiffness!r}" springlength="{s.length!r}">{ends}</spatial>')
        turned = {joint.two: joint for joint in m.tree}
        motors = []
        for name, torque in m.torques:
            constant = f'gainprm="0" biastype="affine" biasprm="{float(turned[name].axis @ torque)!r}"'
            motors.append(f'<general joint="{turned[name].name}" {constant}/>')
        return (
            '<mujoco><compiler balanceinertia="false" boundmass="0" boundinertia="0"/>'
            f'<option gravity="{_text(m.gravity)}" solver="Newton" iterations="50" tolerance="1e-14">'
            f'<flag contact="disable"/></option><worldbody>{"".join(inside(WORLD))}</worldbody>'
            f"<equality>{''.join(equalities)}</equality><tendon>{''.join(springs)}</tendon>"
            f"<actuator>{''.join(motors)}</actuator></mujoco>"
        )

    def _equality(self, joint: Joint, origins: dict[str, Array]) -> Iterator[str]:
        """Generate a hinge as one point, in space as two points of its axis; a fixed joint as a weld."""
        one, two = (joint.two, joint.one) if joint.one == WORLD else (joint.one, joint.two)
        second = "" if two == WORLD else f' body2="{two}"'
        if joint.kind == "fixed":
            yield f'<weld body1="{one}"{second}/>'
            return
        ends = [joint.point] if self.mechanism.normal is not None else [joint.point, joint.point + joint.axis]
        for end in ends:
            yield f'<connect body1="{one}"{second} anchor="{_text(end - origins[one])}"/>'

    def settings(self) -> Iterator[Setting]:
        """From the quickest to the slowest."""
        for steps in STEPS:
            yield from (Setting("implicitfast", steps), Setting("RK4", steps), Setting("RK4", steps, 0.3))

    def run(self, setting: Setting) -> float:
        """Simulate: wall-clock time [s]."""
        import mujoco

        model, data = self.model, self.data
        step = self.mechanism.stop_time / self.points / setting.steps
        model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{setting.method.upper()}")
        model.opt.timestep = step
        k = setting.stiffness / step
        model.eq_solref[:] = (-k * k, -2.0 * k) if k else (2.0 * step, 1.0)
        model.eq_solimp[:] = (0.9999, 0.9999, 0.001, 0.5, 2.0)
        mujoco.mj_resetData(model, data)
        data.qvel[:] = self.speeds
        sites = [model.site(f"probe{i}").id for i in range(len(self.mechanism.probes))]
        mujoco.set_mju_user_warning(lambda _: None)  # where it is unstable it would write a file MUJOCO_LOG.TXT

        def steps() -> None:
            for row in self.found:
                mujoco.mj_step(model, data, nstep=setting.steps)
                mujoco.mj_kinematics(model, data)
                row[:] = data.site_xpos[sites]

        try:
            return seconds(steps)
        finally:
            mujoco.set_mju_user_warning(None)


class Exudyn:
    """The mechanism in Exudyn."""

    def __init__(self, mechanism: Mechanism, points: int) -> None:
        import exudyn

        self.mechanism, self.points, self._exudyn = mechanism, points, exudyn
        exudyn.config.printToConsole = False
        self._system = exudyn.SystemContainer()
        self.mbs = self._system.AddSystem()
        self.ground = self.mbs.CreateGround()
        tree = ClosedTree(mechanism)
        self.velocities = [
            [J @ tree.speeds for J in tree.jacobian(*tree.start, k, body.centre)] for k, body in enumerate(mechanism.bodies)
        ]
        self.centres = {body.name: body.centre for body in mechanism.bodies} | {WORLD: np.zeros(3)}
        self.plane = np.eye(3)
        if mechanism.normal is not None:
            self.plane = axes_about(mechanism.normal).T
        self.items = {WORLD: self.ground} | dict(zip(tree.index, self._bodies(), strict=True))
        for joint in mechanism.joints:
            self._joint(joint)
        for spring in mechanism.springs:
            self.mbs.CreateSpringDamper(
                bodyNumbers=[self.ground, self.items[spring.body]], localPosition0=self._local(WORLD, spring.fixed),
                localPosition1=self._local(spring.body, spring.point), referenceLength=spring.length,
                stiffness=spring.stiffness,
            )  # fmt: skip
        for name, torque in mechanism.torques:
            self.mbs.CreateTorque(bodyNumber=self.items[name], loadVector=(self.plane @ torque).tolist())
        self.sensors = [self._sensor(self.items[name], self._local(name, point)) for name, point in mechanism.probes]
        self.mbs.Assemble()
        self.redundant = self.mbs.ComputeSystemDegreeOfFreedom()["redundantConstraints"] > 0
        self.found = np.zeros((points, len(mechanism.probes), 3))

    def _local(self, name: str, point: Array) -> list[float]:
        """Return a point in the axes of a body, which are those of the plane at the start."""
        return (
            [float(x) for x in self.plane @ (point - self.centres[name])]
            if self.mechanism.normal is None
            else self._flat(point - self.centres[name])
        )

    def _flat(self, vector: Array) -> list[float]:
        """Return a vector in the plane."""
        x, y, _ = self.plane @ vector
        return [float(x), float(y), 0.0]

    def _sensor(self, body: Any, local: list[float]) -> Any:
        from exudyn.itemInterface import SensorBody

        kind = self._exudyn.OutputVariableType.Position
        return self.mbs.AddSensor(SensorBody(bodyNumber=body, localPosition=local, storeInternal=True, outputVariableType=kind))

    def _bodies(self) -> Iterator[Any]:
        from exudyn.itemInterface import LoadMassProportional, MarkerBodyMass, NodeRigidBody2D, RigidBody2D
        from exudyn.rigidBodyUtilities import RigidBodyInertia

        m = self.mechanism
        for body, (v, w) in zip(m.bodies, self.velocities, strict=True):
            if m.normal is None:
                inertia = RigidBodyInertia(body.mass, body.inertia, np.zeros(3), inertiaTensorAtCOM=True)
                yield self.mbs.CreateRigidBody(
                    inertia=inertia, referencePosition=body.centre.tolist(), initialVelocity=v.tolist(),
                    initialAngularVelocity=w.tolist(), gravity=m.gravity.tolist(),
                )  # fmt: skip
                continue
            place, speed = self._flat(body.centre), self._flat(v)
            node = self.mbs.AddNode(
                NodeRigidBody2D(referenceCoordinates=[*place[:2], 0.0], initialVelocities=[*speed[:2], float(m.normal @ w)])
            )
            item = self.mbs.AddObject(
                RigidBody2D(nodeNumber=node, physicsMass=body.mass, physicsInertia=float(m.normal @ body.inertia @ m.normal))
            )
            marker = self.mbs.AddMarker(MarkerBodyMass(bodyNumber=item))
            self.mbs.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=self._flat(m.gravity)))
            yield item

    def _joint(self, joint: Joint) -> None:
        from exudyn.itemInterface import MarkerBodyRigid, PrismaticJoint2D, RevoluteJoint2D

        bodies = [self.items[joint.one], self.items[joint.two]]
        if self.mechanism.normal is None:
            self.mbs.CreateGenericJoint(
                bodyNumbers=bodies, position=joint.point.tolist(), rotationMatrixAxes=axes_about(joint.axis),
                constrainedAxes=[1, 1, 1, 1, 1, int(joint.kind == "fixed")],
            )  # fmt: skip
            return
        ends = zip(bodies, (joint.one, joint.two), strict=True)
        markers = [
            self.mbs.AddMarker(MarkerBodyRigid(bodyNumber=b, localPosition=self._local(n, joint.point))) for b, n in ends
        ]
        if joint.kind == "revolute":
            self.mbs.AddObject(RevoluteJoint2D(markerNumbers=markers))
        else:
            x, y, _ = self._flat(joint.axis)
            self.mbs.AddObject(PrismaticJoint2D(markerNumbers=markers, axisMarker0=[x, y, 0.0], normalMarker1=[-y, x, 0.0]))

    def settings(self) -> Iterator[Setting]:
        """From the quickest to the slowest."""
        for steps in STEPS:
            yield from (Setting(method, steps) for method in ("alpha index 3", "alpha index 2", "trapezoidal"))

    def run(self, setting: Setting) -> float:
        """Simulate: wall-clock time [s]."""
        exudyn, m = self._exudyn, self.mechanism
        settings = exudyn.SimulationSettings()
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = m.stop_time / self.points
        settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
        if self.redundant:
            settings.linearSolverType = exudyn.LinearSolverType.EigenDense
            settings.linearSolverSettings.ignoreSingularJacobian = True
        time = settings.timeIntegration
        time.verboseMode, time.endTime, time.numberOfSteps = 0, m.stop_time, self.points * setting.steps
        time.adaptiveStep = False
        time.newton.useModifiedNewton = True
        alpha = time.generalizedAlpha
        alpha.computeInitialAccelerations = True
        alpha.spectralRadius = 0.9
        if setting.method == "alpha index 2":
            alpha.useIndex2Constraints = alpha.useNewmark = True
        kinds = exudyn.DynamicSolverType
        kind = kinds.TrapezoidalIndex2 if setting.method == "trapezoidal" else kinds.GeneralizedAlpha
        solved: list[bool] = []
        time_s = seconds(lambda: solved.append(self._solved(settings, kind)))
        self.found[:] = np.nan
        for i, (sensor, (_, point)) in enumerate(zip(self.sensors, m.probes, strict=True)):
            rows = np.asarray(self.mbs.GetSensorStoredData(sensor))
            if solved[0] and len(rows) == self.points + 1:
                away = 0.0 if m.normal is None else point @ m.normal * m.normal
                self.found[:, i] = rows[1:, 1:] @ self.plane + away
        return time_s

    def _solved(self, settings: Any, kind: Any) -> bool:
        """Return whether the solver came to the end."""
        try:
            self.mbs.SolveDynamic(settings, solverType=kind)
        except self._exudyn.SolverError:
            return False
        return True
