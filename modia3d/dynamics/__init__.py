"""Rigid-body dynamics of a forest: numba kernels over arrays, nothing else.

The arrays are described in `modia3d.dynamics.basics.layout`. Kernels allocate nothing, know no Python object and return a
status (`layout.STATUS_OK`) where they can fail. All arrays are C-contiguous, writable float64 (``ints``: int64). By module::

    kinematics          body_poses(ints, floats, q, R, p)                         R[n,9] = R_WB row-major, p[n,3] = p_WB_W
                        body_velocities(ints, floats, q, v, R, p, v_W, w_W, work) v_WB_W[n,3], w_WB_W[n,3]
    accelerations       body_accelerations(ints, floats, q, v, a, R, p, w_W, a_W, alpha_W, work)  their derivatives [n,3], [n,3]
    jacobian            frame_jacobian(ints, floats, q, R, p, body, p_BF, J, work)  J[6,nv]: v -> (v_WF_W, w_WF_W)
    inverse_dynamics    inverse_dynamics(ints, floats, gravity, q, v, a, tau, work)
                        bias(ints, floats, gravity, q, v, h, work)                inverse dynamics with a = 0
    mass_matrix         mass_matrix(ints, floats, q, M, work)                     M[nv,nv]
    forward_dynamics    forward_dynamics(ints, floats, gravity, q, v, tau, a, work) -> status
    hybrid              hybrid_prepare(ints, floats, gravity, q, v, tau, wrenches, M_e, h_e, coupling, work) -> status
                        hybrid_finish(ints, gravity, a_e, coupling, work, a)      all accelerations a[nv]
                        passive_rates(ints, q, v, a, rates)                        (der(q_h), der(v_h))
    energy              kinetic_energy(floats, R, v_W, w_W), potential_energy(floats, gravity, R, p)
                        momentum(floats, R, p, v_W, w_W, out), momentum_rates(floats, R, p, w_W, a_W, alpha_W, out)

with ``work[n, WORK_COLUMNS]`` and ``coupling[n_e, nv - n_e]``. `Dynamics` holds all of it in one block of memory for callers
in Python, with all of the above but hybrid dynamics as methods (docs/multibody.md, "Dynamics without a simulation"). Importing
this package is light: a kernel's module imports numba, and compiles it or loads it from the cache.
"""

from __future__ import annotations

from modiapy.model.lazy_exports import lazy_exports

HOMES = {"Dynamics": "modia3d.dynamics.packed"}
"""Module of each name."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
