"""Meters of power and work that are merged into the walking robot's model, and the energies to compare them with."""

from __future__ import annotations

from typing import Any

import numpy as np

from modiapy import Model, Var

from . import mosar

MOTORS = " + ".join(f"{d}.torque.tau*{d}.motor.w" for d in mosar.DRIVES)
SPRINGS = " + ".join(f"{d}.spring.c*{d}.spring.phi_rel*{d}.spring.w_rel" for d in mosar.DRIVES)
DAMPERS = " + ".join(f"{d}.spring.d*{d}.spring.w_rel*{d}.spring.w_rel" for d in mosar.DRIVES)
JOINTS = " + ".join(f"{j}.flange.tau*{j}.w" for j in mosar.JOINTS)

METERS = Model(
    power=Model(motors=Var(), springs=Var(), dampers=Var(), joints=Var()),
    work=Model(
        motors=Var(init=0.0), springs=Var(init=0.0), dampers=Var(init=0.0), joints=Var(init=0.0), magnitude=Var(init=0.0)
    ),
    equations=[
        f"power.motors = {MOTORS}",
        f"power.springs = {SPRINGS}",
        f"power.dampers = {DAMPERS}",
        f"power.joints = {JOINTS}",
        *(f"der(work.{part}) = power.{part}" for part in ("motors", "springs", "dampers", "joints")),
        "der(work.magnitude) = abs(power.motors - power.dampers)",
    ],
)
"""Of the motors on the rotors, into the springs, lost in the dampers, of the gears on the joints; ``magnitude``: integral of
the absolute value of what motors and dampers give and take together."""


def energies(result: Any) -> dict[str, np.ndarray]:
    """Kinetic energy of bodies and rotors, energy of the springs [J], shape (nt,) each."""
    J, c = ([mosar.parameter(drive, name) for drive in mosar.DRIVES] for name in ("J_motor", "c"))
    return {
        "bodies": result["mechanics.kinetic_energy"],
        "rotors": sum(0.5 * J[k] * result[f"{d}.motor.w"] ** 2 for k, d in enumerate(mosar.DRIVES)),
        "springs": sum(0.5 * c[k] * result[f"{d}.spring.phi_rel"] ** 2 for k, d in enumerate(mosar.DRIVES)),
    }
