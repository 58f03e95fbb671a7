"""Machine code of a view: it gathers states, and computes in the joints of the view with the arrays of a forest.

All of it works on one block of memory (`modia3d.dynamics.array_calls`) with the slots of `slots.py`. A call takes the frame it
is about, as an array (`slots.FRAME_SIZE`), and the array for its result; it checks nothing. Poses and velocities of bodies are
computed where something needs them, once for each time that states are gathered.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.array_calls import HEADER, as_result, elements, fast_call, header_of
from modia3d.dynamics.basics.layout import FLOAT_COLUMNS, INT_COLUMNS, STATUS_OK, WORK_COLUMNS
from modia3d.dynamics.basics.spatial import add, apply, cross, kernel, load3, load9, multiply
from modia3d.dynamics.bias import bias
from modia3d.dynamics.jacobian import frame_jacobian
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.dynamics.mass_matrix import mass_matrix
from modiapy.acausal.native import float64_array, int64_array

from .slots import (
    BODIES,
    COLUMNS,
    COORDINATES,
    FACTORS,
    FLOATS,
    FRAME_SIZE,
    GRAVITY,
    INTS,
    JACOBIAN,
    MASS_MATRIX,
    MOVING,
    N_COORDINATES,
    N_SPEEDS,
    NQ,
    NV,
    OFFSETS,
    P_WB,
    POSED,
    R_WB,
    REST,
    SIZE,
    SOURCES,
    SPEEDS,
    STATES,
    V_WB,
    VIEW_Q,
    VIEW_V,
    W_WB,
    WORK,
    H,
    X,
)

assert SIZE > HEADER


@kernel
def _forest(s):
    """Return ints, floats, q, v, work."""
    n, nq, nv = s[BODIES], s[NQ], s[NV]
    return (
        int64_array(s[INTS], (n, INT_COLUMNS)),
        float64_array(s[FLOATS], (n, FLOAT_COLUMNS)),
        float64_array(s[STATES], nq),
        float64_array(s[STATES] + 8 * nq, nv),
        float64_array(s[WORK], (n, WORK_COLUMNS)),
    )


@kernel
def _poses(s):
    """Return ``R_WB`` and ``p_WB_W`` of all bodies, computed if they are not known."""
    n = s[BODIES]
    R, p = float64_array(s[R_WB], (n, 9)), float64_array(s[P_WB], (n, 3))
    if s[POSED] == 0:
        ints, floats, q, _, _ = _forest(s)
        body_poses(ints, floats, q, R, p)
        s[POSED] = 1
    return R, p


@kernel
def _velocities(s):
    """Return ``R_WB``, ``v_WB_W`` and ``w_WB_W`` of all bodies, computed if they are not known."""
    n = s[BODIES]
    R, p = _poses(s)
    v_W, w_W = float64_array(s[V_WB], (n, 3)), float64_array(s[W_WB], (n, 3))
    if s[MOVING] == 0:
        ints, floats, q, v, work = _forest(s)
        body_velocities(ints, floats, q, v, R, p, v_W, w_W, work)
        s[MOVING] = 1
    return R, v_W, w_W


@fast_call
def gather(block, arguments, count):
    """Gather coordinates and speeds of the forest from ``x``, then those of the view from these."""
    s = int64_array(header_of(block), SIZE)
    nq, nv = s[NQ], s[NV]
    states, sources = float64_array(s[STATES], nq + nv), int64_array(s[SOURCES], nq + nv)
    factors, offsets = float64_array(s[FACTORS], nq + nv), float64_array(s[OFFSETS], nq + nv)
    for k in range(nq + nv):
        i = sources[k]
        if i >= 0:
            states[k] = factors[k] * float64_array(s[X], i + 1)[i] + offsets[k]
    n_q, n_v = s[N_COORDINATES], s[N_SPEEDS]
    q, v = float64_array(s[VIEW_Q], n_q), float64_array(s[VIEW_V], n_v)
    coordinates, speeds = int64_array(s[COORDINATES], n_q), int64_array(s[SPEEDS], n_v)
    for k in range(n_q):
        if coordinates[k] >= 0:
            q[k] = states[coordinates[k]]
    for k in range(n_v):
        if speeds[k] >= 0:
            v[k] = states[nq + speeds[k]]
    s[POSED] = 0
    s[MOVING] = 0
    return as_result(STATUS_OK)


@fast_call
def mass_matrix_of_view(block, arguments, count):
    """Compute the mass matrix (n_v, n_v): rows and columns of the view, of what is not in the forest those of the identity."""
    s = int64_array(header_of(block), SIZE)
    ints, floats, q, _, work = _forest(s)
    nv, n = s[NV], s[N_SPEEDS]
    M, columns = float64_array(s[MASS_MATRIX], (nv, nv)), int64_array(s[COLUMNS], n)
    out = float64_array(elements(int64_array(arguments, 1)[0]), (n, n))
    mass_matrix(ints, floats, q, M, work)
    for i in range(n):
        row = columns[i]
        for j in range(n):
            column = columns[j]
            if row >= 0 and column >= 0:
                out[i, j] = M[row, column]
            else:
                out[i, j] = 1.0 if i == j else 0.0
    return as_result(STATUS_OK)


@kernel
def _forces(s, v, out):
    """Compute generalized forces (n_v,) of the view at the speeds ``v`` of the forest and zero accelerations."""
    ints, floats, q, _, work = _forest(s)
    h, columns = float64_array(s[H], s[NV]), int64_array(s[COLUMNS], s[N_SPEEDS])
    bias(ints, floats, float64_array(s[GRAVITY], 3), q, v, h, work)
    for i in range(s[N_SPEEDS]):
        out[i] = h[columns[i]] if columns[i] >= 0 else 0.0


@fast_call
def bias_of_view(block, arguments, count):
    """Compute the generalized forces at the present speeds (n_v,)."""
    s = int64_array(header_of(block), SIZE)
    v = float64_array(s[STATES] + 8 * s[NQ], s[NV])
    _forces(s, v, float64_array(elements(int64_array(arguments, 1)[0]), s[N_SPEEDS]))
    return as_result(STATUS_OK)


@fast_call
def gravity_of_view(block, arguments, count):
    """Compute the generalized forces at rest (n_v,)."""
    s = int64_array(header_of(block), SIZE)
    v = float64_array(s[REST], s[NV])
    _forces(s, v, float64_array(elements(int64_array(arguments, 1)[0]), s[N_SPEEDS]))
    return as_result(STATUS_OK)


@kernel
def _frame(arguments):
    """Return the frame that is the first argument, and its body."""
    frame = float64_array(elements(int64_array(arguments, 1)[0]), (1, FRAME_SIZE))
    return frame, int(frame[0, 0])


@fast_call
def jacobian_of_view(block, arguments, count):
    """Compute the Jacobian (6, n_v) of a frame."""
    s = int64_array(header_of(block), SIZE)
    ints, floats, q, _, work = _forest(s)
    R, p = _poses(s)
    nv, n = s[NV], s[N_SPEEDS]
    _, body = _frame(arguments)
    p_BF = float64_array(elements(int64_array(arguments, 1)[0]) + 8, 3)
    J, columns = float64_array(s[JACOBIAN], (6, nv)), int64_array(s[COLUMNS], n)
    out = float64_array(elements(int64_array(arguments, 2)[1]), (6, n))
    frame_jacobian(ints, floats, q, R, p, body, p_BF, J, work)
    for j in range(n):
        for i in range(6):
            out[i, j] = J[i, columns[j]] if columns[j] >= 0 else 0.0
    return as_result(STATUS_OK)


@kernel
def _put(arguments, first, vector):
    """Write a vector into the second argument."""
    out = float64_array(elements(int64_array(arguments, 2)[1]), first + 3)
    for i in range(3):
        out[first + i] = vector[i]


@fast_call
def position(block, arguments, count):
    """Compute ``p_WF_W`` (3,) of a frame."""
    R, p = _poses(int64_array(header_of(block), SIZE))
    frame, body = _frame(arguments)
    p_WF = load3(frame, 0, 1)
    if body >= 0:
        p_WF = add(load3(p, body, 0), apply(load9(R, body, 0), p_WF))
    _put(arguments, 0, p_WF)
    return as_result(STATUS_OK)


@fast_call
def rotation(block, arguments, count):
    """Compute ``R_WF`` (3, 3) of a frame."""
    R, _ = _poses(int64_array(header_of(block), SIZE))
    frame, body = _frame(arguments)
    R_WF = load9(frame, 0, 4)
    if body >= 0:
        R_WF = multiply(load9(R, body, 0), R_WF)
    _put(arguments, 0, (R_WF[0], R_WF[1], R_WF[2]))
    _put(arguments, 3, (R_WF[3], R_WF[4], R_WF[5]))
    _put(arguments, 6, (R_WF[6], R_WF[7], R_WF[8]))
    return as_result(STATUS_OK)


@fast_call
def velocity(block, arguments, count):
    """Compute ``v_WF_W`` (3,) of a frame."""
    R, v_W, w_W = _velocities(int64_array(header_of(block), SIZE))
    frame, body = _frame(arguments)
    v_WF = (0.0, 0.0, 0.0)
    if body >= 0:
        v_WF = add(load3(v_W, body, 0), cross(load3(w_W, body, 0), apply(load9(R, body, 0), load3(frame, 0, 1))))
    _put(arguments, 0, v_WF)
    return as_result(STATUS_OK)


@fast_call
def angular_velocity(block, arguments, count):
    """Compute ``w_WF_W`` (3,) of a frame."""
    _, _, w_W = _velocities(int64_array(header_of(block), SIZE))
    _, body = _frame(arguments)
    w_WF = (0.0, 0.0, 0.0)
    if body >= 0:
        w_WF = load3(w_W, body, 0)
    _put(arguments, 0, w_WF)
    return as_result(STATUS_OK)
