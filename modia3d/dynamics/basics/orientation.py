"""Orientation as coordinates: quaternion w x y z, or Cardan angles about three body axes in turn (`layout.SEQUENCES`).

The coordinates only describe the orientation. Speeds are angular velocities in B whatever the description, so the motion
subspace never becomes singular; near a Cardan singularity only the rates of the angles grow.
"""

from __future__ import annotations

from math import cos, sin

from . import turning
from .layout import SINGULAR_SINE
from .spatial import kernel, kernel_of

NORM_RATE = 1.0
"""Rate [1/s] at which the norm of a quaternion returns to one, see `rates`."""


axes = kernel_of(turning.axes)
rotation = kernel_of(turning.rotation)


@kernel
def rates(orientation, q, j, v, k, out, at):
    """Compute the derivatives of the coordinates ``q[j:]`` at the angular velocity ``w_AB_B = v[k:k+3]``, written to
    ``out[at:]``.

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
    """Return the indicator of an automatic sequence whose angles begin at ``q[k]``: negative if it should be changed."""
    s = sin(q[k + 1])
    return SINGULAR_SINE * SINGULAR_SINE - s * s
