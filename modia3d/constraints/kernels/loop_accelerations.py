"""Accelerations of a forest with closed loops: its rows are eliminated once for a state, then met for each set of given values.

Given values are the accelerations of prescribed joints, and minus the force signals behind them; ``coupling`` (n_given, passive
speeds) is what passive joints feel of each.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.spatial import kernel
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modiapy.acausal.native import part

from .contact_friction import rub
from .cut_joint import evaluate_rows
from .loop_arrays import loop_arrays
from .loop_factors import factorise
from .loop_matrix import feel_all
from .loop_relation import find_multipliers, give_way, reduce_prescribed
from .loop_response import accelerate_pushed, accelerations_in_world, push, refine


@kernel
def eliminate_rows(ints, floats, gravity, q, v, mass, bias, coupling, work, a, loops):
    """Evaluate the rows of all cuts, and eliminate what passive joints can meet from ``mass`` and ``bias`` of the prescribed
    ones.

    Args:
        ints, floats, gravity, q, v: the forest, its coordinates and speeds.
        mass, bias, coupling, work: as `hybrid.hybrid_prepare` has left them.
        a: result (nv,): accelerations without multipliers and given values.
        loops: address of `LOOPS`.
    """
    L = loop_arrays(loops)
    body_poses(ints, floats, q, L.R, L.p)
    body_velocities(ints, floats, q, v, L.R, L.p, L.v_W, L.w_W, L.work_2)
    for k in range(L.n_v):
        L.pushed[k] = 0.0
    accelerate_pushed(ints, gravity, L.still, L.pushed, work, a)
    accelerations_in_world(L.R, gravity, work, L.a_W, L.alpha_W)
    evaluate_rows(L.cuts, L.R, L.p, L.v_W, L.w_W, L.a_W, L.alpha_W, L.points, L.coefficients, L.residual, L.speed, L.rest)
    feel_all(ints, work, loops)
    factorise(loops, False)
    give_way(ints, coupling, loops)
    reduce_prescribed(mass, bias, loops)


@part  # its sums are not to be contracted: each product is rounded
def meet_rows(ints, gravity, given, coupling, work, a, loops):
    """Compute all accelerations ``a`` (nv,) for ``given`` values, with the multipliers of the rows; after `eliminate_rows`."""
    L = loop_arrays(loops)
    find_multipliers(given, loops)
    rub(ints, loops)
    for k in range(L.n_v):
        L.pushed[k] = 0.0
    push(ints, loops, L.multipliers)
    passive = coupling.shape[1]
    for i in range(L.n_given):
        for k in range(passive):
            L.pushed[L.n_v - passive + k] -= coupling[i, k] * given[i]
    accelerate_pushed(ints, gravity, given, L.pushed, work, a)
    refine(ints, gravity, given, work, a, loops)
