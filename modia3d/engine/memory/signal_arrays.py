"""The memory of force signals and sensors as arrays, for the kernels."""

from __future__ import annotations

from modiapy.acausal.native import array_part, float64_array, int64_array, part

from . import signal_layout as layout
from .accessors import poses, velocities
from .slots import N_BODIES, N_E, N_V, SIGNALS

_HEADER_SIZE, _N_FORCES, _FORCES, _B = layout.HEADER_SIZE, layout.N_FORCES, layout.FORCES, layout.B
_COUPLING, _GIVEN, _POSES, _VELOCITIES = layout.COUPLING, layout.GIVEN, layout.POSES, layout.VELOCITIES
_ROW_COLUMNS = layout.ROW_COLUMNS


@array_part
def header(c):  # type: ignore[no-untyped-def]
    """The header of `signal_layout`."""
    return int64_array(c[SIGNALS], _HEADER_SIZE)


@part
def body_motion(c, h):  # type: ignore[no-untyped-def]
    """R (n, 9), p, v_W, w_W (n, 3) of all bodies."""
    n = c[N_BODIES]
    R, p, _ = poses(h[_POSES], n)
    v_W, w_W, _ = velocities(h[_VELOCITIES], n)
    return R, p, v_W, w_W


@part
def signal_arrays(c, h):  # type: ignore[no-untyped-def]
    """Table of the force signals, B, coupling of accelerations and signals, ``(a_e, -f)``."""
    n_e, n_f, n_h = c[N_E], h[_N_FORCES], c[N_V] - c[N_E]
    table, B = float64_array(h[_FORCES], (n_f, _ROW_COLUMNS)), float64_array(h[_B], (n_e, n_f))
    return table, B, float64_array(h[_COUPLING], (n_e + n_f, n_h)), float64_array(h[_GIVEN], n_e + n_f)
