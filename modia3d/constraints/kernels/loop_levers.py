"""Effect of constraint rows on passive joints by geometry alone: by this their rank is found.

In the metric of the mass matrix a row that moves heavy bodies alone is nothing beside one that moves a light body. So the
rank is that of the rows G themselves, in which masses have no part: what turns is divided by a length of its loops, so that all
columns are of one unit. A row moves joints that are on one of both ways to the root.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.layout import FREE, KIND, PASSIVE, REVOLUTE, ROLE, V_INDEX
from modia3d.dynamics.basics.records import column
from modia3d.dynamics.basics.spatial import add, apply_transposed, cross, dot, kernel, load3, load9, scale, subtract
from modia3d.dynamics.joints.joint import project
from modia3d.dynamics.joints.kinds import V_SIZE

from .loop_arrays import loop_arrays


@kernel
def lever_row(ints, work, loops, i, at, c_v, c_w):
    """Write to ``levers`` from ``at`` on what force ``c_v`` and torque ``c_w`` of cut ``i`` do; return the sum of squares."""
    L = loop_arrays(loops)
    levers, extent, path, path_at, path_once, R, p = L.levers, L.extent, L.path, L.path_at, L.path_once, L.R, L.p
    point, total = load3(L.points, i, 0), 0.0
    for k in range(at, at + L.path_length[i]):
        levers[k] = 0.0
    for e in range(L.path_start[i], L.path_start[i + 1]):
        body, here, length = path[e], at + path_at[e], extent[path[e]]
        kind = ints[body, KIND]
        if path_once[e] == 0 or (kind != FREE and ints[body, ROLE] != PASSIVE):
            continue
        R_WB, sign = load9(R, body, 0), float(path_once[e])
        torque = add(c_w, cross(subtract(point, load3(p, body, 0)), c_v))
        n, f = scale(sign, apply_transposed(R_WB, torque)), scale(sign, apply_transposed(R_WB, c_v))
        if kind == FREE:
            for j in range(3):
                levers[here + j], levers[here + 3 + j] = n[j] / length, f[j]
        elif kind > FREE:
            for j in range(V_SIZE[kind]):
                w, v = column(work, body, j)
                levers[here + j] = (dot(w, n) + dot(v, f)) / width_of(work, body, j, length)
        else:
            levers[here] = project(kind, n, f) / (length if kind == REVOLUTE else 1.0)
    for k in range(at, at + L.path_length[i]):
        total += levers[k] * levers[k]
    return total


@kernel
def width_of(work, body, j, length):
    """Return how far speed ``j`` of a joint of several moves what is that ``length`` away."""
    w, v = column(work, body, j)
    return (dot(v, v) + length * length * dot(w, w)) ** 0.5


@kernel
def measure_extents(ints, work, loops):
    """Compute ``extent`` of each body, the largest length of its loops, or 1 m; of prescribed joints, `width` of their
    speeds.
    """
    L = loop_arrays(loops)
    extent, path, path_start, path_once, length, width = L.extent, L.path, L.path_start, L.path_once, L.length, L.width
    for body in range(L.n):
        extent[body] = 0.0
    for i in range(L.n_cuts):
        for e in range(path_start[i], path_start[i + 1]):
            if path_once[e] != 0:
                extent[path[e]] = max(extent[path[e]], length[i])
    for k in range(L.n_e):
        width[k] = 1.0
    for body in range(L.n):
        kind, k = ints[body, KIND], ints[body, V_INDEX]
        if extent[body] == 0.0:
            extent[body] = 1.0
        if kind != FREE and k < L.n_e:
            for j in range(V_SIZE[kind]):
                if kind > FREE:
                    width[k + j] = width_of(work, body, j, extent[body])
                elif kind == REVOLUTE:
                    width[k] = extent[body]
