"""The engine's functions for plain linear equation iteration: no mass matrix, one inverse dynamics for every column.

As in Modia3D, positions, velocities and what depends on them alone are computed once in an evaluation and kept; each pass of
the iteration computes accelerations outwards and forces inwards. For chains of revolute joints.
"""

from __future__ import annotations

from modia3d.dynamics.basics.layout import KIND, PARENT, V_INDEX, W_ACCELERATION, W_FORCE, W_OMEGA, W_P, W_R, W_U
from modia3d.dynamics.basics.spatial import add3, centripetal, load3, load9, store3, store9, wrench_to_parent
from modia3d.dynamics.joints.joint import accelerate, motion, prepare, project, wrench_of_body
from modia3d.engine.memory.accessors import segment
from modia3d.forces import add, apply_transposed, cross
from modiapy.acausal import component_function, float64_array


@component_function
def set_states(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (phi.., w..) -> token: stores coordinates and speeds, and the kinematics that follow from them."""
    s = segment(context)
    ints, floats, q, v, work = s.ints, s.floats, s.q, s.v, s.work
    for i in range(s.n_e):
        q[i] = inputs[i]
        v[i] = inputs[s.n_e + i]
    for i in range(ints.shape[0]):
        parent = ints[i, PARENT]
        R, p = prepare(ints, floats, i, q, work)
        w = (0.0, 0.0, 0.0)
        if parent >= 0:
            w = load3(work, parent, W_OMEGA)
        across = centripetal(w, p)
        w, alpha, acc = motion(ints[i, KIND], apply_transposed(R, w), v[ints[i, V_INDEX]])
        store9(work, i, W_R, R)
        store3(work, i, W_P, p)
        store3(work, i, W_OMEGA, w)
        store3(work, i, W_U, alpha)
        store3(work, i, W_U + 3, add(acc, apply_transposed(R, across)))
    outputs[0] = 0.0
    return 0


@component_function
def generalized_forces(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (token, a..) -> f..: inverse dynamics with the kinematics at hand."""
    s = segment(context)
    ints, floats, gravity, work = s.ints, s.floats, s.gravity, s.work
    a, force = float64_array(inputs, 1 + s.n_e)[1:], float64_array(outputs, s.n_e)
    for i in range(ints.shape[0]):
        kind, parent = ints[i, KIND], ints[i, PARENT]
        R, p = load9(work, i, W_R), load3(work, i, W_P)
        alpha, acc = (0.0, 0.0, 0.0), (-gravity[0], -gravity[1], -gravity[2])
        if parent >= 0:
            alpha = load3(work, parent, W_ACCELERATION)
            acc = add(load3(work, parent, W_ACCELERATION + 3), cross(alpha, p))
        alpha = add(apply_transposed(R, alpha), load3(work, i, W_U))
        acc = add(apply_transposed(R, acc), load3(work, i, W_U + 3))
        alpha, acc = accelerate(kind, alpha, acc, a[ints[i, V_INDEX]])
        n, f = wrench_of_body(floats, i, load3(work, i, W_OMEGA), alpha, acc)
        store3(work, i, W_ACCELERATION, alpha)
        store3(work, i, W_ACCELERATION + 3, acc)
        store3(work, i, W_FORCE, n)
        store3(work, i, W_FORCE + 3, f)
    for i in range(ints.shape[0] - 1, -1, -1):
        parent = ints[i, PARENT]
        n, f = load3(work, i, W_FORCE), load3(work, i, W_FORCE + 3)
        force[ints[i, V_INDEX]] = project(ints[i, KIND], n, f)
        if parent >= 0:
            n, f = wrench_to_parent(load9(work, i, W_R), load3(work, i, W_P), n, f)
            add3(work, parent, W_FORCE, n)
            add3(work, parent, W_FORCE + 3, f)
    return 0
