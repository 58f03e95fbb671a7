"""Free motion of a root body: q = (p_WB_W, quaternion or Cardan angles of R_WB), v = (v_WB_W, w_WB_B).

The acceleration is der(v). The motion subspace is the whole space, S = [0 1; R_WB^T 0] for (angular, linear) motion in B
and v. So its articulated inertia is the body's own, and equations of motion are solved in body coordinates.
"""

from __future__ import annotations

from ..basics.formula import formula
from ..basics.layout import W_INERTIA
from ..basics.orientation import rotation
from ..basics.spatial import add, apply, apply_transposed, dot, kernel, load6, load9, store6, store9, subtract


@kernel
def placement(orientation, q, k):
    """Return ``R_WB`` and ``p_WB_W`` from the coordinates ``q[k:]``."""
    return rotation(orientation, q, k + 3), (q[k], q[k + 1], q[k + 2])


@kernel
def angular(v, k):
    """Return the angular half of ``v[k:k+6]``, or of an acceleration or generalized force, in B."""
    return v[k + 3], v[k + 4], v[k + 5]


@kernel
def linear(v, k):
    """Return the linear half of ``v[k:k+6]``, or of an acceleration or generalized force, in world."""
    return v[k], v[k + 1], v[k + 2]


@kernel
def store(v, k, angular_B, linear_W):
    """Write both halves to ``v[k:k+6]``."""
    v[k], v[k + 1], v[k + 2] = linear_W
    v[k + 3], v[k + 4], v[k + 5] = angular_B


@formula
def factorise3(S):
    """Return the factors of ``S = L D L^T``: inverses of the diagonal of D, then L's entries yx, zx, zy."""
    d = 1.0 / S[0]
    yx, zx = S[3] * d, S[4] * d
    e = 1.0 / (S[1] - yx * S[3])
    t = S[5] - zx * S[3]
    zy = t * e
    return d, e, 1.0 / (S[2] - zx * S[4] - zy * t), yx, zx, zy


@formula
def solve3(F, b):
    """Return x of ``L D L^T x = b``"""
    y = b[1] - F[3] * b[0]
    z = b[2] - F[4] * b[0] - F[5] * y
    z = z * F[2]
    y = y * F[1] - F[5] * z
    return b[0] * F[0] - F[3] * y - F[4] * z, y, z


@kernel
def factorise(work, i, J, H, M, inertia_limit, mass_limit):
    """Factorise the inertia of free body ``i`` in its row of ``work``, in place; return False if it is singular.

    Block elimination: ``M = L D L^T``, ``G = H M^-1``, ``J - G H^T = L D L^T``. A pivot has to exceed its limit.
    """
    F_M = factorise3(M)
    gx, gy, gz = solve3(F_M, (H[0], H[1], H[2])), solve3(F_M, (H[3], H[4], H[5])), solve3(F_M, (H[6], H[7], H[8]))
    hx, hy, hz = (H[0], H[1], H[2]), (H[3], H[4], H[5]), (H[6], H[7], H[8])
    F_J = factorise3(
        (
            J[0] - dot(gx, hx),
            J[1] - dot(gy, hy),
            J[2] - dot(gz, hz),
            J[3] - dot(gx, hy),
            J[4] - dot(gx, hz),
            J[5] - dot(gy, hz),
        )
    )
    store6(work, i, W_INERTIA, F_J)
    store9(work, i, W_INERTIA + 6, (gx[0], gx[1], gx[2], gy[0], gy[1], gy[2], gz[0], gz[1], gz[2]))
    store6(work, i, W_INERTIA + 15, F_M)
    return (
        0.0 < F_M[0] * mass_limit < 1.0
        and 0.0 < F_M[1] * mass_limit < 1.0
        and 0.0 < F_M[2] * mass_limit < 1.0
        and 0.0 < F_J[0] * inertia_limit < 1.0
        and 0.0 < F_J[1] * inertia_limit < 1.0
        and 0.0 < F_J[2] * inertia_limit < 1.0
    )


@kernel
def solve(work, i, n, f):
    """Return the angular acceleration and acceleration of the origin, in B, that torque ``n`` and force ``f`` cause."""
    F_J, G, F_M = load6(work, i, W_INERTIA), load9(work, i, W_INERTIA + 6), load6(work, i, W_INERTIA + 15)
    alpha = solve3(F_J, subtract(n, apply(G, f)))
    return alpha, subtract(solve3(F_M, f), apply_transposed(G, alpha))


@kernel
def wrench_in_body(R_WB, tau, k):
    """Transform the generalized force ``tau[k:k+6]`` to torque and force in B."""
    return angular(tau, k), apply_transposed(R_WB, linear(tau, k))


@kernel
def acceleration_in_world(R_WB, a, gravity):
    """Return the acceleration of the origin in world, from the one minus gravity in B."""
    return add(apply(R_WB, a), (gravity[0], gravity[1], gravity[2]))
