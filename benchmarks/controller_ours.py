"""Our side of `benchmarks.controller`."""

from __future__ import annotations

from typing import Any

import numpy as np

from modia3d.topology.forest import Forest
from modiapy import SimulationModel, Stepper, instantiate

from .controller_robots import SAMPLE, Array, Law, Robot

EXACT, PARTS = 1e-11, 4
"""Relative tolerance of what counts as exact, and parts into which each sample is divided for it."""
LONG = 1e4
"""Stop time of steppers that are reset again and again [s]."""


class Ours:
    """A robot that is stepped.

    Args:
        robot: which.
        clocked: with its servos in the equations instead of inputs.
        tolerance: relative; None: the default.

    Attributes:
        joints: driven joints in the order of the view.
        made: steps of the integrator in the last call of `found`.
    """

    def __init__(self, robot: Robot, clocked: bool = False, tolerance: float | None = None) -> None:
        self.robot = robot
        self.simulation: SimulationModel = instantiate(robot.clocked() if clocked else robot.driven(), robot.name)
        self.stepper = self._stepper(tolerance)
        self.joints = list(robot.joints)
        self.view = self._view(self.stepper)
        run: Any = self.stepper._run.components[""]
        self.forest: Forest = run.forest  # of the structure in which it is controlled
        self.made = 0

    def _stepper(self, tolerance: float | None) -> Stepper:
        return self.simulation.stepper(LONG, record=False, tolerance=tolerance)

    def _view(self, stepper: Stepper) -> Any:
        return stepper.view("", joints=[*self.robot.base, *self.joints])

    def law(self) -> Law:
        """Return the law of the Python loop in the order of the view."""
        return self.robot.law(self.joints)

    def start(self) -> dict[str, Array]:
        """Return the coordinates at the start by name of joint, or of the root of a free base."""
        self.stepper.reset()
        q, found, at = np.array(self.view.q), {}, 0
        for name in self.view.joints:
            size = 1 if name in self.robot.joints else 7
            found[name] = q[at : at + size]
            at += size
        return found

    def loop(self, law: Law, samples: int) -> None:
        """Control in Python."""
        stepper, view, names = self.stepper, self.view, self.robot.frames
        jacobian, position, rotation = view.jacobian, view.position, view.rotation
        step, mass_matrix, bias, q, v, torque = stepper.step, view.mass_matrix, view.bias, view.q, view.v, view.torque
        stepper.reset()
        for k in range(samples):
            frames = [(jacobian(name), position(name), rotation(name)) for name in names]
            torque[:] = law(k * SAMPLE, q, v, mass_matrix(), bias(), frames)
            step(SAMPLE)

    def found(self, samples: int, law: Law | None = None, exact: bool = False) -> Array:
        """Return the positions of the joints after each sample (n, n_joints), with a law or, without, as the equations have it.

        ``made`` is then the number of steps of the integrator.
        """
        stepper, view = self.stepper, self.view
        if exact:
            stepper = self._stepper(EXACT)
            view = self._view(stepper)
        angles, parts = np.empty((samples, len(self.joints))), PARTS if exact else 1
        stepper.reset()
        before = stepper.result.statistics["steps"]
        for k in range(samples):
            if law is not None:
                view.torque[:] = law(k * SAMPLE, view.q, view.v, view.mass_matrix(), view.bias(), frames(view, self.robot))
            for part in range(1, parts + 1):
                stepper.step(until=(k + part / parts) * SAMPLE)
            angles[k] = view.q[-len(self.joints) :]
        if exact:
            stepper.close()
        else:
            self.made = int(stepper.result.statistics["steps"] - before)
        return angles

    def compiled(self, samples: int) -> None:
        """Simulate the servos in the equations, without any Python between samples."""
        self.stepper.reset()
        self.stepper.step(until=samples * SAMPLE)


def frames(view: Any, robot: Robot) -> list[tuple[Array, Array, Array]]:
    """Return what a law reads of the robot's frames, at the state as it is."""
    return [(view.jacobian(name), view.position(name), view.rotation(name)) for name in robot.frames]
