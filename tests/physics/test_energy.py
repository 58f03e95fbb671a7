"""The walking robot for 86 s: what motors put in and dampers take out is what bodies, rotors and springs have."""

import numpy as np
import pytest

from modiapy import Model, Var, instantiate

from . import mosar

MOTORS = " + ".join(f"{d}.torque.tau*{d}.motor.w" for d in mosar.DRIVES)
SPRINGS = " + ".join(f"{d}.spring.c*{d}.spring.phi_rel*{d}.spring.w_rel" for d in mosar.DRIVES)
DAMPERS = " + ".join(f"{d}.spring.d*{d}.spring.w_rel*{d}.spring.w_rel" for d in mosar.DRIVES)

METERS = Model(
    P_motors=Var(),
    P_springs=Var(),
    P_dampers=Var(),
    W_motors=Var(init=0.0),
    W_springs=Var(init=0.0),
    W_dampers=Var(init=0.0),
    W_absolute=Var(init=0.0),
    W_into_bodies=Var(init=0.0),
    equations=[
        f"P_motors = {MOTORS}",
        f"P_springs = {SPRINGS}",
        f"P_dampers = {DAMPERS}",
        "der(W_motors) = P_motors",
        "der(W_springs) = P_springs",
        "der(W_dampers) = P_dampers",
        "der(W_absolute) = abs(P_motors - P_dampers)",
        "der(W_into_bodies) = " + " + ".join(f"{d}.spring.tau*{j}.w" for d, j in zip(mosar.DRIVES, mosar.JOINTS, strict=True)),
    ],
)
"""Powers and works: of the motors, into the springs, lost in the dampers; of all that comes in or goes out in total, its
magnitude; of the springs and dampers on the joints, with opposite sign."""
