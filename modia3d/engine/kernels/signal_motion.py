"""Wrenches of force signals at many time points; compiled where somebody asks for what depends on them."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import add3, negate, scale
from modiapy.acausal.native import njit

from ..memory.signal_layout import BODY_1, BODY_2
from .motion import CUBE, MATRIX
from .signals import unit_wrench, wrench_on


@njit(f"void({MATRIX}, {MATRIX}, {CUBE}, {CUBE}, {CUBE})", cache=True)
def add_signal_wrenches(table, f, R, p, out):  # type: ignore[no-untyped-def]
    """Add the wrenches of the signals f[nt, n_f] on all bodies to out[nt, n, 6]."""
    for i in range(out.shape[0]):
        for k in range(table.shape[0]):
            one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
            if one < -1 or two < -1:
                continue
            torque, force, point = unit_wrench(table, k, R[i], p[i])
            torque, force = scale(f[i, k], torque), scale(f[i, k], force)
            if two >= 0:
                n, s = wrench_on(two, torque, force, point, R[i], p[i])
                add3(out[i], two, 0, n)
                add3(out[i], two, 3, s)
            if one >= 0:
                n, s = wrench_on(one, negate(torque), negate(force), point, R[i], p[i])
                add3(out[i], one, 0, n)
                add3(out[i], one, 3, s)
