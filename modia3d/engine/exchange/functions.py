"""The engine's functions as the compiler sees them: names, sizes, what they are linear in, where their machine code is."""

from __future__ import annotations

from functools import cache

from modiapy.acausal.calls import kernel_address
from modiapy.acausal.protocol import ComponentFunction


def _function(module: str, name: str, n_in: int, n_out: int, **metadata: object) -> ComponentFunction:
    address = kernel_address(f"modia3d.engine.kernels.{module}", name)
    return ComponentFunction(name, n_in, n_out, f"modia3d_{name}", address, **metadata)  # type: ignore[arg-type]


def set_states(n: int) -> ComponentFunction:
    """Return (phi.., w..) -> token, for ``n`` joints with a flange."""
    return _function("states", "set_states", 2 * n, 1)


def set_states_with_forces(n: int) -> ComponentFunction:
    """Return the same where forces act inside the engine."""
    return _function("forces", "set_states_with_forces", 2 * n, 1)


def set_states_with_points(n: int, m: int) -> ComponentFunction:
    """Return (phi.., w.., points..) -> token where force elements are in series without a body between, ``m`` damped points."""
    return _function("points", "set_states_with_points", 2 * n + 3 * m, 1)


def point_velocities(m: int) -> ComponentFunction:
    """Return (token) -> velocities of the ``m`` damped points, three each."""
    return _function("points", "point_velocities", 1, 3 * m)


def generalized_forces(n: int) -> ComponentFunction:
    """Return (token, a..) -> f..; affine in the accelerations."""
    return _function("states", "generalized_forces", 1 + n, n, linear_in=frozenset(range(1, 1 + n)))


def finish(n: int, n_f: int) -> ComponentFunction:
    """Return (closed, a.., f..) -> done; delivers the derivatives of the engine's own states."""
    return _function("finish", "finish", 1 + n + n_f, 1, sink=True)


def close_loops() -> ComponentFunction:
    """Return (token) -> closed: passive joints keep loops closed, as far as they can."""
    return _function("loops", "close_loops", 1, 1)


def constraint_relation(n: int) -> ComponentFunction:
    """Return (closed, a.., T..) -> r..: zero where accelerations and constraint forces of ``n`` joints with a flange fit."""
    return _function("loops", "constraint_relation", 1 + 2 * n, n, linear_in=frozenset(range(1, 1 + 2 * n)))


project_states = cache(kernel_address("modia3d.engine.kernels.loops", "project_states"))
"""Address of what brings states onto closed loops, see `StateProjection`."""


def switches(n: int) -> ComponentFunction:
    """Return () -> held.. of ``n`` prescribed joints that may be held."""
    return _function("constraints", "switches", 0, n)


def limits(n: int, n_passive: int) -> ComponentFunction:
    """Return the function (done, forces of held prescribed joints..) -> done, forces of held passive joints..."""
    return _function("constraints", "limits", 1 + n, 1 + n_passive, sink=True)


def prepare_signals() -> ComponentFunction:
    """Return (token) -> ready: the motion of all bodies, and what joints feel of a unit of each force signal."""
    return _function("signals", "prepare_signals", 1, 1)


def signal_forces(n: int, n_f: int) -> ComponentFunction:
    """Return (ready, f..) -> g..: what ``n_f`` force signals exert at ``n`` joints with a flange; linear in the signals."""
    return _function("signals", "signal_forces", 1 + n_f, n, linear_in=frozenset(range(1, 1 + n_f)))


def sense() -> ComponentFunction:
    """Return the function (ready) -> sensed: all that sensors measure of positions and velocities."""
    return _function("sensors", "sense", 1, 1)


def sensed_value() -> ComponentFunction:
    """Return (sensed, i) -> the i-th value."""
    return _function("sensors", "sensed_value", 2, 1, gaps=True)


def sensed_contact(n_out: int) -> ComponentFunction:
    """Return the function (ready, row) -> components of what is known of the contacts of a solid."""
    address = kernel_address("modia3d.engine.contact.sensor_kernels", "sensed_contact")
    return ComponentFunction("sensed_contact", 2, n_out, "modia3d_sensed_contact", address, gaps=True)


def sensed_accelerations(name: str, n: int, n_f: int, n_out: int) -> ComponentFunction:
    """Return (ready, row, a.., f..) -> components of a quantity that is affine in accelerations and force signals.

    A cut where there may be loops is affine in the constraint forces of prescribed joints behind these, too.
    """
    linear_in = frozenset(range(2, 2 + n + n_f))
    return _function("cuts" if name == "cut" else "sensors", name, 2 + n + n_f, n_out, linear_in=linear_in, gaps=True)


def prepare_cuts() -> ComponentFunction:
    """Return the function (ready) -> pieces: what `cut` needs."""
    return _function("cuts", "prepare_cuts", 1, 1)


def energies() -> ComponentFunction:
    """Return the function (ready) -> kinetic and potential energy."""
    return _function("energies", "energies", 1, 2)


def powers(n: int, n_f: int) -> ComponentFunction:
    """Return (ready, f.., tau..) -> power of ``n`` flanges, of ``n_f`` force signals and forces from outside, dissipated
    power.
    """
    return _function("powers", "powers", 1 + n_f + n, 3, linear_in=frozenset(range(1, 1 + n_f + n)))


def references(n: int, jerk_limited: bool) -> ComponentFunction:
    """Return () -> positions.., velocities.., accelerations.. of ``n`` reference signals.

    They can be differentiated twice; three times where the accelerations of all paths are continuous.
    """
    third = _function("path_rates", "reference_jerks", 0, 3 * n) if jerk_limited else None
    second = _function("path_rates", "reference_accelerations", 0, 3 * n, derivative=third)
    first = _function("path_rates", "reference_rates", 0, 3 * n, derivative=second)
    return _function("paths", "references", 0, 3 * n, derivative=first)
