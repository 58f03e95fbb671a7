"""Kinds of quantities that sensors measure (plain Python, no numba); the kernels are `modia3d.engine.sensor_kernels`.

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
    ACCELERATION,
    ANGULAR_ACCELERATION,
    DISTANCE_ACCELERATION,
    CUT_FORCE,
    CUT_TORQUE,
) = range(17)

FIRST_AFFINE = ACCELERATION
"""Kinds from here on depend on accelerations and force signals, and are affine in them."""
FIRST_CUT = CUT_FORCE

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
    VECTOR,
    VECTOR,
    SCALAR,
    VECTOR,
    VECTOR,
)
"""Names of the scalars of each kind."""
