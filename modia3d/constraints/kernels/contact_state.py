"""State of a contact: gap, normal, point and slip in world, whether or not rows hold it."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.spatial import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    kernel,
    multiply,
    scale,
    subtract,
    transpose,
)

from ..tables.cut_table import BODY_1, BODY_2, FRAME_1, FRAME_2, RADIUS
from .contact_rows import nearest, slip_of
from .cut_joint import frame_motion


@kernel
def contact_state(cuts, i, R, p, v_W, w_W):
    """Return the gap, normal out of body 1, point and slip of body 2 relative to body 1 there, of row ``i`` of a table of
    cuts.
    """
    R_1, p_1, v_1, w_1, _, _ = frame_motion(cuts, i, int(cuts[i, BODY_1]), FRAME_1, R, p, v_W, w_W, v_W, w_W)
    R_2, p_2, v_2, w_2, _, _ = frame_motion(cuts, i, int(cuts[i, BODY_2]), FRAME_2, R, p, v_W, w_W, v_W, w_W)
    r = subtract(p_2, p_1)
    v = apply_transposed(R_1, subtract(subtract(v_2, v_1), cross(w_1, r)))
    w = apply_transposed(R_1, subtract(w_2, w_1))
    n, gap, _, core, _ = nearest(cuts, i, apply_transposed(R_1, r), v, w, multiply(transpose(R_1), R_2))
    arm = subtract(core, scale(cuts[i, RADIUS], n))
    opening = dot(n, add(v, cross(w, core)))
    return gap, apply(R_1, n), add(p_2, apply(R_1, arm)), apply(R_1, slip_of(n, arm, v, w)), opening
