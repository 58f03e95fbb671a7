"""Motion of the frames that a force acts on, and what a force means for their bodies."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import add, add3, apply, apply_transposed, cross, kernel, load3, load9, multiply, subtract

from ..basics.layout import BODY_1, BODY_2, PARAMETERS, R_1, R_2


@kernel
def frame_pose(table, k, body_column, pose_column, R, p):
    """Return ``R_WF``, ``p_WF_W`` of a frame of row ``k``."""
    body = int(table[k, body_column])
    R_BF, p_BF = load9(table, k, pose_column), load3(table, k, pose_column + 9)
    if body < 0:
        return R_BF, p_BF
    R_WB = load9(R, body, 0)
    return multiply(R_WB, R_BF), add(load3(p, body, 0), apply(R_WB, p_BF))


@kernel
def first_pose(table, k, R, p):
    """Return ``R_WF``, ``p_WF_W`` of frame 1 of row ``k``."""
    return frame_pose(table, k, BODY_1, R_1, R, p)


@kernel
def second_pose(table, k, R, p):
    """Return ``R_WF``, ``p_WF_W`` of frame 2 of row ``k``."""
    return frame_pose(table, k, BODY_2, R_2, R, p)


@kernel
def point_velocity(body, point, p, v_W, w_W):
    """Return the velocity in world of the point of a body (-1: the world) that is at ``point``, and the body's angular
    velocity.
    """
    if body < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    w = load3(w_W, body, 0)
    return add(load3(v_W, body, 0), cross(w, subtract(point, load3(p, body, 0)))), w


@kernel
def act(body, point, force, torque, R, p, wrenches):
    """Add a force at ``point`` and a torque, all in world, to the wrench of a body; the world takes any."""
    if body >= 0:
        R_WB = load9(R, body, 0)
        moment = add(torque, cross(subtract(point, load3(p, body, 0)), force))
        add3(wrenches, body, 0, apply_transposed(R_WB, moment))
        add3(wrenches, body, 3, apply_transposed(R_WB, force))


@kernel
def parameter3(table, k, j):
    """Return three numbers of row ``k`` from the ``j``-th on."""
    return load3(table, k, PARAMETERS + j)
