"""Tools for kernels of force elements; numba is imported when one of them is compiled."""

from ...dynamics.basics.spatial import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    kernel,
    multiply,
    negate,
    scale,
    subtract,
    transpose,
)
from ..kernels.calls import call_3_1, call_3_3
from ..kernels.frames import act, first_pose, parameter3, point_velocity, second_pose
from ..kernels.law import integral, law, law3

__all__ = [
    "act",
    "add",
    "apply",
    "apply_transposed",
    "call_3_1",
    "call_3_3",
    "cross",
    "dot",
    "first_pose",
    "integral",
    "kernel",
    "law",
    "law3",
    "multiply",
    "negate",
    "parameter3",
    "point_velocity",
    "scale",
    "second_pose",
    "subtract",
    "transpose",
]
