"""Steps of the articulated-body algorithm (Featherstone 2008, chapter 7) that forward and hybrid dynamics share.

In body coordinates and with conventional accelerations: body i's motion obeys ``F = I^A A + p^A`` with the wrench F that the
joint transmits, the articulated inertia ``I^A`` and the bias force ``p^A`` of everything that hangs on it.
"""

from __future__ import annotations

from .basics import records
from .basics.layout import (
    FREE,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    REVOLUTE,
    SINGULAR,
    V_INDEX,
    W_ACCELERATION,
    W_D_INV,
    W_FORCE,
    W_INERTIA,
    W_OMEGA,
    W_P,
    W_PRODUCT,
    W_R,
    W_SCALE,
    W_U,
    W_U_FORCE,
)
from .basics.spatial import (
    add,
    add3,
    add6,
    add9,
    apply_symmetric,
    apply_transposed,
    centripetal,
    cross,
    dot,
    inertia_to_parent,
    kernel,
    load3,
    load6,
    load9,
    reduce_inertia,
    scale,
    store3,
    store6,
    store9,
    subtract,
    wrench_of,
    wrench_to_parent,
)
from .joints import free, general
from .joints.joint import accelerate, column, motion, prepare, project


@kernel
def load_inertia(work, i):
    """Return the spatial inertia J, H, M of body ``i``."""
    return load6(work, i, W_INERTIA), load9(work, i, W_INERTIA + 6), load6(work, i, W_INERTIA + 15)


@kernel
def start(ints, floats, q, v, work):
    """Compute the outward pass: placements, angular velocities, velocity products, own inertia and bias force of each body."""
    for i in range(ints.shape[0]):
        kind, parent, k = ints[i, KIND], ints[i, PARENT], ints[i, V_INDEX]
        R, p = prepare(ints, floats, i, q, work)
        w = (0.0, 0.0, 0.0)
        if kind == FREE:
            w = free.angular(v, k)
        else:
            c = (0.0, 0.0, 0.0)
            if parent >= 0:
                w = load3(work, parent, W_OMEGA)
                c = apply_transposed(R, centripetal(w, p))
            w = apply_transposed(R, w)
            if kind > FREE:
                w, c_alpha, c_a = general.motion(ints, floats, i, R, p, w, v, work)
            else:
                w, c_alpha, c_a = motion(kind, w, v[k])
            store3(work, i, W_PRODUCT, c_alpha)
            store3(work, i, W_PRODUCT + 3, add(c, c_a))
        store9(work, i, W_R, R)
        store3(work, i, W_P, p)
        store3(work, i, W_OMEGA, w)
        inertia, h, m = load6(floats, i, INERTIA), load3(floats, i, MOMENT), floats[i, MASS]
        store6(work, i, W_INERTIA, inertia)
        store9(work, i, W_INERTIA + 6, (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0))
        store6(work, i, W_INERTIA + 15, (m, m, m, 0.0, 0.0, 0.0))
        store3(work, i, W_FORCE, cross(w, apply_symmetric(inertia, w)))
        store3(work, i, W_FORCE + 3, centripetal(w, h))
        work[i, W_SCALE] = inertia[0] + inertia[1] + inertia[2]
        work[i, W_SCALE + 1] = m


@kernel
def eliminate(kind, tau, work, i, J, H, M):
    """Prepare the elimination of a passive joint: ``U = I^A S``, ``1 / S^T U`` and the force left to accelerate it.

    Returns the inverse of the joint's articulated inertia (0.0 if that is singular), U's torque and force.
    """
    n, f = column(kind, J, H, M)
    D = project(kind, n, f)
    limit = work[i, W_SCALE] if kind == REVOLUTE else work[i, W_SCALE + 1]
    inverse = 1.0 / D if SINGULAR * limit < D else 0.0
    store3(work, i, W_U, n)
    store3(work, i, W_U + 3, f)
    work[i, W_D_INV] = inverse
    work[i, W_U_FORCE] = tau - project(kind, load3(work, i, W_FORCE), load3(work, i, W_FORCE + 3))
    return inverse, n, f


@kernel
def accumulate_articulated_inertia(work, i, parent, J, H, M, n, f):
    """Add the inertia J, H, M of body ``i`` as seen through its joint and the bias force (n, f) to the parent's."""
    R, p = load9(work, i, W_R), load3(work, i, W_P)
    n, f = wrench_to_parent(R, p, n, f)
    add3(work, parent, W_FORCE, n)
    add3(work, parent, W_FORCE + 3, f)
    J, H, M = inertia_to_parent(R, p, J, H, M)
    add6(work, parent, W_INERTIA, J)
    add9(work, parent, W_INERTIA + 6, H)
    add6(work, parent, W_INERTIA + 15, M)
    mass = work[i, W_SCALE + 1]
    work[parent, W_SCALE] += work[i, W_SCALE] + mass * dot(p, p)
    work[parent, W_SCALE + 1] += mass


