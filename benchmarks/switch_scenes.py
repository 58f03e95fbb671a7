"""Scenes of `benchmarks.switch`, in our engine, MuJoCo and Exudyn, without gravity and contact.

Free boxes stand in rows, 1 m apart, and turn; the first two touch and rest, are joined and parted. The walking robot of the
MOSAR scenario stands on its platform with six modules attached, of which the last is parted and joined. A peer has two methods:
`join` and `part` change the scene and leave it ready for its next step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SIDE, MASS = 0.4, 10.0
INERTIA = MASS * SIDE**2 / 6.0
TURNING = (0.3, 0.2, 0.1)
"""Angular velocity of all boxes but two [rad/s]."""
PERIOD = 0.01
"""Between two changes [s]."""


def positions(n: int) -> Array:
    """Return the centres of the boxes, shape (n, 3) [m]; the first two touch along x."""
    rows = math.ceil(math.sqrt(n))
    k = np.arange(n)
    grid = np.stack([k % rows + 2.0, k // rows, np.zeros(n)], axis=1).astype(float)
    grid[:2] = [0.0, -2.0, 0.0], [SIDE, -2.0, 0.0]
    return grid


def our_boxes(n: int, changes: int) -> Any:
    """Return the scene as a `Model3D`, whose program joins and parts the first two boxes ``changes`` times in all."""
    from modia3d import (
        ActionAttach,
        ActionRelease,
        ActionWait,
        Box,
        MassPropertiesFromShapeAndMass,
        Model3D,
        ModelActions,
        NoGravity,
        Object3D,
        Scene,
        Solid,
    )

    def program(actions: Any) -> None:
        ActionWait(actions, PERIOD)
        for change in range(changes):
            if change % 2:
                ActionRelease(actions, "right")
            else:
                ActionAttach(actions, "right", "left")
            ActionWait(actions, PERIOD)

    solid = Solid(shape=Box(SIDE, SIDE, SIDE), mass_properties=MassPropertiesFromShapeAndMass(mass=MASS))
    boxes = {
        f"box{k}": Object3D(feature=solid, translation=place.tolist(), angular_velocity=TURNING if k > 1 else (0.0, 0.0, 0.0))
        for k, place in enumerate(positions(n))
    }
    faces = {
        "right": Object3D(parent="box0", translation=(SIDE / 2, 0, 0), rotation=(0, math.pi / 2, 0), lockable=True),
        "left": Object3D(parent="box1", translation=(-SIDE / 2, 0, 0), rotation=(0, -math.pi / 2, 0), lockable=True),
    }
    return Model3D(world=Object3D(feature=Scene(gravity=NoGravity())), **boxes, **faces, actions=ModelActions(program))


def our_arm(changes: int) -> tuple[Any, int]:
    """Return the scenario's model, and how many attachments its program begins with; then it parts and joins the last
    module.
    """
    from modia3d import ModelActions
    from modia3d.actions.structural.attach import Attach
    from modia3d.actions.structural.release import Release
    from modia3d.actions.values import AddPath, Wait
    from modia3d.files import read_scenario
    from modiapy import Model

    from .mosar import SCENARIO

    model = read_scenario(SCENARIO).model
    recorded = list(model["actions"]["program"])
    path = next(action for action in recorded if isinstance(action, AddPath))
    attached = [action for action in recorded if isinstance(action, Attach)][:7]
    last = attached[-1]
    program: list[Any] = [path, *attached, Wait(PERIOD)]
    for change in range(changes):
        program += [last if change % 2 else Release(last.frame), Wait(PERIOD)]
    return model | Model(actions=ModelActions(program)), len(attached)


class MujocoSpec:
    """MuJoCo, exact: the tree is edited and compiled anew; the state of what stays is carried over by MuJoCo."""

    def __init__(self, n: int) -> None:
        import mujoco

        self._mujoco = mujoco
        self.spec = mujoco.MjSpec()
        self.spec.option.gravity = [0.0, 0.0, 0.0]
        self.spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self._place = positions(n)
        for k in range(n):
            self._free(k)
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        for k in range(2, n):
            self.data.joint(f"free{k}").qvel[3:] = TURNING
        mujoco.mj_forward(self.model, self.data)

    def _box(self, parent: Any, k: int, place: Array) -> Any:
        body = parent.add_body(name=f"box{k}", pos=place)
        body.add_geom(type=self._mujoco.mjtGeom.mjGEOM_BOX, size=[SIDE / 2] * 3, mass=MASS)
        return body

    def _free(self, k: int) -> None:
        self._box(self.spec.worldbody, k, self._place[k]).add_freejoint(name=f"free{k}")

    def _compile(self) -> None:
        self.model, self.data = self.spec.recompile(self.model, self.data)

    def join(self) -> None:
        """The second box becomes a body fixed to the first one."""
        self.spec.delete(self.spec.body("box1"))
        self._box(self.spec.body("box0"), 1, self._place[1] - self._place[0])
        self._compile()

    def part(self) -> None:
        """The second box becomes a free body."""
        self.spec.delete(self.spec.body("box1"))
        self._free(1)
        self._compile()


class MujocoArm:
    """MuJoCo, exact: the arm of `mosar_servo` with a platform and six modules, the last of which is parted and joined.

    Args:
        model: the `Model3D` of the scenario.
    """

    def __init__(self, model: Any) -> None:
        import mujoco

        from .mosar_servo import arm_xml

        self._mujoco = mujoco
        self.spec = mujoco.MjSpec.from_string(arm_xml(model))
        self.spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        for k in range(6):
            self._module(k, free=False)
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)

    def _module(self, k: int, *, free: bool) -> None:
        body = self.spec.worldbody.add_body(name=f"module{k}", pos=[1.0 + 0.5 * k, 0.0, 0.0])
        body.add_geom(type=self._mujoco.mjtGeom.mjGEOM_BOX, size=[SIDE / 2] * 3, mass=MASS)
        if free:
            body.add_freejoint()

    def _change(self, *, free: bool) -> None:
        self.spec.delete(self.spec.body("module5"))
        self._module(5, free=free)
        self.model, self.data = self.spec.recompile(self.model, self.data)

    def join(self) -> None:
        """The last module becomes a body of the platform."""
        self._change(free=False)

    def part(self) -> None:
        """The last module becomes a free body."""
        self._change(free=True)


class MujocoWeld:
    """MuJoCo, soft: a weld constraint between the boxes is switched on and off."""

    def __init__(self, n: int) -> None:
        import mujoco

        self._mujoco = mujoco
        scene = MujocoSpec(n)
        weld = scene.spec.add_equality(name="weld", type=mujoco.mjtEq.mjEQ_WELD, active=False)
        weld.name1, weld.name2, weld.objtype = "box0", "box1", mujoco.mjtObj.mjOBJ_BODY
        self.model = scene.spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    def join(self) -> None:
        """Switch the weld on."""
        self.data.eq_active[0] = 1
        self._mujoco.mj_forward(self.model, self.data)

    def part(self) -> None:
        """Switch the weld off."""
        self.data.eq_active[0] = 0
        self._mujoco.mj_forward(self.model, self.data)

    def drift(self) -> float:
        """Return the largest change of the distance of the welded boxes [m] while they turn about each other with 2 rad/s for 1
        s.
        """
        self.join()
        for k, side in ((0, -1.0), (1, 1.0)):
            self.data.joint(f"free{k}").qvel[:] = [0.0, side * SIDE, 0.0, 0.0, 0.0, 2.0]
        worst = 0.0
        while self.data.time < 1.0:
            self._mujoco.mj_step(self.model, self.data)
            apart = np.linalg.norm(self.data.body("box1").xpos - self.data.body("box0").xpos)
            worst = max(worst, abs(float(apart) - SIDE))
        return worst


class Exudyn:
    """Exudyn: a rigid joint between the boxes is switched, the system assembled anew and the solver started again."""

    def __init__(self, n: int) -> None:
        import exudyn
        from exudyn.rigidBodyUtilities import InertiaCuboid

        self._exudyn = exudyn
        self._system = exudyn.SystemContainer()
        self._bodies = self._system.AddSystem()
        inertia = InertiaCuboid(density=MASS / SIDE**3, sideLengths=[SIDE] * 3)
        boxes = [
            self._bodies.CreateRigidBody(
                inertia=inertia,
                referencePosition=place.tolist(),
                initialAngularVelocity=list(TURNING) if k > 1 else [0.0, 0.0, 0.0],
            )
            for k, place in enumerate(positions(n))
        ]
        made = self._bodies.CreateGenericJoint(bodyNumbers=boxes[:2], position=[SIDE / 2, -2.0, 0.0])
        self._joint = made[0] if isinstance(made, list | tuple) else made
        self._settings = exudyn.SimulationSettings()
        self._settings.timeIntegration.verboseMode = 0
        self._settings.timeIntegration.endTime, self._settings.timeIntegration.numberOfSteps = PERIOD, 10
        self._settings.solutionSettings.writeSolutionToFile = False
        self._settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
        self.part()

    def _start(self, active: bool) -> None:
        data, kinds = self._bodies.systemData, self._exudyn.ConfigurationType
        state = data.GetSystemState(configuration=kinds.Current) if self._bodies.systemIsConsistent else None
        self._bodies.SetObjectParameter(self._joint, "activeConnector", active)
        self._bodies.Assemble()
        if state is not None:
            data.SetSystemState(state, configuration=kinds.Initial)
        self.solver = self._exudyn.MainSolverImplicitSecondOrder()
        self.solver.InitializeSolver(self._bodies, self._settings)

    def join(self) -> None:
        """Switch the joint on."""
        self._start(True)

    def part(self) -> None:
        """Switch the joint off."""
        self._start(False)
