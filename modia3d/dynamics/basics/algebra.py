"""Algebra of small vectors as tuples of floats: the formulas of `spatial`, as Python functions without branches.

A vector is (x, y, z), a matrix (xx, xy, xz, yx, yy, yz, zx, zy, zz), a symmetric matrix (xx, yy, zz, xy, xz, yz).
A spatial inertia (J symmetric, H matrix, M symmetric) gives torque ``n = J alpha + H a`` and force ``f = H^T alpha + M a``
about the origin of the frame from angular acceleration and acceleration of that origin.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations


def add(a, b):
    """Return a + b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_x + b_x, a_y + b_y, a_z + b_z


def subtract(a, b):
    """Return a - b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_x - b_x, a_y - b_y, a_z - b_z


def negate(a):
    """Return the negative vector -a."""
    x, y, z = a
    return -x, -y, -z


def scale(s, a):
    """Return the scaled vector s a."""
    x, y, z = a
    return s * x, s * y, s * z


def dot(a, b):
    """Return a . b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_x * b_x + a_y * b_y + a_z * b_z


def cross(a, b):
    """Return a x b"""
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return a_y * b_z - a_z * b_y, a_z * b_x - a_x * b_z, a_x * b_y - a_y * b_x


def centripetal(w, r):
    """Return w x (w x r)"""
    return cross(w, cross(w, r))


def apply(R, a):
    """Return the turned vector R a."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    x, y, z = a
    return xx * x + xy * y + xz * z, yx * x + yy * y + yz * z, zx * x + zy * y + zz * z


def apply_transposed(R, a):
    """Return the vector turned back, R^T a."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    x, y, z = a
    return xx * x + yx * y + zx * z, xy * x + yy * y + zy * z, xz * x + yz * y + zz * z


def apply_symmetric(S, a):
    """Return S a for a symmetric S"""
    xx, yy, zz, xy, xz, yz = S
    x, y, z = a
    return xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z


def columns(A):
    """Return the columns of a matrix."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    return (xx, yx, zx), (xy, yy, zy), (xz, yz, zz)


def rows(A):
    """Return the rows of a matrix."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    return (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)


def symmetric_columns(S):
    """Return the columns of a symmetric matrix."""
    xx, yy, zz, xy, xz, yz = S
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def transpose(A):
    """Return the transposed matrix A^T."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = A
    return xx, yx, zx, xy, yy, zy, xz, yz, zz


def of_columns(x, y, z):
    """Return the matrix with these columns."""
    xx, yx, zx = x
    xy, yy, zy = y
    xz, yz, zz = z
    return xx, xy, xz, yx, yy, yz, zx, zy, zz


def products(A, x, y, z):
    """Return the matrix with the columns A x, A y, A z."""
    return of_columns(apply(A, x), apply(A, y), apply(A, z))


def multiply(A, B):
    """Return the product of two matrices, A B."""
    x, y, z = columns(B)
    return products(A, x, y, z)


def rotate_symmetric(R, S):
    """Return R S R^T for a symmetric S"""
    x, y, z = symmetric_columns(S)
    row_x, row_y, row_z = rows(products(R, x, y, z))
    X, Y, Z = rows(R)
    return dot(row_x, X), dot(row_y, Y), dot(row_z, Z), dot(row_x, Y), dot(row_x, Z), dot(row_y, Z)


def rotate_matrix(R, A):
    """Return R A R^T"""
    row_x, row_y, row_z = rows(multiply(R, A))
    x, y, z = apply(R, row_x), apply(R, row_y), apply(R, row_z)
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


def subtract_outer(A, a, b):
    """Return a - a b^T"""
    x, y, z = rows(A)
    a_x, a_y, a_z = a
    x, y, z = subtract(x, scale(a_x, b)), subtract(y, scale(a_y, b)), subtract(z, scale(a_z, b))
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


def subtract_outer_symmetric(S, a, b):
    """Return S - a b^T for a symmetric S and parallel a, b"""
    xx, yy, zz, xy, xz, yz = S
    a_x, a_y, a_z = a
    b_x, b_y, b_z = b
    return xx - a_x * b_x, yy - a_y * b_y, zz - a_z * b_z, xy - a_x * b_y, xz - a_x * b_z, yz - a_y * b_z


def reduce_inertia(J, H, M, inverse, n, f):
    """Return ``I - U U^T

    D`` with ``U = (n, f)`` and ``inverse = 1

    D``.
    """
    s_n, s_f = scale(inverse, n), scale(inverse, f)
    return subtract_outer_symmetric(J, s_n, n), subtract_outer(H, s_n, f), subtract_outer_symmetric(M, s_f, f)


def wrench_of(J, H, M, alpha, a):
    """Return the torque ``J alpha + H a`` and force ``H^T alpha + M a``."""
    return add(apply_symmetric(J, alpha), apply(H, a)), add(apply_transposed(H, alpha), apply_symmetric(M, a))


def wrench_to_parent(R, p, n, f):
    """Transform torque about B's origin and force in B to torque about the parent's origin and force in P."""
    f_P = apply(R, f)
    return add(apply(R, n), cross(p, f_P)), f_P


def inertia_to_parent(R, p, J, H, M):
    """Transform the spatial inertia about B's origin in B to that about the parent's origin in P.

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
