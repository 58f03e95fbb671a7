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

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

import modiapy.acausal.native  # noqa: F401  (configures numba's cache before the first kernel is defined)

OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz"}, "_nrt": False}
"""Options of `numba.njit` for kernels."""

INTS = types.int64[:, ::1]
MATRIX = types.float64[:, ::1]
VECTOR = types.float64[::1]
"""Types of kernel arguments, for explicit signatures."""

kernel = njit(**(OPTIONS | {"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}))
"""Decorator of functions that kernels inline. Without wrappers they compile in half the time."""
inlined = njit(**(OPTIONS | {"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}))
"""The same for what must be inlined though it can call something large: the frequent joints pay nothing for the rare ones."""


# Loads and stores are intrinsics, a few LLVM instructions each: with numba's own element access all kernels together take a
# third longer to compile (measured). They check no bounds; indices must not be negative.


def _element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Pointer to ``array[i, k]`` of a C-contiguous matrix."""
    array = context.make_array(signature.args[0])(context, builder, value=args[0])
    columns = cgutils.unpack_tuple(builder, array.shape)[1]
    return builder.gep(array.data, [builder.add(builder.mul(args[1], columns), args[2])])


def _load(size: int) -> Any:
    def load(typingctx: Any, array: Any, i: Any, k: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = _element(context, builder, signature, args)
            values = [builder.load(builder.gep(first, [ir.Constant(ir.IntType(64), j)])) for j in range(size)]
            return context.make_tuple(builder, signature.return_type, values)

        return types.UniTuple(types.float64, size)(array, types.int64, types.int64), generate

    load.__doc__ = f"The {size} elements of a float64 matrix in row ``i`` from column ``k``, as a tuple."
    return intrinsic(load)


def _store(size: int, accumulate: bool) -> Any:
    def store(typingctx: Any, array: Any, i: Any, k: Any, values: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = _element(context, builder, signature, args)
            for j, value in enumerate(cgutils.unpack_tuple(builder, args[3], size)):
                pointer = builder.gep(first, [ir.Constant(ir.IntType(64), j)])
                total = builder.fadd(builder.load(pointer), value) if accumulate else value
                builder.store(total, pointer)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64, types.UniTuple(types.float64, size)), generate

    action = "Add" if accumulate else "Write"
    store.__doc__ = f"{action} a tuple of {size} to a float64 matrix in row ``i`` from column ``k``."
    return intrinsic(store)


load3, load6, load9 = _load(3), _load(6), _load(9)
store3, store6, store9 = _store(3, False), _store(6, False), _store(9, False)
add3, add6, add9 = _store(3, True), _store(6, True), _store(9, True)


@kernel
def add(a, b):
    """a + b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_x + b_x, a_y + b_y, a_z + b_z


@kernel
def subtract(a, b):
    """a - b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_x - b_x, a_y - b_y, a_z - b_z


@kernel
def negate(a):
    """-a"""
    x, y, z = a
    return -x, -y, -z


@kernel
def scale(s, a):
    """s a"""
    x, y, z = a
    return s * x, s * y, s * z


@kernel
def dot(a, b):
    """a . b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_x * b_x + a_y * b_y + a_z * b_z


@kernel
def cross(a, b):
    """a x b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_y * b_z - a_z * b_y, a_z * b_x - a_x * b_z, a_x * b_y - a_y * b_x


@kernel
def centripetal(w, r):
    """w x (w x r)"""
    return cross(w, cross(w, r))


@kernel
def apply(R, a):
    """R a"""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    x, y, z = a
    return xx * x + xy * y + xz * z, yx * x + yy * y + yz * z, zx * x + zy * y + zz * z


@kernel
def apply_transposed(R, a):
    """R^T a"""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    x, y, z = a
    return xx * x + yx * y + zx * z, xy * x + yy * y + zy * z, xz * x + yz * y + zz * z


@kernel
def apply_symmetric(S, a):
    """S a for a symmetric S"""
    xx, yy, zz, xy, xz, yz = S
    x, y, z = a
    return xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z


@kernel
def columns(A):
    """The columns of a matrix."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    return (xx, yx, zx), (xy, yy, zy), (xz, yz, zz)


@kernel
def rows(A):
    """The rows of a matrix."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    return (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)


@kernel
def symmetric_columns(S):
    """The columns of a symmetric matrix."""
    xx, yy, zz, xy, xz, yz = S
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


@kernel
def transpose(A):
    """A^T"""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    return xx, yx, zx, xy, yy, zy, xz, yz, zz


@kernel
def of_columns(x, y, z):
    """The matrix with these columns."""
    xx, yx, zx = x
    xy, yy, zy = y
    xz, yz, zz = z
    return xx, xy, xz, yx, yy, yz, zx, zy, zz


@kernel
def products(A, x, y, z):
    """The matrix with the columns A x, A y, A z."""
    return of_columns(apply(A, x), apply(A, y), apply(A, z))


@kernel
def multiply(A, B):
    """A B"""
    x, y, z = columns(B)
    return products(A, x, y, z)


@kernel
def rotate_about_z(R, angle):
    """R R_z(angle)"""
    c, s = cos(angle), sin(angle)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    return c * xx + s * xy, c * xy - s * xx, xz, c * yx + s * yy, c * yy - s * yx, yz, c * zx + s * zy, c * zy - s * zx, zz


@kernel
def turn_about_z(angle):
    """R_z(angle)"""
    c, s = cos(angle), sin(angle)
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


@kernel
def rotate_about(R, axis, angle):
    """R R_axis(angle), axis 0, 1 or 2."""
    c, s = cos(angle), sin(angle)
    x, y, z = columns(R)
    if axis == 0:
        y, z = add(scale(c, y), scale(s, z)), subtract(scale(c, z), scale(s, y))
    elif axis == 1:
        z, x = add(scale(c, z), scale(s, x)), subtract(scale(c, x), scale(s, z))
    else:
        x, y = add(scale(c, x), scale(s, y)), subtract(scale(c, y), scale(s, x))
    return of_columns(x, y, z)


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
    x, y, z = symmetric_columns(S)
    row_x, row_y, row_z = rows(products(R, x, y, z))
    X, Y, Z = rows(R)
    return dot(row_x, X), dot(row_y, Y), dot(row_z, Z), dot(row_x, Y), dot(row_x, Z), dot(row_y, Z)


@kernel
def rotate_matrix(R, A):
    """R A R^T"""
    row_x, row_y, row_z = rows(multiply(R, A))
    x, y, z = apply(R, row_x), apply(R, row_y), apply(R, row_z)
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


@kernel
def subtract_outer(A, a, b):
    """A - a b^T"""
    x, y, z = rows(A)
    a_x, a_y, a_z = a
    x, y, z = subtract(x, scale(a_x, b)), subtract(y, scale(a_y, b)), subtract(z, scale(a_z, b))
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


@kernel
def subtract_outer_symmetric(S, a, b):
    """S - a b^T for a symmetric S and parallel a, b"""
    xx, yy, zz, xy, xz, yz = S
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return xx - a_x * b_x, yy - a_y * b_y, zz - a_z * b_z, xy - a_x * b_y, xz - a_x * b_z, yz - a_y * b_z


@kernel
def reduce_inertia(J, H, M, inverse, n, f):
    """``I - U U^T / D`` with ``U = (n, f)`` and ``inverse = 1 / D``."""
    s_n, s_f = scale(inverse, n), scale(inverse, f)
    return subtract_outer_symmetric(J, s_n, n), subtract_outer(H, s_n, f), subtract_outer_symmetric(M, s_f, f)


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

    With ``X = [R^T 0; -R^T p~ R^T]`` it is ``X^T I X`` (Featherstone 2008, section 2.13, for an inertia of general form).
    """
    xx, yy, zz, xy, xz, yz = rotate_symmetric(R, J)
    H, M = rotate_matrix(R, H), rotate_symmetric(R, M)
    # H_P = H + p~ M, column by column.
    h_x, h_y, h_z = columns(H)
    m_x, m_y, m_z = symmetric_columns(M)
    H_P = of_columns(add(h_x, cross(p, m_x)), add(h_y, cross(p, m_y)), add(h_z, cross(p, m_z)))
    # J_P = J - H p~ + p~ H_P^T. Row i of H p~ is (row i of H) x p, column i of p~ H_P^T is p x (row i of H_P).
    h_x, h_y, h_z = rows(H)
    b_x, b_y, b_z = rows(H_P)
    h_x, h_y, h_z = cross(p, h_x), cross(p, h_y), cross(p, h_z)
    b_x, b_y, b_z = cross(p, b_x), cross(p, b_y), cross(p, b_z)
    J_P = (
        xx + h_x[0] + b_x[0],
        yy + h_y[1] + b_y[1],
        zz + h_z[2] + b_z[2],
        xy + h_x[1] + b_y[0],
        xz + h_x[2] + b_z[0],
        yz + h_y[2] + b_z[1],
    )
    return J_P, H_P, M
