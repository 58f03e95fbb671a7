"""Kinds of quantities that sensors measure (plain Python, no numba); the kernels are `modia3d.engine.kernels.sensors`.

Frame 2 is measured relative to frame 1 and resolved in frame 3: "relative to 1" means seen by an observer who moves with 1.
"""

from __future__ import annotations

(
    POSITION,
    ROTATION_MATRIX,
    CARDAN_ANGLES,
    QUATERNION,
    VELOCITY,
    ANGULAR_VELOCITY,
    DISTANCE,
    DISTANCE_RATE,
    SIGNAL_VELOCITY,
    GRAVITY,
    KINETIC_ENERGY,
    POTENTIAL_ENERGY,
    POWER,
    DRIVE_POWER,
    FORCE_POWER,
    DISSIPATED_POWER,
    ACCELERATION,
    ANGULAR_ACCELERATION,
    DISTANCE_ACCELERATION,
    CUT_FORCE,
    CUT_TORQUE,
) = range(21)

FIRST_AFFINE = ACCELERATION
"""Kinds from here on depend on accelerations and force signals, and are affine in them."""
FIRST_CUT = CUT_FORCE
ENERGIES = {KINETIC_ENERGY: "kinetic", POTENTIAL_ENERGY: "potential"}
POWERS = {DRIVE_POWER: "drive", FORCE_POWER: "force", DISSIPATED_POWER: "dissipated"}
OF_SYSTEM = ENERGIES | {POWER: "power"} | POWERS
"""Kinds that are not of frames but of the whole system, and their names."""

VECTOR = ("x", "y", "z")
SCALAR = ("",)
MATRIX = tuple(a + b for a in VECTOR for b in VECTOR)

COMPONENTS: tuple[tuple[str, ...], ...] = (
    VECTOR,
    MATRIX,
    VECTOR,
    ("w", *VECTOR),
    VECTOR,
    VECTOR,
    SCALAR,
    SCALAR,
    SCALAR,
    VECTOR,
    SCALAR,
    SCALAR,
    SCALAR,
    SCALAR,
    SCALAR,
    SCALAR,
    VECTOR,
    VECTOR,
    SCALAR,
    VECTOR,
    VECTOR,
)
"""Names of the scalars of each kind."""
