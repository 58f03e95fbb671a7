"""Algebra of small vectors as tuples of floats: no array of length 3 is ever made, and LLVM unrolls everything.

A vector is (x, y, z), a matrix (xx, xy, xz, yx, yy, yz, zx, zy, zz), a symmetric matrix (xx, yy, zz, xy, xz, yz).
A spatial inertia (J symmetric, H matrix, M symmetric) gives torque ``n = J alpha + H a`` and force ``f = H^T alpha + M a``
about the origin of the frame from angular acceleration and acceleration of that origin.

All kernels allow contraction to fused multiply-add and signed zeros to be mixed up, nothing else: NaN and infinity keep
their meaning, sums keep their order. Division by zero gives infinity (``error_model="numpy"``), never an exception.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Any

import modiapy.acausal.native  # noqa: F401  (configures numba's cache before the first kernel is defined)
from numba import njit, types

from .memory import add3, add6, add9, load3, load6, load9, store3, store6, store9  # noqa: F401

OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz"}}
"""Options of `numba.njit` for kernels."""

INTS = types.int64[:, ::1]
MATRIX = types.float64[:, ::1]
VECTOR = types.float64[::1]
"""Types of kernel arguments, for explicit signatures."""

kernel = njit(**(OPTIONS | {"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}))
"""Decorator of functions that kernels inline. Without wrappers they compile in half the time."""


@kernel
def add(a, b):
    """a + b"""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def subtract(a, b):
    """a - b"""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def scale(s, a):
    """s a"""
    return s * a[0], s * a[1], s * a[2]


@kernel
def dot(a, b):
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """a x b"""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def centripetal(w, r):
    """w x (w x r)"""
    return cross(w, cross(w, r))


@kernel
def apply(R, a):
    """R a"""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@kernel
def apply_transposed(R, a):
    """R^T a"""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@kernel
def apply_symmetric(S, a):
    """S a for a symmetric S"""
    return (
        S[0] * a[0] + S[3] * a[1] + S[4] * a[2],
        S[3] * a[0] + S[1] * a[1] + S[5] * a[2],
        S[4] * a[0] + S[5] * a[1] + S[2] * a[2],
    )


@kernel
def multiply(A, B):
    """A B"""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def rotate_about_z(R, angle):
    """R R_z(angle)"""
    c, s = cos(angle), sin(angle)
    return (
        c * R[0] + s * R[1], c * R[1] - s * R[0], R[2],
        c * R[3] + s * R[4], c * R[4] - s * R[3], R[5],
        c * R[6] + s * R[7], c * R[7] - s * R[6], R[8],
    )  # fmt: skip


@kernel
def rotation_of_quaternion(w, x, y, z):
    """Rotation matrix of the normalised quaternion."""
    s = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = s * w, s * x, s * y, s * z
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@kernel
def rotate_symmetric(R, S):
    """R S R^T for a symmetric S"""
    x = apply(R, (S[0], S[3], S[4]))
    y = apply(R, (S[3], S[1], S[5]))
    z = apply(R, (S[4], S[5], S[2]))
    rx, ry, rz = (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
    X, Y, Z = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    return dot(rx, X), dot(ry, Y), dot(rz, Z), dot(rx, Y), dot(rx, Z), dot(ry, Z)


@kernel
def rotate_matrix(R, A):
    """R A R^T"""
    x = apply(R, (A[0], A[3], A[6]))
    y = apply(R, (A[1], A[4], A[7]))
    z = apply(R, (A[2], A[5], A[8]))
    rx, ry, rz = (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
    X, Y, Z = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    return (
        dot(rx, X), dot(rx, Y), dot(rx, Z),
        dot(ry, X), dot(ry, Y), dot(ry, Z),
        dot(rz, X), dot(rz, Y), dot(rz, Z),
    )  # fmt: skip


@kernel
def wrench_of(J, H, M, alpha, a):
    """Torque ``J alpha + H a`` and force ``H^T alpha + M a``."""
    return add(apply_symmetric(J, alpha), apply(H, a)), add(apply_transposed(H, alpha), apply_symmetric(M, a))


@kernel
def wrench_to_parent(R, p, n, f):
    """Torque about the parent's origin and force in P, from torque about B's origin and force in B."""
    f_P = apply(R, f)
    return add(apply(R, n), cross(p, f_P)), f_P


@kernel
def inertia_to_parent(R, p, J, H, M):
    """Spatial inertia about the parent's origin in P, from the one about B's origin in B.

    With ``X = [R^T 0; -R^T p~ R^T]`` it is ``X^T I X`` (Featherstone 2008, table 2.5, for an inertia of general form).
    """
    J, H, M = rotate_symmetric(R, J), rotate_matrix(R, H), rotate_symmetric(R, M)
    # H_P = H + p~ M and J_P = J - H p~ + p~ H_P^T, column by column.
    x = add((H[0], H[3], H[6]), cross(p, (M[0], M[3], M[4])))
    y = add((H[1], H[4], H[7]), cross(p, (M[3], M[1], M[5])))
    z = add((H[2], H[5], H[8]), cross(p, (M[4], M[5], M[2])))
    # Row i of H p~ is (row i of H) x p; column i of p~ H_P^T is p x (row i of H_P).
    hx, hy, hz = (H[0], H[1], H[2]), (H[3], H[4], H[5]), (H[6], H[7], H[8])
    ax, ay, az = cross(hx, p), cross(hy, p), cross(hz, p)
    bx, by, bz = cross(p, (x[0], y[0], z[0])), cross(p, (x[1], y[1], z[1])), cross(p, (x[2], y[2], z[2]))
    J_P = (
        J[0] - ax[0] + bx[0],
        J[1] - ay[1] + by[1],
        J[2] - az[2] + bz[2],
        J[3] - ax[1] + by[0],
        J[4] - ax[2] + bz[0],
        J[5] - ay[2] + bz[1],
    )
    return J_P, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), M
