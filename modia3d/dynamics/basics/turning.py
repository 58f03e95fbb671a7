"""Rotations as rows of nine numbers, as plain Python functions, from which `kernels_of.kernel_of` makes kernels."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import cos, sin, sqrt

from .algebra import add, columns, of_columns, scale, subtract


def rotate_about_z(R, angle):
    """Return the product R R_z(angle)."""
    c, s = cos(angle), sin(angle)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    return c * xx + s * xy, c * xy - s * xx, xz, c * yx + s * yy, c * yy - s * yx, yz, c * zx + s * zy, c * zy - s * zx, zz


def turn_about_z(angle):
    """Return the rotation R_z(angle)."""
    c, s = cos(angle), sin(angle)
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


def rotate_about(R, axis, angle):
    """Return R R_axis(angle), axis 0, 1 or 2."""
    c, s = cos(angle), sin(angle)
    x, y, z = columns(R)
    if axis == 0:
        y, z = add(scale(c, y), scale(s, z)), subtract(scale(c, z), scale(s, y))
    elif axis == 1:
        z, x = add(scale(c, z), scale(s, x)), subtract(scale(c, x), scale(s, z))
    else:
        x, y = add(scale(c, x), scale(s, y)), subtract(scale(c, y), scale(s, x))
    return of_columns(x, y, z)


def rotation_of_quaternion(w, x, y, z):
    """Return the rotation matrix of the normalised quaternion."""
    s = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = s * w, s * x, s * y, s * z
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


def axes(sequence):
    """Return the first, second and third axis (0, 1, 2) of a Cardan sequence, and 1.0 if they are a right-handed order, else
    -1.0.
    """
    if sequence <= 3:
        i = sequence - 1
        return i, (i + 1) % 3, (i + 2) % 3, 1.0
    i = sequence - 4
    return i, (i + 2) % 3, (i + 1) % 3, -1.0


def rotation(orientation, q, k):
    """Return ``R_AB`` of the coordinates from ``q[k]`` on; a quaternion is normalised."""
    if orientation == 0:
        return rotation_of_quaternion(q[k], q[k + 1], q[k + 2], q[k + 3])
    first, second, third, _ = axes(orientation)
    R = rotate_about((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), first, q[k])
    return rotate_about(rotate_about(R, second, q[k + 1]), third, q[k + 2])