@kernel
def passive_to_parent(kind, tau, work, i, parent):
    """Compute the inward step across a passive joint; return False if its articulated inertia is singular."""
    J, H, M = load_inertia(work, i)
    inverse, U_n, U_f = eliminate(kind, tau, work, i, J, H, M)
    if parent >= 0:
        J, H, M = reduce_inertia(J, H, M, inverse, U_n, U_f)
        c_n, c_f = wrench_of(J, H, M, load3(work, i, W_PRODUCT), load3(work, i, W_PRODUCT + 3))
        s = inverse * work[i, W_U_FORCE]
        n = add(add(load3(work, i, W_FORCE), c_n), scale(s, U_n))
        f = add(add(load3(work, i, W_FORCE + 3), c_f), scale(s, U_f))
        accumulate_articulated_inertia(work, i, parent, J, H, M, n, f)
    return inverse > 0.0


@kernel
def locked_to_parent(kind, tau, work, i, parent):
    """Compute the inward step across a locked joint, which is rigid. `locking_force` gives the force that locks it."""
    J, H, M = load_inertia(work, i)
    n, f = load3(work, i, W_FORCE), load3(work, i, W_FORCE + 3)
    if kind > FREE:
        w, v = records.column(work, i, 0)
        U_n, U_f = wrench_of(J, H, M, w, v)
        bias = general.project(work, i, 0, n, f)
    else:
        U_n, U_f = column(kind, J, H, M)
        bias = project(kind, n, f)
    store3(work, i, W_U, U_n)
    store3(work, i, W_U + 3, U_f)
    work[i, W_D_INV] = 0.0
    work[i, W_U_FORCE] = tau - bias
    if parent >= 0:
        c_n, c_f = wrench_of(J, H, M, load3(work, i, W_PRODUCT), load3(work, i, W_PRODUCT + 3))
        accumulate_articulated_inertia(work, i, parent, J, H, M, add(n, c_n), add(f, c_f))


@kernel
def locking_force(work, i):
    """Return the generalized force that locks the joint of body ``i``, without the part due to PRESCRIBED joints behind it."""
    alpha, a = load3(work, i, W_ACCELERATION), load3(work, i, W_ACCELERATION + 3)
    return dot(load3(work, i, W_U), alpha) + dot(load3(work, i, W_U + 3), a) - work[i, W_U_FORCE]


@kernel
def general_to_parent(ints, tau, work, i, parent):
    """Compute the inward step across a general joint; return False if its articulated inertia is singular."""
    J, H, M = load_inertia(work, i)
    n, f = load3(work, i, W_FORCE), load3(work, i, W_FORCE + 3)
    regular, J, H, M, n, f = general.eliminate(ints, tau, work, i, J, H, M, n, f)
    if parent >= 0:
        c_n, c_f = wrench_of(J, H, M, load3(work, i, W_PRODUCT), load3(work, i, W_PRODUCT + 3))
        accumulate_articulated_inertia(work, i, parent, J, H, M, add(n, c_n), add(f, c_f))
    return regular


@kernel
def eliminate_free(tau, k, work, i):
    """Factorise the articulated inertia of free body ``i`` and store the remaining wrench; return False if it is singular."""
    J, H, M = load_inertia(work, i)
    n, f = free.wrench_in_body(load9(work, i, W_R), tau, k)
    store3(work, i, W_U, subtract(n, load3(work, i, W_FORCE)))
    store3(work, i, W_U + 3, subtract(f, load3(work, i, W_FORCE + 3)))
    return free.factorise(work, i, J, H, M, SINGULAR * work[i, W_SCALE], SINGULAR * work[i, W_SCALE + 1])


@kernel
def carried_acceleration(work, i, parent, gravity):
    """Return the accelerations of body ``i`` (minus gravity, in B) while the joint itself does not accelerate."""
    R = load9(work, i, W_R)
    c_alpha, c_a = load3(work, i, W_PRODUCT), load3(work, i, W_PRODUCT + 3)
    if parent < 0:
        return c_alpha, add(c_a, apply_transposed(R, (-gravity[0], -gravity[1], -gravity[2])))
    alpha, a = load3(work, parent, W_ACCELERATION), load3(work, parent, W_ACCELERATION + 3)
    a = add(a, cross(alpha, load3(work, i, W_P)))
    return add(apply_transposed(R, alpha), c_alpha), add(apply_transposed(R, a), c_a)


@kernel
def passive_acceleration(work, i, alpha, a):
    """Return the acceleration of a passive joint whose body is carried with (alpha, a)."""
    pull = dot(load3(work, i, W_U), alpha) + dot(load3(work, i, W_U + 3), a)
    return work[i, W_D_INV] * (work[i, W_U_FORCE] - pull)


@kernel
def keep_acceleration(work, i, alpha, a):
    """Store the accelerations of body ``i`` for its children."""
    store3(work, i, W_ACCELERATION, alpha)
    store3(work, i, W_ACCELERATION + 3, a)


@kernel
def store_acceleration(kind, work, i, alpha, a, acceleration):
    """Store the accelerations of body ``i`` for its children, including that of the joint itself."""
    alpha, a = accelerate(kind, alpha, a, acceleration)
    keep_acceleration(work, i, alpha, a)


@kernel
def free_acceleration(work, i, n, f):
    """Compute the accelerations of free body ``i`` (minus gravity, in B) under the wrench (n, f), for its children, too."""
    alpha, a = free.solve(work, i, n, f)
    keep_acceleration(work, i, alpha, a)
    return alpha, a
