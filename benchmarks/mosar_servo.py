"""The MuJoCo side of `benchmarks.mosar`: a seven-joint servo arm with the links of the scenario, fixed at the blue end.

Links, motor inertias and gains are read from the scenario. Each joint has the motor's inertia, referred to the joint, as
armature and is driven by a position servo with speed feed-forward that has the gains of the scenario's drive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
STEP = 0.002  # s
EXACT_STEP = 2.5e-4
"""Of RK4 for what counts as the exact solution [s]; its error is below 1e-10 rad, as that of a step of 2 ms is 3e-7 rad."""
N_JOINTS = 7
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")
"""In the order of MuJoCo's `mjtIntegrator`."""


@dataclass(frozen=True)
class Servo:
    """Servo gains and armature of one joint: position [N.m/rad], speed [N.m.s/rad], inertia [kg.m2]."""

    stiffness: float
    damping: float
    armature: float


def servo(drive: dict[str, Any]) -> Servo:
    """Return the servo of a drive of the scenario, referred to the joint."""
    squared = drive["ratio"] ** 2
    damping = squared * drive["k_pi"]
    return Servo(damping * drive["k_p"], damping, squared * drive["J_motor"])


def arm_xml(model: dict[str, Any]) -> str:
    """Return the MJCF of the arm: `model` is the `Model3D` of the scenario."""
    body, close = "", ""
    for k in range(N_JOINTS + 1):
        solid = model[f"link{k}"]["solid"]
        shape, mass = solid["feature"]["shape"], solid["feature"]["mass_properties"]["mass"]
        across, along = mass * (shape["diameter"] ** 2 / 16 + shape["length"] ** 2 / 12), mass * shape["diameter"] ** 2 / 8
        height = model[f"link{k - 1}"]["end"]["translation"][2] if k else 0.0
        body += f'<body pos="0 0 {height}"><inertial pos="0 0 {solid["translation"][2]}" mass="{mass}" '
        body += f'diaginertia="{across} {across} {along}"/>'
        if k:
            joint = model[f"joint{k}"]
            axis = {"y": "0 1 0", "z": "0 0 1"}[joint["axis"]]
            body += f'<joint name="joint{k}" axis="{axis}" armature="{servo(model[f"drive{k}"]).armature}"/>'
        close += "</body>"
    servos = [servo(model[f"drive{k}"]) for k in range(1, N_JOINTS + 1)]
    actuators = [f'<position joint="joint{k}" kp="{s.stiffness}"/>' for k, s in enumerate(servos, 1)]
    actuators += [f'<velocity joint="joint{k}" kv="{s.damping}"/>' for k, s in enumerate(servos, 1)]
    return (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 0"/><worldbody>{body}{close}</worldbody>'
        f"<actuator>{''.join(actuators)}</actuator></mujoco>"
    )


class ServoArm:
    """The compiled arm and the reference it tracks.

    Args:
        model: the `Model3D` of the scenario.
        positions, velocities: reference at the beginning of each step (n_steps, 7) [rad, rad/s]; held during the step.
    """

    def __init__(self, model: dict[str, Any], positions: Array, velocities: Array) -> None:
        import mujoco

        self.control = np.ascontiguousarray(np.hstack([positions, velocities]))
        self.model = mujoco.MjModel.from_xml_string(arm_xml(model))
        self.data = mujoco.MjData(self.model)
        self._exact_angles: dict[int, Array] = {}

    def _reset(self) -> None:
        import mujoco

        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.control[0, :N_JOINTS]

    def step_in_python(self) -> Array:
        """Return the joint angles after each step (n_steps, 7), stepped in a Python loop."""
        from mujoco import mj_step

        self._reset()
        model, data, angles = self.model, self.data, np.empty((len(self.control), N_JOINTS))
        ctrl, qpos = data.ctrl, data.qpos
        for i, row in enumerate(self.control):
            ctrl[:] = row
            mj_step(model, data)
            angles[i] = qpos
        return angles

    def rollout(self) -> Array:
        """Return the same, stepped in MuJoCo's own loop, which is compiled."""
        import mujoco
        from mujoco import rollout

        self._reset()
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, state, kind)
        states, _ = rollout.rollout(self.model, self.data, state[None, :], self.control[None, :, :])
        return np.ascontiguousarray(states[0, :, 1 : 1 + N_JOINTS])

    @contextmanager
    def with_steps(self, integrator: str, step: float) -> Iterator[tuple[Callable[[], Array], Array]]:
        """The arm with another integrator and step: what runs it, and the exact angles where the reference is renewed.

        The reference is held for the step, and for `STEP` where that is longer; the exact solution has the same reference.

        Args:
            integrator: of `INTEGRATORS`.
            step: a multiple of `STEP`, or a part of it [s].
        """
        import mujoco

        kept, control = self.model.opt.integrator, self.control
        mujoco.set_mju_user_warning(lambda _: None)  # where it is unstable it would write a file MUJOCO_LOG.TXT
        every, substeps = max(round(step / STEP), 1), max(round(STEP / step), 1)
        held = np.ascontiguousarray(control[::every])
        try:
            self.control = held
            if every not in self._exact_angles:
                self._exact_angles[every] = self._exact(every * STEP)
            exact = self._exact_angles[every]
            self.control = np.repeat(held, substeps, axis=0)
            self.model.opt.integrator, self.model.opt.timestep = INTEGRATORS.index(integrator), step
            yield lambda: self.rollout()[substeps - 1 :: substeps], exact
        finally:
            mujoco.set_mju_user_warning(None)
            self.control = control
            self.model.opt.integrator, self.model.opt.timestep = kept, STEP

    def _exact(self, hold: float) -> Array:
        """Joint angles whenever the reference is renewed: RK4 in steps so small that only rounding is left."""
        from mujoco import mj_step

        self._reset()
        refinement = round(hold / EXACT_STEP)
        self.model.opt.integrator, self.model.opt.timestep = INTEGRATORS.index("RK4"), hold / refinement
        angles = np.empty((len(self.control), N_JOINTS))
        ctrl, qpos = self.data.ctrl, self.data.qpos
        for i, row in enumerate(self.control):
            ctrl[:] = row
            mj_step(self.model, self.data, nstep=refinement)
            angles[i] = qpos
        return angles
