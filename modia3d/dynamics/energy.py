"""Energies of all bodies together, their linear and angular momentum about the world's origin, and its rates."""

from __future__ import annotations

from modiapy.acausal.native import njit, types

from .basics.layout import INERTIA, MASS, MOMENT
from .basics.spatial import (
    MATRIX,
    OPTIONS,
    VECTOR,
    add,
    apply,
    apply_symmetric,
    apply_transposed,
    centripetal,
    cross,
    dot,
    load3,
    load6,
    load9,
    scale,
)


@njit(types.float64(MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def kinetic_energy(floats, R, v_W, w_W):
    """Return the kinetic energy [J] at the orientations and velocities of `kinematics`."""
    energy = 0.0
    for i in range(floats.shape[0]):
        rotation = load9(R, i, 0)
        v, w = apply_transposed(rotation, load3(v_W, i, 0)), apply_transposed(rotation, load3(w_W, i, 0))
        angular = dot(w, apply_symmetric(load6(floats, i, INERTIA), w))
        energy += 0.5 * (floats[i, MASS] * dot(v, v) + angular) + dot(v, cross(w, load3(floats, i, MOMENT)))
    return energy


@njit(types.float64(MATRIX, VECTOR, MATRIX, MATRIX), **OPTIONS)
def potential_energy(floats, gravity, R, p):
    """Return the potential energy [J] in the uniform field ``gravity`` [m/s2], zero with all mass at the world's origin."""
    energy = 0.0
    for i in range(floats.shape[0]):
        moment = add(scale(floats[i, MASS], load3(p, i, 0)), apply(load9(R, i, 0), load3(floats, i, MOMENT)))
        energy -= gravity[0] * moment[0] + gravity[1] * moment[1] + gravity[2] * moment[2]
    return energy


@njit(types.void(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR), **OPTIONS)
def momentum(floats, R, p, v_W, w_W, out):
    """Compute ``out[0:3]``: linear momentum [N s], ``out[3:6]``: angular momentum about the world's origin [N m s], in
    world.
    """
    linear, angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(floats.shape[0]):
        rotation = load9(R, i, 0)
        w = load3(w_W, i, 0)
        h = apply(rotation, load3(floats, i, MOMENT))
        l = add(scale(floats[i, MASS], load3(v_W, i, 0)), cross(w, h))
        spin = apply(rotation, apply_symmetric(load6(floats, i, INERTIA), apply_transposed(rotation, w)))
        linear = add(linear, l)
        angular = add(angular, add(cross(load3(p, i, 0), l), add(cross(h, load3(v_W, i, 0)), spin)))
    out[0], out[1], out[2] = linear
    out[3], out[4], out[5] = angular


@njit(types.void(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, VECTOR), **OPTIONS)
def momentum_rates(floats, R, p, w_W, a_W, alpha_W, out):
    """Compute the derivatives of `momentum` [N, N m] at the accelerations of `kinematics.body_accelerations`.

    Their values are the sums of all external forces and of their torques about the world's origin (gravity included).
    """
    linear, angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(floats.shape[0]):
        rotation = load9(R, i, 0)
        w, alpha = apply_transposed(rotation, load3(w_W, i, 0)), apply_transposed(rotation, load3(alpha_W, i, 0))
        a = load3(a_W, i, 0)
        inertia, moment = load6(floats, i, INERTIA), load3(floats, i, MOMENT)
        spin = add(apply_symmetric(inertia, alpha), cross(w, apply_symmetric(inertia, w)))
        f = add(scale(floats[i, MASS], a), apply(rotation, add(cross(alpha, moment), centripetal(w, moment))))
        linear = add(linear, f)
        angular = add(angular, add(cross(load3(p, i, 0), f), add(cross(apply(rotation, moment), a), apply(rotation, spin))))
    out[0], out[1], out[2] = linear
    out[3], out[4], out[5] = angular
