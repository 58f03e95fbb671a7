"""Dispatch of all operations on a joint by its kind: to `revolute`, `prismatic`, `free`, else to `general`.

A revolute or prismatic joint has one speed and a constant motion subspace, which the kernels use without ever storing it. All
other kinds (those after FREE) go through `general`.
"""

from __future__ import annotations

from ..basics.layout import FREE, INERTIA, KIND, MASS, MOMENT, ORIENTATION, P_PJ, Q_INDEX, R_PJ, REVOLUTE
from ..basics.spatial import add, apply_symmetric, cross, inlined, kernel, load3, load6, load9, scale
from . import free, general, prismatic, revolute


@kernel
def rare_placement(ints, floats, i, q):
    """Return `placement` of free and general joints"""
    if ints[i, KIND] == FREE:
        return free.placement(ints[i, ORIENTATION], q, ints[i, Q_INDEX])
    return general.placement(ints, floats, i, q)


@kernel
def rare_preparation(ints, floats, i, q, work):
    """`prepare` of free and general joints"""
    if ints[i, KIND] == FREE:
        return free.placement(ints[i, ORIENTATION], q, ints[i, Q_INDEX])
    return general.prepare(ints, floats, i, q, work)


@inlined
def simple_placement(ints, floats, i, q):
    """Return `placement` of a revolute or prismatic joint"""
    R, p, coordinate = load9(floats, i, R_PJ), load3(floats, i, P_PJ), q[ints[i, Q_INDEX]]
    if ints[i, KIND] == REVOLUTE:
        return revolute.placement(R, p, coordinate)
    return prismatic.placement(R, p, coordinate)


@inlined
def placement(ints, floats, i, q):
    """Return ``R_PB`` and ``p_PB_P`` of body ``i``."""
    if ints[i, KIND] >= FREE:
        return rare_placement(ints, floats, i, q)
    return simple_placement(ints, floats, i, q)


@inlined
def prepare(ints, floats, i, q, work):
    """Return `placement`; for general joints also store the motion subspace in the row of ``work``."""
    if ints[i, KIND] >= FREE:
        return rare_preparation(ints, floats, i, q, work)
    return simple_placement(ints, floats, i, q)


@kernel
def motion(kind, w, speed):
    """Return ``w_WB_B``, and the accelerations that velocities cause across the joint (revolute, prismatic)"""
    if kind == REVOLUTE:
        return revolute.motion(w, speed)
    return prismatic.motion(w, speed)


@kernel
def accelerate(kind, alpha, a, acceleration):
    """Return (alpha, a) + S acceleration (revolute, prismatic)"""
    if kind == REVOLUTE:
        return revolute.accelerate(alpha, a, acceleration)
    return prismatic.accelerate(alpha, a, acceleration)


@kernel
def project(kind, n, f):
    """Return S^T (n, f) (revolute, prismatic)"""
    if kind == REVOLUTE:
        return revolute.project(n, f)
    return prismatic.project(n, f)


@kernel
def column(kind, J, H, M):
    """Return the torque and force of the inertia times S (revolute, prismatic)"""
    if kind == REVOLUTE:
        return revolute.column(J, H, M)
    return prismatic.column(J, H, M)


@kernel
def wrench_of_body(floats, i, w, alpha, a):
    """Return the torque about the origin of body ``i`` and force that move it, in B (Newton and Euler about the origin).

    ``n = I alpha + w x I w + h x a``, ``f = m a + alpha x h + w x (w x h)`` with the first moment h.
    """
    inertia, h = load6(floats, i, INERTIA), load3(floats, i, MOMENT)
    n = add(add(apply_symmetric(inertia, alpha), cross(w, apply_symmetric(inertia, w))), cross(h, a))
    f = add(scale(floats[i, MASS], a), add(cross(alpha, h), cross(w, cross(w, h))))
    return n, f
