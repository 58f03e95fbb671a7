"""Orientation as coordinates: quaternion w x y z, or Cardan angles about three body axes in turn (`layout.SEQUENCES`).

The coordinates only describe the orientation. Speeds are angular velocities in B whatever the description, so the motion
subspace never becomes singular; near a Cardan singularity only the rates of the angles grow.
"""

from __future__ import annotations

from math import cos, sin

from .layout import SINGULAR_SINE
from .spatial import kernel, rotate_about, rotation_of_quaternion

NORM_RATE = 1.0
"""Rate [1/s] at which the norm of a quaternion returns to one, see `rates`."""


@kernel
def axes(sequence):
    """First, second and third axis (0, 1, 2) of a Cardan sequence, and 1.0 if they are a right-handed order, else -1.0."""
    if sequence <= 3:
        i = sequence - 1
        return i, (i + 1) % 3, (i + 2) % 3, 1.0
    i = sequence - 4
    return i, (i + 2) % 3, (i + 1) % 3, -1.0


@kernel
def rotation(orientation, q, k):
    """``R_AB`` of the coordinates from ``q[k]`` on; a quaternion is normalised."""
    if orientation == 0:
        return rotation_of_quaternion(q[k], q[k + 1], q[k + 2], q[k + 3])
    first, second, third, _ = axes(orientation)
    R = rotate_about((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), first, q[k])
    return rotate_about(rotate_about(R, second, q[k + 1]), third, q[k + 2])


@kernel
def rates(orientation, q, j, v, k, out, at):
    """Derivatives of the coordinates ``q[j:]`` at the angular velocity ``w_AB_B = v[k:k+3]``, written to ``out[at:]``.

    The quaternion Q has the derivative ``0.5 Q * (0, w) + r (1 - |Q|^2) Q`` with r = NORM_RATE: the second term does not change
    the orientation and makes the norm return to one instead of drifting. Cardan angles (a, b, c) about the axes i, j, k
    of a right-handed order: ``w_i = a' cos b cos c + b' sin c, w_j = b' cos c - a' cos b sin c, w_k = c' + a' sin b``.
    """
    if orientation == 0:
        w, x, y, z = q[j], q[j + 1], q[j + 2], q[j + 3]
        w_x, w_y, w_z = v[k], v[k + 1], v[k + 2]
        s = NORM_RATE * (1.0 - (w * w + x * x + y * y + z * z))
        out[at] = s * w - 0.5 * (x * w_x + y * w_y + z * w_z)
        out[at + 1] = s * x + 0.5 * (w * w_x + y * w_z - z * w_y)
        out[at + 2] = s * y + 0.5 * (w * w_y + z * w_x - x * w_z)
        out[at + 3] = s * z + 0.5 * (w * w_z + x * w_y - y * w_x)
    else:
        first, second, third, sign = axes(orientation)
        w_i, w_j, w_k = v[k + first], v[k + second], v[k + third]
        c, s = cos(q[j + 2]), sign * sin(q[j + 2])
        rate = (w_i * c - w_j * s) / cos(q[j + 1])
        out[at] = rate
        out[at + 1] = w_i * s + w_j * c
        out[at + 2] = w_k - sign * rate * sin(q[j + 1])


@kernel
def distance_to_singularity(q, k):
    """Indicator of an automatic sequence whose angles begin at ``q[k]``: negative where it is to be left."""
    s = sin(q[k + 1])
    return SINGULAR_SINE * SINGULAR_SINE - s * s
